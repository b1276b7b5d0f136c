// SPDX-License-Identifier: Apache-2.0
// The way of beats from one end to the other: erasures, and delay.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>

#include "delays.h"
#include "rtl_end.h"
#include "unit_watch.h"

namespace arqlink::rtl {

class Channel {
  public:
    Channel(End from, unsigned dataBytes, Delays delay, std::unique_ptr<ErasureProcess> erasures)
        : watch_(from, dataBytes), delay_(std::move(delay)), erasures_(std::move(erasures)) {}

    /// A beat leaves in clock `now`. The last beat of an erased unit is marked.
    BeatOnAir send(const verilated_end::Beat& beat, Clock now) {
        arrives_ = std::max(now + delay_.at(now), arrives_ + 1);
        BeatOnAir sent{arrives_, beat};
        endsUnit_ = watch_.beat(beat, now);
        if (endsUnit_) isErased_ = sent.beat.user = erasures_->erases(watch_.unit(), watch_.start());
        return sent;
    }

    // Of the last beat:
    Clock arrives() const { return arrives_; }
    bool endsUnit() const { return endsUnit_; }
    bool isErased() const { return isErased_; }  ///< its unit, in the last beat of one
    const UnitWatch& watch() const { return watch_; }

    void setDelay(Delays delay) { delay_ = std::move(delay); }
    void setErasures(std::unique_ptr<ErasureProcess> erasures) { erasures_ = std::move(erasures); }
    const Delays& delay() const { return delay_; }

  private:
    UnitWatch watch_;
    Delays delay_;
    std::unique_ptr<ErasureProcess> erasures_;
    Clock arrives_ = 0;
    bool endsUnit_ = false, isErased_ = false;
};

}  // namespace arqlink::rtl
