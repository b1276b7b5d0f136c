// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "link_model.h"

namespace arqlink {

/// Throws std::invalid_argument, with a sentence, where the settings are not those of a link that can be built and set.
void check(const LinkSettings& settings);

}  // namespace arqlink
