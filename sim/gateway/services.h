// SPDX-License-Identifier: Apache-2.0
// What the halves of connections use of the gateway.
#pragma once

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
    bool take(bool isAhead);
    void release(bool isAhead);
    /// A segment that was ahead of a gap is in sequence now.
    void settle() { --ahead_; }
    /// Packets that are under way without being stored, which `clamp` counts as if they were.
    void fly(size_t before, size_t now) { flying_ += now - before; }

  private:
    const size_t all_;
    size_t used_ = 0, ahead_ = 0, flying_ = 0;
};

class Services {
  public:
    virtual ~Services() = default;
    virtual const Settings& settings() const = 0;
    virtual Counters& counters() = 0;
    virtual Slots& slots() = 0;
    /// Puts a packet into a port's queue. False: that is full, and the packet is dropped.
    virtual bool emit(Port port, Bytes packet) = 0;
    /// Puts a stored segment into a port's queue; `first`: before all others.
    virtual void offer(Flow& flow, Port from, Position begin, bool first) = 0;
    /// Asks for `roomGrew` of this half, once, when the cache has more room.
    virtual void waitForRoom(Flow& flow, Port from) = 0;
};

}  // namespace arqlink::gateway
