// SPDX-License-Identifier: Apache-2.0
// One simulation of TCP over the link: reads what is asked from standard input, and writes what was measured: see README.md.
#include <exception>
#include <iostream>
#include <stdexcept>

#include "erasures.h"
#include "experiment.h"
#include "link_reader.h"
#include "splitmix.h"

namespace arqlink::tcp {
namespace {

struct Job {
    LinkDescription link;
    Experiment experiment;
    std::string erasures[2] = {"bernoulli 0", "bernoulli 0"};

    bool take(const std::string& key, std::istream& words) {
        Experiment& e = experiment;
        if (link.take(key, words)) return true;
        if (key == "erasures") {
            std::string end;
            words >> end >> std::ws;
            std::getline(words, erasures[endNamed(end)]);
        } else if (key == "connections") {
            words >> e.connections;
        } else if (key == "variant") {
            words >> e.variant >> e.sack;
        } else if (key == "time") {
            words >> e.warmUp >> e.seconds;
        } else if (key == "topology") {
            std::string name;
            words >> name;
            if (name != "direct" && name != "split") throw std::invalid_argument("'" + name + "' is not a topology.");
            e.split = name == "split";
        } else if (key == "wires") {
            words >> e.atSender.bitsPerSecond >> e.atSender.delay >> e.atReceiver.bitsPerSecond >> e.atReceiver.delay;
        } else if (key == "packets") {
            words >> e.packetBytes >> e.windowPackets >> e.ackEvery;
        } else if (key == "buffer") {
            words >> e.buffer.packets >> e.buffer.keepsCopies >> e.ackQueue;
        } else if (key == "trace") {
            words >> e.traceEvery;
        } else if (key == "clock") {
            words >> e.clockHz;
        } else if (key == "seed") {
            words >> e.seed;
        } else {
            return false;
        }
        return true;
    }

    std::unique_ptr<LinkBridge> bridge() const {
        auto model = link.make(makeErasures(erasures[A], seedOf(experiment.seed, Purpose::erasuresA)),
                               makeErasures(erasures[B], seedOf(experiment.seed, Purpose::erasuresB)), true);
        const unsigned frameBytes = link.settings.end[A].k * link.settings.build.unitBytes;
        return std::make_unique<LinkBridge>(std::move(model), experiment.clockHz, frameBytes, experiment.buffer,
                                            experiment.ackQueue);
    }
};

void simulate(const Job& job, std::ostream& out) {
    auto bridge = job.bridge();
    const bool own = job.experiment.variant == "reno";
    const Measured m = own ? runReno(job.experiment, *bridge) : runNs3(job.experiment, std::move(bridge));
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
    out << "clocks " << m.clocks << '\n';
    for (const Measured::Sample& sample : m.trace) {
        out << "windows " << sample.time;
        for (const double window : sample.windows) out << ' ' << window;
        out << '\n';
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
