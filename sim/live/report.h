// SPDX-License-Identifier: Apache-2.0
// What a live link says of itself, as one line of JSON.
#pragma once

#include <optional>
#include <string>

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

/// `text` as a JSON string.
std::string quoted(const std::string& text);

/// {"time": s, "lag": s, …, "a": {…}, "b": {…}}; README.md has its keys.
std::string report(const LiveLink& link, const Pacer::Count& pace, double lag, double clockHz,
                   const EndState (&ends)[2]);

}  // namespace arqlink::live
