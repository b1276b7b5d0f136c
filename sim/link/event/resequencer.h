// SPDX-License-Identifier: Apache-2.0
// Holds complete frames until their packet may leave (docs/architecture.md, "Resequencer"; docs/resequencer.md).
#pragma once

#include <algorithm>
#include <deque>
#include <vector>

#include "latencies.h"
#include "units.h"

namespace arqlink::event {

class Resequencer {
  public:
    Resequencer(const Build& build, const EndSettings& settings, Counters& counters);

    /// Data units that the decoder must restore, and those before the first of them.
    struct Pattern {
        unsigned missing = 0, before = 0;
    };
    void complete(const Transmission& t, const Pattern& pattern, Clock now);
    /// The frame's last try has failed.
    void dead(uint64_t fsn, Clock now);
    /// Incomplete frames below `edge` are abandoned.
    void abandon(uint64_t edge, Clock now);

    Clock nextDelivery() const { return leaving_.empty() ? never : leaving_.front().when; }
    /// When frames are freed or a packet leaves next.
    Clock next() const { return std::min(freed_.empty() ? never : freed_.front().when, nextDelivery()); }

    struct Packet {
        Clock when = never;  ///< its last beat leaves
        uint64_t packet = 0;
        uint32_t bytes = 0;
    };
    /// Frees what has been read by `now`.
    void free(Clock now);
    /// The next packet to leave.
    const Packet& leaving() const { return leaving_.front(); }
    bool leaves(Clock now) const { return nextDelivery() <= now; }
    void left();

    /// Oldest frame that is held or waited for.
    uint64_t rxBase() const { return rxBase_; }

  private:
    enum class State : uint8_t { empty, complete, taken, dead };
    struct Slot {
        State state = State::empty;
        Frame frame;
        Pattern pattern;
    };
    /// Frames below `edge` are free from clock `when` on.
    struct Release {
        Clock when;
        uint64_t edge;
    };
    Slot& slot(uint64_t fsn) { return slots_[fsn & (window_ - 1)]; }
    void scan(Clock now);
    void walk(uint64_t fsn, Clock now);
    void deliver(uint64_t first, uint64_t last, Clock now);
    Clock stored();
    void release(uint64_t edge, Clock now);

    const uint64_t window_;
    const unsigned dataBytes_, beats_;  // beats: payload of a unit
    const EndSettings& settings_;
    const Latencies latencies_;
    Counters& counters_;
    std::vector<Slot> slots_;
    std::deque<Release> freed_;
    std::deque<Packet> leaving_;
    Clock scanned_ = 0;  // the frame that the scan is at has been looked up
    Clock walked_ = 0;   // the last packet out of sequence has been looked up and claimed
    Clock due_ = 0;      // the last frame was to be read for …
    struct Passage {
        unsigned beats = 0;
        Clock read = 0;    // the decoder has read it
        Clock stored = 0;  // the store has been read for it
        Clock out = 0;     // its last beat has left
    };
    static constexpr unsigned past = 8;
    Passage passages_[past];  // of the last frames, by their number
    unsigned frames_ = 0, repaired_ = 0;
    /// Of the last frame but `ago` - 1.
    Passage& before(unsigned ago) { return passages_[(frames_ - ago) % past]; }
    Clock generatorFree_[4] = {};  // the coefficients of the last frame of each generator have been made
    uint64_t scan_ = 0, first_ = 0, rxBase_ = 0, abandoned_ = 0;
    bool inside_ = false;    // scan_ is in the middle of its packet, which begins at first_
    bool dropping_ = false;  // up to the next sop
    bool counted_ = false;   // the packet that is dropped has been counted
};

}  // namespace arqlink::event
