// SPDX-License-Identifier: Apache-2.0
// Records the units of a Verilated pair: what each end sends, and whether it comes out of the channel.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "arq_pair_sim.h"
#include "unit_capture.h"

namespace arqlink {

/// A unit comes out of its channel a constant number of clocks after it was sent; if nothing comes then, it was erased.
/// So a unit is written when it should have arrived, and a run that is killed leaves out those that were under way.
/// Bits that the channel flips are those of the record: a damaged unit shows as it arrives.
class PairCapture : public PhyObserver {
  public:
    /// `clockHz`: clocks of a simulated second; the capture's time begins with the simulation. `delay`: clocks from A to B
    /// and from B to A.
    PairCapture(const std::string& path, double clockHz, const uint64_t (&delay)[2]);

    void sent(End from, uint64_t clock, const uint8_t* beat, bool last) override;
    void arrived(End from, uint64_t clock, const uint8_t* beat, bool last, bool flagged) override;

    /// Ends the capture; units under way are written with an unknown fate.
    void close();

  private:
    struct Unit {
        End from;
        uint64_t start;
        std::vector<uint8_t> bytes;
        bool whole = false;
        wire::Fate fate = wire::Fate::unknown;
    };
    struct Way {
        uint64_t delay;
        Unit* leaving = nullptr;          // the unit of which a beat was sent last, and more follow
        Unit* arriving = nullptr;         // the same at the other end
        size_t offset = 0;                // bytes of `arriving` that have come
        bool flagged = false;             // one of them was marked as erased
        std::deque<Unit*> underWay = {};  // units of which no beat has come, oldest first
    };

    void judge(uint64_t clock);
    void write(bool all);

    wire::UnitCapture capture_;
    const double nanosecondsPerClock_;
    std::deque<Unit> units_;  // in the order in which they began
    Way ways_[2];
};

}  // namespace arqlink
