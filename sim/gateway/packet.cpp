// SPDX-License-Identifier: Apache-2.0
#include "packet.h"

#include <algorithm>
#include <cassert>

#include "checksum.h"

namespace arqlink::gateway {

namespace {

constexpr uint8_t hopLimit = 64;

// Kinds of options (RFC 9293, 7323, 2018, 5482, 7413).
enum Option : uint8_t {
    end = 0,
    nop = 1,
    mss = 2,
    scale = 3,
    sackPermitted = 4,
    sack = 5,
    timestamps = 8,
    userTimeout = 28,
    fastOpen = 34,
};

void append(Bytes& bytes, uint32_t value, unsigned count) {
    for (unsigned i = count; i-- > 0;) bytes.push_back(static_cast<uint8_t>(value >> (8 * i)));
}

// Sum of what TCP's checksum covers of the IP header: addresses, protocol, length of the segment.
uint32_t pseudoHeader(const Bytes& bytes, bool v6, size_t segment) {
    const uint32_t addresses = v6 ? onesSum(&bytes[8], 32) : onesSum(&bytes[12], 8);
    return addresses + protocolTcp + static_cast<uint32_t>(segment >> 16) + static_cast<uint32_t>(segment & 0xffff);
}

}  // namespace

// Reading ---------------------------------------------------------------------------------------------------------------

std::optional<Segment> Segment::parse(Bytes& bytes, NotTreated& why) {
    Segment s;
    const auto refuse = [&](NotTreated reason) {
        why = reason;
        return std::nullopt;
    };
    if (bytes.empty()) return refuse(NotTreated::malformed);
    const unsigned version = bytes[0] >> 4;
    size_t size = 0;  // of the IP packet
    if (version == 4) {
        if (bytes.size() < v4HeaderBytes) return refuse(NotTreated::malformed);
        s.tcp_ = 4 * (bytes[0] & 15u);
        size = read16(bytes, 2);
        if (s.tcp_ < v4HeaderBytes || s.tcp_ > size || size > bytes.size()) return refuse(NotTreated::malformed);
        if (onesSum(bytes.data(), s.tcp_) != 0xffff) return refuse(NotTreated::badChecksum);
        if (read16(bytes, 6) & 0x3fff) return refuse(NotTreated::fragment);
        if (bytes[9] != protocolTcp) return refuse(NotTreated::otherPacket);
    } else if (version == 6) {
        s.tcp_ = v6HeaderBytes;
        if (bytes.size() < v6HeaderBytes) return refuse(NotTreated::malformed);
        size = read16(bytes, 4) + v6HeaderBytes;
        if (size > bytes.size()) return refuse(NotTreated::malformed);
        if (bytes[6] != protocolTcp) return refuse(NotTreated::otherPacket);
    } else {
        return refuse(NotTreated::otherPacket);
    }
    const size_t segment = size - s.tcp_;
    if (segment < tcpHeaderBytes) return refuse(NotTreated::malformed);
    s.payload_ = s.tcp_ + 4 * (bytes[s.tcp_ + 12] >> 4);
    if (s.payload_ < s.tcp_ + tcpHeaderBytes || s.payload_ > size) return refuse(NotTreated::malformed);
    if (onesSum(&bytes[s.tcp_], segment, pseudoHeader(bytes, version == 6, segment)) != 0xffff)
        return refuse(NotTreated::badChecksum);
    s.bytes_.swap(bytes);
    if (!s.readOptions()) {
        s.bytes_.swap(bytes);
        return refuse(NotTreated::malformed);
    }
    s.bytes_.resize(size);
    return s;
}

bool Segment::readOptions() {
    for (size_t at = tcp_ + tcpHeaderBytes; at < payload_;) {
        const uint8_t kind = bytes_[at];
        if (kind == Option::end) break;
        if (kind == Option::nop) {
            ++at;
            continue;
        }
        if (at + 1 >= payload_) return false;
        const size_t length = bytes_[at + 1];
        if (length < 2 || at + length > payload_) return false;
        switch (kind) {
        case Option::mss:
            if (length == 4) maxSegment_ = at;
            break;
        case Option::scale:
            if (length == 3) windowScale_ = at;
            break;
        case Option::sackPermitted:
            if (length == 2) sackPermitted_ = true;
            break;
        case Option::sack:
            if (length % 8 == 2 && length > 2) sack_ = at;
            break;
        case Option::timestamps:
            if (length == 10) timestamps_ = at;
            break;
        case Option::userTimeout:
        case Option::fastOpen: break;
        default: isBound_ = true;
        }
        at += length;
    }
    return true;
}

Endpoint Segment::endpoint(bool source) const {
    Endpoint e;
    const size_t size = isV6() ? 16 : 4, first = (isV6() ? 8 : 12) + (source ? 0 : size);
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(first), size, e.address.begin());
    e.port = half(tcp_ + (source ? 0 : 2));
    return e;
}

uint8_t Segment::dscp() const {
    const unsigned trafficClass = isV6() ? half(0) >> 4 : bytes_[1];
    return static_cast<uint8_t>((trafficClass & 0xff) >> 2);
}

std::optional<uint8_t> Segment::windowScale() const {
    if (!windowScale_) return std::nullopt;
    return std::min<uint8_t>(bytes_[windowScale_ + 2], 14);  // RFC 7323, section 2.3
}

std::optional<uint16_t> Segment::maxSegment() const {
    if (!maxSegment_) return std::nullopt;
    return half(maxSegment_ + 2);
}

// Changing --------------------------------------------------------------------------------------------------------------

void Segment::put(size_t at, uint16_t value) {
    bytes_[at] = static_cast<uint8_t>(value >> 8);
    bytes_[at + 1] = static_cast<uint8_t>(value);
}

void Segment::changeChecksum(uint16_t before, uint16_t after) {
    put(tcp_ + 16, updated(half(tcp_ + 16), before, after));
}

void Segment::setHalf(size_t at, uint16_t value) {
    const uint16_t before = half(at);
    if (value == before) return;
    put(at, value);
    // A field at an odd place has its bytes in two words: each counts in the other half of its word.
    const bool swapped = (at - tcp_) % 2;
    const auto word = [&](uint16_t v) { return swapped ? static_cast<uint16_t>(v << 8 | v >> 8) : v; };
    changeChecksum(word(before), word(value));
}

void Segment::setWord(size_t at, uint32_t value) {
    setHalf(at, static_cast<uint16_t>(value >> 16));
    setHalf(at + 2, static_cast<uint16_t>(value));
}

void Segment::setTimestamps(uint32_t value, uint32_t echo) {
    if (!timestamps_) return;
    setWord(timestamps_ + 2, value);
    setWord(timestamps_ + 6, echo);
}

void Segment::setMaxSegment(uint16_t bytes) {
    if (maxSegment_) setHalf(maxSegment_ + 2, bytes);
}

void Segment::clearEcn() {
    if (isV6()) {
        bytes_[1] &= 0xcf;  // the traffic class is bits 4 to 11
        return;
    }
    const uint16_t before = half(0);
    bytes_[1] &= 0xfc;
    put(10, updated(half(10), before, half(0)));
}

void Segment::setSeq(uint32_t seq) {
    const int64_t urgent = half(tcp_ + 18) + int64_t{static_cast<int32_t>(this->seq() - seq)};
    setWord(tcp_ + 4, seq);
    if (!has(flag::urg)) return;
    const bool isInReach = urgent > 0 && urgent <= 65535;  // counted from the sequence number on
    if (!isInReach) setFlags(flags() & static_cast<uint8_t>(~flag::urg));
    setHalf(tcp_ + 18, isInReach ? static_cast<uint16_t>(urgent) : 0);
}

void Segment::clearSack() {
    if (!sack_) return;
    const size_t length = bytes_[sack_ + 1];
    for (size_t i = 0; i < length; i += 2) setHalf(sack_ + i, Option::nop << 8 | Option::nop);
    sack_ = 0;
}

// Removes `count` bytes from `from` on, which are payload; the checksum still counts them.
void Segment::shorten(size_t from, size_t count) {
    const auto first = bytes_.begin() + static_cast<std::ptrdiff_t>(from);
    bytes_.erase(first, first + static_cast<std::ptrdiff_t>(count));
    const auto segment = static_cast<uint16_t>(bytes_.size() - tcp_);
    changeChecksum(static_cast<uint16_t>(segment + count), segment);
    changeIpLength();
}

// The IP header says how many bytes there are.
void Segment::changeIpLength() {
    const auto segment = static_cast<uint16_t>(bytes_.size() - tcp_);
    if (isV6()) {
        put(4, segment);
    } else {
        const uint16_t before = half(2), now = static_cast<uint16_t>(bytes_.size());
        put(2, now);
        put(10, updated(half(10), before, now));
    }
}

void Segment::trimFront(size_t count) {
    assert(count <= length());
    if (count == 0) return;
    const uint16_t before = onesSum(payload(), length());
    const uint32_t next = seq() + static_cast<uint32_t>(count);
    shorten(payload_, count);
    changeChecksum(before, onesSum(payload(), length()));
    setSeq(next);
}

void Segment::keepFront(size_t count) {
    assert(count <= length());
    if (has(flag::fin)) setFlags(flags() & static_cast<uint8_t>(~flag::fin));
    if (count == length()) return;
    const uint16_t before = onesSum(payload(), length());
    shorten(payload_ + count, length() - count);
    changeChecksum(before, onesSum(payload(), length()));
}

void Segment::join(const Segment& next) {
    const size_t before = bytes_.size() - tcp_;
    const uint16_t sum = onesSum(next.payload(), next.length());
    // Behind an odd number of bytes, each counts in the other half of its word.
    changeChecksum(0, before % 2 ? static_cast<uint16_t>(sum << 8 | sum >> 8) : sum);
    bytes_.insert(bytes_.end(), next.payload(), next.payload() + next.length());
    changeChecksum(static_cast<uint16_t>(before), static_cast<uint16_t>(bytes_.size() - tcp_));
    changeIpLength();
    setFlags(flags() | next.flags());
}

// Making ----------------------------------------------------------------------------------------------------------------

Bytes makeSegment(const Header& h) {
    Bytes options;
    if (h.timestamps) {
        append(options, Option::nop << 24 | Option::nop << 16 | Option::timestamps << 8 | 10, 4);
        append(options, h.timestamps->value, 4);
        append(options, h.timestamps->echo, 4);
    }
    if (!h.sack.empty()) {
        append(
            options,
            static_cast<uint32_t>(Option::nop << 24 | Option::nop << 16 | Option::sack << 8 | (2 + 8 * h.sack.size())),
            4);
        for (const SackBlock& block : h.sack) {
            append(options, block.begin, 4);
            append(options, block.end, 4);
        }
    }
    options.insert(options.end(), h.more.begin(), h.more.end());
    assert(options.size() <= 40 && options.size() % 4 == 0);
    const size_t segment = tcpHeaderBytes + options.size() + h.payload;

    Bytes p;
    p.reserve(v6HeaderBytes + segment);
    if (h.isV6) {
        append(p, 6u << 28 | static_cast<uint32_t>(h.trafficClass) << 20, 4);
        append(p, static_cast<uint32_t>(segment << 16 | protocolTcp << 8 | hopLimit), 4);
    } else {
        append(p,
               static_cast<uint32_t>(0x45u << 24 | static_cast<uint32_t>(h.trafficClass) << 16 |
                                     (v4HeaderBytes + segment)),
               4);
        append(p, 0x4000, 4);
        append(p, static_cast<uint32_t>(hopLimit << 24 | protocolTcp << 16), 4);
    }
    for (const Endpoint* e : {&h.source, &h.destination})
        p.insert(p.end(), e->address.begin(), e->address.begin() + (h.isV6 ? 16 : 4));
    const auto put = [&p](size_t at, uint16_t value) {
        p[at] = static_cast<uint8_t>(value >> 8);
        p[at + 1] = static_cast<uint8_t>(value);
    };
    if (!h.isV6) put(10, static_cast<uint16_t>(~onesSum(p.data(), v4HeaderBytes)));

    const size_t tcp = p.size();
    append(p, static_cast<uint32_t>(h.source.port << 16 | h.destination.port), 4);
    append(p, h.seq, 4);
    append(p, h.ack, 4);
    append(p,
           static_cast<uint32_t>(((tcpHeaderBytes + options.size()) / 4) << 28) | static_cast<uint32_t>(h.flags << 16) |
               h.window,
           4);
    append(p, 0, 4);
    p.insert(p.end(), options.begin(), options.end());
    p.resize(p.size() + h.payload);
    put(tcp + 16, static_cast<uint16_t>(~onesSum(&p[tcp], segment, pseudoHeader(p, h.isV6, segment))));
    return p;
}

}  // namespace arqlink::gateway
