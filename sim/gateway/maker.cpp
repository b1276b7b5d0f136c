// SPDX-License-Identifier: Apache-2.0
#include "maker.h"

#include <algorithm>
#include <utility>

namespace arqlink::gateway {

namespace {

// Of each segment.
size_t optionBytes(const Flow& flow) { return flow.hasTimestamps() ? timestampsBytes : 0; }

constexpr size_t least = 8;  // bytes of payload, however short a packet should be

// Bytes of payload of the longest packet that gets through from the host at `from`.
size_t fitsPath(const Flow& flow, Port from, size_t headers) {
    return std::max(flow.pathBytes[index(from)], headers + least) - headers;
}

// The newest timestamp of the host at `from`: that it has said here, or that the other host has heard by another way.
uint32_t timestampOf(const Flow& flow, Port from) {
    const uint32_t said = flow.hosts[index(from)].tsValue;
    const Host& peer = flow.hosts[index(other(from))];
    return peer.hasEcho && static_cast<int32_t>(peer.tsEcho - said) > 0 ? peer.tsEcho : said;
}

}  // namespace

size_t segmentBytes(const Flow& flow, Port from) {
    // What a receiver allows; where it does not say, what the source does.
    const Host& receiver = flow.hosts[index(other(from))];
    const size_t allowed = receiver.maxSegment - optionBytes(flow);
    const size_t taken = receiver.saysMaxSegment ? allowed : std::max(allowed, flow.hosts[index(from)].longest);
    return std::min(taken, fitsPath(flow, from, leastHeaderBytes(flow.key.isV6) + optionBytes(flow)));
}

std::vector<Segment> piecesOf(Segment segment, const Flow& flow, Port from) {
    const size_t most = fitsPath(flow, from, segment.headerBytes());
    std::vector<Segment> pieces;
    while (segment.length() > most) {
        Segment front = segment;
        front.keepFront(most);
        pieces.push_back(std::move(front));
        segment.trimFront(most);
    }
    pieces.push_back(std::move(segment));
    return pieces;
}

std::vector<Bytes> packetsOf(Segment segment, const Flow& flow, Port from) {
    std::vector<Bytes> packets;
    for (Segment& piece : piecesOf(std::move(segment), flow, from)) packets.push_back(std::move(piece).take());
    return packets;
}

Acknowledgement acknowledgementOf(const Flow& flow, Port from) {
    const Half* back = flow.halves[index(other(from))].get();
    if (back)
        if (const auto told = back->told()) return *told;
    const Host& host = flow.hosts[index(from)];
    return {host.ack, host.window, host.tsEcho};
}

Header headerOf(const Flow& flow, Port from) {
    const Host& host = flow.hosts[index(from)];
    const Acknowledgement told = acknowledgementOf(flow, from);
    Header h;
    h.isV6 = flow.key.isV6;
    h.trafficClass = static_cast<uint8_t>(host.dscp << 2);
    h.source = flow.endpoint(from);
    h.destination = flow.endpoint(other(from));
    const Half* own = flow.halves[index(from)].get();
    const auto left = own ? own->left() : std::nullopt;
    h.seq = left ? *left : host.next;
    h.ack = told.ack;
    h.window = told.window;
    h.flags = flag::ack;
    if (host.congestion) h.flags |= flag::ece;
    if (flow.hasTimestamps()) h.timestamps = {timestampOf(flow, from), told.tsEcho};
    return h;
}

void refresh(Segment& segment, const Flow& flow, Port from) {
    const Acknowledgement told = acknowledgementOf(flow, from);
    segment.setAck(told.ack);
    segment.setWindow(told.window);
    segment.setTimestamps(timestampOf(flow, from), told.tsEcho);
    segment.clearSack();
}

}  // namespace arqlink::gateway
