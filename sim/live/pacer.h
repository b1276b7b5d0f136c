// SPDX-License-Identifier: Apache-2.0
// Keeps the clocks of a simulation at the pace of real time, and tells where they do not.
#pragma once

#include <cstdint>

#include "clock.h"

namespace arqlink::live {

class Pacer {
  public:
    /// `clockHz`: clocks of a second. `late`: seconds after which a deadline is missed.
    Pacer(double clockHz, double late) : clockHz_(clockHz), late_(late) {}

    /// Clock `now` is now.
    void begin(Clock now);
    /// The clock that is due now.
    Clock due() const;
    /// All before clock `now` is done, which was a deadline: waits until it is due. Where it is late by more than a second, real time goes on
    /// without the link: what is lost is counted, and the link is late no more.
    void keep(Clock now);

    struct Count {
        uint64_t deadlines = 0, missed = 0;
        double latest = 0;  ///< seconds by which the latest deadline since the last reading was late
        double lost = 0;    ///< seconds of real time in all that the link did not live through
    };
    /// Clears `latest`.
    Count count();
    /// Seconds that the last deadline was late by.
    double lag() const { return lag_; }

  private:
    static double seconds();

    const double clockHz_, late_;
    double start_ = 0, lag_ = 0;  // real time of clock 0
    Count count_;
};

}  // namespace arqlink::live
