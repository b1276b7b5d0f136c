// SPDX-License-Identifier: Apache-2.0
#include "delays.h"

#include <limits>
#include <stdexcept>

namespace arqlink {

Delays Delays::read(const std::string& file) {
    Delays delays;
    delays.table_ =
        ClockTable::read(file, "delays", [](const ClockTable& before, Clock from, Clock delay) -> const char* {
            if (before.rows.empty() && from > 0) return "the first delay must hold from clock 0 on.";
            if (!before.rows.empty() && from <= before.rows.back().first) return "clocks must grow from line to line.";
            if (before.cycle && from >= before.cycle) return "a line must begin within the cycle.";
            return delay ? nullptr : "a delay must be a clock or more.";
        });
    if (delays.table_.rows.empty()) throw std::invalid_argument("The delays '" + file + "' have no line with a delay.");
    delays.least_ = std::numeric_limits<Clock>::max();
    for (const auto& row : delays.table_.rows) delays.least_ = std::min(delays.least_, row.second);
    return delays;
}

Clock Delays::atOfTable(Clock leaves) const {
    const Clock time = table_.cycle ? leaves % table_.cycle : leaves;
    const auto after = std::upper_bound(table_.rows.begin(), table_.rows.end(), time,
                                        [](Clock clock, const auto& row) { return clock < row.first; });
    return std::prev(after)->second;
}

}  // namespace arqlink
