// SPDX-License-Identifier: Apache-2.0
// Reads the headers of units as they leave an end, beat by beat (docs/architecture.md, "Wire format").
#pragma once

#include <vector>

#include "link_end.h"
#include "link_model.h"
#include "outcome_watch.h"

namespace arqlink::rtl {

class UnitWatch {
  public:
    UnitWatch(End from, unsigned dataBytes) : dataBytes_(dataBytes) { unit_.from = from; }

    /// True in the last beat of a unit: `unit` and `start` are about it.
    bool beat(const verilated_end::Beat& beat, Clock now);
    const UnitOnAir& unit() const { return unit_; }
    Clock start() const { return start_; }
    const Feedback& feedback() const { return feedback_; }  ///< of a control unit that is no hello
    /// The unit is the first one of a transmission.
    bool beginsFrame() const { return !unit_.control && unit_.index == 0; }

  private:
    void parse();

    void noteAttempt(bool isOdd);

    static constexpr unsigned seenBytes = 28, longestWindow = 1 << 18, mostAttempts = 15;
    const unsigned dataBytes_;
    uint8_t bytes_[seenBytes + verilated_end::maxDataBytes] = {};
    unsigned count_ = 0;
    UnitOnAir unit_;
    Feedback feedback_;
    Clock start_ = 0;
    int64_t nearFsn_ = 0, nearRxNext_ = 0;
    int64_t nextFsn_ = 0;  // all below have been sent
    std::vector<uint8_t> attempts_ =
        std::vector<uint8_t>(longestWindow);  // of the newest frames: the header has the last bit
    bool anyControl_ = false;
};

}  // namespace arqlink::rtl
