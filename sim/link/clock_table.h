// SPDX-License-Identifier: Apache-2.0
// Files with two numbers of clocks on each line, from a beginning on or again and again: dark intervals, delays.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "clock.h"

namespace arqlink {

struct ClockTable {
    std::vector<std::pair<Clock, Clock>> rows;
    Clock cycle = 0;  ///< the table begins again after so many clocks; 0: never

    /// What is wrong with a row after those before it, or nullptr.
    using Rule = std::function<const char*(const ClockTable& before, Clock first, Clock second)>;

    /// Reads a file (README.md, "Tables of clocks"); `what` it has is for its errors. Throws std::invalid_argument, naming the line.
    static ClockTable read(const std::string& file, const std::string& what, const Rule& rule);
};

}  // namespace arqlink
