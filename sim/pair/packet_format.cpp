// SPDX-License-Identifier: Apache-2.0
#include "packet_format.h"

#include <cstring>

namespace arqlink {

namespace {

template <typename T>
T get(const std::string& from, size_t offset) {
    T value;
    std::memcpy(&value, from.data() + offset, sizeof value);
    return value;
}

}  // namespace

std::optional<OutgoingPacket> takePacket(const std::string& from, size_t& offset) {
    constexpr size_t header = sizeof(uint32_t) + sizeof(uint64_t);
    if (from.size() - offset < header) return {};
    const uint32_t length = get<uint32_t>(from, offset);
    if (from.size() - offset - header < length) return {};
    OutgoingPacket packet;
    packet.notBefore = get<uint64_t>(from, offset + sizeof(uint32_t));
    const char* bytes = from.data() + offset + header;
    packet.bytes.assign(bytes, bytes + length);
    offset += header + length;
    return packet;
}

void putDelivery(std::string& out, const DeliveredPacket& packet) {
    put<uint32_t>(out, packet.bytes.size());
    put<uint32_t>(out, packet.aborted);
    put<uint64_t>(out, packet.begin);
    put<uint64_t>(out, packet.clock);
    out.append(packet.bytes.begin(), packet.bytes.end());
}

}  // namespace arqlink
