// SPDX-License-Identifier: Apache-2.0
// What steers both ends while they run: the driver of sw/driver, in a thread of its own, as firmware would.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

#include "arqlink.h"
#include "live_end.h"

namespace arqlink::live {

class Cpu {
  public:
    using Job = std::function<void(Cpu&)>;

    Cpu(LiveEnd& a, LiveEnd& b);
    ~Cpu();

    /// Jobs run one after the other, while the ends are clocked.
    void post(Job job);
    /// Jobs are under way, or wait. Throws what a job has thrown.
    bool isBusy() const {
        if (hasFailed_) std::rethrow_exception(failure_);
        return jobs_.load() > 0;
    }

    /// Of an end, for a job. Valid once `probe` was called.
    arqlink_device& device(End end) { return devices_[end]; }
    /// Finds both ends. Throws std::runtime_error.
    void probe();

  private:
    void work();

    LiveEnd* const ends_[2];
    arqlink_device devices_[2] = {};
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Job> queue_;
    std::atomic<unsigned> jobs_ = 0;
    bool isOver_ = false;
    std::exception_ptr failure_;
    std::atomic<bool> hasFailed_ = false;
    std::thread thread_;
};

/// A driver's error in words.
const char* sentence(int error);

}  // namespace arqlink::live
