// SPDX-License-Identifier: Apache-2.0
// One simulation of TCP over the link: reads what is asked from standard input, and writes what was measured: see README.md.
#include <exception>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>
#include <vector>

#include "erasures.h"
#include "experiment.h"
#include "json_job.h"
#include "link_reader.h"
#include "settings_reader.h"
#include "splitmix.h"

namespace arqlink::tcp {

void fields(job::Object& keys, Wire& wire) { keys.need("bits_per_second", wire.bitsPerSecond, "delay", wire.delay); }

void fields(job::Object& keys, Offered& offered) {
    keys.need("web_users", offered.webUsers, "calls", offered.calls, "files", offered.files);
    keys.need("datagrams", offered.datagrams);
}

void fields(job::Object& keys, Terminals& terminals) { keys.need("noisy", terminals.noisy, "rate", terminals.rate); }

namespace {

std::unique_ptr<ErasureProcess> erasures(const LinkDescription& link, End end, uint64_t seed) {
    return makeErasures(link.erasures[end].value_or(ErasureSettings()), seed);
}

std::unique_ptr<LinkBridge> bridge(const LinkDescription& link, const Experiment& e, Purpose there, Purpose back) {
    auto model = link.make(erasures(link, A, seedOf(e.seed, there)), erasures(link, B, seedOf(e.seed, back)), true);
    const unsigned frameBytes = link.settings.end[A].k * link.settings.build.unitBytes;
    return std::make_unique<LinkBridge>(std::move(model), e.clockHz, frameBytes, e.buffer, e.ackQueue);
}

enum class Topology { direct, split, onboard };
std::vector<const char*> namesOf(Topology) { return {"direct", "split", "onboard"}; }

struct Job {
    std::vector<LinkDescription> links;  // or on board two: to the satellite, and from it
    Experiment experiment;

    Links bridges() {
        experiment.dataBytes = links.front().settings.build.dataBytes;
        Links all;
        all.push_back(bridge(links.front(), experiment, Purpose::erasuresA, Purpose::erasuresB));
        if (experiment.onBoard) all.push_back(bridge(links.back(), experiment, Purpose::secondA, Purpose::secondB));
        return all;
    }
};

void fields(job::Object& keys, Job& j) {
    Experiment& e = j.experiment;
    Topology topology;
    keys.need("links", j.links, "topology", topology, "gateways", e.gateways, "variant", e.variant);
    keys.need("sack", e.sack, "timestamps", e.timestamps, "initial_window", e.initialWindow, "pacing", e.pacing);
    keys.need("connections", e.connections, "warm_up", e.warmUp, "seconds", e.seconds, "clock_hz", e.clockHz);
    keys.need("at_sender", e.atSender, "at_receiver", e.atReceiver, "packet_bytes", e.packetBytes);
    keys.need("window_packets", e.windowPackets, "ack_every", e.ackEvery, "min_rto", e.minRto, "max_rto", e.maxRto);
    keys.need("buffer_packets", e.buffer.packets, "keeps_copies", e.buffer.keepsCopies, "ack_queue", e.ackQueue);
    keys.need("trace_every", e.traceEvery, "seed", e.seed);
    keys.take("capacity", e.capacity, "background", e.background, "terminals", e.terminals);
    e.split = topology == Topology::split;
    e.onBoard = topology == Topology::onboard;
    if (j.links.size() != (e.onBoard ? 2 : 1)) throw std::invalid_argument("On board there are two links, else one.");
    if (e.gateways.size() > 3) throw std::invalid_argument("There are three gateways at most.");
}

Measured run(const Experiment& experiment, Links links) {
    const bool own = experiment.variant == "reno" || experiment.variant == "classic";
    if (experiment.background.any() && (own || experiment.split))
        throw std::invalid_argument("Other traffic needs a TCP of ns-3 that ends at the receiver.");
    return own ? runReno(experiment, std::move(links)) : runNs3(experiment, std::move(links));
}

nlohmann::json valuesOf(const Measured& m, bool hasBackground) {
    nlohmann::json values = {{"carried", m.carried},   {"round_trip", m.roundTrip},
                             {"segments", m.segments}, {"retransmissions", m.retransmissions},
                             {"spurious", m.spurious}, {"timeouts", m.timeouts},
                             {"dropped", m.dropped},   {"clocks", m.clocks}};
    if (!m.gateways.empty()) values["gateway_retransmissions"] = m.gatewayRetransmissions;
    if (!hasBackground) return values;
    const Measured::Background& b = m.background;
    values["background"] = b.there;
    values["background_back"] = b.back;
    if (b.pages) {
        values["pages"] = b.pages;
        values["page_time"] = b.pageTime;
    }
    if (b.voice) {
        values["voice"] = b.voice;
        values["voice_loss"] = b.voiceLoss;
        values["voice_delay"] = b.voiceDelay;
        values["voice_delay_99"] = b.voiceDelay99;
    }
    return values;
}

/// Rows of a time and the values then, where there are any.
template <class Value>
nlohmann::json rowsOf(const std::vector<Measured::Sample>& trace, std::vector<Value> Measured::Sample::* values) {
    nlohmann::json rows = nlohmann::json::array();
    for (const Measured::Sample& sample : trace) {
        if ((sample.*values).empty()) continue;
        nlohmann::json row = {sample.time};
        for (const Value value : sample.*values) row.push_back(value);
        rows.push_back(std::move(row));
    }
    return rows;
}

nlohmann::json simulate(Job job) {
    auto links = job.bridges();
    const Measured m = run(job.experiment, std::move(links));
    using Sample = Measured::Sample;
    return {{"goodputs", m.goodputs},
            {"values", valuesOf(m, job.experiment.background.any())},
            {"counters", {{"a", m.counters[A]}, {"b", m.counters[B]}}},
            {"gateways", m.gateways},
            {"windows", rowsOf(m.trace, &Sample::windows)},
            {"rates", rowsOf(m.trace, &Sample::rates)},
            {"cached", rowsOf(m.trace, &Sample::cached)}};
}

}  // namespace
}  // namespace arqlink::tcp

int main() {
    try {
        const auto job = arqlink::job::parse<arqlink::tcp::Job>(arqlink::job::textOf(std::cin));
        std::cout << arqlink::job::lineOf(arqlink::tcp::simulate(job)) << '\n';
        return 0;
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
