// SPDX-License-Identifier: Apache-2.0
#include "event_link.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "settings.h"

namespace arqlink::event {

EventLink::EventLink(const LinkSettings& settings, std::unique_ptr<ErasureProcess> aToB,
                     std::unique_ptr<ErasureProcess> bToA)
    : settings_(settings), latencies_(Latencies::of(settings.build)) {
    check(settings_);
    channels_[A].erasures = std::move(aToB);
    channels_[B].erasures = std::move(bToA);
    for (const End end : {A, B}) {
        channels_[end].delay = settings_.delay[end];
        channels_[end].unit = settings_.unitClocks(end);
        ends_[end] = std::make_unique<LinkEnd>(end, settings_, channels_[end].wire, *this);
    }
}

void EventLink::offer(End end, uint64_t packet, unsigned bytes) {
    if (bytes == 0 || bytes > settings_.build.maxPacketBytes)
        throw std::invalid_argument("A packet is empty or too long for the link.");
    ends_[end]->offer(packet, bytes, now_);
}

// When the next unit has arrived, and what it changes has changed.
Clock EventLink::arrival(const Channel& channel) const {
    if (channel.wire.empty()) return never;
    if (channel.wire.front().control) return channel.begin() + channel.unit.control + latencies_.control;
    return channel.begin() + (channel.place + 1) * channel.unit.data + latencies_.unit;
}

// Units that arrive at `to` by `until`, as long as they do nothing but be counted, and one more.
void EventLink::arrive(End to, Clock until) {
    Channel& channel = channels_[peerOf(to)];
    LinkEnd& end = *ends_[to];
    for (Clock when = arrival(channel); when <= until; when = arrival(channel)) {
        Flight& flight = channel.wire.front();
        if (flight.control) {
            const Control& message = flight.message;
            const UnitOnAir unit{peerOf(to), true, 0, 0, 0, message.rxNext, message.ordinal, message.hello};
            const bool erased = channel.erasures->erases(unit, flight.start);
            const Control arrived = message;
            channel.pop();
            if (erased) {
                ++end.counters().rx_erased_flag;
                continue;
            }
            end.control(arrived, when);
            return;
        }
        const Transmission& t = flight.transmission;
        const unsigned index = flight.first + channel.place;
        const UnitOnAir unit{peerOf(to), false, t.fsn, t.attempt, index, 0, 0, false};
        const bool erased = channel.erasures->erases(unit, flight.start + channel.place * channel.unit.data);
        if (erased) ++end.counters().rx_erased_flag;
        const bool changed = !erased && end.unit(t, index, when);
        if (++channel.place == flight.count) channel.pop();
        if (changed) return;
    }
}

void EventLink::runTo(Clock until) {
    for (;;) {
        const Clock steps[4] = {ends_[A]->next(), ends_[B]->next(), arrival(channels_[B]), arrival(channels_[A])};
        const unsigned first = static_cast<unsigned>(std::min_element(steps, steps + 4) - steps);
        const Clock when = steps[first];
        if (when > until) break;
        now_ = std::max(now_, when);
        if (first < 2) {
            ends_[first]->step(when);
            continue;
        }
        // Nothing else happens before the next step of either end, or the next arrival at the other one.
        Clock limit = until;
        for (unsigned i = 0; i < 4; ++i)
            if (i != first) limit = std::min(limit, steps[i]);
        arrive(static_cast<End>(first - 2), limit);
    }
    now_ = std::max(now_, until);
}

// A bound: no packet that `from` sends is delivered before this clock. A packet is delivered once its last frame is complete, or skipped,
// so the first flight that can complete or skip one decides.
Clock EventLink::completion(End from) const {
    constexpr size_t most = 8;  // flights that are looked at
    const Channel& channel = channels_[from];
    const UnitClocks& unit = channel.unit;
    const Clock later = latencies_.delivery + latencies_.read + latencies_.decode;
    Clock end = ends_[from]->next() == never ? never : ends_[from]->next() + channel.delay.least() + later;
    Clock free = channel.free;
    const size_t count = std::min(channel.wire.size(), most);
    const bool lastTryOpen = ends_[from == A ? B : A]->lastTryOpen();
    for (size_t i = 0; i < count; ++i) {
        const Flight& flight = channel.wire[i];
        const Clock begin = channel.begin(flight, free) + later;
        free = begin - later + channel.length(flight);
        const Transmission& t = flight.transmission;
        if (flight.control) {
            end = begin + unit.control + latencies_.control;
            if (flight.message.abandons || lastTryOpen) return end;
            continue;
        }
        // Type 2: its first unit may show that a frame before it is dead, or abandoned.
        const unsigned next = flight.first + (i == 0 ? channel.place : 0);
        const unsigned decides = t.lastTry || lastTryOpen ? next : std::max(next, t.frame.k - 1u);
        if (decides < flight.first + flight.count)
            return begin + Clock{decides - flight.first + 1} * unit.data + latencies_.unit;
        end = begin + Clock{flight.count} * unit.data + latencies_.unit;
    }
    return end;
}

Clock EventLink::nextDelivery() const {
    return std::max(now_ + 1,
                    std::min({ends_[A]->nextDelivery(), ends_[B]->nextDelivery(), completion(A), completion(B)}));
}

Counters EventLink::counters(End end) {
    Counters counters = ends_[end]->counters();
    const UnitClocks unit = settings_.unitClocks(end);
    const uint64_t busy =
        (counters.tx_units + counters.tx_retx_units) * unit.data + counters.tx_control_units * unit.control;
    counters.tx_phy_idle = now_ > busy ? (now_ - busy) / settings_.clocksPerBeat[end] : 0;
    return counters;
}

}  // namespace arqlink::event
