// SPDX-License-Identifier: Apache-2.0
#include "maker.h"

#include <algorithm>

namespace arqlink::gateway {

size_t segmentBytes(const Flow& flow, Port from) {
    // What a receiver allows; where it does not say, what the source does.
    const Host& receiver = flow.hosts[index(other(from))];
    const size_t allowed = receiver.maxSegment - (flow.hasTimestamps() ? 12u : 0u);
    return receiver.saysMaxSegment ? allowed : std::max(allowed, flow.hosts[index(from)].longest);
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
    if (flow.hasTimestamps()) h.timestamps = {host.tsValue, told.tsEcho};
    return h;
}

void refresh(Segment& segment, const Flow& flow, Port from) {
    const Acknowledgement told = acknowledgementOf(flow, from);
    segment.setAck(told.ack);
    segment.setWindow(told.window);
    segment.setTimestamps(flow.hosts[index(from)].tsValue, told.tsEcho);
    segment.clearSack();
}

}  // namespace arqlink::gateway
