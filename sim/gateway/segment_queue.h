// SPDX-License-Identifier: Apache-2.0
// The segments of one direction that are in the cache, in the order of the stream.
#pragma once

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
    bool isFlying = false;  ///< sent, neither acknowledged nor thought to be lost
    unsigned times = 0;     ///< that it has left
    Time sent = 0;          ///< when it left last
};

class SegmentQueue {
  public:
    SegmentQueue(Position first, Services& services) : next_(first), services_(services) {}
    ~SegmentQueue();
    SegmentQueue(const SegmentQueue&) = delete;

    enum class Stored { yes, duplicate, noRoom };
    /// Stores what is new of a segment and next to what is there: the rest is cut off, and will come again.
    Stored store(Segment segment);

    /// All before it has come.
    Position next() const { return next_; }
    /// The receiver has all before `ack`: even what has not come this way.
    void acknowledge(Position ack);
    /// Marks what the receiver's blocks of SACK say has arrived, and calls `arrived` for each segment of which that is news. Blocks beyond
    /// `sent` are none. Gives where the last block ends; 0: there is none.
    Position markSacked(const Segment& segment, Position sent, const std::function<void(Cached&)>& arrived);
    /// Where the FIN is, once it is in sequence.
    std::optional<Position> fin() const { return fin_; }
    /// Blocks of data that came ahead of gaps, in the order of the stream: the first `most` of them.
    std::vector<SackBlock> blocks(size_t most) const;

    using Map = std::map<Position, Cached>;
    Map& all() { return segments_; }
    const Map& all() const { return segments_; }
    Map::iterator find(Position begin) { return segments_.find(begin); }
    bool isEmpty() const { return segments_.empty(); }

  private:
    void advance();

    Map segments_;
    Position next_;
    std::optional<Position> fin_;
    Services& services_;
};

}  // namespace arqlink::gateway
