// SPDX-License-Identifier: Apache-2.0
#include "rtl_end.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "load_end.h"
#include "splitmix.h"

namespace arqlink::rtl {

namespace {

// Byte `index` of packet `name`.
uint8_t content(uint64_t name, size_t index) {
    if (index < RtlEnd::nameBytes) return static_cast<uint8_t>(name >> 8 * index);
    return static_cast<uint8_t>(mix(name) >> 8 * (index % 8)) ^ static_cast<uint8_t>(index);
}

}  // namespace

RtlEnd::RtlEnd(const std::string& library) : end_(verilated_end::load(library)(nullptr)) {}

void RtlEnd::offerBeat() {
    verilated_end::Beat& beat = in_.packet;
    beat.valid = !queue_.empty();
    if (!beat.valid) return;
    const Packet& packet = queue_.front();
    const unsigned count = std::min(dataBytes(), packet.bytes - offset_);
    for (unsigned i = 0; i < count; ++i) beat.data[i] = content(packet.name, offset_ + i);
    beat.keep = static_cast<uint16_t>((1u << count) - 1);
    beat.last = offset_ + count == packet.bytes;
}

void RtlEnd::collect(const verilated_end::Beat& beat, Out& out) {
    arriving_.insert(arriving_.end(), beat.data, beat.data + __builtin_popcount(beat.keep));
    if (!beat.last) return;
    uint64_t name = 0;
    std::memcpy(&name, arriving_.data(), std::min<size_t>(nameBytes, arriving_.size()));
    for (size_t i = 0; i < arriving_.size(); ++i)
        if (beat.user || arriving_[i] != content(name, i))
            throw std::runtime_error("The RTL delivered a packet that nobody sent.");
    out.delivered = true;
    out.deliveredPacket = name;
    arriving_.clear();
}

void RtlEnd::clock(const verilated_end::Beat& in, bool resetn, bool takes, Out& out) {
    out.unit = out.accepted = out.delivered = false;
    in_.resetn = resetn;
    in_.phy = in;
    in_.phyOutReady = takes;
    if (!in_.packet.valid && !queue_.empty()) offerBeat();
    axi_.drive(in_);
    end_->clock(in_, out_);
    axi_.note(in_, out_);
    if (out_.phy.valid && takes) {
        out.unit = true;
        out.beat = out_.phy;
    }
    if (out_.packet.valid) collect(out_.packet, out);
    if (in_.packet.valid && out_.packetReady) {
        const Packet packet = queue_.front();
        offset_ += dataBytes();
        if (in_.packet.last) {
            out.accepted = true;
            out.packet = packet.name;
            out.bytes = packet.bytes;
            queue_.pop_front();
            offset_ = 0;
        }
        offerBeat();
    }
    if (end_->stopped()) throw std::runtime_error(std::string("The RTL stopped: ") + end_->stopped());
}

}  // namespace arqlink::rtl
