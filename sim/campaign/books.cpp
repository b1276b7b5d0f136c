// SPDX-License-Identifier: Apache-2.0
// The second part of a run: all faults stop, everything has to come to rest in bounded time, and the books have to be right.
#include <algorithm>

#include "arqlink_regs.h"
#include "failure.h"
#include "run.h"

namespace campaign {
namespace {

using ull = unsigned long long;

const char* const restCounters[] = {"tx_frames", "tx_frames_acked", "tx_frames_abandoned", "tx_frames_flushed", "tx_packets_lost"};

/// Clocks between two looks at registers.
constexpr uint64_t lookEvery = 400;

}  // namespace

const std::map<std::string, uint32_t>& counterOffsets() {
#define COUNTER(NAME, name) {name, ARQLINK_COUNTER_##NAME##_OFFSET}
    static const std::map<std::string, uint32_t> offsets = {
        COUNTER(TX_PACKETS, "tx_packets"), COUNTER(TX_DROP_ZERO, "tx_drop_zero"), COUNTER(TX_DROP_OVERSIZE, "tx_drop_oversize"),
        COUNTER(TX_DROP_ABORT, "tx_drop_abort"), COUNTER(TX_DROP_KEEP, "tx_drop_keep"), COUNTER(TX_PACKETS_LOST, "tx_packets_lost"),
        COUNTER(TX_FRAMES, "tx_frames"), COUNTER(TX_RETX, "tx_retx"), COUNTER(TX_FRAMES_ACKED, "tx_frames_acked"),
        COUNTER(TX_FRAMES_ABANDONED, "tx_frames_abandoned"), COUNTER(TX_FRAMES_FLUSHED, "tx_frames_flushed"),
        COUNTER(TX_OUTCOMES_OK, "tx_outcomes_ok"), COUNTER(TX_OUTCOMES_FAILED, "tx_outcomes_failed"), COUNTER(TX_UNITS, "tx_units"),
        COUNTER(TX_RETX_UNITS, "tx_retx_units"), COUNTER(TX_CONTROL_UNITS, "tx_control_units"), COUNTER(TX_POLLS, "tx_polls"),
        COUNTER(RX_PACKETS, "rx_packets"), COUNTER(RX_PACKETS_DROPPED, "rx_packets_dropped"), COUNTER(RX_FRAMES_CLEAN, "rx_frames_clean"),
        COUNTER(RX_FRAMES_REPAIRED, "rx_frames_repaired"), COUNTER(RX_FRAMES_SKIPPED, "rx_frames_skipped"),
        COUNTER(RX_DUPLICATES, "rx_duplicates"), COUNTER(RX_OUTCOMES_OK, "rx_outcomes_ok"), COUNTER(RX_OUTCOMES_FAILED, "rx_outcomes_failed"),
        COUNTER(RX_UNITS, "rx_units"), COUNTER(RX_UNITS_SURPLUS, "rx_units_surplus"), COUNTER(RX_UNITS_LATE, "rx_units_late"),
        COUNTER(RX_UNITS_INVALID, "rx_units_invalid"), COUNTER(RX_UNITS_EPOCH, "rx_units_epoch"), COUNTER(RX_CONTROL_UNITS, "rx_control_units"),
        COUNTER(RX_CONTROL_INVALID, "rx_control_invalid"), COUNTER(RX_ERASED_CRC, "rx_erased_crc"), COUNTER(RX_ERASED_FLAG, "rx_erased_flag"),
        COUNTER(RX_ERASED_LENGTH, "rx_erased_length"), COUNTER(RX_BAD_HEADER, "rx_bad_header"), COUNTER(RX_OVERFLOW, "rx_overflow"),
        COUNTER(LINK_RESTARTS, "link_restarts"), COUNTER(LINK_OUTAGES, "link_outages")};
#undef COUNTER
    return offsets;
}

void Run::readStatus() {
    for (Side& side : side_)
        side.bus.read(ARQLINK_STATUS_OFFSET, [&side](uint32_t value) {
            side.state = value & ARQLINK_STATUS_STATE_MASK;
            side.stalled = value & ARQLINK_STATUS_STALLED_MASK;
        });
    finishAccesses();
}

/// Counters of both ends as of one clock each; all of them, or those that tell whether an end is at rest.
void Run::snapshot(bool all) {
    for (Side& side : side_) side.bus.write(ARQLINK_COUNTERS_OFFSET, ARQLINK_COUNTERS_SNAPSHOT_MASK);
    finishAccesses();
    bool busy = true;
    while (busy) {
        busy = false;
        for (Side& side : side_) side.bus.read(ARQLINK_COUNTERS_OFFSET, [&busy](uint32_t value) { busy |= value & ARQLINK_COUNTERS_BUSY_MASK; });
        finishAccesses();
    }
    for (Side& side : side_) {
        auto ask = [&side](const std::string& name, uint32_t offset) { side.bus.read(offset, [&side, name](uint32_t value) { side.counters[name] = value; }); };
        if (all) {
            for (const auto& [name, offset] : counterOffsets()) ask(name, offset);
            side.counters["rx_attempts"] = 0;
            for (unsigned i = 0; i < 16; ++i)
                side.bus.read(ARQLINK_COUNTER_RX_ATTEMPT_0_OFFSET + 8 * i, [&side](uint32_t value) { side.counters["rx_attempts"] += value; });
        } else {
            for (const char* name : restCounters) ask(name, counterOffsets().at(name));
        }
    }
    finishAccesses();
}

bool Run::calm() const { return monitor_->lives(0) == 1 && monitor_->lives(1) == 1 && !side_[0].wasReset && !side_[1].wasReset; }

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
uint64_t Run::owed(unsigned e) {
    const uint64_t missing = side_[e].book->missingSince(calm() ? 0 : monitor_->lifeId(e));
    if (!s_.finite) return missing;
    const uint64_t lost = side_[e].counters["tx_packets_lost"];
    if (!calm()) return 0;
    return missing > lost ? missing - lost : 0;
}

std::string Run::standing() const {
    std::string line;
    for (unsigned e : {0, 1}) {
        const Side& side = side_[e];
        auto at = [&side](const char* name) { return ull(side.counters.count(name) ? side.counters.at(name) : 0); };
        line += format("; %s: state %u%s, frames %llu = acked %llu + abandoned %llu + flushed %llu, packets missing %llu of %llu, input waits %llu%s", endName(e), side.state,
                       side.stalled ? " stalled" : "", at("tx_frames"), at("tx_frames_acked"), at("tx_frames_abandoned"), at("tx_frames_flushed"),
                       ull(side.book->missing()), ull(side.book->acceptedCount()), ull(side.source->waiting()),
                       side.source->idle() ? "" : side.source->kind() == Source::Kind::tooLong ? " in a packet too long" : " in a packet");
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
    const uint64_t timers = 4 * most(a.poll, b.poll) + 3 * most(a.keepalive, b.keepalive) + 3 * most(a.outage, b.outage) + 4 * most(a.status, b.status);
    uint64_t frames = 0;
    for (unsigned e : {0, 1}) {
        // At worst each unit's worth of bytes is a frame of its own, with all its parity.
        const uint64_t units = side_[e].book->missingBytes() / s_.info[e].unitBytes + side_[e].book->missing() + 64;
        frames += units * (1 + s_.info[e].maxParity) * std::max(s_.info[0].unitClocks(), s_.info[1].unitClocks());
    }
    return 8 * s_.roundTrip() + 2 * restartClocks() + timers + 4 * frames + 30000;
}

void Run::heal() {
    healed_ = true;
    for (unsigned e : {0, 1}) {
        Side& side = side_[e];
        side.way->heal();
        side.sink->plain();
        side.phyReady = 1, side.phyStopped = 0;
        side.source->plain();
        writeTimers(e, s_.healTimers[e]);
    }
    clocks(1500);
    for (Side& side : side_) side.source->stop();
    const uint64_t begin = now_, bound = restBound();
    uint64_t restSince = 0;
    while (true) {
        const bool rests = atRest(), idle = side_[0].source->idle() && side_[1].source->idle();
        const bool done = rests && !owed(0) && !owed(1);
        if (done && idle) return;
        restSince = rests ? restSince ? restSince : now_ : 0;
        const uint64_t grace = 2 * s_.roundTrip() + 20000;
        if (restSince && now_ > restSince + grace) {
            for (unsigned e : {0, 1}) {
                if (side_[e].source->waiting() > grace / 2)
                    throw Failure("input-stuck", format("clock %llu: %s does not take the beats of a packet%s; the link is at rest", ull(now_), endName(e),
                                                        side_[e].source->kind() == Source::Kind::tooLong ? " that is too long" : "") + standing());
                if (owed(e))
                    throw Failure("packet-lost", format("clock %llu: %llu packets of %s have not come out, of them %s", ull(now_), ull(owed(e)), endName(e),
                                                        side_[e].book->firstMissing(calm() ? 0 : monitor_->lifeId(e)).c_str()) + standing());
            }
        }
        if (now_ > begin + bound) throw Failure("stuck", format("clock %llu: not at rest %llu clocks after all faults stopped", ull(now_), ull(bound)) + standing());
        clocks(lookEvery);
    }
}

void Run::equal(unsigned e, const char* what, uint64_t left, uint64_t right) const {
    if (left != right) throw Failure("books", format("clock %llu, end %s: %s: %llu and %llu", ull(now_), endName(e), what, ull(left), ull(right)));
}

void Run::checkBooks(unsigned e) {
    Side &side = side_[e], &other = side_[1 - e];
    Counters &c = side.counters, &p = other.counters;
    const Tally& t = monitor_->tally(e);
    auto came = [&t](Verdict verdict) { return t.came[static_cast<unsigned>(verdict)]; };
    equal(e, "tx_frames = acked + abandoned + flushed", c["tx_frames"], c["tx_frames_acked"] + c["tx_frames_abandoned"] + c["tx_frames_flushed"]);
    equal(e, "clean + repaired = sum of rx_attempt_i", c["rx_frames_clean"] + c["rx_frames_repaired"], c["rx_attempts"]);
    if (s_.info[e].dataBytes < 16) equal(e, "rx_overflow = 0", c["rx_overflow"], 0);
    if (!side.wasReset) {
        equal(e, "tx_units = those on the wire", c["tx_units"], t.units);
        equal(e, "tx_retx_units = those on the wire", c["tx_retx_units"], t.retxUnits);
        // Some may be formed and wait for the PHY, which is stopped.
        if (c["tx_control_units"] < t.control || c["tx_control_units"] > t.control + 3) equal(e, "tx_control_units = those on the wire", c["tx_control_units"], t.control);
    }
    if (!side.wasReset && !side.ragged) {
        equal(e, "rx_erased_crc = damaged units that came", c["rx_erased_crc"], came(Verdict::crc));
        equal(e, "rx_erased_flag = flagged units that came", c["rx_erased_flag"], came(Verdict::flag));
        equal(e, "rx_erased_length = units of a wrong length that came", c["rx_erased_length"], came(Verdict::length));
        equal(e, "rx_bad_header = units with an impossible header that came", c["rx_bad_header"], came(Verdict::header));
    }
    if (!side.wasReset && c["link_restarts"] < monitor_->lives(e)) equal(e, "link_restarts = lives on the wire", c["link_restarts"], monitor_->lives(e));
    if (!calm()) return;
    const Source& source = *side.source;
    equal(e, "tx_packets = packets that were good", c["tx_packets"], source.count(Source::Kind::good));
    equal(e, "tx_drop_oversize = packets too long", c["tx_drop_oversize"], source.count(Source::Kind::tooLong));
    equal(e, "tx_drop_abort = packets aborted", c["tx_drop_abort"], source.count(Source::Kind::abort));
    equal(e, "tx_drop_keep = packets with holes", c["tx_drop_keep"], source.count(Source::Kind::holes));
    equal(e, "tx_drop_zero = packets of no bytes", c["tx_drop_zero"], source.count(Source::Kind::nothing));
    equal(e, "packets cut short without a restart", side.cutPackets, 0);
    equal(e, "rx_packets = packets that came out", c["rx_packets"], other.book->deliveredCount());
    equal(e, "packets missing = tx_packets_lost", side.book->missing(), c["tx_packets_lost"]);
    equal(e, "tx_frames + tx_retx = transmissions on the wire", c["tx_frames"] + c["tx_retx"], monitor_->tsnCount(e));
    equal(e, "units that came = those counted", came(Verdict::data) + came(Verdict::control),
          c["rx_units"] + c["rx_units_surplus"] + c["rx_units_late"] + c["rx_units_invalid"] + c["rx_units_epoch"] + c["rx_control_units"] + c["rx_overflow"]);
    equal(e, "outcomes_ok of both ends", c["tx_outcomes_ok"], p["rx_outcomes_ok"]);
    equal(e, "outcomes_failed of both ends", c["tx_outcomes_failed"], p["rx_outcomes_failed"]);
    if (s_.copies) return;
    equal(e, "tx_frames_acked = the peer's clean + repaired", c["tx_frames_acked"], p["rx_frames_clean"] + p["rx_frames_repaired"]);
    equal(e, "tx_frames_abandoned = the peer's skipped", c["tx_frames_abandoned"], p["rx_frames_skipped"]);
    equal(e, "rx_units_invalid = 0", c["rx_units_invalid"], 0);
    equal(e, "rx_control_invalid = 0", c["rx_control_invalid"], 0);
    equal(e, "rx_units_late = 0", c["rx_units_late"], 0);
}

/// The PHYs stop, so that what the counters say and what has left and come is of the same moment.
void Run::books() {
    monitor_->expectPolls();
    for (Side& side : side_) side.phyStopped = ~uint64_t(0);
    do clocks(lookEvery);
    while (!side_[0].way->empty() || !side_[1].way->empty());
    snapshot(true);
    if (!s_.restarts && !calm())
        throw Failure("restart-without-cause", format("clock %llu: %u lives of A, %u of B, and nobody asked for a restart", ull(now_), monitor_->lives(0), monitor_->lives(1)));
    for (unsigned e : {0, 1}) checkBooks(e);
    for (Side& side : side_) side.phyStopped = 0;
}

/// A link on a clean channel is restarted by one end, and has to come up in bounded time.
void Run::restartOnce() {
    clocks(lookEvery + 2 * s_.roundTrip());
    const unsigned e = seed_ & 1;
    const unsigned before = monitor_->lives(e);
    side_[e].bus.write(ARQLINK_CTRL_OFFSET, ARQLINK_CTRL_ENABLE_MASK | ARQLINK_CTRL_RESTART_MASK, [this, e](uint32_t) { armRestart(e); });
    const uint64_t begin = now_, bound = restartClocks(), helloBound = s_.info[e].window + timers_[e].hello + 600;
    while (true) {
        clocks(lookEvery);
        readStatus();
        if (monitor_->lives(e) == before && now_ > begin + helloBound + lookEvery)
            throw Failure("slow-start", format("clock %llu: no hello of %s %llu clocks after its restart; HELLO_INTERVAL %u, STATUS_INTERVAL %u", ull(now_), endName(e),
                                               ull(now_ - begin), timers_[e].hello, timers_[e].status));
        if (monitor_->lives(e) > before && side_[0].state == 3 && side_[1].state == 3 && monitor_->spokeUp(0) && monitor_->spokeUp(1)) return;
        if (now_ > begin + bound) throw Failure("slow-start", format("clock %llu: not up %llu clocks after a restart of %s", ull(now_), ull(bound), endName(e)) + standing());
    }
}

}  // namespace campaign
