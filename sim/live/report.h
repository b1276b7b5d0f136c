// SPDX-License-Identifier: Apache-2.0
// What a live link says of itself.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "live_link.h"

namespace arqlink::live {

/// What the driver reads from an end.
struct EndState {
    arqlink_status status{};
    arqlink_config config{};
    arqlink_timers timers{};
    arqlink_counters counters{};
    uint32_t events = 0;  ///< register ERROR
};

/// Reads it, in a job of the driver. Clears the events that are reported; those that raise interrupts are the firmware's, and left to it.
/// Returns the driver's error or 0.
int readEnd(const arqlink_device& device, EndState& state);

/// README.md has its keys.
nlohmann::json report(const LiveLink& link, const Pacer::Count& pace, double lag, double clockHz,
                      const EndState (&ends)[2]);

}  // namespace arqlink::live
