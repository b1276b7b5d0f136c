// SPDX-License-Identifier: Apache-2.0
// A link end that is clocked while others look at it: its ports, and what leaves it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "backlog.h"
#include "captures.h"
#include "channel.h"
#include "rtl_end.h"

namespace arqlink::live {

/// Accesses of other threads to registers, one at a time.
class Mailbox {
  public:
    /// Called by such a thread: waits until the access is done. What was read or written; nothing: it was refused.
    /// Throws std::runtime_error once `close` was called.
    std::optional<uint32_t> access(bool write, uint32_t address, uint32_t value);
    /// Called by the thread that clocks the end.
    bool isWaiting() const { return isWaiting_.load(std::memory_order_relaxed); }
    void serve(verilated_end::AxiMaster& registers);
    void close();

  private:
    enum class State { none, asked, underWay, done, refused };
    void answer(State state, uint32_t value);

    std::mutex callers_;  // held during an access
    std::mutex mutex_;
    std::condition_variable changed_;
    State state_ = State::none;
    bool write_ = false, isClosed_ = false;
    uint32_t address_ = 0, value_ = 0;
    std::atomic<bool> isWaiting_ = false;
};

class LiveEnd {
  public:
    LiveEnd(End self, const std::string& library, Delays delay, std::unique_ptr<ErasureProcess> erasures)
        : end_(library), self_(self), channel_(self, end_.dataBytes(), std::move(delay), std::move(erasures)) {}

    /// Clocks `from` to `until` - 1. What leaves arrives at the peer after `until`, if the delay is that long.
    void run(Clock from, Clock until);

    /// Where the units that leave are captured; nullptr: they are not.
    void capture(Captures* captures) { captures_ = captures; }
    /// All units that have begun to leave before this clock have left in full, by clock `now`.
    Clock leftBefore(Clock now) const { return unit_.empty() ? now : start_; }

    /// Between runs: what has left goes to the peer.
    void exchange(LiveEnd& peer);

    void reset(bool resetn) { resetn_ = resetn; }
    void offer(rtl::RtlEnd::Packet packet) { end_.offer(std::move(packet)); }
    /// Packets that have been offered, and of which no frame has been sent.
    size_t backlog() const { return backlog_.packets() + end_.waiting(); }
    std::vector<rtl::RtlEnd::Packet>& delivered() { return delivered_; }  ///< the caller empties it
    uint64_t cut() const { return cut_; }                                 ///< packets that a restart cut
    rtl::Channel& channel() { return channel_; }
    Mailbox& mailbox() { return mailbox_; }
    bool irq() const { return irq_.load(std::memory_order_relaxed); }  ///< any thread may ask

    /// The last clock in which a packet or a unit moved here.
    Clock active() const { return active_; }
    /// Nothing is on the way to it.
    bool isLineEmpty() const { return incoming_.empty(); }

  private:
    rtl::RtlEnd end_;
    void note(const verilated_end::Beat& beat, Clock now);

    const End self_;
    rtl::Channel channel_;
    rtl::Backlog backlog_;
    Mailbox mailbox_;
    std::atomic<bool> irq_ = false;
    rtl::RtlEnd::Out out_;
    std::deque<rtl::BeatOnAir> incoming_;
    std::vector<rtl::BeatOnAir> outgoing_;
    std::vector<rtl::RtlEnd::Packet> delivered_;
    Captures* captures_ = nullptr;
    std::vector<uint8_t> unit_;  // that is leaving, if it is captured …
    Clock start_ = 0;            // … since this clock
    uint64_t cut_ = 0;
    bool resetn_ = true;
    Clock active_ = 0;
};

}  // namespace arqlink::live
