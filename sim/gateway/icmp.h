// SPDX-License-Identifier: Apache-2.0
// ICMP messages of a router that a packet was too long for what comes behind it.
#pragma once

#include "packet.h"

namespace arqlink::gateway {

/// RFC 792 and 1191 (type 3, code 4), RFC 4443 (type 2): what such a message says of the TCP segment that it is about.
struct TooBig {
    bool isV6 = false;
    /// Bytes of the longest IP packet that passes; where a router does not say, of the next smaller usual one.
    size_t mtu = 0;
    Endpoint source, destination;
    uint32_t seq = 0;

    /// Nothing if `packet` is none, or is damaged, or is not about TCP.
    static std::optional<TooBig> read(const Bytes& packet);
};

}  // namespace arqlink::gateway
