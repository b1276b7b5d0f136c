// SPDX-License-Identifier: Apache-2.0
#include "wire.h"

#include <algorithm>
#include <utility>

namespace arqlink::gateway::fuzz {

uint32_t get(const Bytes& b, size_t at, size_t count) {
    uint32_t value = 0;
    for (size_t i = 0; i < count; ++i) value = value << 8 | b[at + i];
    return value;
}

void put(Bytes& b, size_t at, size_t count, uint64_t value) {
    for (size_t i = count; i-- > 0; value >>= 8) b[at + i] = static_cast<uint8_t>(value);
}

size_t tcpOf(const Bytes& b) { return b[0] >> 4 == 6 ? 40 : (b[0] & 15u) * 4u; }

namespace {

// Of words from `begin` on; `sum` is added.
uint16_t folded(const Bytes& b, size_t begin, size_t end, uint64_t sum) {
    for (size_t i = begin; i < end; ++i) sum += static_cast<uint64_t>(b[i]) << ((i - begin) % 2 ? 0 : 8);
    while (sum > 0xffff) sum = (sum >> 16) + (sum & 0xffff);
    return static_cast<uint16_t>(sum);
}

uint16_t tcpSum(const Bytes& b) {
    const size_t tcp = tcpOf(b);
    const uint64_t pseudo = b[0] >> 4 == 6 ? folded(b, 8, 40, 0) : folded(b, 12, 20, 0);
    return folded(b, tcp, b.size(), pseudo + 6 + (b.size() - tcp));
}

bool optionsAgree(const Bytes& b, size_t at, size_t end) {
    while (at < end && b[at] != 0) {
        if (b[at] == 1) {
            ++at;
        } else if (at + 1 >= end || b[at + 1] < 2 || at + b[at + 1] > end) {
            return false;
        } else {
            at += b[at + 1];
        }
    }
    return true;
}

}  // namespace

void mendChecksums(Bytes& b) {
    const size_t tcp = tcpOf(b);
    if (b.size() < tcp + 18 || tcp < 20) return;
    if (b[0] >> 4 == 4) {
        put(b, 10, 2, 0);
        put(b, 10, 2, static_cast<uint16_t>(~folded(b, 0, tcp, 0)));
    }
    put(b, tcp + 16, 2, 0);
    put(b, tcp + 16, 2, static_cast<uint16_t>(~tcpSum(b)));
}

Bytes bytesOf(const Packet& p) {
    Bytes options = p.options;
    while (options.size() % 4) options.push_back(0);
    const size_t tcp = p.v6 ? 40 : 20, head = tcp + 20 + options.size();
    Bytes b(head + p.data.size());
    if (p.v6) {
        put(b, 0, 4, 6u << 28);
        put(b, 4, 2, b.size() - 40);
        b[6] = 6, b[7] = 60, b[8] = b[24] = 0xfd;
        b[23] = p.from, b[39] = p.to;
    } else {
        b[0] = 0x45, b[8] = 60, b[9] = 6, b[12] = b[16] = 10;
        put(b, 2, 2, b.size());
        b[15] = p.from, b[19] = p.to;
    }
    put(b, tcp, 2, p.sourcePort);
    put(b, tcp + 2, 2, p.port);
    put(b, tcp + 4, 4, p.seq);
    put(b, tcp + 8, 4, p.ack);
    b[tcp + 12] = static_cast<uint8_t>((20 + options.size()) / 4 << 4);
    b[tcp + 13] = p.flags;
    put(b, tcp + 14, 2, p.window);
    std::copy(options.begin(), options.end(), b.begin() + static_cast<std::ptrdiff_t>(tcp + 20));
    std::copy(p.data.begin(), p.data.end(), b.begin() + static_cast<std::ptrdiff_t>(head));
    mendChecksums(b);
    return b;
}

bool isTcp(const Bytes& b) {
    if (b.size() < 40) return false;
    const size_t version = b[0] >> 4, tcp = tcpOf(b);
    if (version == 4) {
        if (tcp < 20 || b.size() < tcp + 20 || get(b, 2, 2) != b.size() || b[9] != 6) return false;
        if (get(b, 6, 2) & 0x3fff || folded(b, 0, tcp, 0) != 0xffff) return false;
    } else if (version != 6 || b.size() < 60 || get(b, 4, 2) + 40 != b.size() || b[6] != 6) {
        return false;
    }
    const size_t head = tcp + (b[tcp + 12] >> 4) * 4u;
    return head >= tcp + 20 && head <= b.size() && tcpSum(b) == 0xffff && optionsAgree(b, tcp + 20, head);
}

Bytes flowOf(const Bytes& b) {
    const size_t size = b[0] >> 4 == 6 ? 16 : 4, first = size == 16 ? 8 : 12, tcp = tcpOf(b);
    Bytes ends[2];
    for (size_t i = 0; i < 2; ++i) {
        for (size_t j = 0; j < size; ++j) ends[i].push_back(b[first + i * size + j]);
        ends[i].push_back(b[tcp + 2 * i]), ends[i].push_back(b[tcp + 2 * i + 1]);
    }
    if (ends[1] < ends[0]) std::swap(ends[0], ends[1]);
    ends[0].insert(ends[0].end(), ends[1].begin(), ends[1].end());
    return ends[0];
}

}  // namespace arqlink::gateway::fuzz
