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
    double value() const { return count_ ? sum_ / static_cast<double>(count_) : 0; }
    uint64_t count() const { return count_; }

  private:
    double sum_ = 0;
    uint64_t count_ = 0;
};

}  // namespace arqlink::tcp
