// SPDX-License-Identifier: Apache-2.0
#include "wire_host.h"

#include <algorithm>

#include "ns3/simulator.h"

namespace arqlink::tcp {

namespace {

using namespace gateway;
using ns3::Simulator;

constexpr uint32_t initial = 1000;  // sequence number of both SYNs
const Position first = firstPosition(initial + 1);
constexpr int64_t tick = 10'000;  // nanoseconds of a timestamp's unit

uint32_t timestamp(ns3::Time time) { return static_cast<uint32_t>(time.GetNanoSeconds() / tick); }

ns3::Time timeOf(uint32_t timestamp) {
    const int64_t now = Simulator::Now().GetNanoSeconds() / tick;
    return ns3::NanoSeconds((now + static_cast<int32_t>(timestamp - static_cast<uint32_t>(now))) * tick);
}

unsigned scaleOf(uint64_t window) {
    unsigned scale = 0;
    while (window >> scale > 65535) ++scale;
    return scale;
}

// The options of a SYN, which makeSegment has not: window scale, largest segment.
Bytes makeSyn(Header header, unsigned scale, unsigned payload) {
    const auto segment =
        static_cast<uint16_t>(payload + (header.timestamps ? timestampsBytes : 0));  // as without options (RFC 6691)
    header.more = {2, 4, static_cast<uint8_t>(segment >> 8), static_cast<uint8_t>(segment),
                   3, 3, static_cast<uint8_t>(scale),        1};
    return makeSegment(header);
}

std::optional<gateway::Segment> read(Bytes& packet) {
    NotTreated why;
    return gateway::Segment::parse(packet, why);
}

Header headerOf(const Endpoint& source, const Endpoint& destination) {
    Header h;
    h.source = source;
    h.destination = destination;
    h.flags = flag::ack;
    return h;
}

}  // namespace

WireFlow WireFlow::numbered(unsigned i, const Experiment& e) {
    WireFlow flow;
    flow.sender.address = {10, 0, static_cast<uint8_t>(i >> 8), static_cast<uint8_t>(i)};
    flow.sender.port = 40000;
    flow.receiver.address = {10, 1, 0, 1};
    flow.receiver.port = static_cast<uint16_t>(firstPort + i);
    flow.payload = e.packetBytes - headerBytes(e);
    flow.timestamps = e.timestamps;
    return flow;
}

// Sender ------------------------------------------------------------------------------------------------------------------

WireSender::WireSender(const RenoSettings& settings, const WireFlow& flow, TakePacket send)
    : flow_(flow), send_(std::move(send)), reno_(settings, [this](const Segment& s) { transmit(s); }), acked_(first) {}

Header WireSender::header() const {
    Header h = headerOf(flow_.sender, flow_.receiver);
    h.ack = initial + 1;
    h.window = 65535;
    if (flow_.timestamps) h.timestamps = {timestamp(Simulator::Now()), tsRecent_};
    return h;
}

void WireSender::start() {
    Header h = header();
    h.flags = flag::syn;
    h.ack = 0;
    h.seq = initial;
    send_(makeSyn(h, 0, flow_.payload));
    again_ = Simulator::Schedule(ns3::Seconds(1), &WireSender::start, this);
}

void WireSender::transmit(const Segment& segment) {
    Header h = header();
    h.seq = sequenceOf(first + segment.number * flow_.payload);
    if (h.timestamps) h.timestamps->value = timestamp(segment.sent);
    h.payload = flow_.payload;
    send_(makeSegment(h));
}

void WireSender::receive(Bytes packet) {
    const auto segment = read(packet);
    if (!segment) return;
    if (flow_.timestamps) tsRecent_ = segment->tsValue();
    if (segment->has(flag::syn)) {
        Header h = header();
        h.seq = initial + 1;
        send_(makeSegment(h));
        if (isOpen_) return;
        isOpen_ = true;
        again_.Cancel();
        windowScale_ = segment->windowScale().value_or(0);
        reno_.start();
        return;
    }
    const Position ack = placeOf(segment->ack(), acked_);
    Ack a;
    a.next = (ack - first) / flow_.payload;
    if (flow_.timestamps) a.echo = timeOf(segment->tsEcho());
    const uint64_t bytes = static_cast<uint64_t>(segment->window()) << windowScale_;
    a.window = (bytes + flow_.payload / 2) / flow_.payload;
    a.windowOnly = ack == acked_ && segment->window() != window_;
    acked_ = std::max(acked_, ack);
    window_ = segment->window();
    reno_.acknowledge(a);
}

// Receiver ----------------------------------------------------------------------------------------------------------------

WireReceiver::WireReceiver(const RenoSettings& settings, const WireFlow& flow, TakePacket send)
    : flow_(flow),
      send_(std::move(send)),
      largestWindow_(static_cast<uint64_t>(settings.maxWindow) * flow.payload),
      reno_(settings, [this](const Ack& a) { acknowledge(a); }),
      next_(first) {}

Header WireReceiver::header() const {
    Header h = headerOf(flow_.receiver, flow_.sender);
    h.seq = initial + 1;
    h.window = static_cast<uint16_t>(largestWindow_ >> scaleOf(largestWindow_));
    return h;
}

void WireReceiver::acknowledge(const Ack& ack) {
    next_ = first + ack.next * flow_.payload;
    Header h = header();
    h.ack = sequenceOf(next_);
    if (flow_.timestamps) h.timestamps = {timestamp(Simulator::Now()), timestamp(ack.echo)};
    send_(makeSegment(h));
}

void WireReceiver::receive(Bytes packet) {
    const auto segment = read(packet);
    if (!segment) return;
    if (segment->has(flag::syn)) {
        Header h = header();
        h.flags = flag::syn | flag::ack;
        h.seq = initial;
        h.ack = initial + 1;
        h.window = static_cast<uint16_t>(std::min<uint64_t>(largestWindow_, 65535));
        if (flow_.timestamps) h.timestamps = {timestamp(Simulator::Now()), segment->tsValue()};
        send_(makeSyn(h, scaleOf(largestWindow_), flow_.payload));
        return;
    }
    const Position begin = placeOf(segment->seq(), next_);
    const ns3::Time sent = flow_.timestamps ? timeOf(segment->tsValue()) : ns3::Time();
    if (segment->length() == 0) {
        // A probe before what is expected wants an answer.
        if (begin < next_) acknowledge({(next_ - first) / flow_.payload, sent});
        return;
    }
    reno_.receive({(begin - first) / flow_.payload, sent});
}

}  // namespace arqlink::tcp
