// SPDX-License-Identifier: Apache-2.0
// Rules that demand: what has to leave an end by now, as far as the units that left it and came to it tell. README.md has the bounds.
#include <algorithm>

#include "failure.h"
#include "monitor.h"

namespace campaign {
namespace {

using ull = unsigned long long;

/// Turns of the ring that are counted too early, at most: what comes shows them before they are.
constexpr int64_t turnsAhead = 3;

uint64_t latest(std::initializer_list<uint64_t> clocks) { return std::max(clocks); }

}  // namespace

void Monitor::late(Demand& demand, bool wanted, uint64_t dueAt, const char* kind, const Life& life, const char* what) {
    const unsigned e = life.end;
    if (!demand.isLate(wanted, dueAt, clock_, beats_[e], line_[e]) || rules_.ignore.count(kind)) return;
    const Due& d = due_[e];
    fail(kind, life,
         format("%s; due since clock %llu at the latest, the last unit began at %llu, the last poll at %llu; "
                "POLL_TIMEOUT %u, "
                "KEEPALIVE %u, STATUS_INTERVAL %u",
                what, ull(dueAt), ull(d.lastBegin), ull(d.lastPoll), timers_[e].poll, timers_[e].keepalive,
                timers_[e].status));
}

void Monitor::demand(unsigned e) {
    if (!life_[e] || due_[e].leaves || afterReset_[e] || !due_[e].since) return;
    Life& life = *life_[e];
    Due& d = due_[e];
    const uint64_t reacts = reaction(e);
    demandHello(life);
    late(d.reply, life.spokeUp && d.pollCame, d.pollCame + reacts, "late-reply", life, "a poll has no answer");
    if (!life.spokeUp) return;
    late(d.keepalive, timersKnown_[e], latest({d.lastEnd, written_[e]}) + timers_[e].keepalive + reacts,
         "late-keepalive", life, "nothing leaves for KEEPALIVE, and then no keep-alive");
    demandPolls(life);
    if (outages_[e].isPossible()) return;
    demandReports(life);
    demandTurns(life);
    giveUp(life);
    const Heard& heard = life.heard[life.peer->id];
    const bool waits = noticesWait(life, d.resolved, d.newestAnnounced);
    late(d.abandon, !waits && d.givenUp > std::max(d.scanned, heard.rxBase),
         latest({d.lastFeedback, d.lastOutage}) + intake(e), "late-notice", life,
         "a frame has to be abandoned, and txBase does not pass it");
    late(d.notice, (d.notices || (d.noticeOwed && !waits)) && d.abandoned > heard.rxBase,
         latest({d.noticeAt, d.lastFeedback, d.lastOutage}) + intake(e), "late-notice", life,
         "three control units with notice of an abandoned frame are due");
}

/// Frames that are acknowledged or have to be abandoned, as their last try has failed, without a hole.
void Monitor::giveUp(Life& life) {
    Due& d = due_[life.end];
    for (; d.resolved < static_cast<int64_t>(life.frames.size()); ++d.resolved) {
        const SentFrame& f = life.frames[d.resolved];
        if (f.acked) continue;
        const Transmission& last = life.transmissions[f.lastTsn];
        if (last.reported != 1 || !last.isLast) return;
        d.givenUp = d.resolved + 1;
    }
}

void Monitor::demandHello(Life& life) {
    const unsigned e = life.end;
    Due& d = due_[e];
    const bool greets = !life.spokeUp && !life.upFrom && timersKnown_[e];
    late(d.hello, greets, latest({d.lastEnd, written_[e]}) + timers_[e].hello + reaction(e), "hello-pace", life,
         "no hello leaves for HELLO_INTERVAL");
    late(d.answer, d.helloCame, d.helloCame + reaction(e), "late-answer", life, "a hello has no answer");
}

void Monitor::demandReports(Life& life) {
    const unsigned e = life.end;
    Due& d = due_[e];
    const uint64_t reacts = reaction(e), since = latest({d.settled, d.upSince, d.lastOutage, written_[e]});
    late(d.status, timersKnown_[e] && d.movedAt, latest({d.movedAt, since + timers_[e].status}) + reacts, "late-report",
         life, "an outcome is not reported");
    late(d.many, d.manyAt, latest({d.manyAt, d.lastOutage}) + reacts, "late-report", life,
         "16 outcomes are not reported");
    freed(life);
    late(d.credit, d.freedAt, latest({d.freedAt, d.lastOutage}) + reacts, "late-credit", life,
         "rxBase has moved by a quarter of the window");
    const auto& sent = life.transmissions;
    const bool rests = !sent.empty() && sent.back().sent == sent.back().n;
    late(d.tail, rests && d.saidEdge < life.full && d.known < life.full,
         latest({d.lastData, d.lastFeedback, d.lastOutage}) + intake(e), "late-tail", life,
         "nothing is sent, and no control unit closes the last transmission");
}

/// Packets that have come out have left the store: rxBase is past their frames.
void Monitor::freed(Life& life) {
    const unsigned e = life.end;
    Due& d = due_[e];
    if (!rules_.ordered[1 - e] || restarted() || !life.peer) return;
    const auto& frames = life.peer->frames;
    for (; d.packets < delivered_[1 - e] && d.freed < static_cast<int64_t>(frames.size()); ++d.freed)
        d.packets += frames[d.freed].eop;
    if (d.freed - d.credited < static_cast<int64_t>(rules_.info[e].window / 4))
        d.freedAt = 0;
    else if (!d.freedAt)
        d.freedAt = clock_;
}

/// The rows of "Sender" 6 of docs/architecture.md, and what "Link" says of polls. POLL_TIMEOUT runs freely: what is so in one of its periods is seen
/// as it ends, and what is so for a whole one as the next one ends.
void Monitor::demandPolls(Life& life) {
    const unsigned e = life.end;
    Due& d = due_[e];
    const Outages& outages = outages_[e];
    const uint64_t reacts = reaction(e), takes = intake(e), poll = timers_[e].poll;
    const Heard* heard = life.peer ? &life.heard[life.peer->id] : nullptr;
    const uint64_t heardUp = heard ? heard->upClock : 0;
    // From then on the timer has run.
    const uint64_t runs = latest({d.lastOutage, written_[e], heardUp, d.upSince});
    const bool isUp = timersKnown_[e] && !outages.isPossible();
    late(d.first, isUp && !life.upFrom && !d.polls, latest({d.upSince, d.lastOutage}) + reacts, "late-poll", life,
         "the link comes up without a poll");
    late(d.unseen, isUp && !life.upFrom, latest({runs, d.lastPoll}) + poll + reacts, "late-poll", life,
         "the peer was not seen up, and is not polled");
    late(d.deaf, timersKnown_[e] && outages.peerIsDeaf() && !outages.mayBeDeaf(),
         latest({d.lastOther, written_[e], d.lastPoll}) + poll + reacts, "late-poll", life,
         "the peer says that it is deaf, and is not polled");
    late(d.outageEnd, isUp && d.endPolls && d.lastPoll < d.outageFell, d.outageEnds + reacts, "late-poll", life,
         "an outage has ended without a poll");
    if (!heard || !life.upFrom) return;
    const bool isOpen = d.known < life.full || heard->rxBase < static_cast<int64_t>(life.frames.size());
    late(d.progress, isUp && isOpen,
         latest({latest({runs, d.lastProgress + takes}) + poll, d.openSince, d.lastPoll}) + poll + reacts, "late-poll",
         life, "outcomes are missing or frames not confirmed, and nothing moves");
    late(d.confirm, isUp && d.abandoned > heard->rxBase, latest({runs, d.abandonedAt, d.lastPoll}) + poll + reacts,
         "late-poll", life, "an abandoned frame is not confirmed");
}

/// Of the ring of older outcomes. An end that keeps one block has none.
int64_t Monitor::places(unsigned e) const {
    const unsigned window = std::min(rules_.info[0].window, rules_.info[1].window);
    return rules_.info[e].window <= 32 ? 0 : std::max<int64_t>(1, window / Ring::pairBits);
}

/// A round reports all pairs that the peer lacks, and as rxNext moves they take turns. What waits leaves once the PHY has taken so many beats: then turns
/// up to what had come before are over.
void Monitor::demandTurns(Life& life) {
    const unsigned e = life.end;
    Due& d = due_[e];
    Ring& ring = d.ring;
    if (!life.peer || !places(e)) return;
    const Heard& heard = life.heard[life.peer->id];
    const int64_t step = heard.closed / Ring::step;
    if (d.lastOutage >= ring.from) {
        ring.owed.clear(), ring.lackedAt.clear();
        ring.from = clock_, ring.beats = beats_[e], ring.counted = ring.seen = step;
        return;
    }
    ring.passOver(std::max(heard.tsnEnd, heard.txEdge) / Ring::pairBits - places(e));
    const uint64_t waits = Ring::pace + reaction(e) + passesOver(e);
    late(d.round, !ring.owed.empty(), ring.owedAt + waits, "late-round", life,
         "a reply's round does not report a pair that the peer lacks");
    const uint64_t passed = beats_[e] - ring.beats;
    if (passed <= waits) ring.seen = step;
    if (passed > waits + line_[e]) countTurn(life, ring.seen, ring.seen > ring.counted);
}

/// Turns up to step `upTo` of rxNext are over, and it is certain that there was one if `isOver`.
void Monitor::countTurn(Life& life, int64_t upTo, bool isOver) {
    const unsigned e = life.end;
    Ring& ring = due_[e].ring;
    const Heard& heard = life.heard[life.peer->id];
    ring.turns += isOver;
    ring.from = clock_, ring.beats = beats_[e], ring.counted = ring.seen = upTo;
    const int64_t end = life.rxNext / Ring::pairBits;
    // Early turns go by, too: at most two of three.
    const int64_t most = places(e) > Ring::early ? 3 * places(e) : places(e) + turnsAhead;
    for (int64_t pair = std::max({int64_t{0}, end - places(e), Ring::known(heard.ackTsn, life.rxNext)}); pair < end;
         ++pair) {
        const int64_t since = ring.lackedAt.emplace(pair, ring.turns).first->second;
        if (ring.turns > since + most && !rules_.ignore.count("late-turn"))
            fail("late-turn", life,
                 format("%lld turns, and none of the pair from TSN %lld on, which the peer lacks: its ackTsn is %lld, "
                        "rxNext %lld",
                        static_cast<long long>(ring.turns - since), static_cast<long long>(pair * Ring::pairBits),
                        static_cast<long long>(heard.ackTsn), static_cast<long long>(life.rxNext)));
    }
}

}  // namespace campaign
