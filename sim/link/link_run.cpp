// SPDX-License-Identifier: Apache-2.0
// Carries packets over one model of the link, and writes down what became of them: see README.md, "Runs".
#include <array>
#include <exception>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

#include "json_job.h"
#include "link_reader.h"
#include "splitmix.h"

namespace arqlink {

void fields(job::Object& keys, KeyedLosses& l) {
    keys.need("data", l.data, "control", l.control, "burst", l.burst, "control_burst", l.controlBurst);
    keys.need("burst_frames", l.burstFrames, "seed", l.seed, "dark_from", l.darkFrom, "dark_until", l.darkUntil);
}

namespace {

struct Offer {
    End end = A;
    Clock clock = 0;
    unsigned size = 0;
};

struct Run {
    LinkDescription link;
    KeyedLosses losses;
    std::vector<Offer> packets;
    Clock until = 0;

    std::unique_ptr<ErasureProcess> erasures(End end, Purpose purpose) const {
        if (!link.erasures[end]) return std::make_unique<Keyed>(losses);
        return makeErasures(*link.erasures[end], seedOf(losses.seed, purpose));
    }
};

void fields(job::Object& keys, Offer& offer) { keys.need("end", offer.end, "clock", offer.clock, "size", offer.size); }

void fields(job::Object& keys, Run& run) {
    keys.need("link", run.link, "losses", run.losses, "packets", run.packets, "until", run.until);
}

void check(const KeyedLosses& losses) {
    for (const double p : {losses.data, losses.control, losses.burst, losses.controlBurst})
        if (!(p >= 0 && p <= 1)) throw std::invalid_argument("A probability of losses must be 0 to 1.");
    if (!losses.burstFrames) throw std::invalid_argument("A burst of losses must have one frame or more.");
}

/// What became of packets (packet, clock) and frames (FSN, clock), by end, and of transmissions (end, FSN, attempt, clock).
struct Carried {
    using Events = std::vector<std::array<uint64_t, 2>>;
    Events accepted[2], delivered[2], settled[2];
    std::vector<std::array<uint64_t, 4>> transmitted;
};

nlohmann::json carry(const Run& run) {
    check(run.losses);
    const auto link = run.link.make(run.erasures(A, Purpose::erasuresA), run.erasures(B, Purpose::erasuresB), false);
    Carried c;
    link->accepted = [&](End end, uint64_t packet, Clock when) { c.accepted[end].push_back({packet, when}); };
    link->delivered = [&](End end, uint64_t packet, Clock when) { c.delivered[end].push_back({packet, when}); };
    link->transmitted = [&](End end, uint64_t fsn, unsigned attempt, Clock when) {
        c.transmitted.push_back({end, fsn, attempt, when});
    };
    link->settled = [&](End end, uint64_t fsn) { c.settled[end].push_back({fsn, link->now()}); };
    uint64_t name = 0;
    for (const Offer& offer : run.packets) {
        if (offer.clock > link->now()) link->runTo(offer.clock - 1);
        link->offer(offer.end, name++, offer.size);
    }
    link->runTo(run.until);
    const Counters counters[] = {link->counters(A), link->counters(B)};
    return {{"accepted", c.accepted},
            {"delivered", c.delivered},
            {"settled", c.settled},
            {"transmitted", c.transmitted},
            {"counters", counters}};
}

}  // namespace
}  // namespace arqlink

int main() {
    try {
        const auto run = arqlink::job::parse<arqlink::Run>(arqlink::job::textOf(std::cin));
        std::cout << arqlink::job::lineOf(arqlink::carry(run)) << '\n';
        return 0;
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
