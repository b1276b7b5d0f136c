// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <istream>
#include <string>

#include "gateway_settings.h"

namespace arqlink::gateway {

/// Takes a line of a gateway's description: a key, and its values in `words` (README.md, "Description"). False: the key is none of them.
/// Throws std::invalid_argument, with a sentence.
bool take(Settings& settings, const std::string& key, std::istream& words);

/// A whole description; checked.
Settings readSettings(std::istream& lines);

}  // namespace arqlink::gateway
