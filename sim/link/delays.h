// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>

#include "clock_table.h"

namespace arqlink {

/// The delay of a channel in clocks, 1 or more: always the same, or by the clock in which a beat leaves. What leaves later does not arrive
/// earlier: where the delay shrinks, it arrives right behind what is before it.
class Delays {
  public:
    explicit Delays(Clock always = 1000) : least_(always) {}
    /// A table of (clock from which on a delay holds, delay), from clock 0 on. Throws std::invalid_argument.
    static Delays read(const std::string& file);

    Clock at(Clock leaves) const { return table_.rows.empty() ? least_ : atOfTable(leaves); }
    Clock least() const { return least_; }

  private:
    Clock atOfTable(Clock leaves) const;

    ClockTable table_;
    Clock least_;
};

}  // namespace arqlink
