// SPDX-License-Identifier: Apache-2.0
// Cuts packets into frames, and stores them as long as there are slots (docs/architecture.md, "Frames and codes").
#pragma once

#include <deque>

#include "latencies.h"
#include "sender.h"

namespace arqlink::event {

class Segmenter {
  public:
    Segmenter(const Build& build, const EndSettings& settings, Counters& counters, Sender& sender)
        : build_(build), settings_(settings), latencies_(Latencies::of(build)), counters_(counters), sender_(sender) {}

    struct Packet {
        uint64_t packet;
        uint32_t bytes;
    };
    void offer(const Packet& packet, Clock now);
    /// Slots have become free.
    void freed(Clock now) {
        if (blocked_) store(now + latencies_.slots - latencies_.prefetch);
    }

    /// When the packet that is coming in is complete.
    Clock next() const { return blocked_ || queue_.empty() ? never : busy_; }
    /// It is, at `next()`. Returns its name.
    uint64_t complete();

    /// When a complete packet's frames may be sent, or never.
    Clock release() const { return releases_.empty() ? never : releases_.front().when; }
    void releaseUntil(Clock now);

    /// Packets of which no frame has been sent.
    size_t backlog() {
        while (!starts_.empty() && starts_.front() < sender_.nextFsn()) starts_.pop_front();
        return starts_.size() + queue_.size();
    }

  private:
    void begin(Clock now);
    void store(Clock now);

    const Build& build_;
    const EndSettings& settings_;
    const Latencies latencies_;
    Counters& counters_;
    Sender& sender_;
    std::deque<Packet> queue_;  // the first one is coming in
    struct Release {
        Clock when;
        uint64_t head;
    };
    std::deque<Release> releases_;  // of packets that are complete
    std::deque<uint64_t> starts_;   // first frames of packets that are complete
    uint64_t start_ = 0;            // first frame of the one that is coming in
    uint32_t rest_ = 0;             // bytes of the first one that have no frame yet
    bool blocked_ = false;          // its next frame waits for a slot
    bool behind_ = false;           // the store is behind what has come in, as it had to wait
    Clock busy_ = 0;                // the beats of its frames so far, or of all packets so far, have come in
};

}  // namespace arqlink::event
