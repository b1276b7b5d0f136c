// SPDX-License-Identifier: Apache-2.0
// The ports of both ends and what happens to them in time; books.cpp has what is checked when all is quiet.
#include "run.h"

#include <algorithm>

#include "arqlink_regs.h"
#include "failure.h"

namespace campaign {
namespace {

using ull = unsigned long long;
constexpr unsigned resetClocks = 20;

/// Nobody restarts or is ever deaf, and no timer changes before the faults end.
bool steadyTimers(const Scenario& s) {
    const auto unsettles = [](const Event& e) {
        return e.kind <= EventKind::phyUp || e.kind == EventKind::timers || e.kind == EventKind::stopPhy;
    };
    return !s.copies && !s.timers[0].outage && !s.timers[1].outage &&
           std::none_of(s.events.begin(), s.events.end(), unsettles);
}

/// The PHY of an end takes each beat: it is not slowed down, nor held up by a receiver that takes longer than the units last, as they come
/// lengthened, or more than were sent.
bool phyFlows(const Scenario& s, unsigned e) {
    const Way& way = s.way[e];
    const bool takesLonger = (way.bad > 0 && way.damage >> longer & 1) || way.duplicate > 0 || way.late > 0;
    return s.pace[e] == 1 && s.phy[e].ready >= 1 && way.gap == 0 && !takesLonger &&
           s.info[1 - e].dataBytes >= s.info[e].dataBytes;
}

bool stops(const Scenario& s, EventKind what) {
    return std::any_of(s.events.begin(), s.events.end(), [=](const Event& e) { return e.kind == what; });
}

Rules rulesFor(const Scenario& s, const std::set<std::string>& ignore) {
    Rules rules;
    rules.ignore = ignore;
    rules.fifo = !s.copies;
    for (unsigned e : {0, 1}) {
        rules.info[e] = s.info[e];
        rules.clean[e] = s.clean;
        rules.poll[e] = s.timers[e].poll;
        rules.keepalive[e] = s.timers[e].keepalive;
        rules.steady[e] = steadyTimers(s) && phyFlows(s, e);
        rules.flows[e] = phyFlows(s, e) && !stops(s, EventKind::stopPhy);
        rules.ordered[e] = s.steadyOrder && s.arq[1 - e].inOrder && !s.finite && !s.changesK() && !s.restarts;
        rules.reads[e] = s.user[e].ready >= 1 && !stops(s, EventKind::stopUser);
        if (s.steadyArq) rules.freeze[e] = s.arq[e].freeze;
    }
    return rules;
}

}  // namespace

Run::Run(uint64_t seed, const Scenario& scenario, const MakeEnd& make, const std::set<std::string>& ignore)
    : seed_(seed), s_(scenario), ignore_(ignore), monitor_(new Monitor(rulesFor(scenario, ignore))) {
    forger_ = std::make_unique<Forger>(Random(seed, "forger"), s_);
    for (unsigned e : {0, 1}) {
        Side& side = side_[e];
        const unsigned there = s_.info[1 - e].dataBytes;
        side.link = make(e);
        side.phyRandom = Random(seed, e ? "phy B" : "phy A");
        side.phyReady = s_.phy[e].ready;
        side.source = std::make_unique<Source>(seed, e, s_.traffic[e], s_.info[e].dataBytes);
        side.sink = std::make_unique<Sink>(Random(seed, e ? "sink B" : "sink A"), s_.user[e]);
        side.way =
            std::make_unique<Channel>(Random(seed, e ? "way B" : "way A"), s_.way[e], s_.info[e].dataBytes, there);
        side.book = std::make_unique<PacketBook>(e, s_.arq[1 - e].inOrder && s_.steadyOrder, s_.info[0].packetCrc);
        code_[e] = s_.code[e], arq_[e] = s_.arq[e], timers_[e] = s_.timers[e];

        side.source->begun = [this, e] { side_[e].packetLife = side_[e].restarting ? 0 : monitor_->lifeId(e); };
        side.source->accepted = [this, e](Bytes bytes, uint64_t clock) {
            side_[e].book->accepted(std::move(bytes), clock, side_[e].packetLife);
        };
        side.sink->delivered = [this, e](const Bytes& bytes, uint64_t clock, bool cut) {
            if (cut)
                ++side_[e].cutPackets;
            else
                side_[1 - e].book->delivered(bytes, clock), monitor_->delivered(1 - e);
        };
        side.way->arrived = [this, e](const Carried& unit, uint64_t clock, bool whole) {
            if (!whole)
                side_[1 - e].ragged = true;
            else
                monitor_->arrived(1 - e, unit.bytes, unit.flagged, unit.life, clock);
        };
        side.way->fresh = [this, e](const Carried& unit) {
            const uint64_t quarter = std::min(s_.info[0].window, s_.info[1].window) / 4;
            return unit.life == monitor_->lifeId(e) && monitor_->fits(1 - e, unit.bytes) &&
                   monitor_->tsnCount(0) <= unit.mark[0] + quarter && monitor_->tsnCount(1) <= unit.mark[1] + quarter;
        };
    }
}

void Run::drivePhy(Side& side, unsigned e) {
    const bool stalls =
        now_ % s_.pace[e] || now_ < side.phyStopped || (side.phyReady < 1 && !side.phyRandom.chance(side.phyReady));
    side.in.phyOutReady = !stalls && side.way->ready(now_);
    side_[1 - e].way->drive(side.in, now_);
}

void Run::notePhy(Side& side, unsigned e) {
    side_[1 - e].way->note(side.in, now_);
    if (side.restarting && side.in.phyOutReady) ++side.sinceRestart;
    if (!side.in.resetn || !side.out.phy.valid || !side.in.phyOutReady) return;
    if (side.unit.empty()) {
        side.unitBegin = now_;
        side.unitSinceRestart = side.restarting ? side.sinceRestart : 0;
    }
    side.unit.insert(side.unit.end(), side.out.phy.data, side.out.phy.data + s_.info[e].dataBytes);
    if (side.unit.size() > 5000)
        throw Failure("bad-unit", format("clock %llu: a unit of %s has no end", ull(now_), endName(e)));
    if (side.out.phy.user)
        throw Failure("bad-unit", format("clock %llu: %s sets tuser to the PHY", ull(now_), endName(e)));
    if (!side.out.phy.last) return;
    monitor_->sent(e, side.unit, side.unitBegin, now_, side.unitSinceRestart);
    if (side.restarting && monitor_->lifeId(e) != side.lifeAtRestart) side.restarting = false;
    noteLife(e);
    side.way->send(
        {std::move(side.unit), false, false, monitor_->lifeId(e), {monitor_->tsnCount(0), monitor_->tsnCount(1)}},
        now_);
    side.unit.clear();
}

void Run::clock() {
    for (unsigned e : {0, 1}) {
        Side& side = side_[e];
        side.bus.drive(side.in);
        side.source->drive(side.in, now_);
        side.sink->drive(side.in, now_);
        drivePhy(side, e);
    }
    for (Side& side : side_) side.link->clock(side.in, side.out);
    for (unsigned e : {0, 1}) {
        Side& side = side_[e];
        monitor_->clock(e, side.in.phyUp, side.in.phyOutReady && side.in.resetn, now_);
        if (const char* text = side.link->stopped())
            throw Failure("assertion", format("clock %llu, end %s: ", ull(now_), endName(e)) + text);
        if (!side.out.phyReady && side.in.resetn)
            throw Failure("phy-ready", format("clock %llu: %s does not take a beat of the PHY", ull(now_), endName(e)));
        side.bus.note(side.in, side.out);
        side.source->note(side.in, side.out, now_);
        side.sink->note(side.in, side.out, now_);
        notePhy(side, e);
    }
    ++now_;
}

void Run::finishAccesses() {
    while (!side_[0].bus.idle() || !side_[1].bus.idle()) clock();
}

void Run::writeCode(unsigned e, const Code& code, const Arq& arq) {
    code_[e] = code, arq_[e] = arq;
    monitor_->kChanges(e, code.k);
    monitor_->deltaChanges(e, arq.delta);
    AxiMaster& bus = side_[e].bus;
    bus.write(ARQLINK_CODE_OFFSET, code.k << ARQLINK_CODE_K_SHIFT | code.nFirst << ARQLINK_CODE_N_FIRST_SHIFT |
                                       code.nRetx << ARQLINK_CODE_N_RETX_SHIFT |
                                       code.preset << ARQLINK_CODE_PRESET_SHIFT);
    bus.write(ARQLINK_ARQ_OFFSET, arq.delta << ARQLINK_ARQ_DELTA_SHIFT |
                                      unsigned(arq.inOrder) << ARQLINK_ARQ_ORD_SHIFT |
                                      unsigned(arq.freeze) << ARQLINK_ARQ_OUTAGE_FREEZE_SHIFT);
    bus.write(ARQLINK_APPLY_OFFSET, 1, [this, e, arq](uint32_t) { monitor_->deltaIs(e, arq.delta); });
}

void Run::writeTimers(unsigned e, const Timers& timers) {
    timers_[e] = timers;
    monitor_->timersChange(e, timers);
    AxiMaster& bus = side_[e].bus;
    bus.write(ARQLINK_POLL_TIMEOUT_OFFSET, timers.poll);
    bus.write(ARQLINK_HELLO_INTERVAL_OFFSET, timers.hello);
    bus.write(ARQLINK_KEEPALIVE_OFFSET, timers.keepalive);
    bus.write(ARQLINK_OUTAGE_TIMEOUT_OFFSET, timers.outage);
    bus.write(ARQLINK_STATUS_INTERVAL_OFFSET, timers.status,
              [this, e, timers](uint32_t) { monitor_->timersAre(e, timers); });
}

/// All registers of an end that has left reset; packets wait until they hold.
void Run::configure(unsigned e, const Timers& timers) {
    Side& side = side_[e];
    writeTimers(e, timers);
    writeCode(e, code_[e], arq_[e]);
    side.enabled = true;
    side.bus.write(ARQLINK_CTRL_OFFSET, ARQLINK_CTRL_ENABLE_MASK, [this, e](uint32_t) {
        if (s_.traffic[e].any && !healed_) side_[e].source->start();
    });
}

/// From now on no unit of the present life may begin, but for what is under way.
void Run::armRestart(unsigned e) {
    Side& side = side_[e];
    if (side.restarting || monitor_->broken(e)) monitor_->restartedAgain(e);
    ++side.causes;
    monitor_->restarts(e);
    if (!side.restarting) side.sinceRestart = 0, side.lifeAtRestart = monitor_->lifeId(e);
    side.restarting = side.wasRestarted = true;
}

void Run::act(const Event& event) {
    const unsigned e = event.end;
    Side& side = side_[e];
    switch (event.kind) {
    case EventKind::restart:
        if (side.enabled)
            side.bus.write(ARQLINK_CTRL_OFFSET, ARQLINK_CTRL_ENABLE_MASK | ARQLINK_CTRL_RESTART_MASK,
                           [this, e](uint32_t) { armRestart(e); });
        break;
    case EventKind::disable:
        side.enabled = false;
        side.bus.write(ARQLINK_CTRL_OFFSET, 0, [this, e](uint32_t) { armRestart(e); });
        break;
    case EventKind::enable:
        side.enabled = true;
        side.bus.write(ARQLINK_CTRL_OFFSET, ARQLINK_CTRL_ENABLE_MASK);
        break;
    case EventKind::resetLow:
        side.in.resetn = false;
        side.wasReset = true;
        ++side.causes;
        side.restarting = true;  // what is accepted until a unit of the new life is seen may be lost
        side.sinceRestart = 0;
        side.lifeAtRestart = monitor_->lifeId(e);
        side.bus.clear();
        side.source->stop();
        side.source->drop();
        side.source->clearCounts();
        side.sink->drop();
        monitor_->reset(e);
        if (!side.unit.empty()) side.way->send({std::move(side.unit), false, false, 0, {0, 0}}, now_);
        side.unit.clear();
        break;
    case EventKind::resetHigh:
        if (side.in.resetn) break;
        side.in.resetn = true;
        configure(e, timers_[e]);
        break;
    case EventKind::phyDown: side.in.phyUp = false; break;
    case EventKind::phyUp: side.in.phyUp = true; break;
    case EventKind::darkControl:
    case EventKind::darkData:
    case EventKind::darkAll: side.way->dark(event.kind, now_ + event.value); break;
    case EventKind::stopUser: side.sink->stopUntil(now_ + event.value); break;
    case EventKind::stopPhy: side.phyStopped = std::max(side.phyStopped, now_ + event.value); break;
    case EventKind::code: writeCode(e, event.code, arq_[e]); break;
    case EventKind::arq: writeCode(e, code_[e], event.arq); break;
    case EventKind::timers: writeTimers(e, event.timers); break;
    case EventKind::forge: shoot(e, static_cast<unsigned>(event.value)); break;
    }
}

void Run::chaos() {
    const uint64_t start = now_;
    size_t next = 0;
    while (now_ < start + s_.chaosClocks) {
        while (next < s_.events.size() && start + s_.events[next].clock <= now_) act(s_.events[next++]);
        clock();
        const bool late =
            s_.clean && now_ > start + restartClocks() && monitor_->lives(0) < 2 && monitor_->lives(1) < 2;
        if (late && !(monitor_->spokeUp(0) && monitor_->spokeUp(1)))
            throw Failure("slow-start", format("clock %llu: the link does not come up on a clean channel", ull(now_)));
    }
    // What has begun ends: what was held low is let go.
    for (unsigned e : {0, 1}) {
        Side& side = side_[e];
        side.in.phyUp = true;
        if (!side.in.resetn) side.in.resetn = true, configure(e, timers_[e]);
        if (!side.enabled) act({0, EventKind::enable, e, 0, {}, {}, {}});
    }
}

void Run::phases() {
    for (Side& side : side_) {
        side.source->stop();
        side.in.resetn = false;
        monitor_->reset(side.link == side_[0].link ? 0 : 1);
    }
    clocks(resetClocks);
    side_[0].in.resetn = true;
    configure(0, s_.timers[0]);
    clocks(s_.skew);
    side_[1].in.resetn = true;
    configure(1, s_.timers[1]);
    if (s_.flow.roundTrip) {
        flow_ = measureFlow();
        return;
    }
    chaos();
    if (s_.forged) {
        if (s_.forgeIdle) heal(), shoot(s_.forgeEnd, s_.forged);
        recover();
        return;
    }
    heal();
    books();
    if (s_.restartAtEnd) restartOnce();
}

Outcome Run::run() {
    Outcome outcome;
    const auto fail = [&](const std::string& kind, const std::string& text) {
        const bool known = ignore_.count(kind);
        outcome.kind = known ? "" : kind;
        outcome.text = (known ? "known, " + kind + ": " : "") + text;
        // A report is one line, whatever a model has printed.
        std::replace(outcome.text.begin(), outcome.text.end(), '\n', ' ');
    };
    try {
        phases();
    } catch (const Failure& failure) {
        fail(failure.kind, failure.what());
    } catch (const AccessError& error) {
        fail("axi", error.what());
    }
    if (outcome.kind.empty() && !silentLoss_.empty()) outcome.text = silentLoss_ + "; forged" + forger_->text();
    outcome.flow = flow_;
    outcome.recovery = recovery_;
    outcome.clocks = now_;
    outcome.units = monitor_->units();
    outcome.lives = monitor_->lives(0) + monitor_->lives(1);
    outcome.digest = monitor_->digest();
    for (unsigned e : {0, 1}) {
        outcome.packets += side_[e].book->deliveredCount();
        outcome.transmissions[e] = monitor_->tsnCount(e);
        outcome.frames[e] = monitor_->life(e) ? monitor_->life(e)->frames.size() : 0;
        outcome.polls += monitor_->tally(e).polls;
        outcome.earlyPolls += monitor_->tally(e).earlyPolls;
        outcome.lost += side_[e].way->lost();
    }
    return outcome;
}

}  // namespace campaign
