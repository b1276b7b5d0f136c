// SPDX-License-Identifier: Apache-2.0
// Registers and counters of the pair by the names that the job gives them.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "job.h"

namespace arqlink {

/// Each access takes clocks.
class PairRegisters {
  public:
    PairRegisters(ArqPairSim& pair, const Job& job) : pair_(pair), job_(job) {}

    /// Copies the counters of end "a" or "b" to where they are read.
    void snapshot(const char* end);
    /// Of the last snapshot.
    uint64_t counter(const std::string& name);
    /// All that the job names, with the counters of the last snapshots, by its name.
    std::map<std::string, uint64_t> all();

  private:
    ArqPairSim& pair_;
    const Job& job_;
};

}  // namespace arqlink
