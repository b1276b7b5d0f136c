// SPDX-License-Identifier: Apache-2.0
// The user at both packet streams of an end: a source of good and bad packets, and a sink that may pause.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "ends.h"
#include "random.h"
#include "scenario.h"
#include "wire.h"

namespace campaign {

/// Feeds s_axis.
class Source {
  public:
    enum class Kind { good, abort, tooLong, holes, nothing };
    static constexpr unsigned kinds = 5;

    Source(uint64_t seed, unsigned direction, const Traffic& traffic, unsigned dataBytes);

    void drive(EndIn& in, uint64_t clock);
    void note(const EndIn& in, const EndOut& out, uint64_t clock);
    /// No more packets begin; the one under way is ended.
    void stop() { running_ = false; }
    void start() { running_ = true; }
    void plain();
    /// `count` good packets of 16 bytes or more follow: the same ones in each run of a seed, whatever came before.
    void fresh(uint64_t count);
    bool idle() const { return !offering_; }
    bool running() const { return running_; }
    /// An end in reset forgets what it took of a packet: so does this.
    void drop();
    uint64_t count(Kind kind) const { return count_[static_cast<unsigned>(kind)]; }
    void clearCounts() {
        for (auto& c : count_) c = 0;
    }
    /// Clocks that the beat on s_axis has waited.
    uint64_t waiting() const { return waiting_; }
    Kind kind() const { return kind_; }
    /// What is on s_axis, in words.
    std::string text() const;

    std::function<void()> begun;                                ///< the first beat of a packet was accepted
    std::function<void(Bytes bytes, uint64_t clock)> accepted;  ///< the last beat of a good packet was

  private:
    void compose();
    void beat(EndIn& in);

    Random random_;
    uint64_t seed_;
    unsigned direction_, dataBytes_;
    Traffic traffic_;
    bool running_ = true, offering_ = false, paused_ = false;
    Kind kind_ = Kind::good;
    Bytes bytes_;
    size_t length_ = 0, offset_ = 0;
    size_t badBeat_ = 0;            ///< where the fault of a bad packet is
    bool emptyTail_ = false;        ///< a beat without bytes ends the packet
    uint64_t left_ = ~uint64_t(0);  ///< packets that may begin
    uint64_t number_ = 0, notBefore_ = 0, waiting_ = 0;
    uint32_t inBurst_ = 0;
    uint64_t count_[kinds] = {};
    std::string before_ = "none";  ///< the packet before, whose end may still be on its way in
};

/// Takes m_axis.
class Sink {
  public:
    Sink(Random random, const Pauses& pauses) : random_(random), ready_(pauses.ready) {}
    void drive(EndIn& in, uint64_t clock) {
        in.packetOutReady = clock >= stoppedUntil_ && (ready_ >= 1 || random_.chance(ready_));
    }
    void note(const EndIn& in, const EndOut& out, uint64_t clock);
    void stopUntil(uint64_t clock) { stoppedUntil_ = clock > stoppedUntil_ ? clock : stoppedUntil_; }
    void plain() { ready_ = 1, stoppedUntil_ = 0; }
    void drop() { bytes_.clear(); }

    std::function<void(const Bytes& bytes, uint64_t clock, bool cut)> delivered;

  private:
    Random random_;
    double ready_;
    uint64_t stoppedUntil_ = 0;
    Bytes bytes_;
};

}  // namespace campaign
