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

void mendIpChecksum(Bytes& b) {
    if (b[0] >> 4 != 4) return;
    put(b, 10, 2, 0);
    put(b, 10, 2, static_cast<uint16_t>(~folded(b, 0, tcpOf(b), 0)));
}

/// Writes the IP packet's length, and IPv4's checksum.
void fitHeader(Bytes& b) {
    const bool v6 = b[0] >> 4 == 6;
    put(b, v6 ? 4 : 2, 2, b.size() - (v6 ? 40 : 0));
    mendIpChecksum(b);
}

}  // namespace

void mendChecksums(Bytes& b) {
    const size_t tcp = tcpOf(b);
    if (b.size() < tcp + 18 || tcp < 20) return;
    mendIpChecksum(b);
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

Bytes withoutPadding(const Bytes& b) {
    if (b.size() < 20) return b;
    const size_t size = b[0] >> 4 == 4 ? get(b, 2, 2) : b[0] >> 4 == 6 ? get(b, 4, 2) + 40 : b.size();
    return {b.begin(), b.begin() + static_cast<std::ptrdiff_t>(std::min(size, b.size()))};
}

std::vector<Bytes> fragmentsOf(const Bytes& b, uint16_t id) {
    const bool v6 = b[0] >> 4 == 6;
    const size_t head = tcpOf(b), first = (b.size() - head) / 2 / 8 * 8;
    if (first == 0) return {b};
    std::vector<Bytes> parts;
    for (const size_t begin : {size_t{0}, first}) {
        const size_t end = begin ? b.size() - head : first;
        Bytes part(b.begin(), b.begin() + static_cast<std::ptrdiff_t>(head));
        if (v6) {
            part.resize(head + 8);
            part[40] = part[6], part[6] = 44;
            put(part, 42, 2, begin | (begin ? 0 : 1));
            put(part, 44, 4, id);
        } else {
            put(part, 4, 2, id);
            put(part, 6, 2, (begin ? 0 : 0x2000) | begin / 8);
        }
        part.insert(part.end(), b.begin() + static_cast<std::ptrdiff_t>(head + begin),
                    b.begin() + static_cast<std::ptrdiff_t>(head + end));
        fitHeader(part);
        parts.push_back(part);
    }
    return parts;
}

std::optional<Fragment> fragmentOf(const Bytes& b) {
    if (b[0] >> 4 == 6)
        return b[6] == 44 ? std::optional<Fragment>({get(b, 44, 4), get(b, 42, 2) & 0xfff8, 48}) : std::nullopt;
    const uint32_t field = get(b, 6, 2);
    return field & 0x3fff ? std::optional<Fragment>({get(b, 4, 2), 8 * (field & 0x1fff), tcpOf(b)}) : std::nullopt;
}

std::optional<Bytes> Reassembly::add(const Bytes& b) {
    const auto fragment = fragmentOf(b);
    if (!fragment) return b;
    const bool v6 = b[0] >> 4 == 6;
    const uint32_t number = get(b, v6 ? 20 : 12, 4) << 16 ^ fragment->number;
    (fragment->begin ? lasts_ : firsts_)[number] = b;
    if (!firsts_.count(number) || !lasts_.count(number)) return std::nullopt;
    const Bytes &first = firsts_[number], &last = lasts_[number];
    const auto dataOf = [](const Bytes& part) {
        return part.begin() + static_cast<std::ptrdiff_t>(fragmentOf(part)->data);
    };
    Bytes whole(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(tcpOf(first)));
    whole.insert(whole.end(), dataOf(first), first.end());
    if (whole.size() - tcpOf(first) != fragmentOf(last)->begin) return std::nullopt;
    whole.insert(whole.end(), dataOf(last), last.end());
    if (v6)
        whole[6] = first[40];
    else
        put(whole, 4, 4, 0);  // as these hosts write it
    fitHeader(whole);
    firsts_.erase(number), lasts_.erase(number);
    return whole;
}

Bytes tooBig(const Bytes& b, size_t mtu) {
    const bool v6 = b[0] >> 4 == 6;
    const size_t head = v6 ? 40 : 20, size = v6 ? 16 : 4, source = v6 ? 8 : 12;
    const size_t quoted = std::min<size_t>(b.size(), v6 ? 1232 : tcpOf(b) + 8);
    Bytes message(head + 8 + quoted);
    std::copy_n(b.begin() + static_cast<std::ptrdiff_t>(source), size,
                message.begin() + static_cast<std::ptrdiff_t>(source + size));  // to the source
    message[source] = 10, message[source + size - 1] = 99;
    std::copy_n(b.begin(), quoted, message.begin() + static_cast<std::ptrdiff_t>(head + 8));
    message[0] = v6 ? 0x60 : 0x45;
    if (v6) {
        message[6] = 58, message[7] = 60, message[40] = 2;
        put(message, 44, 4, mtu);
        const uint64_t pseudo = folded(message, 8, 40, 0) + 58 + message.size() - 40;
        put(message, 42, 2, static_cast<uint16_t>(~folded(message, 40, message.size(), pseudo)));
    } else {
        message[8] = 60, message[9] = 1, message[20] = 3, message[21] = 4;
        put(message, 26, 2, mtu);
        put(message, 22, 2, static_cast<uint16_t>(~folded(message, 20, message.size(), 0)));
    }
    fitHeader(message);
    return message;
}

size_t saysTooBig(const Bytes& b) {
    if (b[0] >> 4 == 4 && b[9] == 1 && b[20] == 3 && b[21] == 4) return get(b, 26, 2);
    return b[0] >> 4 == 6 && b[6] == 58 && b[40] == 2 ? get(b, 44, 4) : 0;
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
