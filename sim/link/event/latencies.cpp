// SPDX-License-Identifier: Apache-2.0
#include "latencies.h"

#include <algorithm>

namespace arqlink::event {

Latencies Latencies::of(const Build& build) {
    const bool isWide = build.dataBytes > 4;  // these builds have more registers
    const unsigned unitBeats = build.unitBytes / build.dataBytes;
    Latencies l{};
    l.clearing = 5;
    l.prefetch = 4;
    l.choose = isWide ? 22 : 20;
    l.repeat = isWide ? 13 : 5;
    l.lead = isWide ? 25 : 22;
    l.unit = 17;
    l.control = 12;
    l.tail = 5;
    l.block = 4;
    l.compose = 4;
    l.message = 7;
    l.release = 10;
    l.delivery = 5;
    l.frame = 4;
    l.parcel = 2;
    l.decode = unitBeats < 8 ? 28 : 45;
    l.restore = 3;
    l.groups = std::max(1u, unitBeats / 4);
    return l;
}

}  // namespace arqlink::event
