// SPDX-License-Identifier: Apache-2.0
// Receiver half of an end: collects one transmission at a time and keeps outcomes (docs/architecture.md, Receiver 1 to 3).
#pragma once

#include <vector>

#include "resequencer.h"
#include "units.h"

namespace arqlink::event {

class Receiver {
  public:
    Receiver(const Build& build, Counters& counters, Resequencer& resequencer);

    /// A unit of `t` arrived at `now`.
    void unit(const Transmission& t, unsigned index, Clock now);
    /// All transmissions below `txEdge` are closed.
    void close(uint64_t txEdge, Clock now);

    /// The next unit of any kind may show that a frame is dead.
    bool lastTryOpen() const { return begun_ && last_.lastTry; }

    /// All transmissions below it are closed.
    uint64_t rxNext() const { return rxNext_; }
    /// Outcomes of 64 TSNs from `base` on that are below rxNext, 1: received.
    uint64_t outcomes(uint64_t base) const;

  private:
    void closeOne(Clock now);

    Counters& counters_;
    Resequencer& resequencer_;
    std::vector<uint64_t> log_;  // 64 outcomes a word, by TSN modulo the window or 64
    uint64_t rxNext_ = 0;

    // The transmission in progress, TSN rxNext_.
    bool begun_ = false;
    Transmission current_;
    unsigned received_ = 0;  // units of it, K at most
    unsigned parity_ = 0;    // of these parity units: as many data units are missing
    unsigned inOrder_ = 0;   // data units before the first missing one

    // The data unit accepted last.
    Transmission last_;
    bool bothLastTries_ = false;  // it and the one before are of type 2
};

}  // namespace arqlink::event
