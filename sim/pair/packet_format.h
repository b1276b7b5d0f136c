// SPDX-License-Identifier: Apache-2.0
// Packets as bytes, in files and through pipes. All numbers are little-endian; sim/pair/README.md describes both records.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "packet_ports.h"

namespace arqlink {

/// Appends a number's bytes.
template <typename T>
void put(std::string& out, T value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// Takes the record of the packet to send that begins at `offset`: length (4 bytes), clock from which it is offered (8),
/// bytes. Moves `offset` past it; returns nothing if the record is not whole yet.
std::optional<OutgoingPacket> takePacket(const std::string& from, size_t& offset);

/// Appends the record of a delivered packet: length (4 bytes), tuser (4), clocks of its first and last beat (8 each), bytes.
void putDelivery(std::string& out, const DeliveredPacket& packet);

}  // namespace arqlink
