// SPDX-License-Identifier: Apache-2.0
#include "erasures.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace arqlink {

namespace {

double probability(double p) {
    if (!(p >= 0 && p <= 1)) throw std::invalid_argument("A probability must be 0 to 1.");
    return p;
}

}  // namespace

Bernoulli::Bernoulli(double p, uint64_t seed)
    : random_(seed), scale_(p > 0 && p < 1 ? 1 / std::log1p(-p) : 0), p_(probability(p)), left_(gap()) {}

// Geometric: P(gap >= i) = (1 - p)^i.
uint64_t Bernoulli::gap() {
    constexpr double never = 1e18;  // units
    return static_cast<uint64_t>(std::min(std::log1p(-random_.uniform()) * scale_, never));
}

bool Bernoulli::erases(const UnitOnAir&, Clock) {
    if (scale_ == 0) return p_ == 1;
    if (left_--) return false;
    left_ = gap();
    return true;
}

Markov::Markov(double pGood, double pBad, double meanBad, double bad, uint64_t seed)
    : random_(seed),
      p_{probability(pGood), probability(pBad)},
      mean_{meanBad * (1 - bad) / bad, meanBad},
      isBad_(random_.uniform() < bad) {
    if (!(meanBad > 0 && bad > 0 && bad < 1))
        throw std::invalid_argument("A bad state must last for some time, and for a share above 0 and below 1.");
    until_ = random_.exponential(mean_[isBad_]);
}

bool Markov::erases(const UnitOnAir&, Clock start) {
    while (static_cast<double>(start) >= until_) {
        isBad_ = !isBad_;
        until_ += random_.exponential(mean_[isBad_]);
    }
    return random_.uniform() < p_[isBad_];
}

ClockTable darkIntervals(const std::string& file) {
    return ClockTable::read(
        file, "dark intervals", [](const ClockTable& before, Clock begin, Clock end) -> const char* {
            if (begin >= end) return "an interval must end after its beginning.";
            if (!before.rows.empty() && begin < before.rows.back().second)
                return "an interval must not begin before the end of the one before it.";
            return before.cycle && end > before.cycle ? "an interval must end within the cycle." : nullptr;
        });
}

bool Intervals::erases(const UnitOnAir& unit, Clock start) {
    while (next_ < dark_.rows.size() && start >= repeated_ + dark_.rows[next_].second) {
        if (++next_ == dark_.rows.size() && dark_.cycle) {
            next_ = 0;
            repeated_ += dark_.cycle;
        }
    }
    const bool isDark = next_ < dark_.rows.size() && start >= repeated_ + dark_.rows[next_].first;
    return isDark || clear_.erases(unit, start);
}

std::unique_ptr<ErasureProcess> makeErasures(const ErasureSettings& s, uint64_t seed) {
    switch (s.process) {
    case Process::markov: return std::make_unique<Markov>(s.p, s.pBad, s.meanBad, s.bad, seed);
    case Process::outage:
        if (!s.cycle) throw std::invalid_argument("The cycle of outages must have a clock or more.");
        return std::make_unique<OutageCycle>(s.dark, s.cycle, s.phase, s.p, seed);
    case Process::intervals: return std::make_unique<Intervals>(darkIntervals(s.file), s.p, seed);
    case Process::bernoulli: break;
    }
    return std::make_unique<Bernoulli>(s.p, seed);
}

bool Keyed::erases(const UnitOnAir& unit, Clock start) {
    if (start >= losses_.darkFrom && start < losses_.darkUntil) return true;
    if (unit.hello) return false;
    const auto draw = [&](uint64_t kind, uint64_t a, uint64_t b, uint64_t c) {
        return fraction(mix(mix(mix(mix(losses_.seed + 2 * kind + unit.from) ^ a) ^ b) ^ c));
    };
    if (unit.control)
        return draw(1, unit.rxNext / losses_.burstFrames, 0, 0) < losses_.controlBurst ||
               draw(2, unit.rxNext, unit.ordinal, 0) < losses_.control;
    return (unit.attempt == 0 && draw(3, unit.fsn / losses_.burstFrames, 0, 0) < losses_.burst) ||
           draw(4, unit.fsn, unit.attempt, unit.index) < losses_.data;
}

}  // namespace arqlink
