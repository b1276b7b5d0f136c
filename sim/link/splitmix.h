// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

namespace arqlink {

/// SplitMix64 (Steele, Lea & Flood, OOPSLA 2014): a mixer of 64 bits, and the generator that counts into it.
inline uint64_t mix(uint64_t x) {
    x += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

/// In [0, 1), from the high 53 bits.
inline double fraction(uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

class Random {
  public:
    explicit Random(uint64_t seed) : state_(mix(seed)) {}
    uint64_t bits() { return mix(state_ += 0x9e3779b97f4a7c15); }
    double uniform() { return fraction(bits()); }
    double exponential(double mean) { return -mean * std::log1p(-uniform()); }
    /// 0 … bound - 1.
    uint64_t below(uint64_t bound) { return static_cast<uint64_t>(uniform() * static_cast<double>(bound)); }

  private:
    uint64_t state_;
};

/// What the random numbers of a run are for: each purpose has its own.
enum class Purpose : uint64_t {
    erasuresA,
    erasuresB,
    starts,
    secondA,
    secondB,
    filesA,
    filesB,
    users,
    calls,
    terminals
};
inline uint64_t seedOf(uint64_t run, Purpose purpose) { return mix(mix(run) ^ static_cast<uint64_t>(purpose)); }
inline Random randomOf(uint64_t run, Purpose purpose) { return Random(seedOf(run, purpose)); }

}  // namespace arqlink
