// SPDX-License-Identifier: Apache-2.0
// campaign --a LIBRARY --b LIBRARY --pair NAME --seed N [--count N] [--seconds S] [--forge F [--blank]] [--frames N]
// [--ignore KIND] [--waves-a FST --waves-b FST] [--show]
// [--round-trip FRAMES [--trips N] [--loss P] [--feedback-loss P] [--burst UNITS] [--status CLOCKS]]
//
// One line of standard output for each run: `run SEED CLOCKS UNITS PACKETS LIVES POLLS EARLY LOST DIGEST KIND TEXT`,
// with KIND "-" where nothing is wrong. Before it, with forged units, `forged UNITS CLOCKS ROUND_TRIP POLL_TIMEOUT RESTARTS
// ATTEMPTS SHOTS`, with --frames `sent FRAMES_A TRANSMISSIONS_A FRAMES_B TRANSMISSIONS_B`, and with --round-trip
// `flow CLOCKS FRAMES AGAIN POLLS REPORTS`. `arqlink.campaign` reads them.
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "arqlink_regs.h"
#include "failure.h"
#include "load_end.h"
#include "run.h"

namespace {

using namespace campaign;

struct Options {
    std::string library[2], waves[2], pair;
    uint64_t seed = 1, count = 1, frames = 0;
    double seconds = 1e9, forge = 0;
    std::set<std::string> ignore;
    Flow flow;
    bool show = false, blank = false;
};

[[noreturn]] void usage(const std::string& text) {
    std::fprintf(stderr, "%s\n", text.c_str());
    std::exit(2);
}

Options options(int argc, char** argv) {
    Options o;
    for (int i = 1; i < argc; ++i) {
        const std::string name = argv[i];
        if (name == "--show") {
            o.show = true;
            continue;
        }
        if (name == "--both-ways") {
            o.flow.bothWays = true;
            continue;
        }
        if (name == "--blank") {
            o.blank = true;
            continue;
        }
        if (i + 1 == argc) usage(name + " needs a value, or is not known.");
        const std::string value = argv[++i];
        if (name == "--a")
            o.library[0] = value;
        else if (name == "--b")
            o.library[1] = value;
        else if (name == "--pair")
            o.pair = value;
        else if (name == "--seed")
            o.seed = std::strtoull(value.c_str(), nullptr, 0);
        else if (name == "--count")
            o.count = std::strtoull(value.c_str(), nullptr, 0);
        else if (name == "--seconds")
            o.seconds = std::strtod(value.c_str(), nullptr);
        else if (name == "--forge")
            o.forge = std::strtod(value.c_str(), nullptr);
        else if (name == "--frames")
            o.frames = std::strtoull(value.c_str(), nullptr, 0);
        else if (name == "--round-trip")
            o.flow.roundTrip = std::strtoull(value.c_str(), nullptr, 0);
        else if (name == "--trips")
            o.flow.trips = static_cast<unsigned>(std::strtoul(value.c_str(), nullptr, 0));
        else if (name == "--loss")
            o.flow.loss = std::strtod(value.c_str(), nullptr);
        else if (name == "--feedback-loss")
            o.flow.feedbackLoss = std::strtod(value.c_str(), nullptr);
        else if (name == "--burst")
            o.flow.burst = static_cast<unsigned>(std::strtoul(value.c_str(), nullptr, 0));
        else if (name == "--status")
            o.flow.status = static_cast<uint32_t>(std::strtoul(value.c_str(), nullptr, 0));
        else if (name == "--ignore")
            o.ignore.insert(value);
        else if (name == "--waves-a")
            o.waves[0] = value;
        else if (name == "--waves-b")
            o.waves[1] = value;
        else
            usage(name + " is not known.");
    }
    return o;
}

MakeLinkEnd entry(const std::string& path) {
    try {
        return verilated_end::load(path);
    } catch (const std::runtime_error& error) {
        usage(error.what());
    }
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

}  // namespace

int main(int argc, char** argv) {
    const Options o = options(argc, argv);
    const MakeLinkEnd make[2] = {entry(o.library[0]), entry(o.library[1])};
    const EndInfo info[2] = {probe(make[0]), probe(make[1])};
    const auto begin = std::chrono::steady_clock::now();
    bool failed = false;
    for (uint64_t seed = o.seed; seed < o.seed + o.count; ++seed) {
        if (std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() > o.seconds) break;
        Scenario scenario = o.flow.roundTrip ? drawFlow(info, o.flow)
                            : o.frames       ? drawLong(seed, o.pair, info, o.frames)
                                             : draw(seed, o.pair, info, o.forge);
        scenario.forgeBlank = o.blank;
        if (o.show) std::printf("scenario %s\n", scenario.text().c_str());
        auto end = [&](unsigned e) {
            return std::unique_ptr<LinkEnd>(make[e](o.waves[e].empty() ? nullptr : o.waves[e].c_str()));
        };
        Run run(seed, scenario, end, o.ignore);
        const Outcome r = run.run();
        failed |= !r.kind.empty();
        if (const FlowResult& f = r.flow; f.clocks)
            std::printf("flow %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", f.clocks, f.frames,
                        f.again, f.polls, f.reports);
        if (o.frames)
            std::printf("sent %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", r.frames[0], r.transmissions[0],
                        r.frames[1], r.transmissions[1]);
        if (const Recovery& f = r.recovery; f.units)
            std::printf("forged %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %u %u %u %" PRIu64 "\n", f.units,
                        f.clocks, f.roundTrip, f.pollTimeout, f.restarts, f.attempts, scenario.shots, f.look);
        std::printf("run %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
                    " %016" PRIx64 " %s %s\n",
                    seed, r.clocks, r.units, r.packets, r.lives, r.polls, r.earlyPolls, r.lost, r.digest,
                    r.kind.empty() ? "-" : r.kind.c_str(), r.text.c_str());
        std::fflush(stdout);
    }
    return failed ? 1 : 0;
}
