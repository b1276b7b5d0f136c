// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace arqlink::tcp {

/// A mean of samples.
class Mean {
  public:
    void add(double sample) {
        sum_ += sample;
        ++count_;
    }
    void add(const Mean& other) {
        sum_ += other.sum_;
        count_ += other.count_;
    }
    /// Of the samples since `before`.
    Mean operator-(const Mean& before) const {
        Mean since;
        since.sum_ = sum_ - before.sum_;
        since.count_ = count_ - before.count_;
        return since;
    }
    double value() const { return count_ ? sum_ / static_cast<double>(count_) : 0; }

  private:
    double sum_ = 0;
    uint64_t count_ = 0;
};

}  // namespace arqlink::tcp
