// SPDX-License-Identifier: Apache-2.0
#include "monitor.h"

#include <algorithm>

#include "failure.h"
#include "random.h"

namespace campaign {
namespace {

using ull = unsigned long long;
using ll = long long;

/// Clocks in which a message that is due may wait and be composed.
constexpr uint64_t settles = 300;

/// Clocks with a ready PHY after which no unit begins any more that was under way when a restart was asked for.
constexpr uint64_t restartDrains = 40;

/// Blocks of outcomes between the recent ones and those that are shown once more; 0: none are.
int64_t repeatLag(unsigned window) {
    const unsigned blocks = window / 32;
    return blocks < 8 ? 0 : std::min(std::max(blocks / 8, 2u), 64u);
}

unsigned bits(uint64_t x) { return static_cast<unsigned>(__builtin_popcountll(x)); }

}  // namespace

Monitor::Monitor(const Rules& rules) : rules_(rules) {
    for (unsigned e : {0, 1}) limits_[e] = {rules.info[e].unitBytes, rules.info[e].maxK, rules.info[e].maxParity};
}

void Monitor::fail(const char* kind, const Life& life, const std::string& text) const {
    throw Failure(kind, format("clock %llu, end %s, epoch %u: ", ull(clock_), endName(life.end), life.epoch) + text);
}

void Monitor::reset(unsigned end) {
    afterReset_[end] = true;
    broken_[end] = false;
    tally_[end] = Tally{};
}

void Monitor::newLife(unsigned end, uint8_t epoch) {
    const Life* old = life_[end];
    if (old && !afterReset_[end]) {
        const uint8_t step = static_cast<uint8_t>(epoch - old->epoch);
        if (step > 16) fail("old-epoch", *old, format("a unit of epoch %u leaves", epoch));
    }
    all_.push_back(std::make_unique<Life>());
    Life& life = *all_.back();
    life.id = static_cast<unsigned>(all_.size());
    life.end = end;
    life.epoch = epoch;
    life_[end] = &life;
    ++lives_[end];
    afterReset_[end] = broken_[end] = false;
}

void Monitor::sent(unsigned end, const Bytes& raw, uint64_t begin, uint64_t clock, uint64_t sinceRestart) {
    clock_ = clock;
    ++units_;
    digest_ = mix(digest_ ^ crc32(raw.data(), raw.size()) ^ (uint64_t(end) << 40) ^ (clock << 41));
    const Unit unit = parse(raw, limits_[end]);
    if (!unit.isData() && !unit.isControl()) {
        if (!life_[end]) throw Failure("bad-unit", format("clock %llu: the first unit of %s is damaged", ull(clock), endName(end)));
        if (unit.verdict == Verdict::header) fail("bad-unit", *life_[end], "a unit with an impossible header leaves");
        if (unit.verdict == Verdict::length) fail("bad-unit", *life_[end], format("a unit of %zu bytes leaves", raw.size()));
        if (broken_[end]) fail("bad-unit", *life_[end], "a second unit with a wrong CRC leaves");
        broken_[end] = true;
        return;
    }
    if (!life_[end] || afterReset_[end] || unit.epoch() != life_[end]->epoch) {
        newLife(end, unit.epoch());
    } else if (broken_[end]) {
        fail("old-epoch", *life_[end], format("a %s leaves after the unit that a restart had broken", unit.isData() ? "data unit" : "control unit"));
    } else if (sinceRestart > restartDrains) {
        fail("old-epoch", *life_[end], format("a %s begins %llu clocks after the restart", unit.isData() ? "data unit" : "control unit", ull(sinceRestart)));
    }
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
            sentControl(life, unit.control);
        }
    }
    lastSent_[end] = clock;
}

void Monitor::sentFirst(Life& life, const DataUnit& u) {
    const int64_t tsn = unwrap(u.tsn, static_cast<int64_t>(life.transmissions.size()));
    if (tsn != static_cast<int64_t>(life.transmissions.size()) || u.index)
        fail("tsn-gap", life, format("unit %u of TSN %lld begins, TSN %zu is next", u.index, ll(tsn), life.transmissions.size()));
    if (!life.transmissions.empty() && life.transmissions.back().sent != life.transmissions.back().n)
        fail("frame-cut", life, format("TSN %zu ended after %u of %u units", life.transmissions.size() - 1, life.transmissions.back().sent, life.transmissions.back().n));
    const Heard& heard = life.heard[life.peer->id];
    const int64_t fsn = unwrap(u.fsn, static_cast<int64_t>(life.frames.size()));
    if (fsn < 0 || fsn > static_cast<int64_t>(life.frames.size())) fail("fsn-gap", life, format("FSN %lld is sent, %zu is next", ll(fsn), life.frames.size()));
    Transmission t;
    t.fsn = static_cast<uint32_t>(fsn);
    t.k = u.k, t.n = u.n, t.attempt = u.attempt, t.preset = u.preset, t.only = u.only;
    if (fsn == static_cast<int64_t>(life.frames.size())) {
        if (u.attempt) fail("attempt", life, format("FSN %lld begins with attempt %u", ll(fsn), u.attempt));
        const unsigned window = rules_.info[1 - life.end].window;
        if (fsn >= heard.rxBase + window) fail("credit", life, format("FSN %lld is sent, the peer's rxBase is %lld and its window %u", ll(fsn), ll(heard.rxBase), window));
        life.frames.emplace_back();
        SentFrame& f = life.frames.back();
        f.k = u.k, f.sop = u.sop, f.eop = u.eop, f.pad = u.pad;
        const bool starts = life.frames.size() == 1 || life.frames[life.frames.size() - 2].eop;
        if (starts != f.sop) fail("frame-order", life, format("FSN %lld: sop is %u", ll(fsn), f.sop));
    } else {
        SentFrame& f = life.frames[fsn];
        const Transmission& last = life.transmissions[f.lastTsn];
        if (last.only) fail("retx-only", life, format("FSN %lld was to be sent once, and is sent again", ll(fsn)));
        if (!(last.told & 1)) fail(last.told ? "retx-acked" : "retx-without-cause", life, format("FSN %lld is sent again, TSN %lld was not told to have failed", ll(fsn), ll(f.lastTsn)));
        if (u.k != f.k || u.sop != f.sop || u.eop != f.eop || u.pad != f.pad) fail("frame-changed", life, format("FSN %lld is another frame when it is sent again", ll(fsn)));
        const unsigned next = std::min(f.attempt + 1, 15);
        if (u.attempt != next && u.attempt != f.attempt) fail("attempt", life, format("FSN %lld: attempt %u follows %u", ll(fsn), u.attempt, f.attempt));
        if (u.attempt > rules_.mostAttempts && rules_.mostAttempts < 15) fail("persistency", life, format("FSN %lld: attempt %u, delta is %u", ll(fsn), u.attempt, rules_.mostAttempts));
    }
    SentFrame& f = life.frames[fsn];
    t.again = f.lastTsn >= 0;
    f.attempt = u.attempt;
    f.lastTsn = tsn;
    life.transmissions.push_back(t);
}

void Monitor::sentData(Life& life, const DataUnit& u) {
    if (!life.spokeUp || !life.peer || !life.heard[life.peer->id].up) fail("early-data", life, "a data unit leaves before the peer has shown that it is up");
    if (u.n > 64) fail("bad-unit", life, "a frame of more than 64 units; the monitor has no room for it");
    if (life.transmissions.empty() || (u.tsn & (snCount - 1)) != ((life.transmissions.size() - 1) & (snCount - 1))) sentFirst(life, u);
    Transmission& t = life.transmissions.back();
    const SentFrame& f = life.frames[t.fsn];
    if (u.index != t.sent) fail("index", life, format("TSN %zu: unit %u leaves, %u is next", life.transmissions.size() - 1, u.index, t.sent));
    if ((u.fsn & (snCount - 1)) != (t.fsn & (snCount - 1)) || u.k != t.k || u.n != t.n || u.attempt != t.attempt || u.preset != t.preset || u.only != t.only || u.sop != f.sop || u.eop != f.eop || u.pad != f.pad)
        fail("header", life, format("TSN %zu: the header of unit %u differs", life.transmissions.size() - 1, u.index));
    if (++t.sent == t.n) life.full = static_cast<int64_t>(life.transmissions.size());
}

void Monitor::sentHello(Life& life, const ControlUnit& u) {
    if (life.spokeUp) fail("late-hello", life, "a hello leaves after the link was up");
    const EndInfo& info = rules_.info[life.end];
    if (u.unitBytes != info.unitBytes || 1u << u.windowLog2 != info.window) fail("hello", life, format("a hello with unitBytes %u and window 2^%u", u.unitBytes, u.windowLog2));
    if (u.peerKnown && !heardByEpoch_[life.end][u.peerEpoch]) fail("hello", life, format("a hello knows epoch %u, which the peer never had", u.peerEpoch));
}

void Monitor::sentControl(Life& life, const ControlUnit& u) {
    if (!u.peerKnown) fail("peer-epoch", life, "a control unit without hello does not know the peer");
    if (!life.spokeUp) {
        life.peer = heardByEpoch_[life.end][u.peerEpoch];
        if (!life.peer) fail("peer-epoch", life, format("epoch %u, which the peer never had", u.peerEpoch));
        life.peerEpoch = u.peerEpoch;
        life.spokeUp = true;
    }
    if (u.peerEpoch != life.peerEpoch) fail("peer-epoch", life, format("the peer's epoch goes from %u to %u", life.peerEpoch, u.peerEpoch));
    const Heard& heard = life.heard[life.peer->id];
    auto forward = [&](const char* kind, int64_t& was, uint32_t field, int64_t limit, const char* what) {
        const int64_t now = unwrap(field, was);
        if (now < was) fail((std::string(kind) + "-back").c_str(), life, format("%s goes from %lld back to %lld", kind, ll(was), ll(now)));
        if (now > limit) fail((std::string(kind) + "-ahead").c_str(), life, format("%s is %lld, %s is %lld", kind, ll(now), what, ll(limit)));
        was = now;
    };
    forward("txBase", life.txBase, u.txBase, static_cast<int64_t>(life.frames.size()), "the next FSN");
    forward("txEdge", life.txEdge, u.txEdge, life.full, "the number of transmissions sent in full");
    forward("ackTsn", life.ackTsn, u.ackTsn, heard.rxNext, "the rxNext that came");
    forward("rxNext", life.rxNext, u.rxNext, std::max(heard.tsnEnd, heard.txEdge), "the end of what came");
    forward("rxBase", life.rxBase, u.rxBase, std::max(heard.fsnEnd, heard.txBase), "the end of what came");
    checkFeedback(life, u);
}

void Monitor::checkFeedback(Life& life, const ControlUnit& u) {
    const int64_t base = unwrap(u.bitmapBase, life.rxNext);
    if (base % 32) fail("bitmap-base", life, format("bitmapBase is %lld", ll(base)));
    if (base > life.rxNext) fail("bitmap-base", life, format("bitmapBase is %lld, rxNext %lld", ll(base), ll(life.rxNext)));
    for (int64_t tsn = std::max<int64_t>(base, 0); tsn < std::min(base + 64, life.rxNext); ++tsn)
        checkOutcome(life, *life.peer, tsn, u.bitmap >> (tsn - base) & 1);
}

void Monitor::checkOutcome(Life& life, Life& peer, int64_t tsn, bool received) {
    Transmission& t = peer.transmissions[tsn];
    const SentFrame& f = peer.frames[t.fsn];
    const Heard& heard = life.heard[peer.id];
    const unsigned came = bits(t.arrived);
    if (t.said >= 0 && t.said != received)
        fail("contradiction", life, format("TSN %lld (FSN %u, %u of K %u units came) is told as %s, and was told as %s", ll(tsn), t.fsn, came, t.k,
                                           received ? "received" : "failed", received ? "failed" : "received"));
    t.said = received;
    const bool behind = (f.completeTsn >= 0 && f.completeTsn < tsn) || static_cast<int64_t>(t.fsn) < heard.txBase;
    if (received && came < t.k && !(came && behind) && rules_.fifo)
        fail("outcome-wrong", life, format("TSN %lld (FSN %u) is told as received; %u of K %u units came", ll(tsn), t.fsn, came, t.k));
    if (!received && came >= t.k && rules_.fifo && !rules_.overflows[life.end])
        fail("outcome-wrong", life, format("TSN %lld (FSN %u) is told as failed; %u of K %u units came", ll(tsn), t.fsn, came, t.k));
}

// An end that has no reason to ask polls when it comes up, after silence, and where nothing has moved for POLL_TIMEOUT.
// Nothing is missing, so no old block is asked for.
void Monitor::checkPolls(Life& life, const ControlUnit& u, uint64_t begin) {
    const unsigned e = life.end;
    if (!rules_.clean[0] || !rules_.clean[1] || lives_[0] > 1 || lives_[1] > 1) return;
    const Heard* heard = life.peer ? &life.heard[life.peer->id] : nullptr;
    const bool first = !heard || !heard->up || begin < heard->upClock + settles;
    const bool keepalive = begin + settles >= lastSent_[e] + rules_.keepalive[e];
    if (u.poll && !first && !keepalive) {
        ++tally_[e].earlyPolls;
        if (begin + settles < heard->progressClock + rules_.poll[e])
            fail("poll-without-cause", life, format("a poll leaves %llu clocks after the peer's last progress: ackTsn %u, txEdge %u, POLL_TIMEOUT %u",
                                                    ull(begin - heard->progressClock), u.ackTsn, u.txEdge, rules_.poll[e]));
    }
    const int64_t rxNext = unwrap(u.rxNext, life.rxNext), base = unwrap(u.bitmapBase, rxNext);
    const uint64_t seriesClocks = 2000 + 4 * rules_.info[e].window;
    const bool isOld = base < (rxNext / 32 - 1) * 32;
    const bool isRepeat = repeatLag(rules_.info[e].window) && base % 64 == 0 && base > life.repeated && base / 32 + repeatLag(rules_.info[e].window) + 2 <= rxNext / 32;
    if (isOld && isRepeat) life.repeated = base;
    if (isOld && !isRepeat && clock_ > pollCame_[e] + seriesClocks)
        fail("poll-without-cause", life, format("a series of reports without a loss: bitmapBase %lld, rxNext %lld", ll(base), ll(rxNext)));
}

void Monitor::arrived(unsigned end, const Bytes& raw, bool flagged, unsigned from, uint64_t clock) {
    clock_ = clock;
    const Unit unit = parse(raw, limits_[end], flagged);
    ++tally_[end].came[static_cast<unsigned>(unit.verdict)];
    if ((!unit.isData() && !unit.isControl()) || !from) return;
    Life& life = *all_[from - 1];
    heardByEpoch_[end][life.epoch] = &life;
    if (unit.isData()) arrivedData(end, life, unit.data);
    else arrivedControl(end, life, unit.control);
}

bool Monitor::fits(unsigned end, const Bytes& raw) const {
    const Unit unit = parse(raw, limits_[end]);
    const Life* from = life_[1 - end];
    if (!unit.isData() || !from || !life_[end]) return true;
    const int64_t tsn = unwrap(unit.data.tsn, static_cast<int64_t>(from->transmissions.size()) - 1);
    if (tsn < 0 || tsn >= static_cast<int64_t>(from->transmissions.size())) return false;
    const auto heard = life_[end]->heard.find(from->id);
    const uint64_t arrived = from->transmissions[tsn].arrived;
    const bool past = heard != life_[end]->heard.end() && std::max(heard->second.tsnEnd - 1, heard->second.txEdge) > tsn;
    return past || arrived >> unit.data.index == 0 || (arrived >> unit.data.index & 1);
}

void Monitor::arrivedData(unsigned end, Life& from, const DataUnit& u) {
    const int64_t tsn = unwrap(u.tsn, static_cast<int64_t>(from.transmissions.size()) - 1);
    Transmission& t = from.transmissions[tsn];
    t.arrived |= uint64_t(1) << u.index;
    SentFrame& f = from.frames[t.fsn];
    if (f.completeTsn < 0 && bits(t.arrived) >= t.k) f.completeTsn = tsn;
    if (!life_[end]) return;
    Heard& heard = life_[end]->heard[from.id];
    if (!heard.up) heard.upClock = clock_;
    heard.up = true;
    heard.tsnEnd = std::max(heard.tsnEnd, tsn + 1);
    heard.fsnEnd = std::max<int64_t>(heard.fsnEnd, t.fsn + 1);
}

void Monitor::arrivedControl(unsigned end, Life& from, const ControlUnit& u) {
    if (!life_[end]) return;
    Life& life = *life_[end];
    Heard& heard = life.heard[from.id];
    if (u.hello) return;
    if (u.poll) pollCame_[end] = clock_;
    if (!heard.up) heard.upClock = clock_;
    heard.up = true;
    const int64_t before = heard.rxNext + heard.rxBase;
    auto ahead = [](int64_t& was, uint32_t field) { was = std::max(was, unwrap(field, was)); };
    ahead(heard.txEdge, u.txEdge);
    ahead(heard.txBase, u.txBase);
    ahead(heard.rxNext, u.rxNext);
    ahead(heard.rxBase, u.rxBase);
    if (heard.rxNext + heard.rxBase > before) heard.progressClock = clock_;
    if (from.peer != &life) return;
    const int64_t rxNext = unwrap(u.rxNext, heard.rxNext), base = unwrap(u.bitmapBase, rxNext);
    const int64_t end_ = std::min({base + 64, rxNext, static_cast<int64_t>(life.transmissions.size())});
    for (int64_t tsn = std::max<int64_t>(base, 0); tsn < end_; ++tsn) life.transmissions[tsn].told |= u.bitmap >> (tsn - base) & 1 ? 2 : 1;
}

}  // namespace campaign
