// SPDX-License-Identifier: Apache-2.0
// Control units that are due and do not leave, or leave too soon, and what an outage must not do.
#include "selftest.h"
#include "talk.h"

namespace campaign {
namespace {

constexpr uint32_t never = 1 << 30;

/// Clocks in which everything leaves that is due at once.
constexpr uint64_t soon = 2000;

/// A link whose timers never end, but for what `change` says.
Case due(const char* name, const char* kind, const std::function<void(Talk&)>& say,
         const std::function<void(Timers&)>& change = {}, const std::function<void(Rules&)>& rules = {}) {
    return {name, kind, [=] {
                Talk t(rules);
                Timers timers;
                timers.poll = timers.hello = timers.keepalive = timers.status = never;
                timers.outage = 0;
                if (change) change(timers);
                t.ticks = true;
                t.wait(1);
                for (unsigned e : {0, 1}) t.monitor->timersChange(e, timers), t.monitor->timersAre(e, timers);
                say(t);
            }};
}

std::function<void(Timers&)> with(uint32_t Timers::* timer, uint32_t clocks) {
    return [=](Timers& t) { t.*timer = clocks; };
}

void flows(Rules& r) { r.flows[0] = r.flows[1] = true; }
void reads(Rules& r) { r.reads[0] = r.reads[1] = true; }
void frozen(Rules& r) { r.freeze[0] = r.freeze[1] = 1; }
void two(Rules& r) { r.info[0].window = r.info[1].window = 128; }

void poll(Talk& t, unsigned end) {
    t.control(end, [](ControlUnit& u) { u.poll = true; });
}
void reply(Talk& t, unsigned end) {
    t.control(end, [](ControlUnit& u) { u.reply = true; });
    t.said[end].reply = false;
}
void close(Talk& t) {
    t.control(0, [&](ControlUnit& u) { u.txEdge = t.tsn; });
}

/// The first of two frames fails, which both ends know.
void failOne(Talk& t) {
    t.frame(0, 0), t.frame(1);
    close(t);
    t.report(2, 2);
}

/// The first of two frames is abandoned; `notices` control units say so.
void abandonOne(Talk& t, unsigned notices) {
    t.up();
    failOne(t);
    for (unsigned i = 0; i < notices; ++i)
        t.control(0, [](ControlUnit& u) { u.txBase = u.txEdge = u.ackTsn = 2, u.abandons = true; });
}

/// At δ = 0 the first of two frames, or the second one, is lost; A has given it up.
void loseOne(Talk& t, bool first) {
    t.delta(0);
    t.up();
    t.lastTry = true;
    t.frame(0, first ? 0 : 3), t.frame(1, first ? 3 : 0);
    close(t);
    t.report(2, first ? 2 : 1);
}

/// B's rxBase stays where it is while packets come, and that for long.
void stand(Talk& t) {
    for (unsigned i = 0; i < 8; ++i) t.wait(500), t.control(1);
}

/// Of the last try of frame 0, which has K = 3, so many units come.
void failLastTry(Talk& t, unsigned come) {
    t.k = 3;
    t.up();
    t.frame(0, 0), t.frame(1);
    t.report(2, 2);
    t.lastTry = true;
    t.frame(0, come, 1);
    t.control(0, [&](ControlUnit& u) { u.txEdge = t.tsn, u.ackTsn = 2; });
}

/// 192 frames of a link whose ring has two places. As pairs 0 and 1 are in it, B reports the outcomes from `base` of the turn's number on.
void takeTurns(Talk& t, const std::function<unsigned(unsigned)>& base) {
    t.windowLog2 = 7;
    t.up();
    t.flow(128);
    for (unsigned turn = 1; turn < 8; ++turn) {
        if (base) t.older(base(turn));
        t.flow(128 + 8 * turn);
    }
    close(t);
}

/// The peer lacks two pairs of a ring of two places, of which `pairs` are reported after a reply.
void round(Talk& t, unsigned pairs) {
    t.windowLog2 = 7;
    t.up();
    t.flow(136);
    close(t);
    t.pollAndReply();
    for (unsigned pair = 0; pair < pairs; ++pair) t.wait(200), t.older(64 * pair);
}

/// A outage of A, at whose end it polls.
void outage(Talk& t) {
    t.phyUp[0] = false;
    t.wait(400);
    t.phyUp[0] = true;
    t.wait(300);
    poll(t, 0);
    reply(t, 1);
}

/// A frame that fails in an outage, as is known after it.
void failInOutage(Talk& t) {
    t.up();
    t.frame(0, 0), t.frame(1);
    outage(t);
    t.report(2, 2);
}

}  // namespace

std::vector<Case> dueCases() {
    return {
        due("a link that rests", nullptr, [](Talk& t) { t.up(), t.wait(20 * soon); }),
        due("a poll without an answer", "late-reply", [](Talk& t) { t.up(), poll(t, 0), t.wait(soon); }),
        due("a poll with an answer", nullptr, [](Talk& t) { t.up(), poll(t, 0), reply(t, 1), t.wait(soon); }),
        due("two answers to a poll", "reply-without-poll",
            [](Talk& t) { t.up(), poll(t, 0), reply(t, 1), reply(t, 1); }),
        due(
            "an outcome that is not reported", "late-report",
            [](Talk& t) { t.up(), t.frame(0), close(t), t.wait(5000 + soon); }, with(&Timers::status, 5000)),
        due(
            "an outcome that is reported within STATUS_INTERVAL", nullptr,
            [](Talk& t) { t.up(), t.frame(0), close(t), t.wait(4900), t.report(1, 1), t.wait(5000 + soon); },
            with(&Timers::status, 5000)),
        due("16 outcomes that are not reported", "late-report",
            [](Talk& t) {
                t.up();
                for (unsigned i = 0; i < 16; ++i) t.frame(i);
                close(t);
                t.wait(soon);
            }),
        due("the last transmission of all that is not closed", "late-tail",
            [](Talk& t) { t.up(), t.frame(0), t.wait(soon); }),
        due(
            "a quarter of the window that is free and not reported", "late-credit",
            [](Talk& t) {
                t.up();
                for (unsigned i = 0; i < 16; ++i) t.frame(i), t.monitor->delivered(0);
                close(t);
                t.report(16, 0xffff);
                t.wait(soon);
            },
            {}, [](Rules& r) { r.ordered[0] = true; }),
        due(
            "silence for longer than KEEPALIVE", "late-keepalive", [](Talk& t) { t.up(), t.wait(3000 + soon); },
            with(&Timers::keepalive, 3000)),
        due("silence for longer than a KEEPALIVE that was written meanwhile", "late-keepalive",
            [](Talk& t) {
                t.up();
                t.wait(soon);
                Timers timers;
                timers.poll = timers.status = never, timers.keepalive = 3000;
                for (unsigned e : {0, 1}) t.monitor->timersChange(e, timers), t.monitor->timersAre(e, timers);
                t.wait(3000 + soon);
            }),
        due(
            "keep-alives in time", nullptr,
            [](Talk& t) {
                t.up();
                for (unsigned i = 0; i < 3; ++i) t.wait(2990), poll(t, 0), reply(t, 1);
            },
            with(&Timers::keepalive, 3000), flows),
        due(
            "a keep-alive before its time", "early-keepalive",
            [](Talk& t) { t.up(), t.wait(2800), poll(t, 0), reply(t, 1), t.control(0); },
            with(&Timers::keepalive, 3000), flows),
        due(
            "a poll for a frame that leaves behind it", nullptr,
            [](Talk& t) { t.up(), t.wait(2800), poll(t, 0), t.frame(0); }, with(&Timers::keepalive, 3000), flows),
        due(
            "no hello for HELLO_INTERVAL", "hello-pace", [](Talk& t) { t.hello(0, false), t.wait(3000 + soon); },
            with(&Timers::hello, 3000)),
        due(
            "a hello before its time", "hello-pace",
            [](Talk& t) { t.wait(1000), t.hello(0, false), t.wait(1000), t.hello(0, false); },
            with(&Timers::hello, 3000), flows),
        due("a hello without an answer", "late-answer",
            [](Talk& t) { t.hello(0, false), t.hello(1, false), t.wait(soon); }),
        due("a control unit without the notice that is owed", "late-notice",
            [](Talk& t) {
                abandonOne(t, 1);
                t.control(0, [](ControlUnit& u) { u.abandons = false; });
            }),
        due("a frame that is not abandoned as its time has come", "late-notice",
            [](Talk& t) { loseOne(t, true), t.wait(soon); }),
        due("a frame that is abandoned at the end of traffic, and no notice", "late-notice",
            [](Talk& t) { loseOne(t, false), t.wait(soon); }),
        due("a frame that is abandoned, and a frame behind it that says so", nullptr,
            [](Talk& t) {
                loseOne(t, true);
                t.frame(2);
                t.control(0, [](ControlUnit& u) { u.txBase = 2, u.txEdge = 3, u.ackTsn = 2, u.abandons = true; });
                t.wait(soon);
            }),
        due("the same, and then all that was sent is received, and rxBase stays", "late-notice",
            [](Talk& t) {
                loseOne(t, true);
                t.frame(2);
                t.control(0, [](ControlUnit& u) { u.txBase = 2, u.txEdge = 3, u.ackTsn = 2, u.abandons = true; });
                t.report(3, 6);
                t.wait(soon);
            }),
        due(
            "rxBase that stands at a frame of whose last try two units came", "late-skip",
            [](Talk& t) { failLastTry(t, 2), stand(t); }, {}, reads),
        due(
            "rxBase that stands at a frame of whose last try one unit came", nullptr,
            [](Talk& t) { failLastTry(t, 1), stand(t); }, {}, reads),
        due(
            "rxBase that stands at a lost frame, and two units of type 2 behind it came", "late-skip",
            [](Talk& t) { loseOne(t, true), stand(t); }, {}, reads),
        due("two notices of an abandoned frame", "late-notice", [](Talk& t) { abandonOne(t, 2), t.wait(soon); }),
        due("three notices of an abandoned frame", nullptr, [](Talk& t) { abandonOne(t, 3), t.wait(soon); }),
        due("notice of a frame that was not abandoned", "notice-without-cause",
            [](Talk& t) { t.up(), t.control(0, [](ControlUnit& u) { u.abandons = true; }); }),
        due(
            "no poll for an outcome that is missing", "late-poll",
            [](Talk& t) { t.up(), t.frame(0), close(t), t.wait(6000 + 2 * soon); }, with(&Timers::poll, 3000)),
        due(
            "no poll for a notice that is not confirmed", "late-poll",
            [](Talk& t) { abandonOne(t, 3), t.wait(3000 + soon); }, with(&Timers::poll, 3000)),
        due("no poll as an outage ends", "late-poll",
            [](Talk& t) { t.up(), t.phyUp[0] = false, t.wait(400), t.phyUp[0] = true, t.wait(soon); }),
        due(
            "no poll of a peer that is deaf", "late-poll",
            [](Talk& t) { t.up(), t.control(1, [](ControlUnit& u) { u.deaf = true; }), t.wait(3000 + soon); },
            with(&Timers::poll, 3000)),
        due("a link that comes up without a poll", "late-poll",
            [](Talk& t) { t.hello(0, false), t.hello(1, true), t.control(0), t.wait(soon); }),
        due(
            "older outcomes that take turns", nullptr,
            [](Talk& t) { takeTurns(t, [](unsigned turn) { return 64 * (turn % 2); }); }, {}, two),
        due(
            "older outcomes that have no turn", "late-turn", [](Talk& t) { takeTurns(t, {}); }, {}, two),
        due(
            "older outcomes of which some have no turn", "late-turn",
            [](Talk& t) { takeTurns(t, [](unsigned) { return 0; }); }, {}, two),
        due(
            "a round of which nothing comes", "late-round", [](Talk& t) { round(t, 0), t.wait(soon); }, {}, two),
        due(
            "half a round", "late-round", [](Talk& t) { round(t, 1), t.wait(soon); }, {}, two),
        due(
            "a round", nullptr, [](Talk& t) { round(t, 2), t.wait(soon); }, {}, two),
        due("data in an outage", "outage-data",
            [](Talk& t) {
                t.up();
                t.phyUp[0] = false;
                t.wait(400);
                for (unsigned i = 0; i < 8; ++i) t.frame(i);
            }),
        due("an outage at whose end the end polls", nullptr, [](Talk& t) { t.up(), outage(t), t.wait(soon); }),
        due("a failure that does not count although there was no outage", "freeze",
            [](Talk& t) { t.up(), failOne(t), t.frame(0, 3, 0); }),
        due(
            "a failure in an outage that counts", "freeze", [](Talk& t) { failInOutage(t), t.frame(0, 3, 1); }, {},
            frozen),
        due(
            "a failure in an outage that does not count", nullptr, [](Talk& t) { failInOutage(t), t.frame(0, 3, 0); },
            {}, frozen),
        due(
            "a failure in an outage that does not count, and a retransmission of type 2 that is no last try", "type",
            [](Talk& t) { t.delta(1), failInOutage(t), t.lastTry = true, t.frame(0, 3, 0); }, {}, frozen),
        due(
            "a last try that fails in an outage", nullptr,
            [](Talk& t) {
                t.lastTry = true;
                failInOutage(t);
                t.control(0, [](ControlUnit& u) { u.txBase = u.ackTsn = 2, u.abandons = true; });
            },
            {}, frozen),
        due(
            "a last try that fails in an outage, and its frame is sent again", "persistency",
            [](Talk& t) { t.lastTry = true, failInOutage(t), t.lastTry = false, t.frame(0, 3, 0); }, {}, frozen),
        due(
            "a frame that is abandoned for a failure in an outage", "freeze",
            [](Talk& t) {
                failInOutage(t);
                t.control(0, [](ControlUnit& u) { u.txBase = u.ackTsn = 2, u.abandons = true; });
            },
            {}, frozen),
    };
}

}  // namespace campaign
