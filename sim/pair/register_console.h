// SPDX-License-Identifier: Apache-2.0
// The pair steered from outside, one register access after the other. sim/pair/README.md describes the lines.
#pragma once

#include <istream>
#include <ostream>

namespace arqlink {

/// Resets a pair, does what each line says, and answers it, until the lines end. Throws std::runtime_error on a line that it does not know, and
/// AccessError where an access fails.
void steer(std::istream& in, std::ostream& out);

}  // namespace arqlink
