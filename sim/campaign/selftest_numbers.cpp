// SPDX-License-Identifier: Apache-2.0
// Numbers of control units that go back, frames that change, reports and polls without a cause.
#include "selftest.h"
#include "talk.h"

namespace campaign {
namespace {

void clean(Rules& r) {
    r.clean[0] = r.clean[1] = true;
    r.poll[0] = r.keepalive[0] = r.poll[1] = r.keepalive[1] = 5000;
}

void steady(Rules& r) {
    r.steady[0] = r.steady[1] = true;
    r.poll[0] = r.poll[1] = 5000;
    r.keepalive[0] = r.keepalive[1] = 1 << 20;
}

/// Two frames cross, and both ends say so.
void cross(Talk& t) {
    t.up();
    t.frame(0), t.frame(1);
    t.control(1, [](ControlUnit& u) { u.bitmapBase = 0, u.rxNext = 2, u.bitmap = 3, u.rxBase = 2; });
    t.control(0, [](ControlUnit& u) { u.txBase = u.txEdge = u.ackTsn = 2; });
}

Case talk(const char* name, const char* kind, void (*say)(Talk&), void (*rules)(Rules&) = nullptr) {
    return {name, kind, [=] {
                Talk t(rules ? std::function<void(Rules&)>(rules) : std::function<void(Rules&)>());
                say(t);
            }};
}

/// A unit of frame `fsn` with something that differs.
void changed(Talk& t, unsigned fsn, unsigned attempt, void (*change)(DataUnit&)) {
    DataUnit u = t.data(fsn, 0, attempt);
    change(u);
    t.leave(0, build(u));
}

/// The first of two frames fails and is sent again, of type 2 or not.
void sendAgain(Talk& t, bool lastTry) {
    t.frame(0, 0), t.frame(1);
    t.report(2, 2);
    t.lastTry = lastTry;
    t.frame(0, 3, 1);
    t.lastTry = false;
}

/// Eight frames, as many as may have been chosen before what is said is known.
void eight(Talk& t, unsigned fsn) {
    for (unsigned i = 0; i < 8; ++i) t.frame(fsn + i);
}

/// All but the first `failed` transmissions are received, and A has passed all frames.
void resolve(Talk& t, unsigned frames, unsigned failed = 0) {
    t.report(t.tsn, (uint64_t(1) << t.tsn) - (uint64_t(1) << failed));
    t.control(0, [&](ControlUnit& u) { u.txBase = frames, u.txEdge = u.ackTsn = t.tsn; });
}

/// Outcomes of the last transmissions of many, which are in two blocks.
void manyReports(Talk& t) {
    t.up();
    for (unsigned i = 0; i < 60; ++i) t.frame(i), t.report(i + 1, (uint64_t(1) << (i + 1)) - 1);
}

/// Pair 0 of a ring of one place is reported once, and then, after `outcomes` more, the blocks from `base` on.
void olderReports(Talk& t, unsigned outcomes, unsigned base) {
    t.up();
    t.flow(72);
    t.older(0);
    t.wait(1000);
    t.flow(72 + outcomes);
    t.older(base);
}

/// A round of a ring of two places, `apart` clocks from pair to pair.
void round(Talk& t, uint64_t apart) {
    t.windowLog2 = 7;
    t.up();
    t.flow(136);
    t.pollAndReply();
    t.older(0), t.wait(apart), t.older(64);
}

void two(Rules& r) {
    r.info[0].window = r.info[1].window = 128;
    r.flows[0] = r.flows[1] = true;
}

void pollFor(Talk& t, unsigned polls, uint64_t apart) {
    t.up();
    t.frame(0), t.frame(1);
    for (unsigned i = 0; i < polls; ++i) {
        t.clock += apart;
        t.control(0, [](ControlUnit& u) { u.txEdge = 2, u.poll = true; });
    }
}

}  // namespace

std::vector<Case> numberCases() {
    return {
        talk("txBase that goes back", "txBase-back",
             [](Talk& t) { cross(t), t.control(0, [](ControlUnit& u) { u.txBase = 1; }); }),
        talk("txEdge that goes back", "txEdge-back",
             [](Talk& t) { cross(t), t.control(0, [](ControlUnit& u) { u.txEdge = 1; }); }),
        talk("ackTsn that goes back", "ackTsn-back",
             [](Talk& t) { cross(t), t.control(0, [](ControlUnit& u) { u.ackTsn = 1; }); }),
        talk("rxBase that goes back", "rxBase-back",
             [](Talk& t) { cross(t), t.control(1, [](ControlUnit& u) { u.rxBase = 1; }); }),
        talk("a bitmapBase that is no multiple of 32", "bad-unit",
             [](Talk& t) { cross(t), t.control(1, [](ControlUnit& u) { u.bitmapBase = 1; }); }),
        talk("a bitmapBase above rxNext", "bitmap-base",
             [](Talk& t) { cross(t), t.control(1, [](ControlUnit& u) { u.bitmapBase = 32; }); }),
        talk("a frame without sop after the end of a packet", "frame-order",
             [](Talk& t) { t.up(), changed(t, 0, 0, [](DataUnit& u) { u.sop = false; }); }),
        talk("a frame that has another pad when it is sent again", "frame-changed",
             [](Talk& t) {
                 t.up();
                 t.frame(0, 0), t.frame(1);
                 t.report(2, 2);
                 changed(t, 0, 1, [](DataUnit& u) { u.pad = 3; });
             }),
        talk("a frame of type 2 that is sent again", "persistency",
             [](Talk& t) {
                 t.up();
                 t.lastTry = true;
                 t.frame(0, 0), t.frame(1);
                 t.report(2, 2);
                 t.lastTry = false;
                 t.frame(0, 3, 1);
             }),
        talk("an attempt too many", "persistency",
             [](Talk& t) {
                 t.delta(1);
                 t.up();
                 t.frame(0, 0), t.frame(1);
                 t.report(2, 2);
                 t.lastTry = true;
                 t.frame(0, 0, 1);
                 t.lastTry = false;
                 t.frame(2);
                 t.report(4, 10);
                 t.frame(0, 3, 2);
             }),
        talk("an attempt that the other end's persistency would allow", "persistency",
             [](Talk& t) {
                 t.delta(14);
                 t.monitor->deltaChanges(0, 0), t.monitor->deltaIs(0, 0);
                 t.up();
                 t.lastTry = true;
                 t.frame(0, 0), t.frame(1);
                 t.report(2, 2);
                 t.frame(0, 3, 1);
             }),
        talk("last tries of each kind", nullptr,
             [](Talk& t) {
                 t.delta(1);
                 t.up();
                 sendAgain(t, true);
                 t.delta(0);
                 eight(t, 2);
                 resolve(t, 10, 1);
                 t.lastTry = true;
                 eight(t, 10);
             }),
        talk("a retransmission that is no last try, of type 2", "type",
             [](Talk& t) { t.delta(2), t.up(), sendAgain(t, true); }),
        talk("a retransmission that is a last try, not of type 2", "type",
             [](Talk& t) { t.delta(1), t.up(), sendAgain(t, false); }),
        talk("a retransmission that is a last try, of type 3", "type",
             [](Talk& t) {
                 t.delta(1), t.up(), t.frame(0, 0), t.frame(1), t.report(2, 2);
                 changed(t, 0, 1, [](DataUnit& u) { u.lastTry = u.allBelow = true; });
             }),
        talk("a first transmission at δ = 0, of type 2", "type",
             [](Talk& t) { t.delta(0), t.up(), changed(t, 0, 0, [](DataUnit& u) { u.lastTry = true; }); }),
        talk("a first transmission at δ = 1, of type 3", "type",
             [](Talk& t) { t.delta(1), t.up(), t.lastTry = true, t.frame(0); }),
        talk("a first transmission at δ = 0, not of type 3", "type", [](Talk& t) { t.delta(0), t.up(), t.frame(0); }),
        talk("a first transmission of type 3 as δ has become 0, and a frame before may be sent again", "type",
             [](Talk& t) {
                 t.delta(1);
                 t.up();
                 t.frame(0), t.frame(1, 0);
                 t.report(1, 1);
                 t.delta(0);
                 eight(t, 2);
                 t.lastTry = true;
                 t.frame(10);
             }),
        talk("a first transmission not of type 3 although δ is 0 and txBase has passed all before", "type",
             [](Talk& t) {
                 t.delta(1);
                 t.up();
                 t.frame(0), t.frame(1);
                 t.delta(0);
                 eight(t, 2);
                 resolve(t, 10);
                 eight(t, 10);
             }),
        talk("recent blocks in each report", nullptr, manyReports, clean),
        talk("older outcomes in their turn", nullptr, [](Talk& t) { olderReports(t, 8, 0); }),
        talk("older outcomes that had their turn", "older-without-turn",
             [](Talk& t) {
                 olderReports(t, 0, 0);
                 for (unsigned i = 0; i < 3; ++i) t.wait(1000), t.older(0);
             }),
        talk("older outcomes of two halves of pairs", "older-outside", [](Talk& t) { olderReports(t, 56, 32); }),
        talk("older outcomes that have left the ring", "older-outside",
             [](Talk& t) { t.ticks = true, olderReports(t, 160, 0); }),
        talk("older outcomes that the peer knows", "older-known",
             [](Talk& t) {
                 t.ticks = true;
                 t.up();
                 t.flow(72);
                 t.control(0, [](ControlUnit& u) { u.txBase = u.txEdge = u.ackTsn = 72; });
                 t.flow(160);
                 t.wait(1000);
                 t.older(0);
             }),
        talk("older outcomes that the peer has come to know in an outage", nullptr,
             [](Talk& t) {
                 t.ticks = true;
                 t.up();
                 t.flow(160);
                 t.phyUp[1] = false;
                 t.wait(1000);
                 t.control(0, [](ControlUnit& u) { u.txBase = u.txEdge = u.ackTsn = 128; });
                 t.wait(1000);
                 t.phyUp[1] = true;
                 t.wait(20);
                 for (unsigned i = 0; i < 9; ++i) t.control(1);
                 t.older(64);
             }),
        talk(
            "a round", nullptr, [](Talk& t) { round(t, 200); }, two),
        talk(
            "older outcomes that follow others too soon", "older-pace", [](Talk& t) { round(t, 40); }, two),
        talk(
            "a round that does not end", "older-without-turn",
            [](Talk& t) {
                round(t, 200);
                for (unsigned i = 0; i < 6; ++i) t.wait(200), t.older(64 * (i % 2));
            },
            two),
        talk(
            "a poll although all is known, in a run with losses", "poll-without-cause",
            [](Talk& t) {
                cross(t);
                t.clock += 2000;
                t.control(0, [](ControlUnit& u) { u.poll = true; });
            },
            steady),
        talk(
            "polls for an outcome that is missing", nullptr, [](Talk& t) { pollFor(t, 6, 5000); }, steady),
        talk(
            "two polls for an outcome in one POLL_TIMEOUT", "poll-without-cause", [](Talk& t) { pollFor(t, 2, 1000); },
            steady),
    };
}

}  // namespace campaign
