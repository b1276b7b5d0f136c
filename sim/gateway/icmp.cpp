// SPDX-License-Identifier: Apache-2.0
#include "icmp.h"

#include <algorithm>
#include <array>

#include "checksum.h"

namespace arqlink::gateway {

namespace {

constexpr size_t icmpBytes = 8, portsAndSeq = 8;
constexpr uint8_t protocolIcmp = 1, protocolIcmp6 = 58;
constexpr size_t leastV4 = 68, leastV6 = 1280;  // every network takes as much (RFC 791, RFC 8200)

// RFC 1191, section 7.1.
size_t plateauBelow(size_t bytes) {
    constexpr std::array<size_t, 10> plateaus = {32000, 17914, 8166, 4352, 2002, 1492, 1006, 508, 296, leastV4};
    const auto found = std::find_if(plateaus.begin(), plateaus.end(), [&](size_t p) { return p < bytes; });
    return found == plateaus.end() ? leastV4 : *found;
}

Endpoint endpoint(const Bytes& b, size_t address, size_t size, size_t port) {
    Endpoint e;
    std::copy_n(b.begin() + static_cast<std::ptrdiff_t>(address), size, e.address.begin());
    e.port = read16(b, port);
    return e;
}

std::optional<TooBig> readV4(const Bytes& b) {
    const size_t outer = 4 * (b[0] & 15u), size = read16(b, 2), inner = outer + icmpBytes;
    if (outer < v4HeaderBytes || size > b.size() || size < inner + v4HeaderBytes || b[9] != protocolIcmp)
        return std::nullopt;
    if (read16(b, 6) & 0x3fff || onesSum(b.data(), outer) != 0xffff) return std::nullopt;
    if (b[outer] != 3 || b[outer + 1] != 4 || onesSum(&b[outer], size - outer) != 0xffff) return std::nullopt;
    const size_t tcp = inner + 4 * (b[inner] & 15u);
    if (b[inner] >> 4 != 4 || tcp < inner + v4HeaderBytes || size < tcp + portsAndSeq || b[inner + 9] != protocolTcp)
        return std::nullopt;
    const size_t said = read16(b, outer + 6);
    TooBig found;
    found.mtu = std::max(said ? said : plateauBelow(read16(b, inner + 2)), leastV4);
    found.source = endpoint(b, inner + 12, 4, tcp);
    found.destination = endpoint(b, inner + 16, 4, tcp + 2);
    found.seq = read32(b, tcp + 4);
    return found;
}

std::optional<TooBig> readV6(const Bytes& b) {
    constexpr size_t inner = v6HeaderBytes + icmpBytes, tcp = inner + v6HeaderBytes;
    if (b.size() < tcp + portsAndSeq) return std::nullopt;
    const size_t size = read16(b, 4) + v6HeaderBytes;
    if (size > b.size() || size < tcp + portsAndSeq || b[6] != protocolIcmp6) return std::nullopt;
    const uint32_t pseudo = onesSum(&b[8], 32) + protocolIcmp6 + static_cast<uint32_t>(size - v6HeaderBytes);
    if (b[v6HeaderBytes] != 2 || onesSum(&b[v6HeaderBytes], size - v6HeaderBytes, pseudo) != 0xffff)
        return std::nullopt;
    if (b[inner] >> 4 != 6 || b[inner + 6] != protocolTcp) return std::nullopt;
    TooBig found;
    found.isV6 = true;
    found.mtu = std::max<size_t>(read32(b, v6HeaderBytes + 4), leastV6);  // RFC 8201, section 4
    found.source = endpoint(b, inner + 8, 16, tcp);
    found.destination = endpoint(b, inner + 24, 16, tcp + 2);
    found.seq = read32(b, tcp + 4);
    return found;
}

}  // namespace

std::optional<TooBig> TooBig::read(const Bytes& packet) {
    if (packet.size() < v4HeaderBytes) return std::nullopt;
    switch (packet[0] >> 4) {
    case 4: return readV4(packet);
    case 6: return readV6(packet);
    default: return std::nullopt;
    }
}

}  // namespace arqlink::gateway
