// SPDX-License-Identifier: Apache-2.0
// The packets of one direction: what was accepted, and whether what comes out is that.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "wire.h"

namespace campaign {

/// Packet number `number` of direction `direction` as it enters. The first bytes are the number, so that packets
/// differ.
Bytes packetContent(uint64_t seed, unsigned direction, uint64_t number, size_t length);

class PacketBook {
  public:
    PacketBook(unsigned direction, bool inOrder, bool packetCrc = false)
        : direction_(direction), inOrder_(inOrder), packetCrc_(packetCrc) {}

    /// A good packet's last beat was accepted. `life`: the sender's life on the wire when its first beat was.
    void accepted(Bytes bytes, uint64_t clock, unsigned life) {
        packets_.push_back({std::move(bytes), clock, life, false});
    }
    /// A packet came out whole. Throws Failure if it is none that is awaited.
    void delivered(const Bytes& bytes, uint64_t clock);

    /// Forged units may have made any packet of what was accepted so far: nothing that comes of it is wrong from now
    /// on, but for one that nobody sent where each packet has a CRC.
    void relax() { lenient_ = true; }
    /// What is accepted from now on has to come out, each once and in order.
    void freshFrom() { fresh_ = next_ = packets_.size(); }
    uint64_t freshMissing() const;
    uint64_t lastDelivered() const { return lastDelivered_; }  ///< clock
    uint64_t odd() const { return odd_; }                      ///< packets that came out and nobody sent

    uint64_t acceptedCount() const { return packets_.size(); }
    uint64_t deliveredCount() const { return delivered_; }
    uint64_t missing() const { return packets_.size() - delivered_; }
    /// Packets of the sender's life `life` or a later one that have not come out.
    uint64_t missingSince(unsigned life) const;
    /// What is known of the first of them.
    std::string firstMissing(unsigned life) const;
    /// Bytes accepted and not delivered.
    uint64_t missingBytes() const;

  private:
    struct Packet {
        Bytes bytes;
        uint64_t clock;
        unsigned life;
        bool done;
    };
    unsigned direction_;
    bool inOrder_, packetCrc_, lenient_ = false;
    size_t fresh_ = 0;
    uint64_t odd_ = 0;
    std::vector<Packet> packets_;
    size_t next_ = 0;  ///< in order: all below are delivered or lost; else: all below are delivered
    uint64_t delivered_ = 0, lastDelivered_ = 0;
};

}  // namespace campaign
