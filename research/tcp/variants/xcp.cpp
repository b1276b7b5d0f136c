// SPDX-License-Identifier: Apache-2.0
#include "xcp.h"

#include <algorithm>
#include <cmath>

#include "ns3/ipv4-l3-protocol.h"
#include "ns3/tcp-l4-protocol.h"

namespace arqlink::tcp {

using namespace ns3;

NS_OBJECT_ENSURE_REGISTERED(XcpHeader);
NS_OBJECT_ENSURE_REGISTERED(XcpEcho);
NS_OBJECT_ENSURE_REGISTERED(TcpXcp);

// Header --------------------------------------------------------------------------------------------------------------

TypeId XcpHeader::GetTypeId() {
    static const TypeId id = TypeId("arqlink::XcpHeader").SetParent<Tag>().AddConstructor<XcpHeader>();
    return id;
}

void XcpHeader::Serialize(TagBuffer out) const {
    for (const double value : {window, roundTrip, feedback}) out.WriteDouble(value);
}

void XcpHeader::Deserialize(TagBuffer in) {
    for (double* value : {&window, &roundTrip, &feedback}) *value = in.ReadDouble();
}

void XcpHeader::Print(std::ostream& out) const {
    out << "window=" << window << " roundTrip=" << roundTrip << " feedback=" << feedback;
}

TypeId XcpEcho::GetTypeId() {
    static const TypeId id = TypeId("arqlink::XcpEcho").SetParent<Tag>().AddConstructor<XcpEcho>();
    return id;
}

// Sender --------------------------------------------------------------------------------------------------------------

TypeId TcpXcp::GetTypeId() {
    static const TypeId id =
        TypeId("arqlink::TcpXcp")
            .SetParent<TcpNewReno>()
            .AddConstructor<TcpXcp>()
            .AddAttribute("DesiredRate", "The rate that the sender asks for.", DataRateValue(DataRate("10Gb/s")),
                          MakeDataRateAccessor(&TcpXcp::desired_), MakeDataRateChecker());
    return id;
}

void TcpXcp::attach(const Ptr<TcpSocketBase>& socket) {
    const Ptr<TcpXcp> control = CreateObject<TcpXcp>();
    socket->SetCongestionControlAlgorithm(control);
    using Trace = Callback<void, Ptr<const Packet>, const TcpHeader&, Ptr<const TcpSocketBase>>;
    socket->TraceConnectWithoutContext(
        "Tx", Trace([control](Ptr<const Packet> p, const TcpHeader&, Ptr<const TcpSocketBase>) { control->sent(p); }));
    socket->TraceConnectWithoutContext("Rx", Trace([control](Ptr<const Packet> p, const TcpHeader&,
                                                             Ptr<const TcpSocketBase>) { control->received(p); }));
}

void TcpXcp::sent(Ptr<const Packet> packet) {
    if (packet->GetSize() == 0) return;
    XcpHeader header;
    header.window = window().Get();
    header.roundTrip = tcb_->m_srtt.Get().GetSeconds();
    // Each packet of a window asks for its share of what is missing.
    const double wanted = static_cast<double>(desired_.GetBitRate()) / 8 * header.roundTrip;
    header.feedback = (wanted - header.window) * tcb_->m_segmentSize / header.window;
    packet->AddPacketTag(header);
}

void TcpXcp::received(Ptr<const Packet> packet) {
    XcpEcho echo;
    if (!packet->PeekPacketTag(echo)) return;
    change_ += echo.feedback;
    if (tcb_->m_congState == TcpSocketState::CA_RECOVERY) apply();
}

// In fast recovery the window is what the rules of that make of it, until at its end it is the threshold.
TracedValue<uint32_t>& TcpXcp::window() const {
    return tcb_->m_congState == TcpSocketState::CA_RECOVERY ? tcb_->m_ssThresh : tcb_->m_cWnd;
}

void TcpXcp::apply() {
    constexpr double most = 1 << 30;  // of TCP's window
    const double wanted = std::clamp(window().Get() + change_, static_cast<double>(tcb_->m_segmentSize), most);
    change_ = wanted - std::floor(wanted);
    window() = static_cast<uint32_t>(wanted);
}

void TcpXcp::IncreaseWindow(Ptr<TcpSocketState> tcb, uint32_t) {
    if (change_ > 0 && !tcb->m_isCwndLimited) change_ = 0;
    apply();
}

// Receiver ------------------------------------------------------------------------------------------------------------

TypeId XcpReceiver::GetTypeId() {
    static const TypeId id = TypeId("arqlink::XcpReceiver").SetParent<Object>().AddConstructor<XcpReceiver>();
    return id;
}

void XcpReceiver::install(const Ptr<Node>& node) {
    const Ptr<XcpReceiver> receiver = CreateObject<XcpReceiver>();
    using Trace = Callback<void, const Ipv4Header&, Ptr<const Packet>, uint32_t>;
    const Ptr<Ipv4L3Protocol> ip = node->GetObject<Ipv4L3Protocol>();
    ip->TraceConnectWithoutContext("LocalDeliver", Trace([receiver](const Ipv4Header& h, Ptr<const Packet> p,
                                                                    uint32_t) { receiver->delivered(h, p); }));
    ip->TraceConnectWithoutContext("SendOutgoing", Trace([receiver](const Ipv4Header& h, Ptr<const Packet> p,
                                                                    uint32_t) { receiver->sending(h, p); }));
}

void XcpReceiver::delivered(const Ipv4Header& ip, const Ptr<const Packet>& packet) {
    XcpHeader header;
    if (ip.GetProtocol() != TcpL4Protocol::PROT_NUMBER || !packet->PeekPacketTag(header)) return;
    TcpHeader tcp;
    packet->PeekHeader(tcp);
    owed_[{ip.GetSource().Get(), tcp.GetSourcePort(), tcp.GetDestinationPort()}] += header.feedback;
}

void XcpReceiver::sending(const Ipv4Header& ip, const Ptr<const Packet>& packet) {
    if (ip.GetProtocol() != TcpL4Protocol::PROT_NUMBER) return;
    TcpHeader tcp;
    packet->PeekHeader(tcp);
    const auto found = owed_.find({ip.GetDestination().Get(), tcp.GetDestinationPort(), tcp.GetSourcePort()});
    if (found == owed_.end()) return;
    XcpEcho echo;
    echo.feedback = found->second;
    owed_.erase(found);
    packet->AddPacketTag(echo);
}

}  // namespace arqlink::tcp
