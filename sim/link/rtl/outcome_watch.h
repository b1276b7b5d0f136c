// SPDX-License-Identifier: Apache-2.0
// What an end knows of its frames, by what it sent and by the feedback that reached it.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <set>

namespace arqlink::rtl {

/// The fields of a control unit that report outcomes, sequence numbers without wrap.
struct Feedback {
    int64_t rxNext = 0, bitmapBase = 0;  ///< bitmapBase is below 0 at first, as the bitmap ends near rxNext
    uint64_t bitmap = 0;
};

/// A frame is settled when its arrival is reported, or the failure of its last transmission; once. Failures that an outage
/// excuses count as well: then a frame may be settled that is sent once more.
class OutcomeWatch {
  public:
    explicit OutcomeWatch(unsigned delta) : delta_(delta) {}

    /// A transmission begins to leave; they come in the order of their TSNs.
    void sent(uint64_t fsn, unsigned attempt) { open_.push_back({fsn, attempt, false}); }
    /// Feedback has arrived; calls `settled` with the FSN of each frame that it settles.
    void report(const Feedback& feedback, const std::function<void(uint64_t)>& settled);

  private:
    struct Sent {
        uint64_t fsn;
        unsigned attempt;
        bool known;
    };
    const unsigned delta_;
    std::deque<Sent> open_;  // transmissions from firstTsn_ on
    int64_t firstTsn_ = 0;
    uint64_t settledBelow_ = 0;   // all frames below it are settled …
    std::set<uint64_t> settled_;  // … and these above it
};

}  // namespace arqlink::rtl
