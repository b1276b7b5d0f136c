// SPDX-License-Identifier: Apache-2.0
// TCP Dynamic Vegas: L. Wu, F. Peng and V. C. M. Leung, "Dynamic congestion control for satellite networks employing TCP performance
// enhancement proxies", PIMRC 2004, as far as F. Peng et al., "TCP performance evaluation over GEO and LEO satellite links between
// performance enhancement proxies", sections II and V, describes it.
#pragma once

#include "ns3/callback.h"
#include "ns3/tcp-vegas.h"

namespace arqlink::tcp {

/// Vegas at the proxy before the link, which the queue there tells of congestion at once, instead of round trips later. So it tells
/// congestion from transmission errors: a loss without congestion is repaired, and the window stays.
///
/// The description has no numbers and no algorithm. Filled in here:
/// - congestion is a queue whose occupancy, the share of its places that are taken, is `Threshold` or more at this moment;
/// - in congestion the window is cut at once to three quarters, as Vegas does at a first loss (Brakmo and Peterson, 1995), once in a
///   round trip, and slow start ends; until the congestion is over, the window does not grow;
/// - a loss in congestion makes the same cut, unless this round trip had it already;
/// - after a timeout without congestion the window grows by slow start up to what it was;
/// - without congestion it is TcpVegas of ns-3.
class TcpDVegas : public ns3::TcpVegas {
  public:
    static ns3::TypeId GetTypeId();
    std::string GetName() const override { return "TcpDVegas"; }

    void IncreaseWindow(ns3::Ptr<ns3::TcpSocketState> tcb, uint32_t segmentsAcked) override;
    void CongestionStateSet(ns3::Ptr<ns3::TcpSocketState> tcb,
                            const ns3::TcpSocketState::TcpCongState_t state) override;
    uint32_t GetSsThresh(ns3::Ptr<const ns3::TcpSocketState> tcb, uint32_t bytesInFlight) override;
    ns3::Ptr<ns3::TcpCongestionOps> Fork() override { return ns3::CopyObject<TcpDVegas>(this); }

  private:
    bool congested() const { return !occupancy_.IsNull() && occupancy_() >= threshold_; }
    bool wasCut(const ns3::TcpSocketState& tcb) const { return cut_ && tcb.m_lastAckedSeq < cutUntil_; }
    uint32_t reduced(const ns3::TcpSocketState& tcb, uint32_t window) const;
    void noteCut(const ns3::TcpSocketState& tcb);

    ns3::Callback<double> occupancy_;
    double threshold_ = 0.5;
    bool cut_ = false;
    ns3::SequenceNumber32 cutUntil_;  // sent when the window was cut last: a round trip later it is acknowledged
    uint32_t before_ = 0;             // window before fast recovery or timeout
    bool repairing_ = false;
    bool adjusting_ = false;  // Vegas asks for its threshold, without a loss
};

}  // namespace arqlink::tcp
