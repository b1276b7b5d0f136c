// SPDX-License-Identifier: Apache-2.0
// Polls and series of reports: each has a cause.
#include <algorithm>

#include "failure.h"
#include "monitor.h"

namespace campaign {
namespace {

using ull = unsigned long long;
using ll = long long;

}  // namespace

// An end that has no reason to ask polls when it comes up, after silence, and where nothing has moved for POLL_TIMEOUT.
// Nothing is missing, so no old block is asked for.
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

// In a clean or a steady run: older outcomes follow a poll, or are repeats. A pair of blocks is repeated a fixed number of
// blocks later, up to three times.
void Monitor::checkSeries(Life& life, const ControlUnit& u) {
    const unsigned e = life.end;
    if (!(rules_.isClean() || rules_.steady[e]) || restarted() || rules_.ignore.count("series-without-cause")) return;
    const int64_t rxNext = unwrap(u.rxNext, life.rxNext), base = unwrap(u.bitmapBase, rxNext);
    // A series goes on until it meets the recent blocks, which move on meanwhile. Two blocks take 132 clocks, and of
    // that time repeats take 0.62 at most: a frame takes ten clocks or more. So a series takes up to 12 clocks for each outcome of a window.
    const uint64_t seriesClocks = 2000 + 16 * rules_.info[e].window;
    const unsigned window = std::min(rules_.info[0].window, rules_.info[1].window);
    const unsigned lag = std::min(window / 256, 32u), showings = !lag ? 0 : window < 8192 ? 1 : window < 32768 ? 2 : 3;
    const bool isOld = base < (rxNext / 32 - 1) * 32;
    if (!isOld || clock_ <= pollCame_[e] + seriesClocks) return;
    const bool isRepeat = base % 64 == 0 && base / 32 + lag + 2 <= rxNext / 32 && life.repeats[base]++ < showings;
    if (!isRepeat)
        fail("series-without-cause", life,
             format("a series of reports that nobody asked for: bitmapBase %lld, rxNext %lld", ll(base), ll(rxNext)));
}

// In a steady run: an end of which all is known and confirmed polls after a silence of KEEPALIVE only. While one outcome is
// missing, it polls when POLL_TIMEOUT ends and, once until it ends again, where reports were lost: three times at most.
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
    auto& polled = polled_[e];
    polled.emplace_back(begin, u.ackTsn);
    if (polled.size() > 4) polled.pop_front();
    if (polled.size() < 4 || polled.front().second != u.ackTsn || u.ackTsn == u.txEdge) return;
    if (begin + settles < polled.front().first + rules_.poll[e])
        fail("poll-without-cause", life,
             format("four polls in %llu clocks for the outcome of TSN %u; POLL_TIMEOUT %u",
                    ull(begin - polled.front().first), u.ackTsn, rules_.poll[e]));
}

}  // namespace campaign
