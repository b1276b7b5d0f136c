// SPDX-License-Identifier: Apache-2.0
// Packets as they are on the wire, written and read without any code of the gateway's.
#pragma once

#include <cstddef>
#include <cstdint>

#include "packet.h"

namespace arqlink::gateway::fuzz {

constexpr uint8_t FIN = 1, SYN = 2, RST = 4, ACK = 16;

struct Packet {
    bool v6 = false;
    uint8_t from = 1, to = 2;  // the last byte of the addresses
    uint16_t sourcePort = 0, port = 0;
    uint32_t seq = 0, ack = 0;
    uint8_t flags = 0;
    uint16_t window = 0;
    Bytes options, data;
};

/// A number of `count` bytes.
uint32_t get(const Bytes& b, size_t at, size_t count);
void put(Bytes& b, size_t at, size_t count, uint64_t value);

/// Where the TCP header begins.
size_t tcpOf(const Bytes& b);

void mendChecksums(Bytes& b);
Bytes bytesOf(const Packet& p);

/// TCP right behind IP, whole, with lengths, options and checksums that are right.
bool isTcp(const Bytes& b);

/// Addresses and ports, the smaller end first.
Bytes flowOf(const Bytes& b);

}  // namespace arqlink::gateway::fuzz
