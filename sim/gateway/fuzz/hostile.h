// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "fuzz.h"

namespace arqlink::gateway::fuzz {

/// Descriptions of classes, one for each run.
extern const std::vector<std::string> hostileModes;

/// So many packets of all kinds, few of them right, through a gateway. What must pass passes in its order, what comes out is right.
void sendHostile(Rng& rng, const std::string& modes, unsigned packets);

}  // namespace arqlink::gateway::fuzz
