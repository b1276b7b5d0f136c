// SPDX-License-Identifier: Apache-2.0
#include "latencies.h"

#include <algorithm>

namespace arqlink::event {

Latencies Latencies::of(const Build& build) {
    const bool isWide = build.dataBytes > 4;  // these builds have more registers
    const unsigned unitBeats = build.unitBytes / build.dataBytes;
    Latencies l{};
    l.clearing = 5;
    l.slots = 14;
    l.prefetch = 9;
    l.commit = 15;
    l.choose = 7;
    l.payload = isWide ? 16 : 14;
    l.interval = 4;
    l.parity = 8;
    l.edge = 4;
    l.feedback = 6;
    l.repeat = 13;
    l.unrest = 4;
    l.lead = isWide ? 33 : 30;
    l.unit = 12;
    l.control = 11;
    l.tail = 1;
    l.turn = 4;
    l.lookup = 10;
    l.pace = 2;
    l.compose = 3;
    l.message = 7;
    l.release = 11;
    l.delivery = 15;
    l.scan = 1;
    l.walk = 6;
    l.frame = 2;
    l.read = 8;
    l.decode = unitBeats < 8 ? 9 : 26;
    l.restore = 3;
    l.store = 4;
    l.queue = 8;
    l.generators = (4 + unitBeats - 1) / unitBeats;
    l.groups = std::max(1u, unitBeats / 4);
    return l;
}

}  // namespace arqlink::event
