// SPDX-License-Identifier: Apache-2.0
// Which units the channel erases: processes in time, and one by the content of units for comparing two models.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "clock_table.h"
#include "json_job.h"
#include "link_model.h"
#include "splitmix.h"

namespace arqlink {

/// Every unit is erased with probability p, independently (RR-4752 §3).
class Bernoulli final : public ErasureProcess {
  public:
    Bernoulli(double p, uint64_t seed);
    bool erases(const UnitOnAir& unit, Clock start) override;

  private:
    uint64_t gap();

    Random random_;
    double scale_;  // 1 / log(1 - p), or 0 where nothing or all is erased
    double p_;
    uint64_t left_;  // units that pass before the next one is erased
};

/// Two states in time: good, where units are erased with probability `pGood`, and bad, with `pBad`. A bad state lasts
/// `meanBad` clocks on average and the link is in it for the share `bad` of the time; both durations are exponential
/// (Gilbert-Elliott; the two-state fading of Zhu, Roy & Kim).
class Markov final : public ErasureProcess {
  public:
    Markov(double pGood, double pBad, double meanBad, double bad, uint64_t seed);
    bool erases(const UnitOnAir& unit, Clock start) override;

  private:
    Random random_;
    const double p_[2], mean_[2];  // by the state: good, bad
    bool isBad_;
    double until_;  // the state lasts until this clock
};

/// The link is dark for `dark` clocks of each `cycle` (T_o and T_c of an on-off link); units are erased with
/// probability p else.
class OutageCycle final : public ErasureProcess {
  public:
    OutageCycle(Clock dark, Clock cycle, Clock phase, double p, uint64_t seed)
        : dark_(dark), cycle_(cycle), phase_(phase), clear_(p, seed) {}
    bool erases(const UnitOnAir& unit, Clock start) override {
        return (start + phase_) % cycle_ < dark_ || clear_.erases(unit, start);
    }

  private:
    const Clock dark_, cycle_, phase_;
    Bernoulli clear_;
};

/// Reads dark intervals: (first dark clock, first clock after it), in order (README.md, "Tables of clocks"). Throws std::invalid_argument.
ClockTable darkIntervals(const std::string& file);

/// The link is dark in given intervals; units are erased with probability p else.
class Intervals final : public ErasureProcess {
  public:
    Intervals(ClockTable dark, double p, uint64_t seed) : dark_(std::move(dark)), clear_(p, seed) {}
    bool erases(const UnitOnAir& unit, Clock start) override;

  private:
    const ClockTable dark_;
    Bernoulli clear_;
    size_t next_ = 0;     // the first interval that may not be over
    Clock repeated_ = 0;  // clocks of all cycles before this one
};

enum class Process { bernoulli, markov, outage, intervals };

/// What a process is made from; times in clocks.
struct ErasureSettings {
    Process process = Process::bernoulli;
    double p = 0;                           ///< that a unit is erased: in the good state, or while the link is not dark
    double pBad = 0, meanBad = 0, bad = 0;  ///< of `markov`
    Clock dark = 0, cycle = 0, phase = 0;   ///< of `outage`
    job::FileName file;                     ///< of `intervals`
};

/// Throws std::invalid_argument.
std::unique_ptr<ErasureProcess> makeErasures(const ErasureSettings& settings, uint64_t seed);

/// A unit's fate follows from what it is, and not from when it leaves: frame, attempt and index of a data unit, rxNext of
/// a control unit. So two models lose the same units although they differ by some clocks. Hellos always arrive.
struct KeyedLosses {
    double data = 0;          ///< probability that a data unit is erased
    double control = 0;       ///< that a control unit is
    double burst = 0;         ///< that the first attempts of all frames of a block of `burstFrames` are erased
    double controlBurst = 0;  ///< that all control units with an rxNext of a block of `burstFrames` are
    unsigned burstFrames = 16;
    uint64_t seed = 1;
    Clock darkFrom = 0,
          darkUntil = 0;  ///< units that leave from the first clock on and before the second one are all erased
};

class Keyed final : public ErasureProcess {
  public:
    explicit Keyed(const KeyedLosses& losses) : losses_(losses) {}
    bool erases(const UnitOnAir& unit, Clock start) override;

  private:
    const KeyedLosses losses_;
};

}  // namespace arqlink
