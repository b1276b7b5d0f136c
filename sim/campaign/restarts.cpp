// SPDX-License-Identifier: Apache-2.0
// Restarts have causes, are reported in ERROR, and lose what was under way at most.
#include <algorithm>

#include "arqlink_regs.h"
#include "failure.h"
#include "run.h"

namespace campaign {
namespace {
using ull = unsigned long long;
}  // namespace

/// tx_packets_lost as a life begins. Until the link is up the life can lose nothing, so a snapshot may take its time.
void Run::noteLife(unsigned e) {
    Side& side = side_[e];
    const unsigned life = monitor_->lifeId(e);
    if (!(s_.finite || s_.changesK()) || life == side.notedLife) return;
    side.notedLife = life;
    side.bus.write(ARQLINK_COUNTERS_OFFSET, 1);
    side.bus.read(counterOffsets().at("tx_packets_lost"), [this, e, life](uint32_t value) {
        if (monitor_->lifeId(e) != life || monitor_->tsnCount(e)) return;
        side_[e].lostLife = life, side_[e].lostBefore = value;
    });
}

/// Packets of the present life of an end that have not come out, beyond those that it has counted as lost since it began.
uint64_t Run::overdue(unsigned e) {
    Side& side = side_[e];
    const unsigned life = monitor_->lifeId(e);
    if (!life || side.restarting) return 0;
    const uint64_t missing = side.book->missingSince(life), lost = side.counters["tx_packets_lost"];
    if (givesUp(e) && side.lostLife != life) return missing > lost ? missing - lost : 0;
    const uint64_t given = givesUp(e) ? lost - side.lostBefore : 0;
    return missing > given ? missing - given : 0;
}

/// Each restart that was asked for costs either end one life at most; the peer's is reported, and nothing else restarts.
void Run::checkRestarts(unsigned e) const {
    const Side &side = side_[e], &other = side_[1 - e];
    const unsigned lives = monitor_->lives(e), causes = side.causes + other.causes;
    const auto fail = [&](const char* what) {
        throw Failure(
            "restart-without-cause",
            format("clock %llu, end %s: %s; %u lives, restarts asked for: %u of it, %u of its peer; ERROR %05x",
                   ull(now_), endName(e), what, lives, side.causes, other.causes, side.error));
    };
    if (lives > 1 + causes) fail("more lives than causes");
    if (side.error & ARQLINK_ERROR_RESYNC_MASK) fail("ERROR.resync, and nothing was forged");
    if (side.error & ARQLINK_ERROR_PEER_RESTART_MASK && !other.causes)
        fail("ERROR.peer_restart, and its peer was not restarted");
    if (!side.wasReset && lives > 1 + side.causes && !(side.error & ARQLINK_ERROR_PEER_RESTART_MASK))
        fail("a restart that ERROR.peer_restart does not report");
}

/// After forged units: each restart is reported, at the end that found the contradiction or at the one that followed.
void Run::checkReported(const std::string& forged) {
    constexpr uint32_t reports = ARQLINK_ERROR_RESYNC_MASK | ARQLINK_ERROR_PEER_RESTART_MASK;
    for (unsigned e : {0, 1})
        if (monitor_->lives(e) > livesAtShot_[e] && livesAtShot_[e] && !(side_[e].error & reports))
            throw Failure("forge-silent-restart", format("clock %llu: %s has restarted, and ERROR is %05x", ull(now_),
                                                         endName(e), side_[e].error) +
                                                      forged);
}

// The receiver discards from a skipped frame to the next frame with sop. It counts the packet whose frames it has begun
// to collect, and each packet of which it discards a frame; what it had counted before the frame is not counted again.
uint64_t Monitor::dropped(unsigned end) const {
    uint64_t count = 0;
    bool inside = false, discards = false, counted = false;
    if (!life_[end]) return 0;
    for (const SentFrame& f : life_[end]->frames) {
        if (f.completeTsn < 0) {
            count += inside;
            counted |= inside;
            discards = true, inside = false;
            continue;
        }
        discards &= !f.sop;
        count += discards && !counted;
        counted = discards && !f.eop;
        inside = !discards && !f.eop;
    }
    return count;
}

}  // namespace campaign
