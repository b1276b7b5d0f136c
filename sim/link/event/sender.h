// SPDX-License-Identifier: Apache-2.0
// Sender half of an end: window, credit, outcomes, retransmissions (docs/architecture.md, Sender 1 to 6).
#pragma once

#include <deque>
#include <functional>
#include <vector>

#include "latencies.h"
#include "units.h"

namespace arqlink::event {

class Sender {
  public:
    Sender(const Build& build, const EndSettings& settings, Counters& counters);

    void peerWindow(unsigned frames);

    // Frames in ------------------------------------------------------------------------------------------------------

    /// The store has a slot for the next frame.
    bool hasSlot() const { return stored_ < txBase_ + window_; }
    void store(const Frame& frame);
    /// Frames below `head` may be sent: their packets are whole.
    void release(uint64_t head) { head_ = head; }
    /// FSN of the next frame to store.
    uint64_t stored() const { return stored_; }

    // Transmissions out ----------------------------------------------------------------------------------------------

    /// From this clock on a frame may be chosen, as one waits, and window and credit allow it; or never.
    Clock mayIssue() const {
        if (!hasTsn()) return never;
        if (nextFsn_ < head_ && hasCredit()) return 0;
        return again_.empty() ? never : again_.front().ready;
    }
    /// A new frame waits, and window or credit forbid it.
    bool stalled() const { return nextFsn_ < head_ && !(hasTsn() && hasCredit()); }
    Transmission issue(Clock now);
    /// A transmission has left in full.
    void sent() { ++txEdge_; }

    // Feedback -------------------------------------------------------------------------------------------------------

    /// True if a notice is due: txBase has passed an abandoned frame that the peer has not, and no frame says so.
    bool feedback(const Control& report, Clock now);
    std::function<void(uint64_t fsn)> settled;  ///< a frame is acknowledged or abandoned
    /// An outage has ended: failures of all transmissions so far do not count towards δ.
    void freeze() { freezeBelow_ = nextTsn_; }

    uint64_t txBase() const { return txBase_; }
    uint64_t txEdge() const { return txEdge_; }
    uint64_t ackTsn() const { return ackTsn_; }
    uint64_t peerRxBase() const { return peerRxBase_; }
    uint64_t nextFsn() const { return nextFsn_; }
    /// An abandoned frame is below txBase, and the peer's rxBase is not known to have passed it.
    bool unconfirmed() const { return abandonedEdge_ > peerRxBase_; }
    /// All outcomes of what was sent in full are known.
    bool resolved() const { return ackTsn_ == txEdge_; }

  private:
    enum class State : uint8_t { open, acknowledged, abandoned };
    struct Slot {
        Frame frame;
        State state = State::open;
    };
    struct Sent {
        uint64_t fsn = 0;
        unsigned attempt = 0;
        bool lastTry = false;
        bool known = false;
    };
    struct Repeat {
        uint64_t fsn;
        unsigned attempt;
        Clock ready;
    };
    Slot& slot(uint64_t fsn) { return slots_[fsn & (window_ - 1)]; }
    Sent& sentAs(uint64_t tsn) { return table_[tsn & (window_ - 1)]; }
    bool hasTsn() const { return nextTsn_ < ackTsn_ + smaller_; }
    bool hasCredit() const { return nextFsn_ < txBase_ + smaller_ && nextFsn_ < peerRxBase_ + peerWindow_; }
    /// The newest frame sent is open, and says what a notice would.
    bool noticesWait() const { return txBase_ < nextFsn_ && newestAnnounced_; }
    void outcome(uint64_t tsn, bool received, Clock now);
    void sweep();

    const EndSettings& settings_;
    const Latencies latencies_;
    Counters& counters_;
    const uint64_t window_;
    uint64_t peerWindow_, smaller_;
    std::vector<Slot> slots_;
    std::vector<Sent> table_;
    std::deque<Repeat> again_;
    uint64_t stored_ = 0, head_ = 0, nextFsn_ = 0, txBase_ = 0;
    uint64_t nextTsn_ = 0, txEdge_ = 0, ackTsn_ = 0, freezeBelow_ = 0;
    uint64_t peerRxBase_ = 0, abandonedEdge_ = 0;
    uint64_t againBelow_ = 0;       ///< first transmissions of all frames from it on are last tries
    bool newestAnnounced_ = false;  ///< that of the newest frame sent is of type 2
    bool noticeDue_ = false;        ///< txBase has passed an abandoned frame, and no notice has been sent since
    bool packetLost_ = false;       ///< the packet that txBase is in has an abandoned frame
};

}  // namespace arqlink::event
