// SPDX-License-Identifier: Apache-2.0
#include "background.h"

#include <algorithm>

#include "ns3/bulk-send-helper.h"
#include "ns3/inet-socket-address.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/on-off-helper.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/seq-ts-header.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/three-gpp-http-client.h"
#include "ns3/three-gpp-http-helper.h"
#include "ns3/udp-client-server-helper.h"
#include "ns3/uinteger.h"

namespace arqlink::tcp {

using namespace ns3;

namespace {

constexpr uint16_t webPort = 80, filePort = 20, datagramPort = 9, voicePort = 5004;
constexpr unsigned datagramHeader = 28;  // IP and UDP
constexpr unsigned voiceBytes = 172;     // RTP and 20 ms of G.711
constexpr double voiceEvery = 0.02;

InetSocketAddress anyAddress(uint16_t port) { return {Ipv4Address::GetAny(), port}; }

// Whatever TCP is measured, that of others is the usual one.
void useNewReno(const Ptr<Node>& node) {
    node->GetObject<TcpL4Protocol>()->SetAttribute("SocketType", TypeIdValue(TypeId::LookupByName("ns3::TcpNewReno")));
}

}  // namespace

Background::Background(const Experiment& e, double start, Ptr<Node> server, Ipv4Address serverAt, Ptr<Node> client,
                       Ipv4Address clientAt)
    : experiment_(e),
      begin_(start + e.warmUp),
      end_(begin_ + e.seconds),
      from_(start),
      voiceTail_(std::min(5.0, e.seconds / 4)),
      ways_{{server, client, clientAt}, {client, server, serverAt}} {
    for (Way& way : ways_) {
        useNewReno(way.from);
        count(way);
    }
    const Offered& offered = e.background;
    if (offered.webUsers) browse(offered.webUsers);
    if (offered.calls) call(offered.calls);
    for (const End end : {A, B}) {
        const Purpose purpose = end == A ? Purpose::filesA : Purpose::filesB;
        if (offered.files[end] > 0) transferFiles(ways_[end], offered.files[end], randomOf(e.seed, purpose));
        if (offered.datagrams[end] > 0) sendDatagrams(ways_[end], offered.datagrams[end]);
    }
}

bool Background::counts() const {
    const double now = Simulator::Now().GetSeconds();
    return now >= begin_ && now < end_;
}

void Background::count(Way& way) {
    const auto arrived = [this, &way](const Ipv4Header& header, Ptr<const Packet> packet, uint32_t) {
        if (counts()) way.received += packet->GetSize() + header.GetSerializedSize();
    };
    way.to->GetObject<Ipv4L3Protocol>()->TraceConnectWithoutContext(
        "LocalDeliver", Callback<void, const Ipv4Header&, Ptr<const Packet>, uint32_t>(arrived));
}

void Background::browse(unsigned users) {
    ThreeGppHttpServerHelper(InetSocketAddress(ways_[B].destination, webPort))
        .Install(ways_[A].from)
        .Start(Seconds(from_));
    ThreeGppHttpClientHelper helper(InetSocketAddress(ways_[B].destination, webPort));
    Random random = randomOf(experiment_.seed, Purpose::users);
    for (unsigned i = 0; i < users; ++i) {
        const ApplicationContainer user = helper.Install(ways_[A].to);
        user.Start(Seconds(from_ + random.uniform() * std::max(1.0, experiment_.warmUp)));
        const auto received = [this](Ptr<const ThreeGppHttpClient>, const Time& took, uint32_t, uint32_t) {
            page(took);
        };
        user.Get(0)->TraceConnectWithoutContext(
            "RxPage", Callback<void, Ptr<const ThreeGppHttpClient>, const Time&, uint32_t, uint32_t>(received));
    }
}

void Background::page(Time took) {
    if (!counts()) return;
    ++pages_;
    pageTime_.add(took.GetSeconds());
}

void Background::call(unsigned calls) {
    const ApplicationContainer listener = UdpServerHelper(voicePort).Install(ways_[A].to);
    const auto arrived = [this](Ptr<const Packet> packet) {
        SeqTsHeader header;
        packet->PeekHeader(header);
        const double sent = header.GetTs().GetSeconds();
        if (countsVoice(sent)) voiceDelays_.push_back(Simulator::Now().GetSeconds() - sent);
    };
    listener.Get(0)->TraceConnectWithoutContext("Rx", Callback<void, Ptr<const Packet>>(arrived));
    UdpClientHelper helper(InetSocketAddress(ways_[A].destination, voicePort));
    helper.SetAttribute("MaxPackets", UintegerValue(0));  // until the end
    helper.SetAttribute("Interval", TimeValue(Seconds(voiceEvery)));
    helper.SetAttribute("PacketSize", UintegerValue(voiceBytes));
    Random random = randomOf(experiment_.seed, Purpose::calls);
    for (unsigned i = 0; i < calls; ++i) {
        const ApplicationContainer speaker = helper.Install(ways_[A].from);
        speaker.Start(Seconds(from_ + random.uniform() * voiceEvery));
        const auto spoke = [this](Ptr<const Packet>) { spoken_ += countsVoice(Simulator::Now().GetSeconds()); };
        speaker.Get(0)->TraceConnectWithoutContext("Tx", Callback<void, Ptr<const Packet>>(spoke));
    }
}

void Background::transferFiles(Way& way, double bitsPerSecond, Random random) {
    PacketSinkHelper("ns3::TcpSocketFactory", anyAddress(filePort)).Install(way.to);
    BulkSendHelper file("ns3::TcpSocketFactory", InetSocketAddress(way.destination, filePort));
    const double apart = 8 * fileBytes / bitsPerSecond;
    for (double at = from_ + random.exponential(apart); at < end_; at += random.exponential(apart)) {
        file.SetAttribute("MaxBytes", UintegerValue(1 + static_cast<uint64_t>(random.exponential(fileBytes))));
        file.Install(way.from).Start(Seconds(at));
    }
}

void Background::sendDatagrams(Way& way, double bitsPerSecond) {
    PacketSinkHelper("ns3::UdpSocketFactory", anyAddress(datagramPort)).Install(way.to);
    const unsigned payload = experiment_.packetBytes - datagramHeader;
    OnOffHelper source("ns3::UdpSocketFactory", InetSocketAddress(way.destination, datagramPort));
    const double rate = 2 * bitsPerSecond * payload / experiment_.packetBytes;
    source.SetConstantRate(DataRate(static_cast<uint64_t>(rate)), payload);
    for (const char* state : {"OnTime", "OffTime"})
        source.SetAttribute(state, StringValue("ns3::ExponentialRandomVariable[Mean=1]"));
    source.Install(way.from).Start(Seconds(from_));
}

Measured::Background Background::measured() const {
    const auto rate = [this](const Way& way) { return static_cast<double>(way.received) * 8 / (end_ - begin_); };
    Measured::Background m{rate(ways_[A]), rate(ways_[B]), pages_, pageTime_.value(), spoken_};
    if (spoken_) m.voiceLoss = 1 - static_cast<double>(voiceDelays_.size()) / static_cast<double>(spoken_);
    if (voiceDelays_.empty()) return m;
    Mean delay;
    for (const double one : voiceDelays_) delay.add(one);
    m.voiceDelay = delay.value();
    std::vector<double> sorted = voiceDelays_;
    const auto rank = sorted.begin() + static_cast<std::ptrdiff_t>((sorted.size() * 99 - 1) / 100);
    std::nth_element(sorted.begin(), rank, sorted.end());
    m.voiceDelay99 = *rank;
    return m;
}

}  // namespace arqlink::tcp
