// SPDX-License-Identifier: Apache-2.0
// What ends a run: one kind that tells faults apart, and one line with the numbers.
#pragma once

#include <cstdarg>
#include <cstdio>
#include <stdexcept>
#include <string>

namespace campaign {

struct Failure : std::runtime_error {
    Failure(std::string kind, const std::string& text) : std::runtime_error(text), kind(std::move(kind)) {}
    std::string kind;
};

__attribute__((format(printf, 1, 2))) inline std::string format(const char* text, ...) {
    char line[600];
    va_list arguments;
    va_start(arguments, text);
    std::vsnprintf(line, sizeof line, text, arguments);
    va_end(arguments);
    return line;
}

inline const char* endName(unsigned end) { return end ? "B" : "A"; }

}  // namespace campaign
