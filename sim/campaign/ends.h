// SPDX-License-Identifier: Apache-2.0
// The Verilated ends and their register accesses (sim/end), by their names alone.
#pragma once

#include "axi_master.h"
#include "link_end.h"

namespace campaign {
using namespace verilated_end;
}  // namespace campaign
