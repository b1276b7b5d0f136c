// SPDX-License-Identifier: Apache-2.0
// What control units say: against what was said before, what the end can know, and what came.
#include <algorithm>

#include "failure.h"
#include "monitor.h"

namespace campaign {
namespace {

using ull = unsigned long long;
using ll = long long;

}  // namespace

void Monitor::sentHello(Life& life, const ControlUnit& u) {
    if (life.spokeUp) fail("late-hello", life, "a hello leaves after the link was up");
    const EndInfo& info = rules_.info[life.end];
    if (u.unitBytes != info.unitBytes || 1u << u.windowLog2 != info.window || u.packetCrc != info.packetCrc)
        fail("hello", life,
             format("a hello with unitBytes %u, window 2^%u, packetCrc %d", u.unitBytes, u.windowLog2, u.packetCrc));
    if (u.peerKnown && !heardByEpoch_[life.end][u.peerEpoch])
        fail("hello", life, format("a hello knows epoch %u, which the peer never had", u.peerEpoch));
}

void Monitor::sentControl(Life& life, const ControlUnit& u) {
    if (!u.peerKnown) fail("peer-epoch", life, "a control unit without hello does not know the peer");
    if (!life.spokeUp) {
        life.peer = heardByEpoch_[life.end][u.peerEpoch];
        if (!life.peer) fail("peer-epoch", life, format("epoch %u, which the peer never had", u.peerEpoch));
        life.peerEpoch = u.peerEpoch;
        life.spokeUp = true;
    }
    if (u.peerEpoch != life.peerEpoch)
        fail("peer-epoch", life, format("the peer's epoch goes from %u to %u", life.peerEpoch, u.peerEpoch));
    const bool isOpen = !life.transmissions.empty() && life.transmissions.back().sent != life.transmissions.back().n;
    if (isOpen && ++life.controls > 1)
        fail("starved", life, format("TSN %zu waits for more than a control unit", life.transmissions.size() - 1));
    const Heard& heard = life.heard[life.peer->id];
    auto forward = [&](const char* kind, int64_t& was, uint32_t field, int64_t limit, const char* what) {
        const int64_t now = unwrap(field, was);
        if (now < was)
            fail((std::string(kind) + "-back").c_str(), life,
                 format("%s goes from %lld back to %lld", kind, ll(was), ll(now)));
        if (now > limit)
            fail((std::string(kind) + "-ahead").c_str(), life,
                 format("%s is %lld, %s is %lld", kind, ll(now), what, ll(limit)));
        was = now;
    };
    forward("txBase", life.txBase, u.txBase, static_cast<int64_t>(life.frames.size()), "the next FSN");
    forward("txEdge", life.txEdge, u.txEdge, life.full, "the number of transmissions sent in full");
    forward("ackTsn", life.ackTsn, u.ackTsn, heard.rxNext, "the rxNext that came");
    forward("rxNext", life.rxNext, u.rxNext, std::max(heard.tsnEnd, heard.txEdge), "the end of what came");
    forward("rxBase", life.rxBase, u.rxBase, std::max(heard.fsnEnd, heard.txBase), "the end of what came");
    checkFeedback(life, u);
    // A poll is answered when the receiver has closed what its txEdge closes; another one may come while the answer waits for the PHY.
    if (!u.reply || heard.asked.empty()) return;
    if (heard.asked.front().first > life.rxNext)
        fail("stale-reply", life,
             format("the answer's rxNext is %lld, the txEdge of the poll was %lld", ll(life.rxNext),
                    ll(heard.asked.front().first)));
}

void Monitor::checkFeedback(Life& life, const ControlUnit& u) {
    const int64_t base = unwrap(u.bitmapBase, life.rxNext);
    if (base > life.rxNext)
        fail("bitmap-base", life, format("bitmapBase is %lld, rxNext %lld", ll(base), ll(life.rxNext)));
    // Outcomes older than a window mean nothing.
    const int64_t kept = life.rxNext - rules_.info[life.end].window;
    for (int64_t tsn = std::max({base, kept, int64_t{0}}); tsn < std::min(base + 64, life.rxNext); ++tsn)
        checkOutcome(life, *life.peer, tsn, u.bitmap >> (tsn - base) & 1);
}

void Monitor::checkOutcome(Life& life, Life& peer, int64_t tsn, bool received) {
    Transmission& t = peer.transmissions[tsn];
    const SentFrame& f = peer.frames[t.fsn];
    const Heard& heard = life.heard[peer.id];
    const unsigned came = t.came();
    if (t.said >= 0 && t.said != received)
        fail("contradiction", life,
             format("TSN %lld (FSN %u, %u of K %u units came) is reported as %s, and was reported as %s", ll(tsn),
                    t.fsn, came, t.k, received ? "received" : "failed", received ? "failed" : "received"));
    t.said = received;
    const bool behind = (f.completeTsn >= 0 && f.completeTsn < tsn) || static_cast<int64_t>(t.fsn) < heard.txBase;
    if (received && came < t.k && !(came && behind) && rules_.fifo)
        fail("outcome-wrong", life,
             format("TSN %lld (FSN %u) is reported as received; %u of K %u units came", ll(tsn), t.fsn, came, t.k));
    if (!received && came >= t.k && rules_.fifo)
        fail("outcome-wrong", life,
             format("TSN %lld (FSN %u) is reported as failed; %u of K %u units came", ll(tsn), t.fsn, came, t.k));
}

}  // namespace campaign
