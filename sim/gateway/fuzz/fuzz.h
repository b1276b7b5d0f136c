// SPDX-License-Identifier: Apache-2.0
// What all of the program uses: random numbers, faults, gateways.
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "gateway.h"

namespace arqlink::gateway::fuzz {

using Rng = std::mt19937_64;

inline uint64_t below(Rng& rng, uint64_t bound) { return rng() % bound; }
inline bool chance(Rng& rng, double share) { return std::uniform_real_distribution<>(0, 1)(rng) < share; }

/// What runs now; a fault names it.
struct Run {
    unsigned long long seed = 1, number = 0;
    std::string modes;  ///< of its gateway
};
extern Run run;

/// Says what is wrong, and ends the program.
[[noreturn]] void fault(const std::string& what);

/// Of a gateway with these classes, as JSON without the brackets around them.
Settings settingsOf(const std::string& classes);

/// All timers run out, all entries age: nothing may be left.
void drain(Gateway& gateway, Time now);

}  // namespace arqlink::gateway::fuzz
