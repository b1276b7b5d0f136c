// SPDX-License-Identifier: Apache-2.0
#include "xcp_router.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ns3/double.h"
#include "ns3/simulator.h"

namespace arqlink::tcp {

using namespace ns3;

NS_OBJECT_ENSURE_REGISTERED(XcpRouter);

namespace {

const Time leastLook = MilliSeconds(2);

double bytesPerSecond(DataRate rate) { return static_cast<double>(rate.GetBitRate()) / 8; }

}  // namespace

TypeId XcpRouter::GetTypeId() {
    static const TypeId id =
        TypeId("arqlink::XcpRouter")
            .SetParent<Object>()
            .AddConstructor<XcpRouter>()
            .AddAttribute("Alpha", "Share of the spare bandwidth that is given in a control interval.",
                          DoubleValue(0.4), MakeDoubleAccessor(&XcpRouter::alpha_), MakeDoubleChecker<double>(0))
            .AddAttribute("Beta", "Share of the persistent queue that is taken in a control interval.",
                          DoubleValue(0.226), MakeDoubleAccessor(&XcpRouter::beta_), MakeDoubleChecker<double>(0))
            .AddAttribute("Gamma", "Share of the traffic that is shuffled in a control interval.", DoubleValue(0.1),
                          MakeDoubleAccessor(&XcpRouter::gamma_), MakeDoubleChecker<double>(0, 1))
            .AddAttribute("Capacity", "Rate at which the device sends.", DataRateValue(DataRate("1Mb/s")),
                          MakeDataRateAccessor(&XcpRouter::capacity_), MakeDataRateChecker())
            .AddAttribute("FirstInterval", "The control interval until a round trip is known.",
                          TimeValue(MilliSeconds(100)), MakeTimeAccessor(&XcpRouter::first_),
                          MakeTimeChecker(MilliSeconds(1)));
    return id;
}

void XcpRouter::attach(const Ptr<NetDevice>& device, std::function<double()> queue) {
    start(std::move(queue));
    const Ptr<XcpRouter> self(this);
    device->TraceConnectWithoutContext(
        "MacTx", Callback<void, Ptr<const Packet>>([self](Ptr<const Packet> packet) { self->arrive(packet); }));
}

void XcpRouter::start(std::function<double()> queue) {
    queue_ = std::move(queue);
    roundTrip_ = first_.GetSeconds();
    interval_ = Simulator::Schedule(first_, &XcpRouter::endInterval, this);
    look_ = Simulator::Schedule(leastLook, &XcpRouter::lookAtQueue, this);
}

void XcpRouter::arrive(const Ptr<const Packet>& packet) {
    const auto bytes = static_cast<double>(packet->GetSize());
    bytes_ += bytes;
    least_ = std::min(least_, queue_());
    XcpHeader header;
    if (!packet->PeekPacketTag(header)) return;
    const double share = header.roundTrip * bytes / header.window;
    ofXcp_ += bytes;
    shares_ += share;
    weighted_ += share * header.roundTrip;
    header.feedback = feedback(header, bytes);
    // Trace sources show packets as constant, and they are not.
    ConstCast<Packet>(packet)->ReplacePacketTag(header);
}

// Eqs. 4 to 10, and appendix A for what other routers left over: what is not given or taken here stays for other packets.
double XcpRouter::feedback(const XcpHeader& header, double bytes) {
    const double roundTrip = header.roundTrip;
    if (roundTrip <= 0) return std::min(header.feedback, 0.0);
    const double given = positive_ * roundTrip * roundTrip * bytes / header.window;
    const double taken = negative_ * roundTrip * bytes;
    const double own = given - taken;
    if (header.feedback >= own) {
        increase_ -= given / roundTrip;
        decrease_ -= taken / roundTrip;
    } else if (header.feedback > 0) {
        increase_ -= header.feedback / roundTrip;
        decrease_ -= (own - header.feedback) / roundTrip;
    } else {
        decrease_ += header.feedback / roundTrip;
        if (own > 0) decrease_ -= own / roundTrip;
    }
    if (increase_ <= 0) positive_ = 0;
    if (decrease_ <= 0) negative_ = 0;
    return std::min(header.feedback, own);
}

void XcpRouter::endInterval() {
    const double length = roundTrip_;
    if (shares_ > 0) roundTrip_ = weighted_ / shares_;
    const double rate = bytes_ / length;
    const double phi = alpha_ * roundTrip_ * (bytesPerSecond(capacity_) - rate) - beta_ * persistent_;  // eq. 1
    const double shuffled = std::max(0.0, gamma_ * rate * roundTrip_ - std::abs(phi));                  // eq. 2
    const double more = std::max(phi, 0.0) + shuffled, less = std::max(-phi, 0.0) + shuffled;
    // As much as in the last interval will arrive in the next one, which may be longer.
    const double scale = roundTrip_ / length;
    positive_ = shares_ > 0 ? more / (roundTrip_ * shares_ * scale) : 0;
    negative_ = ofXcp_ > 0 ? less / (roundTrip_ * ofXcp_ * scale) : 0;
    increase_ = more / roundTrip_;
    decrease_ = less / roundTrip_;
    bytes_ = ofXcp_ = shares_ = weighted_ = 0;
    interval_ = Simulator::Schedule(Seconds(roundTrip_), &XcpRouter::endInterval, this);
}

// The propagation delay is the round trip without the time in this queue.
void XcpRouter::lookAtQueue() {
    least_ = std::min(least_, queue_());
    persistent_ = least_;
    least_ = queue_();
    const Time propagation = Seconds((roundTrip_ - least_ / bytesPerSecond(capacity_)) / 2);
    look_ = Simulator::Schedule(std::max(leastLook, propagation), &XcpRouter::lookAtQueue, this);
}

void XcpRouter::DoDispose() {
    interval_.Cancel();
    look_.Cancel();
    queue_ = nullptr;
    Object::DoDispose();
}

}  // namespace arqlink::tcp
