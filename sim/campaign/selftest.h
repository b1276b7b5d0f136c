// SPDX-License-Identifier: Apache-2.0
// A case of the self-test: something that is played to a check, and the kind that the check has to name.
#pragma once

#include <functional>
#include <vector>

namespace campaign {

struct Case {
    const char* name;
    const char* kind;  ///< nullptr: nothing is wrong
    std::function<void()> play;
};

/// Units of frames and control units that the monitor reads.
std::vector<Case> numberCases();
/// What is due and does not leave.
std::vector<Case> dueCases();
/// Whole runs with ends that break a promise.
std::vector<Case> runCases();

}  // namespace campaign
