// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same on each machine and with each library. All of a run follows from one seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace campaign {

/// SplitMix64's step: spreads a number over all 64 bits.
inline uint64_t mix(uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/// xorshift64*, seeded through `mix`. One generator for each use, so that one draw more here changes nothing there.
class Random {
  public:
    Random() : Random(0) {}
    explicit Random(uint64_t seed) : state_(mix(seed) | 1) {}
    Random(uint64_t seed, const std::string& use) : Random(mix(seed) ^ hash(use)) {}

    uint64_t bits() {
        state_ ^= state_ >> 12;
        state_ ^= state_ << 25;
        state_ ^= state_ >> 27;
        return state_ * 0x2545f4914f6cdd1du;
    }
    /// 0 to `limit` - 1.
    uint64_t below(uint64_t limit) { return limit ? (bits() >> 16) % limit : 0; }
    /// `low` to `high`, both included.
    uint64_t between(uint64_t low, uint64_t high) { return high <= low ? low : low + below(high - low + 1); }
    bool chance(double p) { return static_cast<double>(bits() >> 11) < p * 9007199254740992.0; }
    /// Log-uniform from `low` to `high`: each octave is as likely as the others. Integer steps alone, as std::exp may
    /// differ in its last bit from library to library.
    uint64_t octaves(uint64_t low, uint64_t high) {
        if (low < 1) low = 1;
        if (high <= low) return low;
        unsigned count = 0;
        while ((low << (count + 1)) <= high && count < 62) ++count;
        const uint64_t from = low << below(count + 1);
        const uint64_t to = from * 2 - 1 < high ? from * 2 - 1 : high;
        return between(from, to);
    }
    /// A probability, log-uniform from 2^-`octavesDown`·`high` to `high`.
    double rare(double high, unsigned octavesDown) {
        double p = high;
        for (uint64_t i = below(octavesDown + 1); i > 0; --i) p *= 0.5;
        return p * (0.5 + 0.5 * static_cast<double>(bits() >> 40) / 16777216.0);
    }

  private:
    static uint64_t hash(const std::string& text) {
        uint64_t h = 0xcbf29ce484222325u;
        for (unsigned char c : text) h = (h ^ c) * 0x100000001b3u;
        return mix(h);
    }
    uint64_t state_;
};

}  // namespace campaign
