// SPDX-License-Identifier: Apache-2.0
#include "monitor.h"

#include <algorithm>

#include "failure.h"
#include "random.h"

namespace campaign {
namespace {

using ull = unsigned long long;
using ll = long long;

/// Clocks without a unit that begin a silence.
constexpr uint64_t longSilence = 300;

/// Clocks with a ready PHY after which no unit begins any more that was under way when a restart was asked for.
constexpr uint64_t restartDrains = 40;

}  // namespace

Monitor::Monitor(const Rules& rules) : rules_(rules) {
    for (unsigned e : {0, 1}) {
        const EndInfo& info = rules.info[e];
        limits_[e] = {info.unitBytes, info.maxK, info.maxParity, info.firstSn};
        outages_[e] = Outages(100 + 2 * info.unitClocks());
        // What has begun, a message that waits, older outcomes whose turn it is, and data units in between; with beats of a byte, an encoder that works
        // unit by unit.
        const unsigned encoder = info.dataBytes == 1 ? info.maxK : 0;
        line_[e] = 60 + (4 + encoder) * info.unitClocks() + 5 * info.controlClocks();
    }
}

void Monitor::fail(const char* kind, const Life& life, const std::string& text) const {
    throw Failure(kind, format("clock %llu, end %s, epoch %u: ", ull(clock_), endName(life.end), life.epoch) + text);
}

void Monitor::reset(unsigned end) {
    afterReset_[end] = true;
    broken_[end] = false;
    mayBreak_[end] = 0;
    tally_[end] = Tally{};
    outages_[end].reset();
    timersKnown_[end] = false;
    deltas_[end] = Deltas{};
}

void Monitor::newLife(unsigned end, uint8_t epoch) {
    const Life* old = life_[end];
    if (old) {
        const uint8_t step = static_cast<uint8_t>(epoch - old->epoch);
        if (step == 0 || step > 16) fail("old-epoch", *old, format("a unit of epoch %u leaves", epoch));
    }
    all_.push_back(std::make_unique<Life>());
    Life& life = *all_.back();
    life.id = static_cast<unsigned>(all_.size());
    life.end = end;
    life.epoch = epoch;
    life_[end] = &life;
    ++lives_[end];
    due_[end] = Due{};
    if (old) outages_[end].restarts(clock_);
    deltas_[end].restarts();
    afterReset_[end] = broken_[end] = false;
    mayBreak_[end] = 0;
}

void Monitor::sent(unsigned end, const Bytes& raw, uint64_t begin, uint64_t clock, uint64_t sinceRestart) {
    clock_ = clock;
    ++units_;
    digest_ = mix(digest_ ^ crc32(raw.data(), raw.size()) ^ (uint64_t(end) << 40) ^ (clock << 41));
    const Unit unit = parse(raw, limits_[end]);
    if (relaxed_) return follow(end, unit);
    if (!unit.isData() && !unit.isControl()) {
        if (!life_[end])
            throw Failure("bad-unit", format("clock %llu: the first unit of %s is damaged", ull(clock), endName(end)));
        if (unit.verdict == Verdict::header) fail("bad-unit", *life_[end], "a unit with an impossible header leaves");
        if (unit.verdict == Verdict::length)
            fail("bad-unit", *life_[end], format("a unit of %zu bytes leaves", raw.size()));
        if (broken_[end] && mayBreak_[end] == 0) fail("bad-unit", *life_[end], "a second unit with a wrong CRC leaves");
        mayBreak_[end] -= broken_[end];
        broken_[end] = true;
        return;
    }
    if (!life_[end] || afterReset_[end] || unit.epoch() != life_[end]->epoch) {
        newLife(end, unit.epoch());
    } else if (const std::string text = overdue(end, unit, sinceRestart); !text.empty()) {
        if (!rules_.ignore.count("old-epoch")) fail("old-epoch", *life_[end], text);
        broken_[end] = false;
        ++tally_[end].control;
        return;
    }
    if (begin > lastSent_[end] + longSilence) silence_[end] = begin - lastSent_[end], silenceEnd_[end] = begin;
    Life& life = *life_[end];
    Tally& tally = tally_[end];
    if (unit.isData()) {
        sentData(life, unit.data);
        ++(life.transmissions.back().again ? tally.retxUnits : tally.units);
    } else {
        ++tally.control;
        tally.polls += unit.control.poll;
        if (unit.control.hello) {
            sentHello(life, unit.control);
        } else {
            checkPolls(life, unit.control, begin);
            if (unit.control.poll) checkSteadyPoll(life, unit.control, begin);
            sentControl(life, unit.control);
        }
    }
    noteSent(life, unit, begin);
    lastSent_[end] = clock;
}

/// What is wrong with a whole unit of the present epoch, after a restart should have ended it.
std::string Monitor::overdue(unsigned end, const Unit& unit, uint64_t sinceRestart) const {
    const char* what = unit.isData() ? "data unit" : "control unit";
    if (broken_[end]) return format("a %s leaves after the unit that a restart had broken", what);
    if (sinceRestart > restartDrains)
        return format("a %s begins %llu clocks after the restart", what, ull(sinceRestart));
    return "";
}

void Monitor::follow(unsigned end, const Unit& unit) {
    if (!unit.isData() && !unit.isControl()) return;
    if (!life_[end] || unit.epoch() != life_[end]->epoch) newLife(end, unit.epoch());
    life_[end]->spokeUp |= unit.isData() || !unit.control.hello;
}

void Monitor::sentFirst(Life& life, const DataUnit& u) {
    const int64_t tsn = unwrap(u.tsn, static_cast<int64_t>(life.transmissions.size()));
    if (tsn != static_cast<int64_t>(life.transmissions.size()) || u.index)
        fail("tsn-gap", life,
             format("unit %u of TSN %lld begins, TSN %zu is next", u.index, ll(tsn), life.transmissions.size()));
    if (!life.transmissions.empty() && life.transmissions.back().sent != life.transmissions.back().n)
        fail("frame-cut", life,
             format("TSN %zu ended after %u of %u units", life.transmissions.size() - 1, life.transmissions.back().sent,
                    life.transmissions.back().n));
    const Heard& heard = life.heard[life.peer->id];
    const int64_t fsn = unwrap(u.fsn, static_cast<int64_t>(life.frames.size()));
    if (fsn < 0 || fsn > static_cast<int64_t>(life.frames.size()))
        fail("fsn-gap", life, format("FSN %lld is sent, %zu is next", ll(fsn), life.frames.size()));
    Transmission t;
    t.fsn = static_cast<uint32_t>(fsn);
    t.k = u.k, t.n = u.n, t.preset = u.preset, t.lastTry = u.lastTry, t.allBelow = u.allBelow;
    const bool first = fsn == static_cast<int64_t>(life.frames.size());
    if (first) {
        if (u.odd) fail("attempt", life, format("FSN %lld begins with an odd attempt", ll(fsn)));
        const unsigned window = rules_.info[1 - life.end].window;
        if (fsn >= heard.rxBase + window)
            fail("credit", life,
                 format("FSN %lld is sent, the peer's rxBase is %lld and its window %u", ll(fsn), ll(heard.rxBase),
                        window));
        life.frames.emplace_back();
        SentFrame& f = life.frames.back();
        f.k = u.k, f.sop = u.sop, f.eop = u.eop, f.pad = u.pad;
        const bool starts = life.frames.size() == 1 || life.frames[life.frames.size() - 2].eop;
        if (starts != f.sop) fail("frame-order", life, format("FSN %lld: sop is %u", ll(fsn), f.sop));
    } else {
        SentFrame& f = life.frames[fsn];
        const Transmission& last = life.transmissions[f.lastTsn];
        if (!(last.reported & 1))
            fail(last.reported ? "retx-acked" : "retx-without-cause", life,
                 format("FSN %lld is sent again, TSN %lld was not reported as failed", ll(fsn), ll(f.lastTsn)));
        if (u.k != f.k || u.sop != f.sop || u.eop != f.eop || u.pad != f.pad)
            fail("frame-changed", life, format("FSN %lld is another frame when it is sent again", ll(fsn)));
        // It stays, or it is the next one: the last bit says which.
        t.attempt = static_cast<uint8_t>(std::min(f.attempt + (u.odd != (f.attempt & 1)), 15));
        if (u.odd != (t.attempt & 1))
            fail("attempt", life, format("FSN %lld: an even attempt follows %u", ll(fsn), f.attempt));
        if (last.isLast)
            fail("persistency", life,
                 format("FSN %lld is sent again, and attempt %u was its last try", ll(fsn), last.attempt));
        noteAttempt(life, f, t);
    }
    noteBegin(life, tsn);
    checkType(life, u, t, tsn, first);
    SentFrame& f = life.frames[fsn];
    t.again = f.lastTsn >= 0;
    f.attempt = t.attempt;
    f.lastTsn = tsn;
    life.transmissions.push_back(t);
}

/// Last tries are of type 2 if they are retransmissions, and first transmissions of type 3 once txBase has passed all frames whose first transmission was no
/// last try.
void Monitor::checkType(Life& life, const DataUnit& u, Transmission& t, int64_t tsn, bool first) {
    Due& d = due_[life.end];
    Deltas& deltas = deltas_[life.end];
    deltas.begins(tsn);
    const bool isTooLong = t.attempt == 15 && u.k > leastK_[life.end];
    const bool may = deltas.mayEndAt(t.attempt) || isTooLong, must = deltas.mustEndAt(t.attempt);
    const bool mayAnnounce = !first || mayHavePassed(life, d.againLeast);
    const bool mustAnnounce = !first || tsn >= d.certainFrom;
    const unsigned type = u.lastTry << 1 | u.allBelow, announced = first ? 3 : 2;
    const bool isRight = type == 0 ? !(must && mustAnnounce) : type == announced && may && mayAnnounce;
    if (!isRight && !rules_.ignore.count("type"))
        fail("type", life,
             format("TSN %lld (FSN %u), %s, attempt %u, %s a last try, and it is of type %u", ll(tsn), t.fsn,
                    first ? "a first transmission" : "a retransmission", t.attempt,
                    must  ? "is"
                    : may ? "may be"
                          : "is not",
                    type));
    t.isLast = u.lastTry || must;
    t.mayBeLast = u.lastTry || (may && !mustAnnounce);
    if (!first) {
        d.passable = std::min<int64_t>(d.passable, t.fsn);
        return;
    }
    d.newestAnnounced = u.lastTry;
    if (u.lastTry) {
        d.certainFrom = std::min(d.certainFrom, tsn);
        d.notices = 0;
        return;
    }
    d.noticeAt = clock_;
    if (!may) d.againLeast = t.fsn + 1;
    if (!must) d.againMost = t.fsn + 1, d.certainFrom = INT64_MAX;
}

/// txBase may have passed all frames below `fsn`: none of them waits for an outcome.
bool Monitor::mayHavePassed(Life& life, int64_t fsn) {
    int64_t& passable = due_[life.end].passable;
    for (; passable < fsn; ++passable) {
        const SentFrame& f = life.frames[passable];
        if (!f.acked && !life.transmissions[f.lastTsn].reported) return false;
    }
    return true;
}

void Monitor::sentData(Life& life, const DataUnit& u) {
    if (!life.upFrom) fail("early-data", life, "a data unit leaves before the peer has shown that it is up");
    if (!life.spokeUp) {
        life.peer = life.upFrom;
        life.peerEpoch = life.peer->epoch;
        life.spokeUp = true;
    }
    if (u.n > 64) fail("bad-unit", life, "a frame of more than 64 units; the monitor has no room for it");
    if (life.transmissions.empty() || (u.tsn & (snCount - 1)) != ((life.transmissions.size() - 1) & (snCount - 1)))
        sentFirst(life, u);
    Transmission& t = life.transmissions.back();
    const SentFrame& f = life.frames[t.fsn];
    if (u.index != t.sent)
        fail("index", life,
             format("TSN %zu: unit %u leaves, %u is next", life.transmissions.size() - 1, u.index, t.sent));
    if ((u.fsn & (snCount - 1)) != (t.fsn & (snCount - 1)) || u.k != t.k || u.n != t.n || u.odd != (t.attempt & 1) ||
        u.preset != t.preset || u.lastTry != t.lastTry || u.allBelow != t.allBelow || u.sop != f.sop ||
        u.eop != f.eop || u.pad != f.pad)
        fail("header", life, format("TSN %zu: the header of unit %u differs", life.transmissions.size() - 1, u.index));
    life.controls = 0;
    if (++t.sent == t.n) life.full = static_cast<int64_t>(life.transmissions.size());
}

void Monitor::arrived(unsigned end, const Bytes& raw, bool flagged, unsigned from, uint64_t clock) {
    clock_ = clock;
    const Unit unit = parse(raw, limits_[end], flagged);
    ++tally_[end].came[static_cast<unsigned>(unit.verdict)];
    if ((!unit.isData() && !unit.isControl()) || !from || relaxed_) return;
    Life& life = *all_[from - 1];
    heardByEpoch_[end][life.epoch] = &life;
    if (unit.isData())
        arrivedData(end, life, unit.data);
    else
        arrivedControl(end, life, unit.control);
    noteArrived(end, life, unit);
}

bool Monitor::fits(unsigned end, const Bytes& raw) const {
    const Unit unit = parse(raw, limits_[end]);
    const Life* from = life_[1 - end];
    if (!unit.isData() || !from || !life_[end]) return true;
    const int64_t tsn = unwrap(unit.data.tsn, static_cast<int64_t>(from->transmissions.size()) - 1);
    if (tsn < 0 || tsn >= static_cast<int64_t>(from->transmissions.size())) return false;
    const auto heard = life_[end]->heard.find(from->id);
    const uint64_t arrived = from->transmissions[tsn].arrived;
    const bool past =
        heard != life_[end]->heard.end() && std::max(heard->second.tsnEnd - 1, heard->second.txEdge) > tsn;
    return past || arrived >> unit.data.index == 0 || (arrived >> unit.data.index & 1);
}

void Monitor::arrivedData(unsigned end, Life& from, const DataUnit& u) {
    const int64_t tsn = unwrap(u.tsn, static_cast<int64_t>(from.transmissions.size()) - 1);
    Transmission& t = from.transmissions[tsn];
    t.arrived |= uint64_t(1) << u.index;
    SentFrame& f = from.frames[t.fsn];
    if (f.completeTsn < 0 && t.came() >= t.k) f.completeTsn = tsn;
    if (!life_[end]) return;
    if (!life_[end]->upFrom && from.peer == life_[end]) life_[end]->upFrom = &from;
    Heard& heard = life_[end]->heard[from.id];
    if (!heard.up) heard.upClock = clock_;
    heard.up = true;
    heard.tsnEnd = std::max(heard.tsnEnd, tsn + 1);
    heard.fsnEnd = std::max<int64_t>(heard.fsnEnd, t.fsn + 1);
    if (rules_.fifo && from.peer == life_[end]) acceptedData(heard, from, u, tsn);
}

/// The last two data units show which frames are not sent again: one whose transmission is closed as failed while both are of type 2 or 3, and all below the
/// lower one of two of type 3.
void Monitor::acceptedData(Heard& heard, Life& from, const DataUnit& u, int64_t tsn) {
    closes(heard, from, tsn);
    const int64_t fsn = from.transmissions[tsn].fsn;
    heard.twoLastTries = u.lastTry && heard.lastUnit >= 0;
    if (heard.twoLastTries && u.allBelow && heard.allBelow)
        for (const int64_t edge = std::min(fsn, heard.lastUnit); heard.skipEdge < edge; ++heard.skipEdge)
            if (SentFrame& f = from.frames[heard.skipEdge]; f.completeTsn < 0 && !f.deadAt) f.deadAt = clock_;
    heard.lastUnit = u.lastTry ? fsn : -1, heard.allBelow = u.allBelow;
    heard.collected = tsn;
    if (u.index + 1 == u.n) closes(heard, from, tsn + 1);
}

/// Transmissions below `tsn` are closed.
void Monitor::closes(Heard& heard, Life& from, int64_t tsn) {
    if (heard.collected < 0 || heard.collected >= tsn) return;
    SentFrame& f = from.frames[from.transmissions[heard.collected].fsn];
    if (heard.twoLastTries && f.completeTsn < 0 && !f.deadAt) f.deadAt = clock_;
    heard.collected = -1;
}

void Monitor::arrivedControl(unsigned end, Life& from, const ControlUnit& u) {
    if (!life_[end]) return;
    Life& life = *life_[end];
    Heard& heard = life.heard[from.id];
    if (u.hello) return;
    if (!life.upFrom && u.peerKnown && u.peerEpoch == life.epoch) life.upFrom = &from;
    if (!heard.up) heard.upClock = clock_;
    heard.up = true;
    const int64_t before = heard.rxNext + heard.rxBase, base = heard.rxBase;
    auto ahead = [](int64_t& was, uint32_t field) { was = std::max(was, unwrap(field, was)); };
    ahead(heard.txEdge, u.txEdge);
    ahead(heard.txBase, u.txBase);
    ahead(heard.rxNext, u.rxNext);
    ahead(heard.rxBase, u.rxBase);
    closes(heard, from, heard.txEdge);
    if (u.poll) heard.asked.emplace_back(unwrap(u.txEdge, heard.txEdge), clock_);
    if (heard.rxNext + heard.rxBase > before) {
        if (clock_ > heard.progressClock + settles) heard.beforeRun = heard.progressClock, heard.runClock = clock_;
        heard.progressClock = clock_;
    }
    if (from.peer == &life) noteFeedback(life, heard, u, heard.rxBase > base);
}

}  // namespace campaign
