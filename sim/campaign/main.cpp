// SPDX-License-Identifier: Apache-2.0
// Runs of random faults between two link ends: reads a job from standard input, and writes a line of JSON for each run (README.md). Exit code 1: a
// run failed; 2: none could be made.
#include <chrono>
#include <exception>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "arqlink_regs.h"
#include "failure.h"
#include "json_job.h"
#include "load_end.h"
#include "run.h"

namespace campaign {

void fields(arqlink::job::Object& keys, Flow& f) {
    keys.need("round_trip", f.roundTrip, "trips", f.trips, "loss", f.loss, "feedback_loss", f.feedbackLoss);
    keys.need("burst", f.burst, "status", f.status, "both_ways", f.bothWays);
}

}  // namespace campaign

namespace {

using namespace campaign;
using arqlink::job::FileName;
using arqlink::job::Object;

struct Job {
    FileName libraries[2], waves[2];  // of both ends
    std::string pair;
    uint64_t seed = 1, count = 1, frames = 0;
    std::optional<double> seconds;  // after which no run begins
    double forge = 0;
    uint32_t firstSn = 0;  // FSN and TSN of both ends begin with it
    std::vector<std::string> ignore;
    std::optional<Flow> flow;
    bool show = false, blank = false;
};

void fields(Object& keys, Job& j) {
    keys.need("libraries", j.libraries, "pair", j.pair, "seed", j.seed, "count", j.count);
    keys.take("seconds", j.seconds, "forge", j.forge, "blank", j.blank, "frames", j.frames, "ignore", j.ignore);
    keys.take("first_sn", j.firstSn);
    keys.take("flow", j.flow, "show", j.show, "waves", j.waves);
}

/// What a build is, as its registers say.
EndInfo probe(MakeLinkEnd make) {
    std::unique_ptr<LinkEnd> end(make(nullptr));
    EndIn in;
    EndOut out;
    AxiMaster bus;
    uint32_t build[3] = {};
    for (unsigned i = 0; i < 3; ++i)
        bus.read(ARQLINK_BUILD0_OFFSET + 4 * i, [&build, i](uint32_t value) { build[i] = value; });
    for (unsigned clock = 0; !bus.idle(); ++clock) {
        in.resetn = clock >= 20;
        bus.drive(in);
        end->clock(in, out);
        bus.note(in, out);
    }
    auto field = [](uint32_t value, uint32_t mask, unsigned shift) { return (value & mask) >> shift; };
    EndInfo info;
    info.dataBytes = field(build[0], ARQLINK_BUILD0_DATA_BYTES_MASK, ARQLINK_BUILD0_DATA_BYTES_SHIFT);
    info.unitBytes = field(build[0], ARQLINK_BUILD0_UNIT_BYTES_MASK, ARQLINK_BUILD0_UNIT_BYTES_SHIFT);
    info.window = 1u << field(build[0], ARQLINK_BUILD0_WINDOW_LOG2_MASK, ARQLINK_BUILD0_WINDOW_LOG2_SHIFT);
    info.maxK = field(build[1], ARQLINK_BUILD1_MAX_K_MASK, ARQLINK_BUILD1_MAX_K_SHIFT);
    info.maxParity = field(build[1], ARQLINK_BUILD1_MAX_PARITY_MASK, ARQLINK_BUILD1_MAX_PARITY_SHIFT);
    info.maxPacketBytes = field(build[2], ARQLINK_BUILD2_MAX_PACKET_BYTES_MASK, ARQLINK_BUILD2_MAX_PACKET_BYTES_SHIFT);
    info.packetCrc = build[2] & ARQLINK_BUILD2_PACKET_CRC_MASK;
    return info;
}

nlohmann::json resultOf(const Outcome& r) {
    return {{"clocks", r.clocks},   {"units", r.units},
            {"packets", r.packets}, {"lives", r.lives},
            {"polls", r.polls},     {"early_polls", r.earlyPolls},
            {"lost", r.lost},       {"digest", format("%016llx", static_cast<unsigned long long>(r.digest))},
            {"kind", r.kind},       {"text", r.text}};
}

nlohmann::json recoveryOf(const Recovery& r, unsigned shots) {
    return {{"units", r.units},
            {"clocks", r.clocks},
            {"round_trip", r.roundTrip},
            {"poll_timeout", r.pollTimeout},
            {"restarts", r.restarts},
            {"attempts", r.attempts},
            {"shots", shots},
            {"look", r.look}};
}

nlohmann::json flowOf(const FlowResult& f) {
    return {{"clocks", f.clocks}, {"frames", f.frames}, {"again", f.again}, {"polls", f.polls}, {"reports", f.reports}};
}

void say(const nlohmann::json& line) { std::cout << arqlink::job::lineOf(line) << std::endl; }

/// Whether all went well.
bool runAll(const Job& job) {
    const MakeLinkEnd make[2] = {verilated_end::load(job.libraries[0]), verilated_end::load(job.libraries[1])};
    EndInfo info[2] = {probe(make[0]), probe(make[1])};
    for (EndInfo& i : info) i.firstSn = job.firstSn;
    const auto begin = std::chrono::steady_clock::now();
    const auto end = [&](unsigned e) {
        return std::unique_ptr<LinkEnd>(make[e](job.waves[e].empty() ? nullptr : job.waves[e].bytes.c_str()));
    };
    bool isGood = true;
    for (uint64_t seed = job.seed; seed < job.seed + job.count; ++seed) {
        const double since = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        if (job.seconds && since > *job.seconds) break;
        Scenario scenario = job.flow     ? drawFlow(info, *job.flow)
                            : job.frames ? drawLong(seed, job.pair, info, job.frames)
                                         : draw(seed, job.pair, info, job.forge);
        scenario.forgeBlank = job.blank;
        if (job.show) say({{"scenario", scenario.text()}});
        const Outcome r = Run(seed, scenario, end, {job.ignore.begin(), job.ignore.end()}).run();
        isGood = isGood && r.kind.empty();
        nlohmann::json result = resultOf(r);
        result["seed"] = seed;
        if (r.flow.clocks) result["flow"] = flowOf(r.flow);
        if (job.frames) result["sent"] = {r.frames[0], r.transmissions[0], r.frames[1], r.transmissions[1]};
        if (r.recovery.units) result["recovery"] = recoveryOf(r.recovery, scenario.shots);
        say(result);
    }
    return isGood;
}

}  // namespace

int main() {
    try {
        return runAll(arqlink::job::parse<Job>(arqlink::job::textOf(std::cin))) ? 0 : 1;
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 2;
    }
}
