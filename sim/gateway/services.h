// SPDX-License-Identifier: Apache-2.0
// What the halves of connections use of the gateway.
#pragma once

#include <vector>

#include "flow.h"
#include "gateway_settings.h"
#include "packet.h"

namespace arqlink::gateway {

/// The slots of the segment cache.
class Slots {
  public:
    explicit Slots(size_t all) : all_(all) {}
    size_t all() const { return all_; }
    size_t used() const { return used_ + flying_; }
    size_t free() const { return used() < all_ ? all_ - used() : 0; }
    /// One of them, if as many as `mustStay` are free beside it.
    bool take(size_t mustStay = 0) {
        if (free() <= mustStay) return false;
        ++used_;
        return true;
    }
    void release() { --used_; }
    /// What gaps in front of stored segments need, of all flows: it is left free by what comes ahead of gaps.
    size_t missing() const { return missing_; }
    void miss(size_t before, size_t now) { missing_ += now - before; }
    /// Packets that are under way without being stored, which `clamp` counts as if they were.
    void fly(size_t before, size_t now) { flying_ += now - before; }

  private:
    const size_t all_;
    size_t used_ = 0, missing_ = 0, flying_ = 0;
};

class Services {
  public:
    virtual ~Services() = default;
    virtual const Settings& settings() const = 0;
    virtual Counters& counters() = 0;
    virtual Slots& slots() = 0;
    /// Puts a packet into a port's queue. False: that is full, and the packet is dropped.
    virtual bool emit(Port port, Bytes packet) = 0;
    /// Puts a stored segment into a port's queue.
    virtual void offer(Flow& flow, Port from, Position begin) = 0;
    /// The same with several, which go before all others, in this order.
    virtual void offerFirst(Flow& flow, Port from, const std::vector<Position>& begins) = 0;
    /// Asks for `roomGrew` of this half, once, when the cache has more room.
    virtual void waitForRoom(Flow& flow, Port from) = 0;
};

}  // namespace arqlink::gateway
