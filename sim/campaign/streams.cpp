// SPDX-License-Identifier: Apache-2.0
#include "streams.h"

#include <algorithm>
#include <cstring>

#include "failure.h"
#include "packets.h"

namespace campaign {

namespace {
const char* const kindNames[Source::kinds] = {"good", "aborted", "too long", "with holes", "empty"};
}

Source::Source(uint64_t seed, unsigned direction, const Traffic& traffic, unsigned dataBytes)
    : random_(seed, direction ? "source B" : "source A"),
      seed_(seed),
      direction_(direction),
      dataBytes_(dataBytes),
      traffic_(traffic) {
    running_ = traffic.any;
}

/// Good packets alone from now on, one after the other.
void Source::plain() {
    traffic_.abort = traffic_.tooLong = traffic_.holes = traffic_.nothing = traffic_.pause = 0;
    traffic_.gap = 0;
}

void Source::fresh(uint64_t count) {
    plain();
    random_ = Random(seed_, direction_ ? "fresh B" : "fresh A");
    traffic_.shortest = 16;
    traffic_.longest = traffic_.tooLongFrom - 1;
    traffic_.multiple = 0;
    left_ = count;
    running_ = true;
}

void Source::compose() {
    if (left_ != ~uint64_t(0) && --left_ == 0) running_ = false;
    const Traffic& t = traffic_;
    kind_ = Kind::good;
    if (random_.chance(t.abort)) kind_ = Kind::abort;
    if (random_.chance(t.tooLong)) kind_ = Kind::tooLong;
    if (random_.chance(t.holes)) kind_ = Kind::holes;
    if (random_.chance(t.nothing)) kind_ = Kind::nothing;
    length_ = random_.chance(0.5) ? random_.between(t.shortest, t.longest) : random_.octaves(t.shortest, t.longest);
    if (t.multiple) length_ = std::max<size_t>(t.multiple, length_ / t.multiple * t.multiple);
    if (kind_ == Kind::tooLong) length_ = random_.octaves(t.tooLongFrom, t.tooLongTo);
    if (kind_ == Kind::nothing) length_ = 0;
    bytes_ = packetContent(seed_, direction_, number_, length_);
    emptyTail_ = kind_ == Kind::nothing || (length_ && length_ % dataBytes_ == 0 && random_.chance(0.03));
    const size_t beats = (length_ + dataBytes_ - 1) / dataBytes_;
    badBeat_ = random_.below(std::max<size_t>(beats, 1));
    if (kind_ == Kind::holes && dataBytes_ == 1 && badBeat_ + 1 >= beats)
        kind_ = Kind::good;  // one byte has no holes in its last beat
    offset_ = 0;
    waiting_ = 0;
    offering_ = true;
}

void Source::drive(EndIn& in, uint64_t clock) {
    in.packet.valid = false;
    if (!in.resetn) return;
    if (!offering_ && running_ && clock >= notBefore_) compose();
    if (!offering_) return;
    // A beat that was offered stays.
    if (paused_ && random_.chance(traffic_.pause)) return;
    paused_ = false;
    beat(in);
}

void Source::beat(EndIn& in) {
    const size_t count = std::min<size_t>(dataBytes_, length_ - offset_);
    in.packet.valid = true;
    std::memcpy(in.packet.data, bytes_.data() + offset_, count);
    in.packet.last = emptyTail_ ? count == 0 : offset_ + count >= length_;
    in.packet.keep = static_cast<uint16_t>((1u << count) - 1);
    in.packet.user = kind_ == Kind::abort && offset_ / dataBytes_ == badBeat_;
    if (kind_ == Kind::holes && offset_ / dataBytes_ == badBeat_) {
        // A hole in front, or a beat in the middle that is not full.
        const unsigned full = (1u << dataBytes_) - 1;
        in.packet.keep = dataBytes_ == 1 ? 0 : in.packet.last ? full & ~1u : full >> 1;
    }
}

void Source::note(const EndIn& in, const EndOut& out, uint64_t clock) {
    if (!in.packet.valid || !in.resetn) return;
    if (!out.packetReady) {
        ++waiting_;
        return;
    }
    waiting_ = 0;
    if (offset_ == 0 && begun) begun();
    offset_ += dataBytes_;
    paused_ = traffic_.pause > 0;
    if (!in.packet.last) return;
    offering_ = false;
    before_ = format("%zu, %s", length_, kindNames[static_cast<unsigned>(kind_)]);
    ++count_[static_cast<unsigned>(kind_)];
    if (++inBurst_ >= traffic_.burst) {
        inBurst_ = 0;
        notBefore_ = clock + 1 + (traffic_.gap ? random_.octaves(1, traffic_.gap) : 0);
    }
    if (kind_ != Kind::good) return;
    ++number_;
    accepted(std::move(bytes_), clock);
}

std::string Source::text() const {
    if (!offering_) return "nothing";
    return format("byte %zu of a packet of %zu, %s, after one of %s", offset_, length_,
                  kindNames[static_cast<unsigned>(kind_)], before_.c_str());
}

void Source::drop() {
    offering_ = paused_ = false;
    ++number_;
}

void Sink::note(const EndIn& in, const EndOut& out, uint64_t clock) {
    if (!in.resetn || !out.packet.valid || !in.packetOutReady) return;
    for (unsigned i = 0; i < maxDataBytes; ++i)
        if (out.packet.keep >> i & 1) bytes_.push_back(out.packet.data[i]);
    if (out.packet.keep & (out.packet.keep + 1))
        throw Failure("m-axis-keep", format("clock %llu: tkeep has holes", (unsigned long long)clock));
    if (!out.packet.last) return;
    const Bytes bytes = std::move(bytes_);
    bytes_.clear();
    delivered(bytes, clock, out.packet.user);
}

}  // namespace campaign
