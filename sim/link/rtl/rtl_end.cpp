// SPDX-License-Identifier: Apache-2.0
#include "rtl_end.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "load_end.h"

namespace arqlink::rtl {

RtlEnd::RtlEnd(const std::string& library) : end_(verilated_end::load(library)(nullptr)) {}

void RtlEnd::offerBeat() {
    verilated_end::Beat& beat = in_.packet;
    beat.valid = !queue_.empty();
    if (!beat.valid) return;
    const Packet& packet = queue_.front();
    const size_t count = std::min<size_t>(dataBytes(), packet.size() - offset_);
    std::memcpy(beat.data, packet.data() + offset_, count);
    beat.keep = static_cast<uint16_t>((1u << count) - 1);
    beat.last = offset_ + count == packet.size();
}

void RtlEnd::collect(const verilated_end::Beat& beat, Out& out) {
    arriving_.insert(arriving_.end(), beat.data, beat.data + __builtin_popcount(beat.keep));
    if (!beat.last) return;
    out.delivered = true;
    out.isCut = beat.user;
    out.packet.swap(arriving_);
    arriving_.clear();
}

void RtlEnd::clock(const verilated_end::Beat& in, bool resetn, bool takes, Out& out) {
    out.unit = out.delivered = false;
    out.accepted = 0;
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
        offset_ += dataBytes();
        if (in_.packet.last) {
            out.accepted = queue_.front().size();
            queue_.pop_front();
            offset_ = 0;
        }
        offerBeat();
    }
    if (end_->stopped()) throw std::runtime_error(std::string("The RTL stopped: ") + end_->stopped());
}

}  // namespace arqlink::rtl
