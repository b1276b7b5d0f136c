// SPDX-License-Identifier: Apache-2.0
// A model of the link in the time of ns-3: packets go in, and what is to be done with them is called when they come out.
#pragma once

#include <functional>
#include <memory>
#include <unordered_map>

#include "copy_store.h"
#include "link_model.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"

namespace arqlink::tcp {

/// What is stored before the line at an end.
struct Buffer {
    size_t packets = 500;
    /// It stores each packet until all its frames are acknowledged or given up (Zhu et al., B); else until the first frame is sent.
    bool keepsCopies = false;
};

/// Clock 0 of the model is time 0 of the simulation. Deliveries of the model are events of ns-3, in the clock in which the
/// packet's last beat leaves the core; nothing else of the model is, so that few events are needed.
class LinkBridge {
  public:
    using Delivery = std::function<void()>;

    /// `clockHz`: clocks of a second. `frameBytes`: of a full frame at end A. The buffer of end A is `buffer`; at end B,
    /// `ackQueue` packets may wait.
    LinkBridge(std::unique_ptr<LinkModel> model, double clockHz, unsigned frameBytes, const Buffer& buffer,
               size_t ackQueue);

    /// Offers a packet of `bytes` to `end` now. False, and the packet is dropped, if its buffer is full.
    bool send(End end, unsigned bytes, Delivery delivered);

    /// Packets that the buffer of end A has room for now.
    size_t room();

    /// Packets before the line of an end, of which no frame has been sent.
    size_t backlog(End end);

    /// A packet's place in the buffer of end A became free; only of a buffer that keeps copies.
    std::function<void()> freed;

    LinkModel& model() { return *model_; }
    double clockHz() const { return clockHz_; }
    uint64_t dropped(End end) const { return dropped_[end]; }
    /// Bytes of packets that end B delivered.
    uint64_t carriedBytes() const { return carriedBytes_; }

  private:
    void follow();
    ns3::Time timeOf(Clock clock) const;
    Clock clockOf(ns3::Time time) const;
    void plan();
    void wake();
    void deliver(End end, uint64_t packet);
    bool hasRoom(End end);

    std::unique_ptr<LinkModel> model_;
    const double clockHz_;
    const unsigned frameBytes_;
    const Buffer buffer_;
    const size_t ackQueue_;
    CopyStore copies_;
    struct Packet {
        unsigned bytes;
        Delivery delivered;
    };
    std::unordered_map<uint64_t, Packet> underWay_;  // by the packet's name; abandoned ones stay
    uint64_t nextName_ = 1;
    uint64_t dropped_[2] = {0, 0};
    uint64_t carriedBytes_ = 0;
    ns3::EventId next_;
    Clock planned_ = never;
};

}  // namespace arqlink::tcp
