// SPDX-License-Identifier: Apache-2.0
// An experiment with TCP of ns-3, or of variants/ in its sockets: senders, router, the link, router, receiver; TCP ends at the receiver, or at the first router.
#include <map>
#include <memory>

#include "background.h"
#include "gateway_socket.h"
#include "link_device.h"
#include "measure.h"
#include "ns3/boolean.h"
#include "ns3/bulk-send-application.h"
#include "ns3/bulk-send-helper.h"
#include "ns3/config.h"
#include "ns3/error-model.h"
#include "ns3/global-value.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-global-routing-helper.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/node-container.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/packet-sink.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/pointer.h"
#include "ns3/ppp-header.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/tcp-socket-base.h"
#include "ns3/uinteger.h"
#include "splitmix.h"
#include "variants/xcp_router.h"

namespace arqlink::tcp {

namespace {

using namespace ns3;

constexpr const char* xcp = "Xcp";
constexpr uint16_t port = 5001;

/// What the trace sources of a sender's socket say.
struct Watched {
    FlowCount count;
    SequenceNumber32 highest{0};
    bool any = false;

    void sent(const Ptr<const Packet> packet, const TcpHeader& header) {
        if (packet->GetSize() == 0) return;
        ++count.segments;
        const SequenceNumber32 end = header.GetSequenceNumber() + packet->GetSize();
        if (any && header.GetSequenceNumber() < highest) ++count.retransmissions;
        highest = any ? std::max(highest, end) : end;
        any = true;
    }
};

// The TCPs of variants/ are of this project, the others of ns-3.
TypeId typeOf(const std::string& variant) {
    TypeId id;
    if (TypeId::LookupByNameFailSafe("arqlink::Tcp" + variant, &id)) return id;
    return TypeId::LookupByName("ns3::Tcp" + variant);
}

void settle(const Experiment& e) {
    const unsigned segment = e.packetBytes - headerBytes(e);
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(typeOf(e.variant)));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(segment));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(e.windowPackets * segment));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(e.windowPackets * segment));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(e.ackEvery));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(e.sack));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(e.timestamps));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(static_cast<uint64_t>(e.initialWindow)));
    Config::SetDefault("ns3::TcpSocketState::EnablePacing", BooleanValue(e.pacing));
    Config::SetDefault("ns3::TcpSocketState::PaceInitialWindow", BooleanValue(e.pacing));
    for (const char* size : {"LowMtuSize", "HighMtuSize"})  // segments of servers of the web
        Config::SetDefault(std::string("ns3::ThreeGppHttpVariables::") + size, UintegerValue(segment));
    // A gateway acts on packets with right checksums only.
    GlobalValue::Bind("ChecksumEnabled", BooleanValue(!e.gateways.empty()));
    RngSeedManager::SetSeed(1);
    RngSeedManager::SetRun(e.seed);
}

PointToPointHelper wireHelper(const Experiment& e, const Wire& wire) {
    PointToPointHelper helper;
    helper.SetDeviceAttribute("Mtu", UintegerValue(e.packetBytes));
    helper.SetDeviceAttribute("DataRate", DataRateValue(DataRate(static_cast<uint64_t>(wire.bitsPerSecond))));
    helper.SetChannelAttribute("Delay", TimeValue(Seconds(wire.delay)));
    helper.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", StringValue("10000p"));
    return helper;
}

/// Packets of connections whose terminal has bit errors, as they leave the router there, or come to it.
class NoisyTerminals final : public ErrorModel {
  public:
    explicit NoisyTerminals(const Experiment& e) : errors_(e.terminals, e.seed) {}

  private:
    bool DoCorrupt(Ptr<Packet> packet) override {
        const Ptr<Packet> copy = packet->Copy();
        PppHeader ppp;
        Ipv4Header ip;
        copy->RemoveHeader(ppp);
        const uint32_t bytes = copy->GetSize();
        copy->RemoveHeader(ip);
        TcpHeader tcp;
        if (ip.GetProtocol() != TcpL4Protocol::PROT_NUMBER) return false;
        copy->PeekHeader(tcp);
        // Of data the destination is the connection's port, of ACKs the source.
        for (const uint16_t at : {tcp.GetDestinationPort(), tcp.GetSourcePort()})
            if (at >= port && errors_.hits(at - port, bytes)) return true;
        return false;
    }
    void DoReset() override {}

    TerminalErrors errors_;
};

/// The nodes of an experiment: senders, a router at each end of the link, receiver.
class Network {
  public:
    Network(const Experiment& e, Links links)
        : split_(e.split),
          senders_(e.connections),
          routers_(2),
          receiver_(1),
          others_(e.background.any() ? 2 : 0),
          addresses_("10.0.0.0", "255.255.255.252") {
        InternetStackHelper().Install(NodeContainer(senders_, routers_, receiver_, others_));
        PointToPointHelper atSender = wireHelper(e, e.atSender), atReceiver = wireHelper(e, e.atReceiver);
        for (unsigned i = 0; i < e.connections; ++i)
            gateway_.push_back(number(atSender.Install(senders_.Get(i), routers_.Get(0))).GetAddress(1));
        const NetDeviceContainer line = atReceiver.Install(routers_.Get(1), receiver_.Get(0));
        destination_ = number(line).GetAddress(1);
        if (e.terminals.noisy) {
            const Ptr<ErrorModel> errors = Create<NoisyTerminals>(e);
            for (uint32_t i = 0; i < line.GetN(); ++i)
                line.Get(i)->SetAttribute("ReceiveErrorModel", PointerValue(errors));
        }
        if (others_.GetN()) {
            atOthers_[A] = number(atSender.Install(others_.Get(A), routers_.Get(A))).GetAddress(0);
            atOthers_[B] = number(atReceiver.Install(others_.Get(B), routers_.Get(B))).GetAddress(0);
        }
        channel_ = Create<LinkChannel>(e, std::move(links));
        NetDeviceContainer ends;
        for (const End end : {A, B}) {
            const Ptr<LinkDevice> device = CreateObject<LinkDevice>(end, channel_);
            device->SetMtu(static_cast<uint16_t>(e.packetBytes));
            routers_.Get(end)->AddDevice(device);
            channel_->attach(end, device);
            ends.Add(device);
        }
        number(ends);
        Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    }

    Ptr<Node> sender(unsigned i) const { return senders_.Get(i); }
    /// Where TCP ends, and its address there for connection `i`.
    Ptr<Node> end() const { return split_ ? routers_.Get(0) : receiver_.Get(0); }
    Ipv4Address destination(unsigned i) const { return split_ ? gateway_[i] : destination_; }
    /// Of other traffic: a node at each end, and where it may be reached.
    Ptr<Node> other(End end) const { return others_.Get(end); }
    Ipv4Address atOther(End end) const { return atOthers_[end]; }
    LinkChannel& channel() { return *channel_; }
    LinkBridge& bridge() { return channel_->last(); }

  private:
    Ipv4InterfaceContainer number(const NetDeviceContainer& devices) {
        const Ipv4InterfaceContainer interfaces = addresses_.Assign(devices);
        addresses_.NewNetwork();
        return interfaces;
    }

    const bool split_;
    NodeContainer senders_, routers_, receiver_, others_;
    Ipv4AddressHelper addresses_;
    std::vector<Ipv4Address> gateway_;  // the first router's address on each sender's wire
    Ipv4Address destination_;
    Ipv4Address atOthers_[2];
    Ptr<LinkChannel> channel_;
};

// XCP's router before the link, and its receiver behind it.
void routeXcp(const Experiment& e, Network& network) {
    XcpReceiver::install(network.end());
    const Ptr<XcpRouter> router = CreateObject<XcpRouter>();
    router->SetAttribute("Capacity", DataRateValue(DataRate(static_cast<uint64_t>(e.capacity))));
    LinkBridge& link = network.channel().first();
    router->attach(network.channel().device(A),
                   [&link, &e] { return static_cast<double>(link.backlog(A) * e.packetBytes); });
}

/// A connection with endless data, each on a port of its own, and what it counts.
class Flow {
  public:
    /// `line`: to the receiver, behind the link, where the connection is split.
    Flow(const Experiment& e, Network& network, unsigned i, double start, Pipe& line)
        : segment_(e.packetBytes - headerBytes(e)), isXcp_(e.variant == xcp) {
        const auto at = static_cast<uint16_t>(port + i);
        if (e.split) {
            gateway_ = std::make_unique<GatewaySocket>(network.end(), at, e, segment_, network.bridge(), line);
        } else {
            PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), at));
            sink_ = DynamicCast<PacketSink>(sink.Install(network.end()).Get(0));
        }
        BulkSendHelper source("ns3::TcpSocketFactory", InetSocketAddress(network.destination(i), at));
        source.SetAttribute("MaxBytes", UintegerValue(0));
        const ApplicationContainer sender = source.Install(network.sender(i));
        sender.Start(Seconds(start));
        sender_ = DynamicCast<BulkSendApplication>(sender.Get(0));
        Simulator::Schedule(Seconds(start) + NanoSeconds(1), &Flow::watch, this);
    }

    /// Congestion window in segments.
    double window() const { return static_cast<double>(window_) / segment_; }
    void roomGrew() { gateway_->roomGrew(); }
    /// A segment has arrived where TCP ends.
    void arrived(SequenceNumber32 first, unsigned bytes) {
        if (bytes == 0) return;
        if (!anyArrived_) next_ = first;
        anyArrived_ = true;
        if (first < next_ || !ahead_.emplace(first, bytes).second) ++watched_.count.spurious;
        for (; !ahead_.empty() && ahead_.begin()->first <= next_; ahead_.erase(ahead_.begin()))
            next_ = std::max(next_, ahead_.begin()->first + ahead_.begin()->second);
    }

    FlowCount count() const {
        FlowCount count = watched_.count;
        count.received =
            gateway_ ? static_cast<double>(gateway_->received()) : static_cast<double>(sink_->GetTotalRx()) / segment_;
        return count;
    }

  private:
    void watch() {
        const Ptr<Socket> socket = sender_->GetSocket();
        if (isXcp_) TcpXcp::attach(DynamicCast<TcpSocketBase>(socket));
        const auto sent = [this](Ptr<const Packet> p, const TcpHeader& h, Ptr<const TcpSocketBase>) {
            watched_.sent(p, h);
        };
        const auto measured = [this](Time, Time now) { watched_.count.roundTrip.add(now.GetSeconds()); };
        const auto state = [this](TcpSocketState::TcpCongState_t, TcpSocketState::TcpCongState_t now) {
            watched_.count.timeouts += now == TcpSocketState::CA_LOSS;
        };
        socket->TraceConnectWithoutContext(
            "Tx", Callback<void, Ptr<const Packet>, const TcpHeader&, Ptr<const TcpSocketBase>>(sent));
        const auto window = [this](uint32_t, uint32_t now) { window_ = now; };
        socket->TraceConnectWithoutContext("CongestionWindow", Callback<void, uint32_t, uint32_t>(window));
        socket->TraceConnectWithoutContext("RTT", Callback<void, Time, Time>(measured));
        socket->TraceConnectWithoutContext(
            "CongState", Callback<void, TcpSocketState::TcpCongState_t, TcpSocketState::TcpCongState_t>(state));
    }

    const unsigned segment_;
    const bool isXcp_;
    std::unique_ptr<GatewaySocket> gateway_;  // of a split connection; else
    Ptr<PacketSink> sink_;
    Ptr<BulkSendApplication> sender_;
    Watched watched_;
    uint32_t window_ = 0;  // in bytes
    bool anyArrived_ = false;
    SequenceNumber32 next_{0};                    // all before it has arrived
    std::map<SequenceNumber32, unsigned> ahead_;  // first byte and length of segments after a gap
};

}  // namespace

Measured runNs3(const Experiment& e, Links links) {
    const double start = bringUp(links);
    settle(e);
    Network network(e, std::move(links));
    LinkBridge& bridge = network.bridge();
    LinkChannel& channel = network.channel();
    Config::SetDefault("arqlink::TcpDVegas::Occupancy",
                       CallbackValue(Callback<double>([&channel] { return channel.occupancy(); })));
    if (e.variant == xcp) routeXcp(e, network);
    Random random = randomOf(e.seed, Purpose::starts);
    Pipe line(e.atReceiver.bitsPerSecond, Seconds(e.atReceiver.delay));
    std::vector<std::unique_ptr<Flow>> flows;
    for (unsigned i = 0; i < e.connections; ++i)
        flows.push_back(std::make_unique<Flow>(e, network, i, start + random.uniform(), line));
    if (e.split) {
        bridge.freed = [&flows] {
            for (const auto& flow : flows) flow->roomGrew();
        };
    }
    const auto arrived = [&flows](const Ipv4Header&, Ptr<const Packet> packet, uint32_t) {
        TcpHeader header;
        const unsigned headerLength = packet->PeekHeader(header);
        const size_t flow = header.GetDestinationPort() - port;
        if (flow < flows.size()) flows[flow]->arrived(header.GetSequenceNumber(), packet->GetSize() - headerLength);
    };
    network.end()->GetObject<Ipv4L3Protocol>()->TraceConnectWithoutContext(
        "LocalDeliver", Callback<void, const Ipv4Header&, Ptr<const Packet>, uint32_t>(arrived));
    std::unique_ptr<Background> background;
    if (e.background.any())
        background = std::make_unique<Background>(e, start, network.other(A), network.atOther(A), network.other(B),
                                                  network.atOther(B));
    Measured measured = measure(e, start,
                                {bridge, [&](size_t i) { return flows[i]->count(); },
                                 [&](size_t i) { return flows[i]->window(); }, channel.gateways()});
    if (background) measured.background = background->measured();
    Simulator::Destroy();
    return measured;
}

}  // namespace arqlink::tcp
