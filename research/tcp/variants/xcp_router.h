// SPDX-License-Identifier: Apache-2.0
// The router of XCP: D. Katabi, M. Handley and C. Rohrs, "Congestion control for high bandwidth-delay product networks", SIGCOMM 2002,
// section 3.5. The ends are in xcp.h.
#pragma once

#include <functional>

#include "ns3/data-rate.h"
#include "ns3/event-id.h"
#include "ns3/net-device.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "xcp.h"

namespace arqlink::tcp {

/// Gives the packets that go to a device their feedback, and knows no flows. In each control interval, the mean round trip d, the efficiency
/// controller finds how many bytes more, or fewer, the flows should have sent: phi = alpha d S - beta Q, with the spare bandwidth S and the
/// persistent queue Q. The fairness controller gives an increase to all flows alike, and takes a decrease from each in proportion to its rate;
/// it shuffles a part `Gamma` of the traffic where |phi| is small.
///
/// Feedback is counted in the bytes that the device sends, headers of lower layers included, and windows in those of TCP: the few percent
/// between them make alpha that much larger. A packet gets its feedback as it arrives, not as it departs.
class XcpRouter final : public ns3::Object {
  public:
    static ns3::TypeId GetTypeId();

    /// Watches packets by the device's trace source `MacTx`, as most devices of ns-3 have it. `queue`: bytes that wait in it now. Set
    /// `Capacity` before.
    void attach(const ns3::Ptr<ns3::NetDevice>& device, std::function<double()> queue);

    /// The same without a device: each of its packets comes here before it is in the queue.
    void start(std::function<double()> queue);
    void arrive(const ns3::Ptr<const ns3::Packet>& packet);

  private:
    double feedback(const XcpHeader& header, double bytes);
    void endInterval();
    void lookAtQueue();
    void DoDispose() override;

    double alpha_ = 0.4, beta_ = 0.226, gamma_ = 0.1;
    ns3::DataRate capacity_;
    ns3::Time first_;
    std::function<double()> queue_;
    ns3::EventId interval_, look_;

    double roundTrip_ = 0;               // d: seconds
    double persistent_ = 0, least_ = 0;  // Q: the least queue of the last propagation delay; the least of this one
    // Sums of a control interval: bytes of all packets, and of those with a header; of rtt s / cwnd, and of rtt^2 s / cwnd.
    double bytes_ = 0, ofXcp_ = 0, shares_ = 0, weighted_ = 0;
    double positive_ = 0, negative_ = 0;  // xi_p and xi_n
    double increase_ = 0, decrease_ = 0;  // bytes a second that are still to be given and taken in this interval
};

}  // namespace arqlink::tcp
