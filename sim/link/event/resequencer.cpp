// SPDX-License-Identifier: Apache-2.0
#include "resequencer.h"

#include <algorithm>

namespace arqlink::event {

Resequencer::Resequencer(const Build& build, const EndSettings& settings, Counters& counters)
    : window_(build.windowFrames),
      dataBytes_(build.dataBytes),
      beats_(build.unitBytes / build.dataBytes),
      settings_(settings),
      latencies_(Latencies::of(build)),
      counters_(counters),
      slots_(build.windowFrames) {}

void Resequencer::complete(const Transmission& t, const Pattern& pattern, Clock now) {
    slot(t.fsn) = {State::complete, t.frame, pattern};
    if (!settings_.inOrder) walk(t.fsn, now);
    if (t.fsn == scan_) scan(now);
}

void Resequencer::dead(uint64_t fsn, Clock now) {
    slot(fsn).state = State::dead;
    scan(now);
}

void Resequencer::abandon(uint64_t edge, Clock now) {
    if (edge <= abandoned_) return;
    abandoned_ = edge;
    scan(now);
}

// Goes on from the first frame that has not been dealt with, as far as frames are decided.
void Resequencer::scan(Clock now) {
    scanned_ = std::max(scanned_, now);
    for (; scan_ < rxBase_ + window_; ++scan_, scanned_ += latencies_.scan) {
        const Slot& s = slot(scan_);
        const bool stored = s.state == State::complete || s.state == State::taken;
        if (stored) {
            const bool continues = dropping_ && !s.frame.sop;
            if (continues) {
                counters_.rx_packets_dropped += !counted_;
                counted_ = !s.frame.eop;
                release(scan_ + 1, now);
            } else if (s.frame.eop && s.state == State::taken) {
                release(scan_ + 1, now);
            } else if (s.frame.eop) {
                deliver(first_, scan_, scanned_);
                release(scan_ + 1, now);
            }
            if (!continues) counted_ = false;
            dropping_ = continues;
            inside_ = !continues && !s.frame.eop;
        } else if (s.state == State::dead || scan_ < abandoned_) {
            ++counters_.rx_frames_skipped;
            counters_.rx_packets_dropped += inside_;
            counted_ |= inside_;
            dropping_ = true;
            inside_ = false;
            release(scan_ + 1, now);
        } else {
            return;
        }
        if (!inside_) first_ = scan_ + 1;
    }
}

// A frame is complete: if all frames of its packet are, the packet leaves. The RTL's scan is late for that even where it waits for this frame.
void Resequencer::walk(uint64_t fsn, Clock now) {
    uint64_t last = fsn, first = fsn;
    while (slot(last).state == State::complete && !slot(last).frame.eop) ++last;
    while (slot(first).state == State::complete && !slot(first).frame.sop && first > first_) --first;
    if (slot(last).state != State::complete || slot(first).state != State::complete || !slot(first).frame.sop) return;
    for (uint64_t f = first; f <= last; ++f) slot(f).state = State::taken;
    walked_ = std::max(walked_, now) + (last + 1 - first) * latencies_.walk;
    deliver(first, last, walked_);
}

// The store gives a beat a clock, ahead of the decoder by the beats that wait in its queue. The decoder has the frame's coefficients made meanwhile; it
// passes units on as they come up to the first missing one, and the others once it has read the frame (docs/rs_decoder.md, "Timing").
//
// The decoder has a frame's job when the third one before it has left the store: so many registers for jobs are between the blocks (ArqLink.scala).
void Resequencer::deliver(uint64_t first, uint64_t last, Clock now) {
    due_ = std::max(now + latencies_.delivery, due_);
    for (uint64_t f = first; f <= last; ++f) {
        const Slot& s = slot(f);
        due_ = std::max(due_ + latencies_.frame, before(3).stored);
        Clock ready = std::max(due_ + latencies_.read, before(1).read);
        if (s.pattern.missing) {
            Clock& free = generatorFree_[repaired_++ % latencies_.generators];
            const Clock generator = std::max(due_, free);
            ready = std::max(ready, generator + latencies_.coefficients(s.frame.k, s.pattern.missing));
            free = generator + latencies_.generator(s.frame.k, s.pattern.missing);
        }
        const unsigned beats = s.frame.k * beats_;
        const Clock behind = s.pattern.missing ? latencies_.restore + (s.frame.k - 1 - s.pattern.before) * beats_ : 0;
        const Clock out = std::max(ready + beats + latencies_.decode + behind, before(1).out + beats);
        ++frames_;
        before(1) = {beats, ready + beats, 0, out};
        before(1).stored = stored();
    }
    const Frame& frame = slot(last).frame;
    const unsigned lastUnit = frame.packetBytes % (beats_ * dataBytes_);
    const unsigned filling = lastUnit ? (beats_ * dataBytes_ - lastUnit) / dataBytes_ : 0;  // whole beats of it
    leaving_.push_back({before(1).out - filling, frame.packet, frame.packetBytes});
}

// When no more beats of the last frame, and of those before it, waited for the decoder than the store's queue holds.
Clock Resequencer::stored() {
    unsigned frame = 1, places = latencies_.queue;
    for (; frame < past && before(frame).beats < places; ++frame) places -= before(frame).beats;
    return before(frame).read + latencies_.store - std::min<Clock>(before(frame).read, places);
}

// Frames below `edge` are free when the packets before it have been read.
void Resequencer::release(uint64_t edge, Clock now) {
    freed_.push_back({std::max(now + latencies_.release, before(1).read), edge});
}

void Resequencer::free(Clock now) {
    for (; !freed_.empty() && freed_.front().when <= now; freed_.pop_front())
        for (; rxBase_ < freed_.front().edge; ++rxBase_) slot(rxBase_).state = State::empty;
}

void Resequencer::left() {
    ++counters_.rx_packets;
    counters_.rx_bytes += leaving_.front().bytes;
    leaving_.pop_front();
}

}  // namespace arqlink::event
