// SPDX-License-Identifier: Apache-2.0
// Bit errors at some of the terminals behind the link, which the others do not have: rain over one of several earth stations.
#pragma once

#include <cstddef>
#include <cstdint>

#include "splitmix.h"

namespace arqlink::tcp {

/// The first connections end at such terminals. `rate`: share of the bits of their packets that are wrong, independently, both ways.
struct Terminals {
    unsigned noisy = 0;
    double rate = 0;
};

class TerminalErrors {
  public:
    TerminalErrors(const Terminals& terminals, uint64_t seed)
        : terminals_(terminals), random_(randomOf(seed, Purpose::terminals)) {}
    /// A packet of connection `i` is lost there.
    bool hits(size_t i, unsigned bytes);

  private:
    const Terminals terminals_;
    Random random_;
};

}  // namespace arqlink::tcp
