// SPDX-License-Identifier: Apache-2.0
// TCPs of research/tcp/variants, or of ns-3, through one bottleneck of ns-3's own devices, for the tests of what their papers claim:
//
//     senders ── 1 Gb/s, a delay each ── router ── bottleneck ── router ── 1 Gb/s ── receiver
//
// Reads a key and its values on each line of standard input:
//   variant NAME                            without `Tcp`
//   bottleneck BITS DELAY PACKETS LOSS      bits and packets: its rate and queue; seconds one way; share of packets lost behind it, at random
//   flow START DELAY                        a sender with endless data; seconds
//   time END EVERY                          of the simulation, and between samples
//   set ATTRIBUTE VALUE                     another default of ns-3's
// Prints `sample TIME QUEUE MOST BYTES …`: bytes in the queue, now and at most since the last sample, and bytes that each receiver's user got.
// At the end, `dropped PACKETS`: by the queue.
#include <iostream>
#include <sstream>
#include <string>

#include "ns3/bulk-send-application.h"
#include "ns3/bulk-send-helper.h"
#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/drop-tail-queue.h"
#include "ns3/error-model.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-global-routing-helper.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/packet-sink.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"
#include "variants/dvegas.h"
#include "variants/xcp_router.h"

namespace {

using namespace ns3;

constexpr uint16_t port = 5001;

struct Setup {
    std::string variant;
    double bits = 0, delay = 0, loss = 0;
    unsigned packets = 0;
    struct Sender {
        double start, delay;
    };
    std::vector<Sender> senders;
    double end = 0, every = 0;

    void take(const std::string& key, std::istream& words) {
        if (key == "variant") {
            words >> variant;
        } else if (key == "bottleneck") {
            words >> bits >> delay >> packets >> loss;
        } else if (key == "flow") {
            Sender& sender = senders.emplace_back();
            words >> sender.start >> sender.delay;
        } else if (key == "time") {
            words >> end >> every;
        } else if (key == "set") {
            std::string name, value;
            words >> name >> value;
            Config::SetDefault(name, StringValue(value));
        }
    }
};

class Dumbbell {
  public:
    explicit Dumbbell(const Setup& setup) : setup_(setup), senders_(setup.senders.size()), routers_(2), receiver_(1) {
        InternetStackHelper().Install(NodeContainer(senders_, routers_, receiver_));
        join(routers_.Get(1), receiver_.Get(0), 1e9, 0);
        const Ipv4Address destination = last_;
        const NetDeviceContainer ends = join(routers_.Get(0), routers_.Get(1), setup.bits, setup.delay);
        device_ = DynamicCast<PointToPointNetDevice>(ends.Get(0));
        queue_ = CreateObject<DropTailQueue<Packet>>();
        queue_->SetMaxSize(QueueSize(QueueSizeUnit::PACKETS, setup.packets));
        device_->SetQueue(queue_);
        if (setup.loss > 0) lose(ends.Get(1));
        for (uint32_t i = 0; i < senders_.GetN(); ++i) {
            join(senders_.Get(i), routers_.Get(0), 1e9, setup.senders[i].delay);
            connect(i, destination);
        }
        Ipv4GlobalRoutingHelper::PopulateRoutingTables();
        queue_->TraceConnectWithoutContext(
            "BytesInQueue",
            Callback<void, uint32_t, uint32_t>([this](uint32_t, uint32_t now) { most_ = std::max(most_, now); }));
        if (setup.variant == "Xcp") route();
        Config::SetDefault("arqlink::TcpDVegas::Occupancy", CallbackValue(Callback<double>([this] {
                               return static_cast<double>(queue_->GetNPackets()) / setup_.packets;
                           })));
    }

    void run() {
        Simulator::Schedule(Seconds(setup_.every), &Dumbbell::sample, this);
        Simulator::Stop(Seconds(setup_.end) + NanoSeconds(1));
        Simulator::Run();
        std::cout << "dropped " << queue_->GetTotalDroppedPackets() << '\n';
        Simulator::Destroy();
    }

  private:
    NetDeviceContainer join(const Ptr<Node>& one, const Ptr<Node>& other, double bits, double delay) {
        PointToPointHelper helper;
        helper.DisableFlowControl();  // else there is another queue above the device's
        helper.SetDeviceAttribute("DataRate", DataRateValue(DataRate(static_cast<uint64_t>(bits))));
        helper.SetChannelAttribute("Delay", TimeValue(Seconds(delay)));
        helper.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", StringValue("100000p"));
        const NetDeviceContainer devices = helper.Install(one, other);
        last_ = addresses_.Assign(devices).GetAddress(1);
        addresses_.NewNetwork();
        return devices;
    }

    void lose(const Ptr<NetDevice>& device) const {
        const Ptr<RateErrorModel> errors = CreateObject<RateErrorModel>();
        errors->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
        errors->SetRate(setup_.loss);
        device->SetAttribute("ReceiveErrorModel", PointerValue(errors));
    }

    void connect(uint32_t i, Ipv4Address destination) {
        const auto at = static_cast<uint16_t>(port + i);
        PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), at));
        sinks_.push_back(DynamicCast<PacketSink>(sink.Install(receiver_.Get(0)).Get(0)));
        BulkSendHelper source("ns3::TcpSocketFactory", InetSocketAddress(destination, at));
        source.SetAttribute("MaxBytes", UintegerValue(0));
        const ApplicationContainer sender = source.Install(senders_.Get(i));
        const Time start = Seconds(setup_.senders[i].start);
        sender.Start(start);
        if (setup_.variant != "Xcp") return;
        const Ptr<BulkSendApplication> application = DynamicCast<BulkSendApplication>(sender.Get(0));
        Simulator::Schedule(start + NanoSeconds(1), [application] {
            arqlink::tcp::TcpXcp::attach(DynamicCast<TcpSocketBase>(application->GetSocket()));
        });
    }

    void route() {
        arqlink::tcp::XcpReceiver::install(receiver_.Get(0));
        const Ptr<arqlink::tcp::XcpRouter> router = CreateObject<arqlink::tcp::XcpRouter>();
        router->SetAttribute("Capacity", DataRateValue(DataRate(static_cast<uint64_t>(setup_.bits))));
        router->attach(device_, [queue = queue_] { return static_cast<double>(queue->GetNBytes()); });
    }

    void sample() {
        std::cout << "sample " << Simulator::Now().GetSeconds() << ' ' << queue_->GetNBytes() << ' ' << most_;
        for (const Ptr<PacketSink>& sink : sinks_) std::cout << ' ' << sink->GetTotalRx();
        std::cout << '\n';
        most_ = queue_->GetNBytes();
        Simulator::Schedule(Seconds(setup_.every), &Dumbbell::sample, this);
    }

    const Setup setup_;
    NodeContainer senders_, routers_, receiver_;
    Ipv4AddressHelper addresses_{"10.0.0.0", "255.255.255.252"};
    Ipv4Address last_;
    Ptr<PointToPointNetDevice> device_;
    Ptr<DropTailQueue<Packet>> queue_;
    std::vector<Ptr<PacketSink>> sinks_;
    uint32_t most_ = 0;
};

}  // namespace

int main() {
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1000));
    for (const char* buffer : {"ns3::TcpSocket::SndBufSize", "ns3::TcpSocket::RcvBufSize"})
        Config::SetDefault(buffer, UintegerValue(1 << 22));
    Setup setup;
    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream words(line);
        std::string key;
        words >> key;
        setup.take(key, words);
    }
    TypeId type;
    if (!TypeId::LookupByNameFailSafe("arqlink::Tcp" + setup.variant, &type))
        type = TypeId::LookupByName("ns3::Tcp" + setup.variant);
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(type));
    std::cout.precision(12);
    Dumbbell(setup).run();
}
