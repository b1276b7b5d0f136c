// SPDX-License-Identifier: Apache-2.0
#include "fuzz.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "settings_reader.h"

namespace arqlink::gateway::fuzz {

Run run;

void fault(const std::string& what) {
    std::printf("Fault: %s (seed %llu, run %llu, %s)\n", what.c_str(), run.seed, run.number, run.modes.c_str());
    std::exit(1);
}

Settings settingsOf(const std::string& classes) { return readSettings(R"({"classes": [)" + classes + "]}"); }

void drain(Gateway& gateway, Time now) {
    for (unsigned steps = 0; gateway.deadline() != never; ++steps) {
        if (steps > 100000) fault("timers that do not end");
        now = std::max(now, gateway.deadline());
        gateway.advance(now);
        for (const Port port : {Port::lan, Port::link})
            while (gateway.take(port, now)) {
            }
    }
    gateway.advance(now + 10000 * seconds);
    if (gateway.flows() || gateway.cacheUsed())
        fault(std::to_string(gateway.flows()) + " flows and " + std::to_string(gateway.cacheUsed()) +
              " slots are left");
}

}  // namespace arqlink::gateway::fuzz
