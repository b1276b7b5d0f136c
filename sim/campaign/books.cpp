// SPDX-License-Identifier: Apache-2.0
// Registers and counters of both ends, and whether the books are right when all is quiet.
#include <algorithm>

#include "arqlink_regs.h"
#include "failure.h"
#include "run.h"

namespace campaign {
namespace {

using ull = unsigned long long;

const char* const restCounters[] = {"tx_frames", "tx_frames_acked", "tx_frames_abandoned", "tx_frames_flushed",
                                    "tx_packets_lost"};

}  // namespace

const std::map<std::string, uint32_t>& counterOffsets() {
#define COUNTER(NAME, name)                   \
    {                                         \
        name, ARQLINK_COUNTER_##NAME##_OFFSET \
    }
    static const std::map<std::string, uint32_t> offsets = {COUNTER(TX_PACKETS, "tx_packets"),
                                                            COUNTER(TX_DROP_ZERO, "tx_drop_zero"),
                                                            COUNTER(TX_DROP_OVERSIZE, "tx_drop_oversize"),
                                                            COUNTER(TX_DROP_ABORT, "tx_drop_abort"),
                                                            COUNTER(TX_DROP_KEEP, "tx_drop_keep"),
                                                            COUNTER(TX_PACKETS_LOST, "tx_packets_lost"),
                                                            COUNTER(TX_FRAMES, "tx_frames"),
                                                            COUNTER(TX_RETX, "tx_retx"),
                                                            COUNTER(TX_FRAMES_ACKED, "tx_frames_acked"),
                                                            COUNTER(TX_FRAMES_ABANDONED, "tx_frames_abandoned"),
                                                            COUNTER(TX_FRAMES_FLUSHED, "tx_frames_flushed"),
                                                            COUNTER(TX_OUTCOMES_OK, "tx_outcomes_ok"),
                                                            COUNTER(TX_OUTCOMES_FAILED, "tx_outcomes_failed"),
                                                            COUNTER(TX_OUTCOMES_OUTAGE, "tx_outcomes_outage"),
                                                            COUNTER(TX_UNITS, "tx_units"),
                                                            COUNTER(TX_RETX_UNITS, "tx_retx_units"),
                                                            COUNTER(TX_CONTROL_UNITS, "tx_control_units"),
                                                            COUNTER(TX_POLLS, "tx_polls"),
                                                            COUNTER(RX_PACKETS, "rx_packets"),
                                                            COUNTER(RX_PACKETS_DROPPED, "rx_packets_dropped"),
                                                            COUNTER(RX_PACKETS_CORRUPT, "rx_packets_corrupt"),
                                                            COUNTER(RX_FRAMES_CLEAN, "rx_frames_clean"),
                                                            COUNTER(RX_FRAMES_REPAIRED, "rx_frames_repaired"),
                                                            COUNTER(RX_FRAMES_SKIPPED, "rx_frames_skipped"),
                                                            COUNTER(RX_DUPLICATES, "rx_duplicates"),
                                                            COUNTER(RX_OUTCOMES_OK, "rx_outcomes_ok"),
                                                            COUNTER(RX_OUTCOMES_FAILED, "rx_outcomes_failed"),
                                                            COUNTER(RX_UNITS, "rx_units"),
                                                            COUNTER(RX_UNITS_SURPLUS, "rx_units_surplus"),
                                                            COUNTER(RX_UNITS_LATE, "rx_units_late"),
                                                            COUNTER(RX_UNITS_INVALID, "rx_units_invalid"),
                                                            COUNTER(RX_UNITS_EPOCH, "rx_units_epoch"),
                                                            COUNTER(RX_CONTROL_UNITS, "rx_control_units"),
                                                            COUNTER(RX_CONTROL_INVALID, "rx_control_invalid"),
                                                            COUNTER(RX_ERASED_CRC, "rx_erased_crc"),
                                                            COUNTER(RX_ERASED_FLAG, "rx_erased_flag"),
                                                            COUNTER(RX_ERASED_LENGTH, "rx_erased_length"),
                                                            COUNTER(RX_BAD_HEADER, "rx_bad_header"),
                                                            COUNTER(RX_OVERFLOW, "rx_overflow"),
                                                            COUNTER(LINK_RESTARTS, "link_restarts"),
                                                            COUNTER(LINK_OUTAGES, "link_outages")};
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

/// Counters of both ends as of one clock each; all of them, or those that show whether an end is at rest.
void Run::snapshot(bool all) {
    for (Side& side : side_) side.bus.write(ARQLINK_COUNTERS_OFFSET, ARQLINK_COUNTERS_SNAPSHOT_MASK);
    finishAccesses();
    bool busy = true;
    const uint64_t begin = now_;
    while (busy) {
        busy = false;
        if (now_ > begin + 3000) throw Failure("axi", format("clock %llu: COUNTERS stays busy", ull(now_)));
        for (Side& side : side_)
            side.bus.read(ARQLINK_COUNTERS_OFFSET,
                          [&busy](uint32_t value) { busy |= value & ARQLINK_COUNTERS_BUSY_MASK; });
        finishAccesses();
    }
    for (Side& side : side_) {
        auto ask = [&side](const std::string& name, uint32_t offset) {
            side.bus.read(offset, [&side, name](uint32_t value) { side.counters[name] = value; });
        };
        if (all) {
            for (const auto& [name, offset] : counterOffsets()) ask(name, offset);
            side.bus.read(ARQLINK_ERROR_OFFSET, [&side](uint32_t value) { side.error = value; });
            side.counters["tx_acked"] = 0;
            for (unsigned i = 0; i < 16; ++i)
                side.bus.read(ARQLINK_COUNTER_TX_ACKED_0_OFFSET + 8 * i,
                              [&side](uint32_t value) { side.counters["tx_acked"] += value; });
        } else {
            for (const char* name : restCounters) ask(name, counterOffsets().at(name));
        }
    }
    finishAccesses();
}

void Run::equal(unsigned e, const char* what, uint64_t left, uint64_t right) const {
    if (left != right)
        throw Failure("books", format("clock %llu, end %s: %s: %llu and %llu", ull(now_), endName(e), what, ull(left),
                                      ull(right)));
}

void Run::checkBooks(unsigned e) {
    Side &side = side_[e], &other = side_[1 - e];
    Counters &c = side.counters, &p = other.counters;
    const Tally& t = monitor_->tally(e);
    auto came = [&t](Verdict verdict) { return t.came[static_cast<unsigned>(verdict)]; };
    equal(e, "tx_frames = acked + abandoned + flushed", c["tx_frames"],
          c["tx_frames_acked"] + c["tx_frames_abandoned"] + c["tx_frames_flushed"]);
    equal(e, "tx_frames_acked = sum of tx_acked_i", c["tx_frames_acked"], c["tx_acked"]);
    if (!side.wasReset) {
        equal(e, "tx_units = those on the wire", c["tx_units"], t.units);
        equal(e, "tx_retx_units = those on the wire", c["tx_retx_units"], t.retxUnits);
        // Some may be formed and wait for the PHY, which is stopped.
        if (c["tx_control_units"] < t.control || c["tx_control_units"] > t.control + 3)
            equal(e, "tx_control_units = those on the wire", c["tx_control_units"], t.control);
        const uint64_t counted = c["rx_units"] + c["rx_units_surplus"] + c["rx_units_late"] + c["rx_units_invalid"] +
                                 c["rx_units_epoch"] + c["rx_control_units"] + c["rx_overflow"];
        const uint64_t whole = came(Verdict::data) + came(Verdict::control);
        // The one that came while the end left reset may have been accepted as well.
        if (!side.ragged || counted != whole + 1) equal(e, "units that came = those counted", whole, counted);
    }
    if (!side.wasReset && !side.ragged) {
        equal(e, "rx_erased_crc = damaged units that came", c["rx_erased_crc"], came(Verdict::crc));
        equal(e, "rx_erased_flag = flagged units that came", c["rx_erased_flag"], came(Verdict::flag));
        equal(e, "rx_units_other_link = units of another link that came", c["rx_units_other_link"],
              came(Verdict::link));
        equal(e, "rx_erased_length = units of a wrong length that came", c["rx_erased_length"], came(Verdict::length));
        equal(e, "rx_bad_header = units with an impossible header that came", c["rx_bad_header"],
              came(Verdict::header));
    }
    if (!side.wasReset && c["link_restarts"] < monitor_->lives(e))
        equal(e, "link_restarts = lives on the wire", c["link_restarts"], monitor_->lives(e));
    checkOutages(e);
    checkRestarts(e);
    if (overdue(e))
        throw Failure(
            "packet-lost",
            format("clock %llu: %llu packets of the present life of %s are missing more than it counts as lost",
                   ull(now_), ull(overdue(e)), endName(e)));
    if (!calm()) return;
    equal(e, "tx_frames_flushed = 0", c["tx_frames_flushed"], 0);
    if (s_.info[e].dataBytes < 16) equal(e, "rx_overflow = 0", c["rx_overflow"], 0);
    const Source& source = *side.source;
    if (c["tx_packets"] + c["tx_drop_oversize"] <
        source.count(Source::Kind::good) + source.count(Source::Kind::tooLong))
        throw Failure("input-stuck", format("clock %llu: %s has taken packets and neither accepted nor dropped them",
                                            ull(now_), endName(e)) +
                                         standing());
    equal(e, "tx_packets = packets that were good", c["tx_packets"], source.count(Source::Kind::good));
    equal(e, "tx_drop_oversize = packets too long", c["tx_drop_oversize"], source.count(Source::Kind::tooLong));
    equal(e, "tx_drop_abort = packets aborted", c["tx_drop_abort"], source.count(Source::Kind::abort));
    equal(e, "tx_drop_keep = packets with holes", c["tx_drop_keep"], source.count(Source::Kind::holes));
    equal(e, "tx_drop_zero = packets of no bytes", c["tx_drop_zero"], source.count(Source::Kind::nothing));
    equal(e, "packets cut short without a restart", side.cutPackets, 0);
    equal(e, "rx_packets = packets that came out", c["rx_packets"], other.book->deliveredCount());
    equal(e, "rx_packets_corrupt = 0", c["rx_packets_corrupt"], 0);
    equal(e, "packets missing = tx_packets_lost", side.book->missing(), c["tx_packets_lost"]);
    equal(e, "tx_frames + tx_retx = transmissions on the wire", c["tx_frames"] + c["tx_retx"], monitor_->tsnCount(e));
    equal(e, "outcomes_ok of both ends", c["tx_outcomes_ok"], p["rx_outcomes_ok"]);
    equal(e, "outcomes_failed of both ends", c["tx_outcomes_failed"], p["rx_outcomes_failed"]);
    if (s_.copies) return;
    equal(e, "tx_frames_acked = the peer's clean + repaired", c["tx_frames_acked"],
          p["rx_frames_clean"] + p["rx_frames_repaired"]);
    equal(e, "tx_frames_abandoned = the peer's skipped", c["tx_frames_abandoned"], p["rx_frames_skipped"]);
    if (s_.info[1 - e].dataBytes < 16)
        equal(e, "packets that the peer had to drop = its rx_packets_dropped", monitor_->dropped(e),
              p["rx_packets_dropped"]);
    equal(e, "rx_units_invalid = 0", c["rx_units_invalid"], 0);
    equal(e, "rx_control_invalid = 0", c["rx_control_invalid"], 0);
    equal(e, "rx_units_late = 0", c["rx_units_late"], 0);
}

/// Outages are those that the monitor has derived. What failed in them has been sent again with the attempt that it had; after a
/// restart some of it may not have been.
void Run::checkOutages(unsigned e) {
    Counters& c = side_[e].counters;
    const Outages& outages = monitor_->outages(e);
    const Tally& t = monitor_->tally(e);
    const auto within = [&](const char* what, uint64_t count, uint64_t least, uint64_t most) {
        if (count < least || count > most)
            throw Failure("books", format("clock %llu, end %s: %s is %llu; it should be %llu to %llu", ull(now_),
                                          endName(e), what, ull(count), ull(least), ull(most)));
    };
    if (side_[e].wasReset) return;
    within("link_outages", c["link_outages"], outages.least(), outages.most());
    within("tx_outcomes_outage", c["tx_outcomes_outage"], t.spared, calm() ? t.spared + t.maySpare : ~uint64_t(0));
}

/// The PHYs stop, so that what the counters say and what has left and come is of the same moment.
void Run::books() {
    monitor_->expectPolls();
    for (Side& side : side_) side.phyStopped = ~uint64_t(0);
    do clocks(lookEvery);
    while (!side_[0].way->empty() || !side_[1].way->empty());
    clocks(lookEvery);  // what came last has been dealt with then, and counted
    snapshot(true);
    if (!s_.restarts && !calm())
        throw Failure("restart-without-cause",
                      format("clock %llu: %u lives of A, %u of B, and nobody asked for a restart", ull(now_),
                             monitor_->lives(0), monitor_->lives(1)));
    for (unsigned e : {0, 1}) checkBooks(e);
    for (Side& side : side_) side.phyStopped = 0;
}

}  // namespace campaign
