// SPDX-License-Identifier: Apache-2.0
// Packets as they are on the wire, written and read without any code of the gateway's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

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

/// The IP packet in `b` without what lies behind it, such as Ethernet's padding.
Bytes withoutPadding(const Bytes& b);

/// Two fragments of a packet with `id`, or the packet alone if it is too short.
std::vector<Bytes> fragmentsOf(const Bytes& b, uint16_t id);

/// Where a fragment belongs.
struct Fragment {
    uint32_t number;
    size_t begin;  ///< within its packet's data
    size_t data;   ///< where its data are
};
/// Nothing: it is none.
std::optional<Fragment> fragmentOf(const Bytes& b);

/// Puts fragments together again: the whole packet, once it is there.
class Reassembly {
  public:
    /// What comes; nothing, until the packet is whole. A packet that is no fragment is.
    std::optional<Bytes> add(const Bytes& b);

  private:
    std::map<uint32_t, Bytes> firsts_, lasts_;  // by their number
};

/// A router's answer to a packet that is longer than `mtu`.
Bytes tooBig(const Bytes& b, size_t mtu);
/// Bytes that pass, if `b` is such an answer; else 0.
size_t saysTooBig(const Bytes& b);

/// Addresses and ports, the smaller end first.
Bytes flowOf(const Bytes& b);

}  // namespace arqlink::gateway::fuzz
