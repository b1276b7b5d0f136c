// SPDX-License-Identifier: Apache-2.0
// The way of units from one end to the other: it delays and erases, repeats and holds back if asked to.
#pragma once

#include <cstdint>
#include <functional>
#include <map>

#include "ends.h"
#include "random.h"
#include "scenario.h"
#include "wire.h"

namespace campaign {

/// A unit under way. `life` and `mark` belong to the watcher: the sender's life, and where both ends were when it left.
struct Carried {
    Bytes bytes;
    bool flagged = false;
    bool copy = false;  ///< a duplicate, or late
    unsigned life = 0;
    uint64_t mark[2] = {0, 0};
};

class Channel {
  public:
    Channel(Random random, const Way& way, unsigned fromBytes, unsigned toBytes);

    /// Whether a beat may be accepted: a narrower receiver takes longer.
    bool ready(uint64_t clock) const {
        return free_ <= clock + way_.delay + 64 && (queue_.empty() || clock < queue_.begin()->first + 256);
    }
    /// A unit has left the sender.
    void send(Carried unit, uint64_t clock);
    /// A unit that nobody sent comes next.
    void inject(Bytes bytes, uint64_t clock) {
        queue_.emplace_hint(queue_.lower_bound(clock), clock, Carried{std::move(bytes), false, false, 0, {0, 0}});
    }
    /// The next beat for the receiver.
    void drive(EndIn& in, uint64_t clock);
    void note(const EndIn& in, uint64_t clock);

    void dark(EventKind kind, uint64_t until);
    /// Nothing is erased from now on.
    void heal();
    bool empty() const { return queue_.empty() && !busy_; }
    uint64_t lost() const { return lost_; }

    /// A unit came to the receiver with its last beat. `whole`: the receiver was not in reset meanwhile.
    std::function<void(const Carried& unit, uint64_t clock, bool whole)> arrived;
    /// Whether a copy may still come: not after a restart, nor too far behind.
    std::function<bool(const Carried& unit)> fresh;

  private:
    bool erased(const Bytes& bytes, uint64_t clock);
    bool damage(Carried& unit);

    Random random_;
    Way way_;
    unsigned fromBytes_, toBytes_;
    bool bad_ = false;
    unsigned left_ = 0;  ///< units that the burst is still to erase
    uint64_t darkControl_ = 0, darkData_ = 0, darkAll_ = 0;
    std::multimap<uint64_t, Carried> queue_;  ///< by the clock of arrival
    uint64_t free_ = 0;                       ///< clock in which the last of them is through
    Carried current_;
    bool busy_ = false, whole_ = true;
    uint64_t awake_ = 0;  ///< clocks since the end that is sent to has left reset
    size_t offset_ = 0;
    uint64_t lost_ = 0;
};

}  // namespace campaign
