// SPDX-License-Identifier: Apache-2.0
// What the rules that demand take from each unit, and what a unit must not be, nor lack, when it leaves.
#include <algorithm>

#include "failure.h"
#include "monitor.h"

namespace campaign {
namespace {

using ull = unsigned long long;
using ll = long long;

/// Clocks from a timer's write or a message's composition to the port, at most.
constexpr uint64_t portLatency = 40;

bool isOlder(int64_t base, int64_t rxNext) { return base < (rxNext / 32 - 1) * 32; }

}  // namespace

// Lives, timers and outages -----------------------------------------------------------------------------------------------------------

void Monitor::restarts(unsigned end) {
    due_[end].leaves = true;
    outages_[end].restarts(clock_);
}

void Monitor::timersChange(unsigned end, const Timers& timers) {
    timersKnown_[end] = false;
    outages_[end].timerChanges(timers.outage);
}

void Monitor::timersAre(unsigned end, const Timers& timers) {
    timers_[end] = timers;
    timersKnown_[end] = true;
    written_[end] = clock_;
    outages_[end].timerIs(timers.outage, clock_);
}

void Monitor::outageClock(unsigned e, bool phyUp) {
    Outages& outages = outages_[e];
    const bool wasCertain = outages.isCertain(), wasPossible = outages.isPossible();
    outages.clock(clock_, phyUp);
    if (!wasPossible && !outages.isPossible()) return;
    Due& d = due_[e];
    const auto sent = static_cast<int64_t>(life_[e] ? life_[e]->transmissions.size() : 0);
    if (outages.isCertain()) {
        if (!wasCertain) d.inOutage = sent;
        d.sparing = sent;
        d.wasCertain = true;
    }
    if (wasCertain && !outages.isCertain()) d.outageFell = clock_;
    if (outages.isPossible()) {
        d.lastOutage = clock_;
        d.ring.left.clear(), d.ring.heldAt = beats_[e];  // what waits does not leave
        d.edgeMost = sent + chosenAhead(e);
        if (!outages.peerIsDeaf() || outages.mayBeDeaf()) d.lastOther = clock_;
    } else if (d.wasCertain) {
        d.edgeLeast = d.sparing;
        d.outageEnds = clock_;
        d.endPolls = true, d.wasCertain = false;
    }
}

// Units that leave --------------------------------------------------------------------------------------------------------------------

void Monitor::noteSent(Life& life, const Unit& unit, uint64_t begin) {
    const unsigned e = life.end;
    Due& d = due_[e];
    if (!d.since) d.since = clock_;
    if (unit.isData()) {
        d.lastData = clock_;
        d.earlyPoll.clear();
        const bool begins = unit.data.index == 0,
                   alone = life.full + 1 >= static_cast<int64_t>(life.transmissions.size());
        if (begins && alone && d.known + 1 >= static_cast<int64_t>(life.transmissions.size())) d.openSince = clock_;
    } else {
        if (!d.earlyPoll.empty()) fail("early-keepalive", life, d.earlyPoll);
        if (begin > d.helloCame) d.helloCame = 0;
        if (unit.control.hello)
            noteHello(life, begin);
        else
            noteControl(life, unit.control, begin);
        d.beforeLast = staysInside(e) ? d.lastControl : begin;
        d.lastControl = begin;
    }
    if (life.spokeUp && !d.upSince) {
        d.upSince = begin;
        outages_[e].isUp(begin);
    }
    d.entered = staysInside(e) ? d.lastBegin : begin;
    d.lastBegin = begin, d.lastEnd = clock_;
}

/// A unit begins before a timer has run from `since`, or from its last write. What was composed before that write is not judged.
bool Monitor::isEarly(unsigned e, uint64_t begin, uint64_t since, uint64_t timer) const {
    return begin > written_[e] + portLatency && begin + portLatency < std::max(since, written_[e]) + timer;
}

/// A hello leaves each HELLO_INTERVAL, and for a hello that has come. The first one of a life may have waited for two units of the life before.
void Monitor::noteHello(Life& life, uint64_t begin) {
    const unsigned e = life.end;
    Due& d = due_[e];
    const bool hasWaited = d.hellos++ == 1 && lives(e) > 1;
    const uint64_t wait = hasWaited ? 2 * uint64_t(rules_.info[e].unitClocks()) : 0;
    const bool answers = helloCame_[e] && helloCame_[e] + reaction(e) >= d.lastBegin;
    if (!d.lastBegin || answers || !timersKnown_[e] || !rules_.flows[e] || d.leaves) return;
    if (isEarly(e, begin, d.lastBegin - std::min(wait, d.lastBegin), timers_[e].hello) &&
        !rules_.ignore.count("hello-pace"))
        fail("hello-pace", life,
             format("a hello leaves %llu clocks after the one before, and none has come; HELLO_INTERVAL %u",
                    ull(begin - d.lastBegin), timers_[e].hello));
}

void Monitor::noteControl(Life& life, const ControlUnit& u, uint64_t begin) {
    Due& d = due_[life.end];
    const int64_t base = unwrap(u.bitmapBase, life.rxNext);
    noteNotice(life, u, begin);
    noteSkips(life);
    if (life.txBase >= d.againMost && d.certainFrom == INT64_MAX)
        d.certainFrom = tsnCount(life.end) + chosenAhead(life.end);
    noteMoment(life, true);
    if (u.reply) noteReply(life, begin), noteRound(life);
    if (u.poll) {
        noteKeepalive(life, begin);
        ++d.polls;
        d.lastPoll = begin;
    }
    d.credited = life.rxBase, d.freedAt = 0;
    d.saidEdge = life.txEdge;
    if (isOlder(base, life.rxNext)) return noteOlder(life, base, begin);
    d.reported = life.rxNext, d.settled = clock_;
    const int64_t left = life.heard[life.peer->id].closed - d.reported;
    d.movedAt = left > 0 ? clock_ : 0;
    d.manyAt = left >= 16 ? clock_ : 0;
}

/// A pair may have had its turn when the report before it left, or earlier if control units could not leave, or the PHY took nothing.
void Monitor::noteMoment(Life& life, bool leaves) {
    Ring& ring = due_[life.end].ring;
    ring.past.push_back({clock_, beats_[life.end], life.heard[life.peer->id].ackTsn, life.rxNext});
    if (leaves) ring.left.push_back(clock_);
    if (ring.left.size() > Ring::remembered) ring.left.pop_front();
    const uint64_t within = 3 * Ring::pace + settles + line_[life.end];
    while (ring.past.size() > 1 && ring.left.size() == Ring::remembered && ring.past[1].clock <= ring.left.front() &&
           std::max(ring.past[1].beats, ring.heldAt) + within <= beats_[life.end])
        ring.past.pop_front();
}

/// Older outcomes leave: those of a pair that is in the ring, that the peer may lack, and that had its turn.
void Monitor::noteOlder(Life& life, int64_t base, uint64_t begin) {
    const unsigned e = life.end;
    Ring& ring = due_[e].ring;
    const int64_t pair = base / Ring::pairBits, step = life.rxNext / Ring::step;
    const uint64_t waits = portLatency + 2 * rules_.info[e].unitClocks() + rules_.info[e].controlClocks();
    int64_t ackTsn = life.heard[life.peer->id].ackTsn, rxNext = life.rxNext;
    for (const Ring::Moment& m : ring.past) ackTsn = std::min(ackTsn, m.ackTsn), rxNext = std::min(rxNext, m.rxNext);
    const auto wrong = [&](const char* kind, const char* what) {
        if (!rules_.ignore.count(kind))
            fail(kind, life,
                 format("%s: bitmapBase %lld, rxNext %lld, ackTsn %lld of the peer, %lld places", what, ll(base),
                        ll(life.rxNext), ll(ackTsn), ll(places(e))));
    };
    const bool isInside = base >= 0 && base % Ring::pairBits == 0 && pair < life.rxNext / Ring::pairBits &&
                          pair >= rxNext / Ring::pairBits - places(e);
    if (!isInside || !places(e)) wrong("older-outside", "older outcomes that are no pair of the ring");
    if (pair < Ring::known(ackTsn, life.rxNext)) wrong("older-known", "older outcomes that the peer knows");
    if (ring.lastBegin && rules_.flows[e] && begin + waits < ring.lastBegin + Ring::pace)
        wrong("older-pace", "older outcomes follow others too soon");
    if (step > ring.turned)  // one more if it was composed as rxNext moved
        ring.turned = std::max(step - Ring::behind - 1, ring.turned + 1);
    else if (--ring.inRound < 0)
        wrong("older-without-turn", "older outcomes, and neither has rxNext moved nor a round begun");
    ring.lastBegin = begin;
    ring.owed.erase(pair);
    ring.owedAt = clock_;
    ring.lackedAt.erase(pair);
    countTurn(life, life.heard[life.peer->id].closed / Ring::step, true);
}

/// A round follows a reply; what waits comes before it.
void Monitor::noteRound(Life& life) {
    const unsigned e = life.end;
    Ring& ring = due_[e].ring;
    ring.inRound = places(e) + std::min(ring.inRound, Ring::behind);
    if (ring.owed.empty()) ring.owedAt = clock_;
    const int64_t end = life.rxNext / Ring::pairBits;
    for (int64_t pair =
             std::max({int64_t{0}, end - places(e), Ring::known(life.heard[life.peer->id].ackTsn, life.rxNext)});
         pair < end; ++pair)
        ring.owed.insert(pair);
    ring.lackedAt.clear();
}

/// A reply answers all polls that had come when it was composed: no sooner than the control unit before it began.
void Monitor::noteReply(Life& life, uint64_t begin) {
    Due& d = due_[life.end];
    auto& asked = life.heard[life.peer->id].asked;
    if (asked.empty()) {
        if (rules_.ignore.count("reply-without-poll")) return;
        fail("reply-without-poll", life, "an answer leaves, and each poll has its answer");
    }
    asked.pop_front();
    while (!asked.empty() && asked.front().second + reaction(life.end) < d.beforeLast) asked.pop_front();
    if (begin > d.pollCame) d.pollCame = asked.empty() || asked.back().second < begin ? 0 : asked.back().second;
}

/// The newest frame says that those below it which are not complete are abandoned: its first transmission is of type 2, and `base` has not passed it.
bool Monitor::noticesWait(const Life& life, int64_t base, bool newestAnnounced) {
    return newestAnnounced && base < static_cast<int64_t>(life.frames.size());
}

/// What txBase has passed and the peer has not acknowledged is abandoned. Each control unit gives notice of it until the peer's rxBase has passed it, and
/// three do so at once, unless a frame behind it says the same.
void Monitor::noteNotice(Life& life, const ControlUnit& u, uint64_t begin) {
    const unsigned e = life.end;
    Due& d = due_[e];
    const Heard& heard = life.heard[life.peer->id];
    if (d.notices) --d.notices, d.noticeAt = clock_;
    for (; d.scanned < life.txBase; ++d.scanned) {
        const SentFrame& f = life.frames[d.scanned];
        if (f.acked) continue;
        const Transmission& last = life.transmissions[f.lastTsn];
        if (last.spared && !rules_.ignore.count("freeze"))
            fail("freeze", life,
                 format("FSN %lld is abandoned; TSN %lld failed in an outage, and does not count", ll(d.scanned),
                        ll(f.lastTsn)));
        d.abandoned = d.scanned + 1, d.abandonedAt = clock_;
        const bool isConfirmed = heard.rxBase >= d.abandoned;
        d.confirmedAt = isConfirmed ? clock_ : 0;
        d.noticeOwed |= !isConfirmed;
    }
    if (d.noticeOwed && !noticesWait(life, life.txBase, d.newestAnnounced))
        d.noticeOwed = false, d.notices = 2, d.noticeAt = clock_;
    if (d.abandoned <= heard.rxBase) d.noticeOwed = false;
    if (d.abandoned > heard.rxBase && !u.abandons && !rules_.ignore.count("late-notice"))
        fail("late-notice", life,
             format("a control unit without notice of FSN %lld, which is abandoned; the peer's rxBase is %lld",
                    ll(d.abandoned - 1), ll(heard.rxBase)));
    const bool wasConfirmed = !d.abandoned || (d.confirmedAt && d.confirmedAt + intake(e) < d.beforeLast);
    if (u.abandons && d.abandoned <= heard.rxBase && wasConfirmed && begin &&
        !rules_.ignore.count("notice-without-cause"))
        fail("notice-without-cause", life,
             format("notice of an abandoned frame; the peer's rxBase is %lld, the last such frame %lld",
                    ll(heard.rxBase), ll(d.abandoned - 1)));
}

/// rxBase does not stand at a frame of which the last units have shown that it is not sent again.
void Monitor::noteSkips(Life& life) {
    const unsigned e = life.end;
    Due& d = due_[e];
    const auto& frames = life.peer->frames;
    if (life.rxBase != d.standsAt) d.standsAt = life.rxBase, d.standsSince = clock_;
    if (!rules_.reads[e] || d.standsAt >= static_cast<int64_t>(frames.size())) return;
    const SentFrame& f = frames[d.standsAt];
    const uint64_t reads = 4 * rules_.info[e].maxPacketBytes / rules_.info[e].dataBytes;
    if (f.deadAt && f.completeTsn < 0 && std::max(f.deadAt, d.standsSince) + intake(e) + reads < d.beforeLast &&
        !rules_.ignore.count("late-skip"))
        fail("late-skip", life,
             format("rxBase stands at FSN %lld, which has not been sent again since its last try failed at clock %llu",
                    ll(d.standsAt), ull(f.deadAt)));
}

/// Where nothing is open, an end polls after KEEPALIVE without a unit, and no sooner: a frame that was chosen is open, and leaves next.
void Monitor::noteKeepalive(Life& life, uint64_t begin) {
    const unsigned e = life.end;
    Due& d = due_[e];
    const auto found = life.peer ? life.heard.find(life.peer->id) : life.heard.end();
    if (!timersKnown_[e] || !rules_.flows[e] || found == life.heard.end() || !found->second.up || d.leaves) return;
    const Heard& heard = found->second;
    if (d.known < static_cast<int64_t>(life.transmissions.size()) ||
        heard.rxBase < static_cast<int64_t>(life.frames.size()))
        return;
    const uint64_t since = std::max(
        {heard.progressClock, heard.upClock, d.lastProgress, d.lastData, d.lastOutage, d.upSince, d.confirmedAt});
    if (outages_[e].isPossible() || begin < since + intake(e) + line_[e]) return;
    if (isEarly(e, begin, d.entered, timers_[e].keepalive) && !rules_.ignore.count("early-keepalive"))
        d.earlyPoll = format(
            "a poll left %llu clocks after the unit before and %llu after the last write of a timer; nothing "
            "was open, KEEPALIVE is %u",
            ull(begin - d.lastBegin), ull(begin - written_[e]), timers_[e].keepalive);
}

/// Frames that were chosen before an outage still leave, and no others.
void Monitor::noteBegin(Life& life, int64_t tsn) {
    const unsigned e = life.end;
    if (outages_[e].isCertain() && tsn >= due_[e].inOutage + chosenAhead(e) && !rules_.ignore.count("outage-data"))
        fail("outage-data", life, format("TSN %lld begins in an outage", ll(tsn)));
}

/// Frame `f` is sent again by `t`. A failed transmission that was sent before an outage ended leaves the attempt as it is, and no other one does.
void Monitor::noteAttempt(Life& life, const SentFrame& f, const Transmission& t) {
    const unsigned e = life.end;
    const Transmission& last = life.transmissions[f.lastTsn];
    const bool same = t.attempt == f.attempt;
    if (same) ++(t.attempt < 15 ? tally_[e].spared : tally_[e].maySpare);
    if (rules_.ignore.count("freeze")) return;
    if (last.spared && !same)
        fail("freeze", life,
             format("TSN %lld failed in an outage, and its frame's attempt goes from %u to %u", ll(f.lastTsn),
                    f.attempt, t.attempt));
    if (same && t.attempt < 15 && (f.lastTsn >= due_[e].edgeMost || rules_.freeze[e] == 0))
        fail("freeze", life,
             format("TSN %lld failed, but not in an outage, and its frame's attempt stays %u", ll(f.lastTsn),
                    f.attempt));
}

// Units that come ---------------------------------------------------------------------------------------------------------------------

void Monitor::noteArrived(unsigned e, Life& from, const Unit& unit) {
    if (unit.isControl() && unit.control.hello) helloCame_[e] = clock_;
    if (!life_[e]) return;
    Life& life = *life_[e];
    Due& d = due_[e];
    const bool isData = unit.isData();
    const bool knows = isData || (unit.control.peerKnown && unit.control.peerEpoch == life.epoch);
    const Life* peer = life.spokeUp ? life.peer : life.upFrom;
    if (!isData && peer && peer != &from) return restarts(e);
    if (!isData && unit.control.hello) {
        // Of an end that is not up yet, another peer is the one it comes up with.
        if (d.greeter && d.greeter != from.id) restarts(e);
        d.greeter = from.id;
        if (knows) outages_[e].mayBeUp(clock_);
        outages_[e].heard(clock_, false, false);
        if (!d.helloCame) d.helloCame = clock_;
        return;
    }
    if (!knows || from.peer != &life) return;
    if (!isData) outages_[e].mayBeUp(clock_);
    outages_[e].heard(clock_, !isData, !isData && unit.control.deaf);
    Heard& heard = life.heard[from.id];
    if (isData) {
        const bool last = unit.data.index + 1 == unit.data.n;
        heard.closed = std::max(heard.closed, heard.tsnEnd - 1);
        if (last) heard.closed = std::max(heard.closed, unwrap(unit.data.tsn, heard.tsnEnd) + 1);
    } else {
        heard.closed = std::max(heard.closed, heard.txEdge);
        heard.ackTsn = unwrap(unit.control.ackTsn, heard.ackTsn);
        if (life.peer == &from) noteMoment(life, false);
        d.ring.passOver(Ring::known(heard.ackTsn, life.rxNext));
        if (unit.control.poll && !d.pollCame) d.pollCame = clock_;
    }
    const int64_t left = heard.closed - d.reported;
    if (left > 0 && !d.movedAt) d.movedAt = clock_;
    if (left >= 16 && !d.manyAt) d.manyAt = clock_;
}

/// Outcomes of this end's transmissions that a control unit brings; `moves`: it has moved rxBase.
void Monitor::noteFeedback(Life& life, const Heard& heard, const ControlUnit& u, bool moves) {
    const unsigned e = life.end;
    Due& d = due_[e];
    const int64_t rxNext = unwrap(u.rxNext, heard.rxNext), base = unwrap(u.bitmapBase, rxNext);
    const auto sent = static_cast<int64_t>(life.transmissions.size());
    const int64_t kept = rxNext - rules_.info[1 - e].window;
    for (int64_t tsn = std::max({base, kept, int64_t{0}}); tsn < std::min({base + 64, rxNext, sent}); ++tsn) {
        Transmission& t = life.transmissions[tsn];
        const bool received = u.bitmap >> (tsn - base) & 1;
        if (!t.reported) {
            moves = true;
            t.spared =
                !received && !t.mayBeLast && tsn < d.edgeLeast && rules_.freeze[e] == 1 && !outages_[e].isPossible();
        }
        t.reported |= received ? 2 : 1;
        life.frames[t.fsn].acked |= received;
    }
    while (d.known < sent && life.transmissions[d.known].reported) ++d.known;
    if (moves) d.lastProgress = clock_;
    d.lastFeedback = clock_;
    if (d.abandoned && d.abandoned <= heard.rxBase && !d.confirmedAt) d.confirmedAt = clock_;
}

}  // namespace campaign
