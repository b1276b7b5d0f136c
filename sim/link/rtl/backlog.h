// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "link_model.h"

namespace arqlink::rtl {

/// The packets that an end has accepted, and of which no frame has been sent.
class Backlog {
  public:
    void accepted() { ++packets_; }
    /// A unit leaves.
    void sent(const UnitOnAir& unit) {
        if (unit.hello) packets_ = next_ = 0;  // a restart has dropped all
        if (unit.control || unit.index > 0 || unit.fsn < next_) return;
        next_ = unit.fsn + 1;
        packets_ -= unit.sop && packets_ > 0;
    }
    size_t packets() const { return packets_; }

  private:
    size_t packets_ = 0;
    uint64_t next_ = 0;  // frame that has yet to be sent for the first time
};

}  // namespace arqlink::rtl
