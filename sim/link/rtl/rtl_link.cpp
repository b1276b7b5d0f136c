// SPDX-License-Identifier: Apache-2.0
#include "rtl_link.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "settings.h"
#include "splitmix.h"

namespace arqlink::rtl {

namespace {

constexpr size_t nameBytes = 8;

// Packets are named by their first bytes; the others follow from the name.
RtlEnd::Packet packetNamed(uint64_t name, size_t bytes) {
    RtlEnd::Packet packet(bytes);
    for (size_t i = 0; i < bytes; ++i)
        packet[i] = i < nameBytes ? static_cast<uint8_t>(name >> 8 * i)
                                  : static_cast<uint8_t>(mix(name) >> 8 * (i % 8)) ^ static_cast<uint8_t>(i);
    return packet;
}

uint64_t nameOf(const RtlEnd::Packet& packet) {
    uint64_t name = 0;
    std::memcpy(&name, packet.data(), std::min(nameBytes, packet.size()));
    return name;
}

}  // namespace

RtlLink::RtlLink(const LinkSettings& settings, const std::string& library, std::unique_ptr<ErasureProcess> aToB,
                 std::unique_ptr<ErasureProcess> bToA)
    : settings_(settings) {
    check(settings_);
    std::unique_ptr<ErasureProcess> erasures[2] = {std::move(aToB), std::move(bToA)};
    for (const End end : {A, B}) {
        sides_[end] = std::make_unique<Side>(end, library, settings_, std::move(erasures[end]));
        if (sides_[end]->end.dataBytes() != settings_.build.dataBytes)
            throw std::invalid_argument("The library is of a build with other streams.");
    }
    for (unsigned i = 0; i < RtlEnd::resetClocks; ++i) clock();
    resetn_ = true;
    for (const End end : {A, B}) {
        const EndSettings& s = settings_.end[end];
        verilated_end::AxiMaster& registers = sides_[end]->end.registers();
        registers.write(ARQLINK_CTRL_OFFSET, 0);
        registers.read(ARQLINK_BUILD0_OFFSET, [&](uint32_t value) {
            const unsigned unitBytes = (value & ARQLINK_BUILD0_UNIT_BYTES_MASK) >> ARQLINK_BUILD0_UNIT_BYTES_SHIFT;
            const unsigned window =
                1u << ((value & ARQLINK_BUILD0_WINDOW_LOG2_MASK) >> ARQLINK_BUILD0_WINDOW_LOG2_SHIFT);
            if (unitBytes != settings_.build.unitBytes || window != settings_.build.windowFrames)
                throw std::invalid_argument("The library is of a build with another unit or window.");
        });
        registers.write(ARQLINK_CODE_OFFSET, s.k << ARQLINK_CODE_K_SHIFT | s.nFirst << ARQLINK_CODE_N_FIRST_SHIFT |
                                                 s.nRetx << ARQLINK_CODE_N_RETX_SHIFT);
        registers.write(ARQLINK_ARQ_OFFSET, s.delta << ARQLINK_ARQ_DELTA_SHIFT |
                                                unsigned{s.inOrder} << ARQLINK_ARQ_ORD_SHIFT |
                                                unsigned{s.outageFreeze} << ARQLINK_ARQ_OUTAGE_FREEZE_SHIFT);
        registers.write(ARQLINK_APPLY_OFFSET, 1);
        registers.write(ARQLINK_POLL_TIMEOUT_OFFSET, s.pollTimeout);
        registers.write(ARQLINK_HELLO_INTERVAL_OFFSET, s.helloInterval);
        registers.write(ARQLINK_KEEPALIVE_OFFSET, s.keepalive);
        registers.write(ARQLINK_OUTAGE_TIMEOUT_OFFSET, s.outageTimeout);
        registers.write(ARQLINK_STATUS_INTERVAL_OFFSET, s.statusInterval);
        registers.write(ARQLINK_COUNTERS_OFFSET, 3);
    }
    settle();
    awaitSnapshot(A);
    awaitSnapshot(B);
    for (const End end : {A, B}) sides_[end]->end.registers().write(ARQLINK_CTRL_OFFSET, 1);
    settle();
    now_ = 0;
    counts_ = true;
}

void RtlLink::settle() {
    while (!sides_[A]->end.registers().idle() || !sides_[B]->end.registers().idle()) clock();
}

void RtlLink::offer(End end, uint64_t packet, unsigned bytes) {
    if (bytes < nameBytes || bytes > settings_.build.maxPacketBytes)
        throw std::invalid_argument("A packet is too short for the RTL model, or too long for the link.");
    sides_[end]->end.offer(packetNamed(packet, bytes));
    sides_[end]->offered.push_back(packet);
    active_ = now_;
}

void RtlLink::clockEnd(End end) {
    Side& side = *sides_[end];
    Side& peer = *sides_[peerOf(end)];
    verilated_end::Beat in;
    if (!peer.wire.empty() && peer.wire.front().arrives < now()) {
        in = peer.wire.front().beat;
        peer.wire.pop_front();
    }
    for (; !side.reports.empty() && side.reports.front().when < now(); side.reports.pop_front())
        side.outcomes.report(side.reports.front().feedback, [&](uint64_t fsn) {
            if (settled) settled(end, fsn);
        });
    RtlEnd::Out out;
    side.end.clock(in, resetn_, now_ % settings_.clocksPerBeat[end] == 0, out);
    if (!counts_) return;
    if (in.valid || out.unit || side.end.waiting() || out.delivered) active_ = now_;
    if (out.accepted) {
        side.backlog.accepted();
        const uint64_t packet = side.offered.front();
        side.offered.pop_front();
        if (accepted) accepted(end, packet, now());
    }
    if (out.delivered) {
        const uint64_t packet = nameOf(out.packet);
        if (out.isCut || out.packet != packetNamed(packet, out.packet.size()))
            throw std::runtime_error("The RTL delivered a packet that nobody sent.");
        if (delivered) delivered(end, packet, now());
    }
    if (!out.unit) return;
    side.wire.push_back(side.channel.send(out.beat, now()));
    if (side.channel.endsUnit()) note(end);
}

// A unit has left `end`.
void RtlLink::note(End end) {
    Side& side = *sides_[end];
    Side& peer = *sides_[peerOf(end)];
    const UnitWatch& watch = side.channel.watch();
    const UnitOnAir& unit = watch.unit();
    side.backlog.sent(unit);
    if (!unit.hello && !side.channel.isErased()) {
        peer.heard = true;
        if (unit.control) peer.reports.push_back({side.channel.arrives(), watch.feedback()});
    }
    if (!watch.beginsFrame()) return;
    side.outcomes.sent(unit.fsn, unit.attempt);
    if (transmitted) transmitted(end, unit.fsn, unit.attempt, watch.start());
}

void RtlLink::clock() {
    clockEnd(A);
    clockEnd(B);
    ++now_;
}

size_t RtlLink::backlog(End end) {
    Side& side = *sides_[end];
    return side.backlog.packets() + side.end.waiting();
}

void RtlLink::runTo(Clock until) {
    const Clock quiet = settings_.quiet();
    while (now() <= until) {
        if (mayRest_ && isUp() && now_ - active_ > quiet) {
            skipped_ += until + 1 - now();
            return;
        }
        clock();
    }
}

void RtlLink::awaitSnapshot(End end) {
    bool busy = true;
    while (busy) {
        sides_[end]->end.registers().read(ARQLINK_COUNTERS_OFFSET,
                                          [&](uint32_t value) { busy = value & ARQLINK_COUNTERS_BUSY_MASK; });
        settle();
    }
}

Counters RtlLink::counters(End end) {
    Counters counters;
    verilated_end::AxiMaster& registers = sides_[end]->end.registers();
    registers.write(ARQLINK_COUNTERS_OFFSET, 1);
    awaitSnapshot(end);
#define ARQLINK_READ(name, offset)                                           \
    registers.read(offset, [&](uint32_t value) { counters.name |= value; }); \
    registers.read(offset + 4, [&](uint32_t value) { counters.name |= static_cast<uint64_t>(value) << 32; });
    ARQLINK_COUNTER_LIST(ARQLINK_READ)
#undef ARQLINK_READ
    settle();
    return counters;
}

}  // namespace arqlink::rtl
