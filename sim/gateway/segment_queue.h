// SPDX-License-Identifier: Apache-2.0
// The segments of one direction that are in the cache, in the order of the stream.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <vector>

#include "packet.h"
#include "sequence.h"
#include "services.h"

namespace arqlink::gateway {

struct Cached {
    Segment segment;
    Position begin, end;    ///< of its data, and of the FIN, which counts as one
    bool isAhead = false;   ///< of a gap
    bool isQueued = false;  ///< it waits at the port
    bool isSacked = false, isLost = false;
    bool isResentBySource = false;
    bool isFlying = false;  ///< sent, neither acknowledged nor thought to be lost
    unsigned times = 0;     ///< that it has left
    Time sent = 0;          ///< when it left last
};

class SegmentQueue {
  public:
    /// `joins`: short segments next to each other become one, as long as they have not left. A source that writes a few bytes at a time would
    /// need a slot for each.
    SegmentQueue(Position first, Services& services, bool joins) : next_(first), services_(services), joins_(joins) {}
    ~SegmentQueue();
    SegmentQueue(const SegmentQueue&) = delete;

    enum class Stored { yes, duplicate, noRoom };
    /// Stores what is new of a segment and next to what is there: the rest is cut off, and will come again. `full`: bytes of payload of a full
    /// segment. What comes ahead of a gap leaves room for what fills it, of any flow.
    Stored store(Segment segment, size_t full);

    /// All before it has come.
    Position next() const { return next_; }
    /// The receiver has all before `ack`: even what has not come this way.
    void acknowledge(Position ack);
    /// Marks what the receiver's blocks of SACK say has arrived, and calls `arrived` for each segment of which that is news. Blocks beyond
    /// `sent` are none. Gives where the last block ends; 0: there is none.
    Position markSacked(const Segment& segment, Position sent, const std::function<void(Cached&)>& arrived);
    /// Where the FIN is, once it is in sequence.
    std::optional<Position> fin() const { return fin_; }
    /// Blocks of data that came ahead of gaps, `most` of them at most: the one of the segment that came last, then those before (RFC 2018,
    /// section 4).
    std::vector<SackBlock> blocks(size_t most) const;

    using Map = std::map<Position, Cached>;
    Map& all() { return segments_; }
    const Map& all() const { return segments_; }
    Map::iterator find(Position begin) { return segments_.find(begin); }
    bool isEmpty() const { return segments_.empty(); }

    /// Makes one of a segment that has not left and the one behind it, if that is possible, in `full` bytes. Gives whether it did.
    bool join(Map::iterator first, size_t full);
    /// None is left, and all before `next` has come.
    void forget(Position next);

  private:
    void advance();
    void count();
    void noteRecent(Position place);

    Map segments_;
    Position next_;
    std::optional<Position> fin_;
    Services& services_;
    const bool joins_;
    std::deque<Position> recent_;  // where segments begin that came ahead of gaps, the last one first
    size_t full_ = 1;              // bytes
    size_t aheadBytes_ = 0, missing_ = 0;
};

}  // namespace arqlink::gateway
