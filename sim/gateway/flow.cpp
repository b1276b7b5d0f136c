// SPDX-License-Identifier: Apache-2.0
#include "flow.h"

#include <algorithm>

namespace arqlink::gateway {

size_t FlowKeyHash::operator()(const FlowKey& key) const {
    uint64_t hash = key.isV6 ? 1469598103934665603u : 14695981039346656037u;
    const auto add = [&hash](uint64_t value) { hash = (hash ^ value) * 1099511628211u; };  // FNV-1a
    for (const Endpoint* e : {&key.local, &key.remote}) {
        for (const uint8_t byte : e->address) add(byte);
        add(e->port & 0xff);
        add(e->port >> 8);
    }
    return hash;
}

void Host::opens(const Segment& syn, Time now) {
    synCame = hasSyn ? never : now;
    hasSyn = true;
    initial = syn.seq();
    afterSyn = initial + 1 + static_cast<uint32_t>(syn.length());
    windowScale = syn.windowScale();
    sackPermitted = syn.sackPermitted();
    timestamps = syn.hasTimestamps();
    saysMaxSegment = syn.maxSegment().has_value();
    if (saysMaxSegment) maxSegment = std::max<uint16_t>(*syn.maxSegment(), 64);
    next = claimed = afterSyn;
    says(syn);
    recent = tsValue;
    recentSince = now;
}

void Host::says(const Segment& segment) {
    dscp = segment.dscp();
    if (!segment.has(flag::syn)) reaches(segment.end());
    if (segment.has(flag::ack) && (segment.has(flag::syn) || static_cast<int32_t>(segment.ack() - ack) >= 0)) {
        ack = segment.ack();
        window = segment.window();
        isOfSyn = segment.has(flag::syn);
        congestion = segment.has(flag::ece) && !segment.has(flag::syn);  // there it says what the host can
    }
    if (segment.hasTimestamps()) {
        if (segment.has(flag::syn)) tsValue = segment.tsValue();
        ticks(segment);
        tsEcho = segment.tsEcho();
        hasEcho = segment.has(flag::ack) && !segment.has(flag::syn);
    }
}

void Host::reaches(uint32_t end) {
    if (static_cast<int32_t>(end - next) > 0) next = end;
    claims(end);
}

void Host::claims(uint32_t end) {
    if (static_cast<int32_t>(end - claimed) > 0) claimed = end;
}

void Host::ticks(const Segment& segment) {
    if (segment.hasTimestamps() && static_cast<int32_t>(segment.tsValue() - tsValue) > 0) tsValue = segment.tsValue();
}

bool Flow::owes() const {
    return std::any_of(halves.begin(), halves.end(), [](const auto& half) { return half && half->owes(); });
}

bool Flow::promises() const {
    return std::any_of(halves.begin(), halves.end(), [](const auto& half) { return half && half->promises(); });
}

unsigned Flow::windowScale(Port port) const {
    return hosts[0].windowScale && hosts[1].windowScale ? *hosts[index(port)].windowScale : 0;
}

size_t Flow::windowBytes(Port port) const {
    const Host& host = hosts[index(port)];
    return static_cast<size_t>(host.window) << (host.isOfSyn ? 0 : windowScale(port));
}

}  // namespace arqlink::gateway
