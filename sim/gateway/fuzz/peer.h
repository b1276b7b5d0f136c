// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>

#include "fuzz.h"
#include "wire.h"

namespace arqlink::gateway::fuzz {

/// A TCP host, as small as it can be. Places: 0 is the SYN, data are 1 to `total`, then the FIN.
class Peer {
  public:
    Peer(Rng& rng, unsigned side, uint16_t service, bool v6, bool options, uint64_t total);

    std::deque<Bytes> out;
    const Peer* peer = nullptr;
    bool mayBeReset = false;  ///< a reset is no fault
    bool isBound = false;     ///< its SYN has an option of authentication: what comes has to be what was sent
    std::set<Bytes> said;     ///< of such a host: all packets
    bool keepsWindow = true;  ///< what comes beyond the window that was advertised is a fault

    void open(Time now);
    void tick(Time now);
    void receive(const Bytes& b, Time now);

    bool isDone() const { return isReset_ || (acked_ == total_ + 2 && expected_ == peer->total_ + 2); }
    /// All that both have to say has arrived, or this host was told that it will not. Where that reset got lost, a host whose data are all acknowledged has
    /// nothing to send, and so learns nothing.
    bool isTold() const { return isReset_ || isDone() || (peer->isReset_ && acked_ == sent_ && timer_ == never); }
    uint64_t received() const { return expected_; }
    unsigned side() const { return side_; }
    Time deadline() const { return std::min(timer_, reopens_); }

    /// In this host's name, by somebody who knows no number that the other host would look at.
    Bytes forged(Time now);
    bool isForgeable() const { return acked_ > 1 && hasPeer_; }
    /// In this host's name: of long ago, by its timestamp, while its number lies in the window again.
    Bytes outdated(Time now);
    bool hasTimestamps() const { return hasOptions_; }

  private:
    static std::optional<uint32_t> timestamp(const Bytes& b, size_t at, size_t end);
    void acknowledged(uint32_t ack, uint16_t window, uint8_t flags, Time now);
    // New data, as far as the window lets them.
    void fresh(Time now);
    // What begins at a place, in pieces of any size; beyond the window a byte, as a probe.
    void transmit(Time now, uint64_t place);
    // As TCP of Linux does it: old, and without data.
    void probe(Time now);
    bool isClosed() const { return acked_ > 0 && acked_ == sent_ && edge_ <= sent_; }
    void acknowledge(Time now);
    void refuse(bool hasData, Time now);
    Packet packet(Time now);
    void say(Bytes b);
    // The window changes: shrinks, closes for a while.
    void wander(Time now);
    void bound() { most_ = std::max(most_, expected_ + window_); }

    static constexpr uint8_t scale = 3;
    static constexpr unsigned answerer_ = 1;
    Rng& rng_;
    const unsigned side_;
    const uint16_t service_;
    const bool v6_;
    const uint64_t total_;
    uint32_t initial_, others_ = 0, clock_ = 0, stamp_ = 0;
    bool hasOptions_ = false, hasPeer_ = false, isOpen_ = false, hasStamp_ = false, isReset_ = false;
    uint64_t mss_, window_, most_ = 0, acked_ = 0, sent_ = 0, edge_ = 0, expected_ = 0;
    unsigned duplicates_ = 0;
    std::map<uint64_t, uint64_t> ahead_;
    std::deque<uint64_t> recent_;  // where blocks of it begin, the last one first
    size_t mtu_ = 65535;
    Reassembly reassembly_;
    Time refused_ = 0, timer_ = never, timeout_ = 300 * milliseconds, reopens_ = never;
};

}  // namespace arqlink::gateway::fuzz
