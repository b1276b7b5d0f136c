// SPDX-License-Identifier: Apache-2.0
// What crosses a live link, as files for Wireshark: units on the PHY, and the frames of each TAP device.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "json_job.h"
#include "link_model.h"
#include "unit_capture.h"

namespace arqlink::live {

struct CaptureFiles {
    job::FileName phy, taps[2];  ///< empty: no such capture
};

class Captures {
  public:
    /// Throws std::runtime_error where a file cannot be written.
    Captures(const CaptureFiles& files, double clockHz);

    bool hasUnits() const { return units_ != nullptr; }
    /// Clock `now` is now.
    void begin(Clock now);

    /// A unit that has left `from` in full; `start`: its first beat.
    struct Unit {
        Clock start;
        bool isErased;
        std::vector<uint8_t> bytes;
    };
    void add(End from, Unit unit) { waiting_[from].push_back(std::move(unit)); }
    /// All units that begin before clock `until` have been added: they are written in the order of their clocks.
    void writeUnits(Clock until);

    /// A frame from the system at an end, or for it.
    void frame(End end, bool fromSystem, const std::vector<uint8_t>& bytes, Clock now);
    void flush();

  private:
    uint64_t nanoseconds(Clock clock) const;

    const double clockHz_;
    double start_ = 0;  // of clock 0, in seconds since 1970
    std::unique_ptr<wire::UnitCapture> units_;
    std::unique_ptr<wire::PcapngWriter> taps_[2];
    std::deque<Unit> waiting_[2];
};

}  // namespace arqlink::live
