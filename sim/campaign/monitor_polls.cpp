// SPDX-License-Identifier: Apache-2.0
// Polls: each has a cause.
#include <algorithm>

#include "failure.h"
#include "monitor.h"

namespace campaign {
namespace {

using ull = unsigned long long;
using ll = long long;

}  // namespace

// An end that has no reason to ask polls when it comes up, after silence, and where nothing has moved for POLL_TIMEOUT.
void Monitor::checkPolls(Life& life, const ControlUnit& u, uint64_t begin) {
    const unsigned e = life.end;
    if (!rules_.isClean() || restarted()) return;
    if (rules_.ignore.count("poll-without-cause")) return;
    const Heard* heard = life.peer ? &life.heard[life.peer->id] : nullptr;
    const bool first = !heard || !heard->up || begin < heard->upClock + settles;
    // A keep-alive may be due in the clock in which an answer leaves, and follows it.
    const bool keepalive = silence_[e] + settles >= rules_.keepalive[e] && begin <= silenceEnd_[e] + settles;
    if (u.poll && !first && !keepalive) {
        ++tally_[e].earlyPolls;
        // What comes while a poll that is due waits for the PHY is no reason against it.
        const uint64_t moved = begin <= heard->runClock + settles ? heard->beforeRun : heard->progressClock;
        const uint64_t progress = std::max(moved, heard->upClock);
        if (begin + settles < progress + rules_.poll[e])
            fail("poll-without-cause", life,
                 format("a poll leaves %llu clocks after the peer's last progress and %llu after this end's last unit: "
                        "ackTsn %u, txEdge %u, POLL_TIMEOUT %u",
                        ull(begin - progress), ull(begin - lastSent_[e]), u.ackTsn, u.txEdge, rules_.poll[e]));
    }
}

// In a steady run: an end of which all is known and confirmed polls after a silence of KEEPALIVE only. While one outcome is
// missing, it polls when POLL_TIMEOUT ends.
void Monitor::checkSteadyPoll(Life& life, const ControlUnit& u, uint64_t begin) {
    const unsigned e = life.end;
    if (!rules_.steady[e] || restarted() || rules_.ignore.count("poll-without-cause")) return;
    if (rules_.keepalive[e] < 2 * settles || rules_.poll[e] < 2 * settles) return;
    const Heard* heard = life.peer ? &life.heard[life.peer->id] : nullptr;
    if (!heard || !heard->up || begin < heard->upClock + settles) return;
    if (silence_[e] + settles >= rules_.keepalive[e] && begin <= silenceEnd_[e] + settles) return;
    const int64_t ackTsn = unwrap(u.ackTsn, life.ackTsn);
    const bool open = heard->rxBase < static_cast<int64_t>(life.frames.size()) ||
                      ackTsn < static_cast<int64_t>(life.transmissions.size());
    if (!open && begin > std::max(heard->progressClock, heard->upClock) + settles)
        fail("poll-without-cause", life,
             format("a poll leaves; all outcomes are known and the peer's rxBase is %lld of %zu", ll(heard->rxBase),
                    life.frames.size()));
    const auto [before, ackBefore] = polled_[e];
    polled_[e] = {begin, u.ackTsn};
    if (!before || ackBefore != u.ackTsn || u.ackTsn == u.txEdge) return;
    if (begin + settles + line_[e] < before + rules_.poll[e])
        fail("poll-without-cause", life,
             format("two polls in %llu clocks for the outcome of TSN %u; POLL_TIMEOUT %u", ull(begin - before),
                    u.ackTsn, rules_.poll[e]));
}

}  // namespace campaign
