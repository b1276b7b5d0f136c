// SPDX-License-Identifier: Apache-2.0
// The ends of XCP: D. Katabi, M. Handley and C. Rohrs, "Congestion control for high bandwidth-delay product networks", SIGCOMM 2002,
// sections 3.1 to 3.4. Routers are in xcp_router.h.
#pragma once

#include <map>
#include <tuple>

#include "ns3/data-rate.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv4.h"
#include "ns3/node.h"
#include "ns3/tag.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-socket-base.h"

namespace arqlink::tcp {

/// The congestion header, which the sender puts on each data packet (section 3.1). It is a tag of the packet: it crosses every device
/// of ns-3 that passes the packet on, and has no bytes on the line.
class XcpHeader final : public ns3::Tag {
  public:
    double window = 0;     ///< H_cwnd: bytes
    double roundTrip = 0;  ///< H_rtt: seconds; 0: not known yet
    double feedback = 0;   ///< H_feedback: bytes by which the window is to change; the sender asks, routers reduce it

    static ns3::TypeId GetTypeId();
    ns3::TypeId GetInstanceTypeId() const override { return GetTypeId(); }
    uint32_t GetSerializedSize() const override { return 3 * sizeof(double); }
    void Serialize(ns3::TagBuffer out) const override;
    void Deserialize(ns3::TagBuffer in) override;
    void Print(std::ostream& out) const override;
};

/// What the receiver sends back on an ACK: the feedback of all packets since its last one, which one ACK may stand for.
class XcpEcho final : public ns3::Tag {
  public:
    double feedback = 0;  ///< bytes

    static ns3::TypeId GetTypeId();
    ns3::TypeId GetInstanceTypeId() const override { return GetTypeId(); }
    uint32_t GetSerializedSize() const override { return sizeof(double); }
    void Serialize(ns3::TagBuffer out) const override { out.WriteDouble(feedback); }
    void Deserialize(ns3::TagBuffer in) override { feedback = in.ReadDouble(); }
    void Print(std::ostream& out) const override { out << "echo=" << feedback; }
};

/// The sender: its window changes by the feedback, one segment at least (section 3.2). To losses it responds as NewReno does; in fast
/// recovery, feedback changes the window that this leads to. A window that is not used up does not grow.
class TcpXcp : public ns3::TcpNewReno {
  public:
    static ns3::TypeId GetTypeId();
    /// Makes a socket, of which no data were sent yet, a sender of XCP.
    static void attach(const ns3::Ptr<ns3::TcpSocketBase>& socket);

    std::string GetName() const override { return "TcpXcp"; }
    void Init(ns3::Ptr<ns3::TcpSocketState> tcb) override { tcb_ = tcb; }
    void IncreaseWindow(ns3::Ptr<ns3::TcpSocketState> tcb, uint32_t segmentsAcked) override;
    ns3::Ptr<ns3::TcpCongestionOps> Fork() override { return ns3::CopyObject<TcpXcp>(this); }

  private:
    ns3::TracedValue<uint32_t>& window() const;
    void apply();
    void sent(ns3::Ptr<const ns3::Packet> packet);
    void received(ns3::Ptr<const ns3::Packet> packet);

    ns3::DataRate desired_;
    ns3::Ptr<ns3::TcpSocketState> tcb_;
    double change_ = 0;  // bytes of feedback that are not in the window yet
};

/// The receiver, for all connections that end at a node (section 3.3).
class XcpReceiver final : public ns3::Object {
  public:
    static ns3::TypeId GetTypeId();
    static void install(const ns3::Ptr<ns3::Node>& node);

  private:
    /// The peer's address and port, and the own one.
    using Connection = std::tuple<uint32_t, uint16_t, uint16_t>;
    void delivered(const ns3::Ipv4Header& ip, const ns3::Ptr<const ns3::Packet>& packet);
    void sending(const ns3::Ipv4Header& ip, const ns3::Ptr<const ns3::Packet>& packet);

    std::map<Connection, double> owed_;
};

}  // namespace arqlink::tcp
