// SPDX-License-Identifier: Apache-2.0
// Reports on a pair that runs. To read its registers takes clocks, and the run has to be what it is without reports: so a copy of this
// process (fork) reads them, and ends.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>

#include "pair_registers.h"

namespace arqlink {

class PairReports {
  public:
    /// Clocks count from `start`; a report is made each job.reportSeconds.
    PairReports(ArqPairSim& pair, const Job& job, uint64_t start) : pair_(pair), job_(job), start_(start) {}
    /// Waits until a report that has begun is written.
    ~PairReports();
    PairReports(const PairReports&) = delete;
    PairReports& operator=(const PairReports&) = delete;

    /// Begins a report if it is time, and the last one is written.
    void tick();
    /// A report is being written: nobody else may write to standard error, or the lines would mix.
    bool isWriting();

  private:
    [[noreturn]] void write();

    ArqPairSim& pair_;
    const Job& job_;
    const uint64_t start_;
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
    pid_t writer_ = 0;
};

}  // namespace arqlink
