// SPDX-License-Identifier: Apache-2.0
// A model of the link in the time of ns-3: packets go in, and what is to be done with them is called when they come out.
#pragma once

#include <functional>
#include <memory>
#include <unordered_map>

#include "link_model.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"

namespace arqlink::tcp {

/// Clock 0 of the model is time 0 of the simulation. Deliveries of the model are events of ns-3, in the clock in which the
/// packet's last beat leaves the core; nothing else of the model is, so that few events are needed.
class LinkBridge {
  public:
    using Delivery = std::function<void()>;

    /// `clockHz`: clocks of a second. `queuePackets`: packets that wait before the line at each end, of which no frame has been sent.
    LinkBridge(std::unique_ptr<LinkModel> model, double clockHz, size_t queuePackets);

    /// Offers a packet of `bytes` to `end` now. False, and the packet is dropped, if the queue is full.
    bool send(End end, unsigned bytes, Delivery delivered);

    LinkModel& model() { return *model_; }
    double clockHz() const { return clockHz_; }
    uint64_t dropped(End end) const { return dropped_[end]; }

  private:
    void follow();
    ns3::Time timeOf(Clock clock) const;
    Clock clockOf(ns3::Time time) const;
    void plan();
    void wake();
    void deliver(uint64_t packet);

    std::unique_ptr<LinkModel> model_;
    const double clockHz_;
    const size_t queuePackets_;
    std::unordered_map<uint64_t, Delivery> underWay_;  // by the packet's name; abandoned ones stay
    uint64_t nextName_ = 1;
    uint64_t dropped_[2] = {0, 0};
    ns3::EventId next_;
    Clock planned_ = never;
};

}  // namespace arqlink::tcp
