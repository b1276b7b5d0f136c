// SPDX-License-Identifier: Apache-2.0
// Runs with ends that break a promise of a link: a run has to end with the kind of what they break.
#include "failure.h"
#include "fake_end.h"
#include "run.h"
#include "selftest.h"

namespace campaign {
namespace {

constexpr unsigned unitBytes = 8, packetBytes = 16;

Bytes helloOf(unsigned epoch) {
    ControlUnit u;
    u.epoch = static_cast<uint8_t>(epoch), u.hello = true, u.windowLog2 = 6, u.unitBytes = unitBytes;
    return build(u);
}

/// A run with two ends that are up and silent, but for a hello each, and idle users.
struct Play {
    FakeLink link;
    Scenario s;
    uint64_t seed = 1;
    std::set<std::string> ignore = {"late-answer",
                                    "hello-pace"};  ///< of ends that say what they are given, and no more

    Play() {
        for (unsigned e : {0, 1}) {
            s.info[e] = {FakeLink::dataBytes, unitBytes, 64, 16, 8, 512};
            s.traffic[e].any = false;
            s.traffic[e].shortest = s.traffic[e].longest = packetBytes;
            s.traffic[e].gap = 200, s.traffic[e].tooLongFrom = 513;
            s.timers[e].poll = 2000, s.timers[e].hello = 200, s.timers[e].keepalive = 1000, s.timers[e].outage = 0;
            s.healTimers[e] = s.timers[e];
            hello(e, 1, 30);
        }
        s.chaosClocks = 2000;
        s.freshFrom = 1;
    }

    void hello(unsigned end, unsigned epoch, uint64_t clock) { link.says[end].emplace_back(clock, helloOf(epoch)); }

    /// Two packets of A are missing; A has abandoned a frame of one, and so many frames were skipped.
    void loseTwoSkipped(unsigned skipped) {
        forge(1), s.finite = s.traffic[0].any = link.carries = true, link.loses = 2;
        counter(0, "tx_packets_lost", 1), counter(0, "tx_frames_abandoned", 1);
        counter(1, "rx_frames_skipped", skipped);
    }

    /// A's K changes under traffic.
    void changeK() {
        s.traffic[0].any = link.carries = true;
        Event event;
        event.clock = 500, event.kind = EventKind::code, event.end = 0, event.code = s.code[0];
        event.code.k = s.code[0].k + 1, event.code.nFirst = event.code.nRetx = event.code.k;
        s.events.push_back(event);
    }

    void counter(unsigned end, const char* name, uint32_t value) {
        link.registers[end][counterOffsets().at(name)] = value;
    }

    /// One forged unit to `end` at clock 500, which these ends do not read: a data unit with the first seed.
    void forge(unsigned end = 0) {
        s.forged = 1, s.forgeEnd = end;
        Event event;
        event.clock = 500, event.kind = EventKind::forge, event.end = end, event.value = 1;
        s.events.push_back(event);
    }

    /// Two packets of A are missing; each end reports one, and one frame was skipped. A unit was forged to `end`.
    void loseTwoWithOneSkip(unsigned end) {
        forge(end), s.finite = s.traffic[0].any = link.carries = true, link.loses = 2;
        counter(1, "rx_packets_dropped", 1), counter(0, "tx_packets_lost", 1), counter(1, "rx_frames_skipped", 1);
    }

    void run() {
        Run run(seed, s, [this](unsigned e) { return std::make_unique<FakeEnd>(link, e); }, ignore);
        const Outcome outcome = run.run();
        if (!outcome.kind.empty()) throw Failure(outcome.kind, outcome.text);
    }
};

Case play(const char* name, const char* kind, const std::function<void(Play&)>& change) {
    return {name, kind, [change] {
                Play p;
                change(p);
                p.run();
            }};
}

/// The control unit that each end has said is in the counters.
void agree(Play& p) {
    for (unsigned e : {0, 1})
        p.counter(e, "tx_control_units", 1), p.counter(e, "rx_control_units", 1), p.counter(e, "link_restarts", 1);
}

}  // namespace

std::vector<Case> runCases() {
    return {
        play("two ends at rest", nullptr, agree),
        play("a counter of units that were not sent", "books", [](Play& p) { agree(p), p.counter(0, "tx_units", 1); }),
        play("an outage that nothing has caused", "books", [](Play& p) { agree(p), p.counter(1, "link_outages", 1); }),
        play("a failure that an outage excuses, and no frame with the attempt that it had", "books",
             [](Play& p) { agree(p), p.counter(0, "tx_outcomes_outage", 1); }),
        play("hellos that do not come", "hello-pace", [](Play& p) { p.ignore.erase("hello-pace"), p.s.skew = 100; }),
        play("a packet dropped of which all frames came", "books",
             [](Play& p) { agree(p), p.counter(1, "rx_packets_dropped", 1); }),
        play("frames flushed without a restart", "books",
             [](Play& p) { agree(p), p.counter(0, "tx_frames", 1), p.counter(0, "tx_frames_flushed", 1); }),
        play("a second epoch that nobody asked for", "restart-without-cause",
             [](Play& p) { agree(p), p.hello(0, 2, 300); }),
        play("a second epoch too many after a restart", "restart-without-cause",
             [](Play& p) {
                 agree(p);
                 p.s.restarts = true;
                 Event event;
                 event.clock = 200, event.kind = EventKind::restart;
                 p.s.events.push_back(event);
                 p.hello(0, 2, 600), p.hello(0, 3, 900);
                 p.counter(0, "tx_control_units", 3), p.counter(0, "link_restarts", 3);
             }),
        play("a contradiction that nobody forged", "restart-without-cause",
             [](Play& p) { agree(p), p.link.registers[1][ARQLINK_ERROR_OFFSET] = ARQLINK_ERROR_RESYNC_MASK; }),
        play("a restart of a peer that did not restart", "restart-without-cause",
             [](Play& p) { agree(p), p.link.registers[1][ARQLINK_ERROR_OFFSET] = ARQLINK_ERROR_PEER_RESTART_MASK; }),
        play("a link that never rests", "stuck", [](Play& p) { p.link.state = 2; }),
        play("an end that takes no packets", "input-stuck",
             [](Play& p) { p.s.traffic[0].any = true, p.link.takesPackets = false; }),
        play("packets that do not come out", "packet-lost", [](Play& p) { p.s.traffic[0].any = true; }),
        play("a packet that is lost at finite delta and not counted", "packet-lost",
             [](Play& p) { p.s.traffic[0].any = p.s.finite = p.link.carries = true, p.link.loses = 1; }),
        play("a packet that is lost as K changes, and no frame was given up", "packet-lost",
             [](Play& p) {
                 p.changeK();
                 p.link.loses = 1, p.counter(0, "tx_packets_lost", 1);
             }),
        play("two packets that are lost as K changes, and one is counted", "packet-lost",
             [](Play& p) {
                 p.changeK();
                 p.link.loses = 2, p.counter(0, "tx_packets_lost", 1);
                 p.counter(0, "tx_frames", 1), p.counter(0, "tx_frames_abandoned", 1);
             }),
        play("a link that does not come up", "slow-start", [](Play& p) { p.s.clean = true, p.s.chaosClocks = 6000; }),
        play("an assertion", "assertion", [](Play& p) { p.link.stopped = "broken"; }),
        play("a register that refuses", "axi", [](Play& p) { p.link.answers = false; }),
        play("a unit that is not taken", "phy-ready", [](Play& p) { p.link.takesUnits = false; }),
        play("a beat with holes", "m-axis-keep",
             [](Play& p) {
                 Beat beat;
                 beat.valid = beat.last = true, beat.keep = 5;
                 p.link.out[0].push_back(beat);
             }),
        play("forged units that cost nothing", nullptr, [](Play& p) { p.forge(), p.link.carries = true; }),
        play("no fresh packet after forged units", "forge-stuck", [](Play& p) { p.forge(); }),
        play("fresh packets lost after forged units", "forge-loss",
             [](Play& p) { p.forge(), p.link.carries = true, p.link.loses = 24; }),
        play("two restarts after forged units", "forge-restarts",
             [](Play& p) { p.forge(), p.link.carries = true, p.hello(0, 2, 700), p.hello(0, 3, 900); }),
        play("a restart after forged units that is not reported", "forge-silent-restart",
             [](Play& p) { p.forge(), p.link.carries = true, p.hello(0, 2, 700); }),
        play("a restart after forged units that is reported", nullptr,
             [](Play& p) {
                 p.forge(), p.link.carries = true, p.hello(0, 2, 700);
                 p.link.registers[0][ARQLINK_ERROR_OFFSET] = ARQLINK_ERROR_RESYNC_MASK;
             }),
        play("a packet lost to a forged unit and not reported", "forge-silent-loss",
             [](Play& p) { p.forge(), p.s.traffic[0].any = p.link.carries = true, p.link.loses = 1; }),
        play("two packets lost to a forged unit and one reported", "forge-silent-loss",
             [](Play& p) {
                 p.forge(), p.s.traffic[0].any = p.link.carries = true, p.link.loses = 2;
                 p.counter(1, "rx_packets_dropped", 1);
             }),
        play("two packets lost to a forged control unit at finite delta and one reported", "forge-silent-loss",
             [](Play& p) { p.seed = 5, p.loseTwoWithOneSkip(1); }),
        play("one packet lost to a forged data unit at finite delta, and another one as delta ran out", nullptr,
             [](Play& p) { p.loseTwoWithOneSkip(1); }),
        play("the same, but the data unit came in at the other end", "forge-silent-loss",
             [](Play& p) { p.loseTwoWithOneSkip(0); }),
        play("a frame that its sender takes for received is skipped, and one that it has abandoned", nullptr,
             [](Play& p) { p.loseTwoSkipped(2); }),
        play("the same with one skip too few", "forge-silent-loss", [](Play& p) { p.loseTwoSkipped(1); }),
    };
}

}  // namespace campaign
