// SPDX-License-Identifier: Apache-2.0
// RR-4752, Fig. 2, with TCP of ns-3: senders, router, the link, router, receiver.
#include <memory>
#include <stdexcept>

#include "experiment.h"
#include "link_device.h"
#include "ns3/boolean.h"
#include "ns3/bulk-send-application.h"
#include "ns3/bulk-send-helper.h"
#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-global-routing-helper.h"
#include "ns3/node-container.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/packet-sink.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/tcp-socket-base.h"
#include "ns3/uinteger.h"
#include "splitmix.h"

namespace arqlink::tcp {

namespace {

using namespace ns3;

constexpr uint16_t port = 5001;

/// What the trace sources of a sender's socket say.
struct Watched {
    Mean roundTrip;
    uint64_t segments = 0, retransmissions = 0;
    SequenceNumber32 highest{0};
    bool any = false;

    void sent(const Ptr<const Packet> packet, const TcpHeader& header) {
        if (packet->GetSize() == 0) return;
        ++segments;
        const SequenceNumber32 end = header.GetSequenceNumber() + packet->GetSize();
        if (any && header.GetSequenceNumber() < highest) ++retransmissions;
        highest = any ? std::max(highest, end) : end;
        any = true;
    }
    void reset() {
        roundTrip = {};
        segments = retransmissions = 0;
    }
};

void settle(const Experiment& e) {
    const unsigned segment = e.packetBytes - 52;  // IP and TCP headers, with timestamps
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue("ns3::Tcp" + e.variant));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(segment));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(e.windowPackets * segment));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(e.windowPackets * segment));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(e.ackEvery));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(e.sack));
    RngSeedManager::SetSeed(1);
    RngSeedManager::SetRun(e.seed);
}

PointToPointHelper wireHelper(const Wire& wire) {
    PointToPointHelper helper;
    helper.SetDeviceAttribute("DataRate", DataRateValue(DataRate(static_cast<uint64_t>(wire.bitsPerSecond))));
    helper.SetChannelAttribute("Delay", TimeValue(Seconds(wire.delay)));
    helper.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", StringValue("10000p"));
    return helper;
}

}  // namespace

Measured runNs3(const Experiment& e, std::unique_ptr<LinkBridge> link) {
    const double start = bringUp(*link);
    settle(e);
    NodeContainer senders(e.connections), routers(2), receiver(1);
    InternetStackHelper().Install(NodeContainer(senders, routers, receiver));

    PointToPointHelper atSender = wireHelper(e.atSender), atReceiver = wireHelper(e.atReceiver);
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.252");
    const auto number = [&addresses](const NetDeviceContainer& devices) {
        const Ipv4InterfaceContainer interfaces = addresses.Assign(devices);
        addresses.NewNetwork();
        return interfaces;
    };
    for (unsigned i = 0; i < e.connections; ++i) number(atSender.Install(senders.Get(i), routers.Get(0)));
    const Ipv4Address destination = number(atReceiver.Install(routers.Get(1), receiver.Get(0))).GetAddress(1);

    const Ptr<LinkChannel> channel = Create<LinkChannel>(std::move(link));
    NetDeviceContainer ends;
    for (const End end : {A, B}) {
        const Ptr<LinkDevice> device = Create<LinkDevice>(end, channel);
        routers.Get(end)->AddDevice(device);
        channel->attach(end, device);
        ends.Add(device);
    }
    number(ends);
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();

    std::vector<Ptr<PacketSink>> sinks;
    std::vector<Watched> watched(e.connections);
    Random random = randomOf(e.seed, Purpose::starts);
    for (unsigned i = 0; i < e.connections; ++i) {
        const auto at = static_cast<uint16_t>(port + i);
        const ApplicationContainer sink =
            PacketSinkHelper("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), at)).Install(receiver);
        sinks.push_back(DynamicCast<PacketSink>(sink.Get(0)));
        BulkSendHelper source("ns3::TcpSocketFactory", InetSocketAddress(destination, at));
        source.SetAttribute("MaxBytes", UintegerValue(0));
        const ApplicationContainer sender = source.Install(senders.Get(i));
        const Time begin = Seconds(start + random.uniform());
        sender.Start(begin);
        Simulator::Schedule(begin + NanoSeconds(1), [i, application = sender.Get(0), &watched] {
            const Ptr<Socket> socket = DynamicCast<BulkSendApplication>(application)->GetSocket();
            socket->TraceConnectWithoutContext(
                "Tx", Callback<void, Ptr<const Packet>, const TcpHeader&, Ptr<const TcpSocketBase>>(
                          [i, &watched](Ptr<const Packet> p, const TcpHeader& h, Ptr<const TcpSocketBase>) {
                              watched[i].sent(p, h);
                          }));
            socket->TraceConnectWithoutContext("RTT", Callback<void, Time, Time>([i, &watched](Time, Time now) {
                                                   watched[i].roundTrip.add(now.GetSeconds());
                                               }));
        });
    }
    std::vector<uint64_t> before(e.connections);
    uint64_t droppedBefore = 0;
    LinkBridge& bridge = channel->bridge();
    Simulator::Schedule(Seconds(start + e.warmUp), [&] {
        for (unsigned i = 0; i < e.connections; ++i) {
            before[i] = sinks[i]->GetTotalRx();
            watched[i].reset();
        }
        droppedBefore = bridge.dropped(A) + bridge.dropped(B);
    });
    Simulator::Stop(Seconds(start + e.warmUp + e.seconds));
    Simulator::Run();

    Measured m;
    double roundTrips = 0;
    uint64_t samples = 0;
    const double ofPacket = static_cast<double>(e.packetBytes) /
                            (e.packetBytes - 52);  // goodput counts packets, headers included, as U of RR-4752 does
    for (unsigned i = 0; i < e.connections; ++i) {
        m.goodputs.push_back(static_cast<double>(sinks[i]->GetTotalRx() - before[i]) * ofPacket * 8 / e.seconds);
        m.segments += watched[i].segments;
        m.retransmissions += watched[i].retransmissions;
        roundTrips += watched[i].roundTrip.value() * static_cast<double>(watched[i].roundTrip.count());
        samples += watched[i].roundTrip.count();
    }
    m.roundTrip = samples ? roundTrips / static_cast<double>(samples) : 0;
    m.dropped = bridge.dropped(A) + bridge.dropped(B) - droppedBefore;
    for (const End end : {A, B}) m.counters[end] = bridge.model().counters(end);
    m.clocks = bridge.model().now();
    Simulator::Destroy();
    return m;
}

}  // namespace arqlink::tcp
