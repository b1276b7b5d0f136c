// SPDX-License-Identifier: Apache-2.0
#include "clamp.h"

#include <algorithm>

#include "maker.h"

namespace arqlink::gateway {

Clamp::Clamp(Flow& flow, Port from, Position first, Services& services)
    : flow_(flow),
      from_(from),
      services_(services),
      acked_(first),
      sent_(first),
      advertised_(first + flow.windowBytes(other(from))) {}

void Clamp::count(Position sent) {
    const size_t segment = segmentBytes(flow_, from_),
                 packets = (std::max(sent, acked_) - acked_ + segment - 1) / segment;
    services_.slots().fly(counted_, packets);
    counted_ = packets;
}

void Clamp::data(Segment segment, Time) {
    const Position end = placeOf(segment.seq(), sent_) + segment.length();
    if (segment.has(flag::fin) && !fin_) fin_ = end;
    sent_ = std::max(sent_, end + segment.has(flag::fin));
    count(std::min(sent_, advertised_));  // the receiver takes no more
    services_.emit(other(from_), std::move(segment).take());
}

bool Clamp::acknowledged(Segment& segment, Time) {
    const Position ack = placeOf(segment.ack(), acked_);
    acked_ = std::max(acked_, ack);
    sent_ = std::max(sent_, acked_);
    count(std::min(sent_, advertised_));
    const Slots& slots = services_.slots();
    size_t packets = counted_ + slots.free();
    if (flow_.treatment.advertise == Advertise::third) packets = std::min(packets, slots.all() / 3);
    const Position allowed = std::max(advertised_, ack + std::max<size_t>(packets, 1) * segmentBytes(flow_, from_));
    const unsigned scale = flow_.windowScale(other(from_));
    const Position steps = (allowed - ack) >> scale;
    const auto window = static_cast<uint16_t>(std::min<Position>(segment.window(), steps));
    if (window < segment.window()) ++services_.counters().windows_clamped;
    advertised_ = std::max(advertised_, ack + (static_cast<Position>(window) << scale));
    segment.setWindow(window);
    return false;
}

}  // namespace arqlink::gateway
