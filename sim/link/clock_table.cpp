// SPDX-License-Identifier: Apache-2.0
#include "clock_table.h"

#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace arqlink {

namespace {

bool isClock(const std::string& word) {
    constexpr size_t mostDigits = 18;
    return word.size() <= mostDigits && word.find_first_not_of("0123456789") == std::string::npos;
}

}  // namespace

ClockTable ClockTable::read(const std::string& file, const std::string& what, const Rule& rule) {
    const std::string named = "The " + what + " '" + file + "'";
    std::ifstream in(file);
    if (!in) throw std::invalid_argument(named + " cannot be read.");
    ClockTable table;
    std::string line;
    for (unsigned number = 1; std::getline(in, line); number++) {
        const auto require = [&](bool right, const char* rule) {
            if (!right)
                throw std::invalid_argument(named + " have '" + line + "' in line " + std::to_string(number) + "; " +
                                            rule);
        };
        std::istringstream stream(line);
        const std::vector<std::string> words{std::istream_iterator<std::string>(stream), {}};
        if (words.empty() || words[0][0] == '#') continue;
        const bool isCycle = words[0] == "cycle";
        require(words.size() == 2 && (isCycle || isClock(words[0])) && isClock(words[1]),
                "a line must have two clocks, or cycle and its clocks.");
        const Clock second = std::stoull(words[1]);
        if (isCycle) {
            require(second > 0 && !table.cycle && table.rows.empty(),
                    "the cycle must be above 0 and before all other lines.");
            table.cycle = second;
            continue;
        }
        const Clock first = std::stoull(words[0]);
        const char* wrong = rule(table, first, second);
        require(!wrong, wrong);
        table.rows.emplace_back(first, second);
    }
    if (in.bad()) throw std::invalid_argument(named + " cannot be read.");
    return table;
}

}  // namespace arqlink
