// SPDX-License-Identifier: Apache-2.0
#include "packets.h"

#include <algorithm>

#include "failure.h"
#include "random.h"

namespace campaign {

Bytes packetContent(uint64_t seed, unsigned direction, uint64_t number, size_t length) {
    Bytes bytes(length);
    uint64_t word = 0;
    for (size_t i = 0; i < length; ++i) {
        if (i < 4) {
            bytes[i] = static_cast<uint8_t>((number >> (8 * i)) ^ (direction ? 0x80 : 0));
            continue;
        }
        if (i % 8 == 4) word = mix(seed ^ mix(number * 2 + direction) ^ i);
        bytes[i] = static_cast<uint8_t>(word >> (8 * ((i - 4) % 8)));
    }
    return bytes;
}

// The earliest packet that fits is chosen: where short packets look alike, what comes out can be explained in this way
// if it can be at all. Out of order, one of the newest life that has such a packet goes first: those of a life before a
// restart may be lost.
void PacketBook::delivered(const Bytes& bytes, uint64_t clock) {
    lastDelivered_ = clock;
    size_t found = packets_.size();
    for (size_t i = next_; i < packets_.size(); ++i) {
        const Packet& p = packets_[i];
        if (p.done || p.bytes != bytes) continue;
        if (found == packets_.size() || p.life > packets_[found].life) found = i;
        if (inOrder_) break;
    }
    if (found < packets_.size()) {
        packets_[found].done = true;
        ++delivered_;
        if (inOrder_) next_ = found + 1;
        while (!inOrder_ && next_ < packets_.size() && packets_[next_].done) ++next_;
        return;
    }
    const auto isIt = [&bytes](const Packet& p) { return p.bytes == bytes; };
    const bool neverSent = packetCrc_ && std::none_of(packets_.begin(), packets_.end(), isIt);
    if (lenient_ && !neverSent) {
        bool fresh = false;
        for (size_t i = fresh_; i < packets_.size(); ++i) fresh |= fresh_ && packets_[i].bytes == bytes;
        if (!fresh) {
            for (Packet& p : packets_)
                if (!p.done && p.bytes == bytes) {
                    p.done = true;
                    ++delivered_;
                    return;
                }
            ++odd_;
            return;
        }
    }
    const char* what = "never sent";
    std::string kind = "packet-content";
    for (size_t i = 0; i < packets_.size(); ++i) {
        if (packets_[i].bytes != bytes) continue;
        what = packets_[i].done ? "delivered before" : "out of order";
        kind = packets_[i].done ? "packet-twice" : "packet-order";
    }
    throw Failure(kind, format("clock %llu: %s delivers a packet of %zu bytes that was %s", (unsigned long long)clock,
                               endName(1 - direction_), bytes.size(), what));
}

uint64_t PacketBook::freshMissing() const {
    uint64_t count = 0;
    for (size_t i = fresh_; i < packets_.size(); ++i) count += !packets_[i].done;
    return count;
}

uint64_t PacketBook::missingSince(unsigned life) const {
    uint64_t count = 0;
    for (const Packet& p : packets_) count += !p.done && p.life >= life;
    return count;
}

uint64_t PacketBook::missingBytes() const {
    uint64_t count = 0;
    for (size_t i = inOrder_ ? next_ : 0; i < packets_.size(); ++i)
        count += packets_[i].done ? 0 : packets_[i].bytes.size();
    return count;
}

std::string PacketBook::firstMissing(unsigned life) const {
    for (size_t i = 0; i < packets_.size(); ++i) {
        const Packet& p = packets_[i];
        if (!p.done && p.life >= life)
            return format("packet %zu of %zu bytes, accepted at clock %llu", i, p.bytes.size(),
                          (unsigned long long)p.clock);
    }
    return "none";
}

}  // namespace campaign
