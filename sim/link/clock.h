// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

namespace arqlink {

/// Time in clocks of the core, from the release of the reset.
using Clock = uint64_t;
constexpr Clock never = std::numeric_limits<Clock>::max();

}  // namespace arqlink
