// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace arqlink::gateway {

/// A place in a connection's stream: its sequence number without wrap, of which the low 32 bits are on the wire.
using Position = uint64_t;

/// The first sequence number of a connection, as a place: positions before it exist too.
inline Position firstPosition(uint32_t sequence) { return (Position{1} << 32) + sequence; }

/// The place with this sequence number that is closest to `near`.
inline Position placeOf(uint32_t sequence, Position near) {
    return near +
           static_cast<Position>(static_cast<int64_t>(static_cast<int32_t>(sequence - static_cast<uint32_t>(near))));
}

inline uint32_t sequenceOf(Position place) { return static_cast<uint32_t>(place); }

}  // namespace arqlink::gateway
