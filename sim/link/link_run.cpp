// SPDX-License-Identifier: Apache-2.0
// Carries packets over one model of the link, and writes down what became of them: see README.md, "Runs".
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "erasures.h"
#include "link_reader.h"
#include "splitmix.h"

namespace arqlink {
namespace {

struct Offer {
    End end;
    Clock clock;
    unsigned bytes;
};

void check(const KeyedLosses& losses) {
    for (const double p : {losses.data, losses.control, losses.burst, losses.controlBurst})
        if (!(p >= 0 && p <= 1)) throw std::invalid_argument("A probability of losses must be 0 to 1.");
    if (!losses.burstFrames) throw std::invalid_argument("A burst of losses must have one frame or more.");
}

struct Run {
    LinkDescription link;
    KeyedLosses losses;
    std::vector<Offer> packets;
    Clock until = 0;

    bool take(const std::string& key, std::istream& words) {
        if (link.take(key, words)) return true;
        if (key == "losses") {
            words >> losses.data >> losses.control >> losses.burst >> losses.controlBurst >> losses.burstFrames >>
                losses.seed;
            words >> losses.darkFrom >> losses.darkUntil;
            check(losses);
        } else if (key == "packet") {
            std::string end;
            Offer offer{};
            words >> end >> offer.clock >> offer.bytes;
            offer.end = endNamed(end);
            packets.push_back(offer);
        } else if (key == "until") {
            words >> until;
        } else {
            return false;
        }
        return true;
    }

    std::unique_ptr<ErasureProcess> erasures(End end, Purpose purpose) const {
        if (link.erasures[end].empty()) return std::make_unique<Keyed>(losses);
        return makeErasures(link.erasures[end], seedOf(losses.seed, purpose));
    }
};

void carry(const Run& run, std::ostream& out) {
    const auto link = run.link.make(run.erasures(A, Purpose::erasuresA), run.erasures(B, Purpose::erasuresB), false);
    const auto note = [&out](const char* what, End end, auto... numbers) {
        out << what << ' ' << "AB"[end];
        ((out << ' ' << numbers), ...);
        out << '\n';
    };
    link->accepted = [&](End end, uint64_t packet, Clock when) { note("accepted", end, packet, when); };
    link->delivered = [&](End end, uint64_t packet, Clock when) { note("delivered", end, packet, when); };
    link->transmitted = [&](End end, uint64_t fsn, unsigned attempt, Clock when) {
        note("transmitted", end, fsn, attempt, when);
    };
    link->settled = [&](End end, uint64_t fsn) { note("settled", end, fsn, link->now()); };
    uint64_t name = 0;
    for (const Offer& offer : run.packets) {
        if (offer.clock > link->now()) link->runTo(offer.clock - 1);
        link->offer(offer.end, name++, offer.bytes);
    }
    link->runTo(run.until);
    for (const End end : {A, B}) {
        const Counters counters = link->counters(end);
#define ARQLINK_SHOW(counter, offset) note("counter", end, #counter, counters.counter);
        ARQLINK_COUNTER_LIST(ARQLINK_SHOW)
#undef ARQLINK_SHOW
    }
}

}  // namespace
}  // namespace arqlink

int main() {
    try {
        std::ios::sync_with_stdio(false);
        arqlink::Run run;
        arqlink::readLines(std::cin, [&](const std::string& key, std::istream& words) { return run.take(key, words); });
        arqlink::carry(run, std::cout);
        return 0;
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
