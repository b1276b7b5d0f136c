// SPDX-License-Identifier: Apache-2.0
// Runs with forged units: the link may lose what was under way, but not for good, and not without saying so.
#include <algorithm>

#include "failure.h"
#include "run.h"

namespace campaign {
namespace {

using ull = unsigned long long;
constexpr unsigned freshPackets = 24;

/// Times that fresh packets may be lost, each time with a report.
constexpr unsigned tries = 3;

}  // namespace

/// Forged units reach end `e` one after the other.
void Run::shoot(unsigned e, unsigned count) {
    std::vector<Bytes> units;
    for (unsigned i = 0; i < count; ++i) units.push_back(forger_->unit(*monitor_, e));
    monitor_->relax();
    for (unsigned end : {0, 1}) {
        side_[end].book->relax();
        if (!shot_) livesAtShot_[end] = monitor_->lives(end);
    }
    shot_ = true;
    for (const Bytes& unit : units) {
        if (unit.empty()) continue;
        ++recovery_.units;
        if (!s_.forgeBlank) side_[1 - e].way->inject(unit, now_);
    }
}

/// Both ends are up and new packets cross: as long as the link restarts, there is another try.
void Run::recover() {
    const std::string forged = "; forged" + forger_->text();
    const uint64_t begin = now_;
    healFaults();
    for (Side& side : side_) side.source->stop();
    // Until nothing is left of what was under way, or each timer has had its turn. A packet that has begun is not a fresh one.
    for (const uint64_t until = now_ + restBound(); now_ < until;) {
        const uint64_t look = now_;
        if (sourcesIdle() && atRest()) break;
        clocks(lookEvery);
        recovery_.look = std::max(recovery_.look, now_ - look);
    }
    for (unsigned attempt = 0;; ++attempt) {
        const unsigned lives[2] = {monitor_->lives(0), monitor_->lives(1)};
        const uint64_t odd = oddPackets(), reported = reportedLosses();
        const auto excused = [&] {
            const bool restarted = lives[0] != monitor_->lives(0) || lives[1] != monitor_->lives(1);
            // A forged unit may have waited for the frame that it fits: the packet comes out with its content, which only
            // `packetCrc` can detect. At finite δ the transmission that it has spoiled is given up, and the sender says so.
            // So may two notices that agree, at any δ.
            const bool mayLose = givesUp(0) || givesUp(1) || s_.forged > 1;
            return restarted || odd != oddPackets() || (mayLose && reported != reportedLosses());
        };
        if (freshCross(excused)) {
            recovery_.clocks = std::max(side_[0].book->lastDelivered(), side_[1].book->lastDelivered()) - begin;
            recovery_.roundTrip = s_.roundTrip();
            recovery_.pollTimeout = std::max(timers_[0].poll, timers_[1].poll);
            recovery_.restarts = restartsSinceShot();
            recovery_.attempts = attempt + 1;
            // Where nothing fresh is sent, the link may still be about to find out, with its timers.
            const uint64_t until = now_ + restBound();
            while (now_ < until && !silentLoss().empty() && !restartsSinceShot()) clocks(16 * lookEvery);
            // The peer of an end that has restarted follows it.
            const bool follows = monitor_->lives(0) - livesAtShot_[0] != monitor_->lives(1) - livesAtShot_[1];
            if (follows || restartsSinceShot() > recovery_.restarts) clocks(2 * s_.roundTrip() + restartClocks());
            return checkForged(forged);
        }
        if (excused() && attempt + 1 < tries) continue;
        const bool rests = atRest() && sourcesIdle();
        const std::string text = standing() + forged;
        if (rests && freshCross([] { return false; }))
            throw Failure("forge-loss",
                          format("clock %llu: fresh packets were lost; the next ones cross", ull(now_)) + text);
        throw Failure("forge-stuck", format("clock %llu: fresh packets do not cross", ull(now_)) + text);
    }
}

/// Packets with the content of forged units, which came out or, with `packetCrc`, were dropped.
uint64_t Run::oddPackets() {
    snapshot(true);
    uint64_t count = 0;
    for (Side& side : side_) count += side.book->odd() + side.counters["rx_packets_corrupt"];
    return count;
}

/// What both ends have said of losses, as oddPackets() has read it.
uint64_t Run::reportedLosses() {
    uint64_t count = 0;
    for (Side& side : side_)
        for (const char* name : {"tx_packets_lost", "rx_packets_dropped", "rx_frames_skipped"})
            count += side.counters[name];
    return count;
}

/// Fresh packets all come out in bounded time. Where those that are missing are `excused`, a link at rest is not waited for.
bool Run::freshCross(const std::function<bool()>& excused) {
    for (unsigned e : {0, 1}) {
        side_[e].book->freshFrom();
        if (s_.freshFrom >> e & 1) side_[e].source->fresh(freshPackets);
    }
    uint64_t bound = 0;
    const uint64_t begin = now_;
    uint64_t restSince = 0;
    while (true) {
        clocks(lookEvery);
        bool done = true;
        for (Side& side : side_) done &= side.source->idle() && !side.source->running() && !side.book->freshMissing();
        if (done) return true;
        bound = std::max(bound, restBound());
        if (now_ > begin + bound) return false;
        const bool rests = sourcesIdle() && atRest();
        restSince = rests ? restSince ? restSince : now_ : 0;
        if (restSince && now_ > restSince + grace() && excused()) return false;
    }
}

unsigned Run::restartsSinceShot() const {
    return std::max(monitor_->lives(0) - livesAtShot_[0], monitor_->lives(1) - livesAtShot_[1]);
}

/// Which packets are missing that nobody has reported; empty where there are none. Reads the counters.
std::string Run::silentLoss() {
    snapshot(true);
    const unsigned restarts = restartsSinceShot();
    std::string text;
    for (unsigned e : {0, 1}) {
        Counters &own = side_[e].counters, &peer = side_[1 - e].counters;
        // A restart flushes what the life before it had accepted; what entered later has to come out.
        const uint64_t missing = restarts ? side_[e].book->missingSince(monitor_->lifeId(e)) : side_[e].book->missing();
        // A loss at finite δ may be counted at both ends, but each takes a skipped frame, or one that a forged data unit
        // has spoiled where it came in.
        const unsigned spoiled = s_.forgeEnd == 1 - e ? forger_->dataUnits() : 0;
        // A packet of which no frame has come is not dropped. If its sender counts a frame of it as received, only the
        // skip shows it.
        const uint64_t skipped = peer["rx_frames_skipped"], abandoned = own["tx_frames_abandoned"];
        const uint64_t unreported = skipped > abandoned ? skipped - abandoned : 0;
        const uint64_t lost =
            givesUp(e) ? std::min(own["tx_packets_lost"] + peer["rx_packets_dropped"] + unreported, skipped + spoiled)
                       : peer["rx_packets_dropped"];
        // What came out in its place is an undetected error: only `packetCrc` can detect it.
        const uint64_t reported = lost + peer["rx_packets_corrupt"] + side_[e].book->odd();
        if (missing <= reported) continue;
        text =
            format("%llu packets of %s are missing, and %llu were reported", ull(missing), endName(e), ull(reported));
    }
    return text;
}

void Run::checkForged(const std::string& forged) {
    silentLoss_ = silentLoss();
    const unsigned restarts = restartsSinceShot();
    if (restarts > s_.shots)  // each may cost one
        throw Failure("forge-restarts", format("clock %llu: %u restarts", ull(now_), restarts) + forged);
    checkReported(forged);
    if (!silentLoss_.empty() && s_.forged == 1)
        throw Failure("forge-silent-loss", format("clock %llu: ", ull(now_)) + silentLoss_ + forged);
}

}  // namespace campaign
