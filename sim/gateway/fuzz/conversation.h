// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "fuzz.h"

namespace arqlink::gateway::fuzz {

/// Descriptions of classes, one for each conversation.
extern const std::vector<std::string> conversationModes;

/// Several connections over one gateway; both wires lose, delay, reorder and repeat packets.
void converse(Rng& rng, const std::string& mode);

}  // namespace arqlink::gateway::fuzz
