// SPDX-License-Identifier: Apache-2.0
// One simulation of TCP over the link: reads what is asked from standard input, and writes what was measured: see README.md.
#include <exception>
#include <iostream>
#include <map>
#include <optional>
#include <stdexcept>

#include "erasures.h"
#include "experiment.h"
#include "link_reader.h"
#include "settings_reader.h"
#include "splitmix.h"

namespace arqlink::tcp {
namespace {

std::unique_ptr<ErasureProcess> erasures(const LinkDescription& link, End end, uint64_t seed) {
    return makeErasures(link.erasures[end].empty() ? "bernoulli 0" : link.erasures[end], seed);
}

std::unique_ptr<LinkBridge> bridge(const LinkDescription& link, const Experiment& e, Purpose there, Purpose back) {
    auto model = link.make(erasures(link, A, seedOf(e.seed, there)), erasures(link, B, seedOf(e.seed, back)), true);
    const unsigned frameBytes = link.settings.end[A].k * link.settings.build.unitBytes;
    return std::make_unique<LinkBridge>(std::move(model), e.clockHz, frameBytes, e.buffer, e.ackQueue);
}

struct Job {
    LinkDescription link;
    std::optional<LinkDescription> second;  // of a path over a satellite, from it to the receiver
    Experiment experiment;

    bool take(const std::string& key, std::istream& words) {
        Experiment& e = experiment;
        if (link.take(key, words)) return true;
        if (key == "second") {
            std::string of;
            words >> of;
            if (!second) second = link;
            return second->take(of, words);
        } else if (key == "gateway") {
            size_t node = 0;
            std::string of;
            words >> node >> of;
            if (node > 2) throw std::invalid_argument("Gateways are numbered from 0 to 2.");
            if (e.gateways.size() <= node) e.gateways.resize(node + 1);
            if (!e.gateways[node]) e.gateways[node] = gateway::Settings();
            return gateway::take(*e.gateways[node], of, words);
        } else if (key == "connections") {
            words >> e.connections;
        } else if (key == "variant") {
            words >> e.variant >> e.sack;
        } else if (key == "time") {
            words >> e.warmUp >> e.seconds;
        } else if (key == "topology") {
            std::string name;
            words >> name;
            const std::map<std::string, int> topologies = {{"direct", 0}, {"split", 1}, {"onboard", 2}};
            const auto found = topologies.find(name);
            if (found == topologies.end()) throw std::invalid_argument("'" + name + "' is not a topology.");
            e.split = found->second == 1;
            e.onBoard = found->second == 2;
        } else if (key == "wires") {
            words >> e.atSender.bitsPerSecond >> e.atSender.delay >> e.atReceiver.bitsPerSecond >> e.atReceiver.delay;
        } else if (key == "packets") {
            words >> e.packetBytes >> e.windowPackets >> e.ackEvery;
        } else if (key == "timeouts") {
            words >> e.minRto >> e.maxRto;
        } else if (key == "buffer") {
            words >> e.buffer.packets >> e.buffer.keepsCopies >> e.ackQueue;
        } else if (key == "trace") {
            words >> e.traceEvery;
        } else if (key == "background") {
            std::string what;
            words >> what;
            const std::map<std::string, double*> offered = {{"files", &e.background.files[A]},
                                                            {"files-back", &e.background.files[B]},
                                                            {"datagrams", &e.background.datagrams[A]},
                                                            {"datagrams-back", &e.background.datagrams[B]}};
            if (what == "web") {
                words >> e.background.webUsers;
            } else if (what == "voice") {
                words >> e.background.calls;
            } else {
                const auto found = offered.find(what);
                if (found == offered.end()) throw std::invalid_argument("'" + what + "' is no traffic.");
                words >> *found->second;
            }
        } else if (key == "capacity") {
            words >> e.capacity;
        } else if (key == "clock") {
            words >> e.clockHz;
        } else if (key == "seed") {
            words >> e.seed;
        } else {
            return false;
        }
        return true;
    }

    Links bridges() {
        experiment.dataBytes = link.settings.build.dataBytes;
        for (const auto& settings : experiment.gateways)
            if (settings) gateway::check(*settings);
        Links all;
        all.push_back(bridge(link, experiment, Purpose::erasuresA, Purpose::erasuresB));
        if (experiment.onBoard)
            all.push_back(bridge(second.value_or(link), experiment, Purpose::secondA, Purpose::secondB));
        return all;
    }
};

Measured run(const Experiment& experiment, Links links) {
    const bool own = experiment.variant == "reno" || experiment.variant == "classic";
    if (experiment.background.any() && (own || experiment.split))
        throw std::invalid_argument("Other traffic needs a TCP of ns-3 that ends at the receiver.");
    return own ? runReno(experiment, std::move(links)) : runNs3(experiment, std::move(links));
}

template <class Value>
void show(std::ostream& out, const char* name, double time, const std::vector<Value>& values) {
    if (values.empty()) return;
    out << name << ' ' << time;
    for (const Value value : values) out << ' ' << value;
    out << '\n';
}

void simulate(Job& job, std::ostream& out) {
    auto links = job.bridges();
    const Measured m = run(job.experiment, std::move(links));
    out.precision(12);
    for (const double goodput : m.goodputs) out << "goodput " << goodput << '\n';
    out << "carried " << m.carried << "\nround_trip " << m.roundTrip << "\nsegments " << m.segments
        << "\nretransmissions " << m.retransmissions << "\nspurious " << m.spurious << "\ntimeouts " << m.timeouts
        << "\ndropped " << m.dropped << '\n';
    for (const End end : {A, B}) {
        const Counters& counters = m.counters[end];
#define ARQLINK_SHOW(counter, offset) \
    if (counters.counter) out << "counter " << "AB"[end] << " " #counter " " << counters.counter << '\n';
        ARQLINK_COUNTER_LIST(ARQLINK_SHOW)
#undef ARQLINK_SHOW
    }
    for (size_t node = 0; node < m.gateways.size(); ++node) {
        const gateway::Counters& counters = m.gateways[node];
#define ARQLINK_SHOW(counter, what) \
    if (counters.counter) out << "gateway " << node << " " #counter " " << counters.counter << '\n';
        ARQLINK_GATEWAY_COUNTERS(ARQLINK_SHOW)
#undef ARQLINK_SHOW
    }
    out << "clocks " << m.clocks << '\n';
    if (job.experiment.background.any()) {
        const Measured::Background& b = m.background;
        out << "background " << b.there << "\nbackground_back " << b.back << '\n';
        if (b.pages) out << "pages " << b.pages << "\npage_time " << b.pageTime << '\n';
        if (b.voice)
            out << "voice " << b.voice << "\nvoice_loss " << b.voiceLoss << "\nvoice_delay " << b.voiceDelay
                << "\nvoice_delay_99 " << b.voiceDelay99 << '\n';
    }
    for (const Measured::Sample& sample : m.trace) {
        show(out, "windows", sample.time, sample.windows);
        show(out, "rates", sample.time, sample.rates);
        show(out, "cached", sample.time, sample.cached);
    }
}

}  // namespace
}  // namespace arqlink::tcp

int main() {
    try {
        arqlink::tcp::Job job;
        arqlink::readLines(std::cin, [&](const std::string& key, std::istream& words) { return job.take(key, words); });
        arqlink::tcp::simulate(job, std::cout);
        return 0;
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
