// SPDX-License-Identifier: Apache-2.0
#include "terminal_errors.h"

#include <cmath>

namespace arqlink::tcp {

bool TerminalErrors::hits(size_t i, unsigned bytes) {
    if (i >= terminals_.noisy) return false;
    return random_.uniform() < -std::expm1(8.0 * bytes * std::log1p(-terminals_.rate));
}

}  // namespace arqlink::tcp
