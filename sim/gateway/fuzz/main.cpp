// SPDX-License-Identifier: Apache-2.0
// Hostile packets and conversations over bad wires, through a gateway: fuzz PACKETS SEED. What it knows of TCP/IP is its own. A fault names
// its run, which `fuzz PACKETS SEED RUN` repeats alone.
#include <cstdio>
#include <cstdlib>

#include "conversation.h"
#include "hostile.h"

using namespace arqlink::gateway::fuzz;

int main(int argc, char** argv) {
    const auto argument = [&](int i, unsigned long long none) {
        return argc > i ? std::strtoull(argv[i], nullptr, 10) : none;
    };
    constexpr unsigned packetsOfRun = 500;
    constexpr unsigned long long all = ~0ull;
    const unsigned long long packets = argument(1, 20000), runs = (packets + packetsOfRun - 1) / packetsOfRun,
                             only = argument(3, all);
    run.seed = argument(2, 1);
    for (run.number = 0; run.number < 2 * runs; ++run.number) {
        if (only != all && run.number != only) continue;
        Rng rng(run.seed * 1000003 + run.number);
        const bool isHostile = run.number < runs;
        const auto& modes = isHostile ? hostileModes : conversationModes;
        run.modes = modes[run.number % modes.size()];
        if (isHostile)
            sendHostile(rng, run.modes, packetsOfRun);
        else
            converse(rng, run.modes);
    }
    std::printf("%llu packets and %llu conversations, seed %llu: no fault\n", packets, runs, run.seed);
}
