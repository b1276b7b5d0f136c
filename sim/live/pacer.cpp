// SPDX-License-Identifier: Apache-2.0
#include "pacer.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace arqlink::live {

namespace {

constexpr double mostLag = 1;  // seconds

}  // namespace

double Pacer::seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void Pacer::begin(Clock now) { start_ = seconds() - static_cast<double>(now) / clockHz_; }

Clock Pacer::due() const { return static_cast<Clock>(std::max(0.0, (seconds() - start_) * clockHz_)); }

void Pacer::keep(Clock now) {
    lag_ = seconds() - start_ - static_cast<double>(now) / clockHz_;
    ++count_.deadlines;
    if (lag_ < 0) {
        std::this_thread::sleep_for(std::chrono::duration<double>(-lag_));
        lag_ = 0;
    }
    count_.missed += lag_ > late_;
    count_.latest = std::max(count_.latest, lag_);
    if (lag_ <= mostLag) return;
    start_ += lag_;
    count_.lost += lag_;
    lag_ = 0;
}

Pacer::Count Pacer::count() {
    const Count now = count_;
    count_.latest = lag_;
    return now;
}

}  // namespace arqlink::live
