// SPDX-License-Identifier: Apache-2.0
// Which values δ may have had when an end chose a transmission.
#pragma once

#include <cstdint>

namespace campaign {

/// While a register is written the old value or the new one holds, and what was chosen before it was written still leaves then.
class Deltas {
  public:
    static constexpr unsigned infinite = 15;

    /// It is being written, and then has been: transmissions from `tsn` on are of that time.
    void changes(unsigned delta) { may_ |= bit(delta), ++writes_; }
    void is(unsigned delta, int64_t tsn) {
        if (--writes_ == 0) holds_ = bit(delta), from_ = tsn;
    }
    /// Transmissions begin with 0 again.
    void restarts() { from_ = 0; }

    /// Transmission `tsn` begins.
    void begins(int64_t tsn) {
        if (holds_ && !writes_ && tsn >= from_) may_ = holds_, holds_ = 0;
    }
    /// A transmission with this attempt may be a last try, or has to be one.
    bool mayEndAt(unsigned attempt) const { return may_ & upTo(attempt); }
    bool mustEndAt(unsigned attempt) const { return !(may_ & ~upTo(attempt)); }

  private:
    static uint32_t bit(unsigned delta) { return uint32_t{1} << delta; }
    static uint32_t upTo(unsigned attempt) { return (bit(attempt + 1) - 1) & (bit(infinite) - 1); }

    uint32_t may_ = bit(infinite + 1) - 1;  ///< any, until it is written
    uint32_t holds_ = 0;
    unsigned writes_ = 0;
    int64_t from_ = 0;
};

}  // namespace campaign
