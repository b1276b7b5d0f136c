// SPDX-License-Identifier: Apache-2.0
// The second part of a run: all faults stop, and everything has to come to rest in bounded time.
#include <algorithm>

#include "arqlink_regs.h"
#include "failure.h"
#include "run.h"

namespace campaign {
namespace {
using ull = unsigned long long;

/// Clocks after which a packet that has been accepted is counted in tx_frames.
constexpr uint64_t framed = 1000;
}  // namespace

/// Each end has had one life, and nobody has asked for another one, be it before its first unit.
bool Run::calm() const {
    bool calm = true;
    for (unsigned e : {0, 1}) calm &= monitor_->lives(e) == 1 && !side_[e].wasReset && !side_[e].wasRestarted;
    return calm;
}

/// All frames are resolved and both ends are up: nothing is left to do.
bool Run::atRest() {
    readStatus();
    snapshot(false);
    for (Side& side : side_) {
        Counters& c = side.counters;
        if (side.state != 3 || side.stalled) return false;
        if (c["tx_frames"] != c["tx_frames_acked"] + c["tx_frames_abandoned"] + c["tx_frames_flushed"]) return false;
    }
    return true;
}

/// Packets of an end that have to come out and have not. Where frames may be given up they are all but those counted.
/// Frames of an end may be given up, or some have been where that is rare.
bool Run::givesUp(unsigned e) const {
    const Counters& counters = side_[e].counters;
    const auto abandoned = counters.find("tx_frames_abandoned");
    return s_.finite || (s_.changesK() && abandoned != counters.end() && abandoned->second > 0);
}

uint64_t Run::owed(unsigned e) {
    const uint64_t missing = side_[e].book->missingSince(calm() ? 0 : monitor_->lifeId(e));
    if (!givesUp(e)) return missing;
    const uint64_t lost = side_[e].counters["tx_packets_lost"];
    if (!calm()) return overdue(e);
    return missing > lost ? missing - lost : 0;
}

std::string Run::standing() const {
    std::string line;
    for (unsigned e : {0, 1}) {
        const Side& side = side_[e];
        auto at = [&side](const char* name) { return ull(side.counters.count(name) ? side.counters.at(name) : 0); };
        line += format(
            "; %s: state %u%s, frames %llu = acked %llu + abandoned %llu + flushed %llu, packets missing %llu of %llu, "
            "input waits %llu clocks with %s",
            endName(e), side.state, side.stalled ? " stalled" : "", at("tx_frames"), at("tx_frames_acked"),
            at("tx_frames_abandoned"), at("tx_frames_flushed"), ull(side.book->missing()),
            ull(side.book->acceptedCount()), ull(side.source->waiting()), side.source->text().c_str());
    }
    return line;
}

uint64_t Run::restartClocks() const {
    const uint64_t hello = std::max(timers_[0].hello, timers_[1].hello);
    return 3 * (s_.roundTrip() + hello) + 2 * (s_.info[0].window + s_.info[1].window) + 3000;
}

/// Clocks in which a link whose faults have stopped has to be at rest; README.md explains it.
uint64_t Run::restBound() const {
    auto most = [](uint64_t a, uint64_t b) { return std::max(a, b); };
    const Timers &a = timers_[0], &b = timers_[1];
    const uint64_t timers = 4 * most(a.poll, b.poll) + 3 * most(a.keepalive, b.keepalive) +
                            3 * most(a.outage, b.outage) + 4 * most(a.status, b.status);
    uint64_t frames = 0;
    for (unsigned e : {0, 1}) {
        // At worst each unit's worth of bytes is a frame of its own, with all its parity.
        const uint64_t units = side_[e].book->missingBytes() / s_.info[e].unitBytes + side_[e].book->missing() + 64;
        frames += units * (1 + s_.info[e].maxParity) * std::max(s_.unitClocks(0), s_.unitClocks(1));
    }
    return 8 * s_.roundTrip() + 2 * restartClocks() + timers + 4 * frames + 30000;
}

void Run::healFaults() {
    healed_ = true;
    monitor_->steadyEnds();
    for (unsigned e : {0, 1}) {
        Side& side = side_[e];
        side.way->heal();
        side.sink->plain();
        side.phyReady = 1, side.phyStopped = 0;
        side.source->plain();
        writeTimers(e, s_.healTimers[e]);
    }
}

void Run::heal() {
    healFaults();
    clocks(1500);
    for (Side& side : side_) side.source->stop();
    const uint64_t begin = now_, bound = restBound();
    uint64_t restSince = 0, quietSince = 0;
    while (true) {
        const bool idle = sourcesIdle(), rests = atRest();
        // Where frames may be given up and lives ended, nobody knows what is owed: it has had its time then.
        const bool unknown = (givesUp(0) || givesUp(1)) && !calm();
        const bool patient = !unknown || (restSince && now_ > restSince + s_.roundTrip() + 4000);
        const bool done = rests && patient && !owed(0) && !owed(1);
        quietSince = done && idle ? quietSince ? quietSince : now_ : 0;
        // A packet that entered last, or that began before a restart and belongs to no life, is a frame by then. After a restart it
        // waits until the peer has shown that it is up.
        const uint64_t counted = framed + (calm() ? 0 : s_.roundTrip());
        if (quietSince && now_ >= quietSince + counted) return;
        restSince = rests ? restSince ? restSince : now_ : 0;
        if (restSince && now_ > restSince + grace()) {
            for (unsigned e : {0, 1}) {
                if (side_[e].source->waiting() > grace() / 2)
                    throw Failure("input-stuck", format("clock %llu: %s does not take %s; the link is at rest",
                                                        ull(now_), endName(e), side_[e].source->text().c_str()) +
                                                     standing());
                if (owed(e))
                    throw Failure(
                        "packet-lost",
                        format("clock %llu: %llu packets of %s have not come out, of them %s", ull(now_), ull(owed(e)),
                               endName(e), side_[e].book->firstMissing(calm() ? 0 : monitor_->lifeId(e)).c_str()) +
                            standing());
            }
        }
        if (now_ > begin + bound)
            throw Failure(
                "stuck", format("clock %llu: not at rest %llu clocks after all faults stopped", ull(now_), ull(bound)) +
                             standing());
        clocks(lookEvery);
    }
}

/// A link on a clean channel is restarted by one end, and has to come up in bounded time.
void Run::restartOnce() {
    clocks(lookEvery + 2 * s_.roundTrip());
    const unsigned e = seed_ & 1;
    const unsigned before = monitor_->lives(e);
    side_[e].bus.write(ARQLINK_CTRL_OFFSET, ARQLINK_CTRL_ENABLE_MASK | ARQLINK_CTRL_RESTART_MASK,
                       [this, e](uint32_t) { armRestart(e); });
    // Units that have left the composer go first, and a slow line takes its time for each.
    const uint64_t waiting = 4 * s_.unitClocks(e);
    const uint64_t begin = now_, bound = restartClocks() + 2 * waiting;
    const uint64_t helloBound = s_.info[e].window + timers_[e].hello + waiting + 600;
    while (true) {
        clocks(lookEvery);
        readStatus();
        if (monitor_->lives(e) == before && now_ > begin + helloBound + lookEvery)
            throw Failure(
                "slow-start",
                format(
                    "clock %llu: no hello of %s %llu clocks after its restart; HELLO_INTERVAL %u, STATUS_INTERVAL %u",
                    ull(now_), endName(e), ull(now_ - begin), timers_[e].hello, timers_[e].status));
        if (monitor_->lives(e) > before && side_[0].state == 3 && side_[1].state == 3 && monitor_->spokeUp(0) &&
            monitor_->spokeUp(1))
            return;
        if (now_ > begin + bound)
            throw Failure("slow-start", format("clock %llu: not up %llu clocks after a restart of %s", ull(now_),
                                               ull(bound), endName(e)) +
                                            standing());
    }
}

}  // namespace campaign
