// SPDX-License-Identifier: Apache-2.0
// The fast model of the link: the protocol of docs/architecture.md, without clocks in which nothing happens.
#pragma once

#include <algorithm>
#include <memory>

#include "link_end.h"

namespace arqlink::event {

/// Units and frames move through it as events; latencies of the blocks are constants (Latencies). There are no restarts
/// after the start, no damaged headers, and no users that make it wait: it is for what TCP sees of a link that works.
class EventLink final : public LinkModel {
  public:
    /// Throws std::invalid_argument where the settings are not those of a link.
    EventLink(const LinkSettings& settings, std::unique_ptr<ErasureProcess> aToB, std::unique_ptr<ErasureProcess> bToA);

    void offer(End end, uint64_t packet, unsigned bytes) override;
    void runTo(Clock until) override;
    Clock now() const override { return now_; }
    Clock nextDelivery() const override;
    size_t backlog(End end) override { return ends_[end]->backlog(); }
    Counters counters(End end) override;
    bool isUp() const override { return ends_[A]->isUp() && ends_[B]->isUp(); }

  private:
    /// The channel from `from` to its peer.
    struct Channel {
        Wire wire;
        std::unique_ptr<ErasureProcess> erasures;
        Delays delay;
        UnitClocks unit{};
        unsigned place = 0;  // units of the first flight that have arrived
        Clock free = 0;      // the flight before the first one has arrived by this clock
        /// A flight begins to arrive, where all before it has arrived by `before`.
        Clock begin(const Flight& flight, Clock before) const {
            return std::max(flight.start + delay.at(flight.start), before);
        }
        Clock begin() const { return begin(wire.front(), free); }  ///< the first one
        Clock length(const Flight& flight) const { return flight.control ? unit.control : flight.count * unit.data; }
        void pop() {
            free = begin() + length(wire.front());
            place = 0;
            wire.pop_front();
        }
    };
    Clock arrival(const Channel& channel) const;
    Clock completion(End from) const;
    void arrive(End to, Clock until);

    const LinkSettings settings_;
    const Latencies latencies_;
    Channel channels_[2];  // by the end that sends
    std::unique_ptr<LinkEnd> ends_[2];
    Clock now_ = 0;
};

}  // namespace arqlink::event
