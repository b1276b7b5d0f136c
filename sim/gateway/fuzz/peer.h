// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <optional>

#include "fuzz.h"
#include "wire.h"

namespace arqlink::gateway::fuzz {

/// A TCP host, as small as it can be. Places: 0 is the SYN, data are 1 to `total`, then the FIN.
class Peer {
  public:
    Peer(Rng& rng, unsigned side, uint16_t service, bool v6, bool options, uint64_t total);

    std::deque<Bytes> out;
    const Peer* peer = nullptr;
    bool keepsWindow = true;  ///< what comes beyond the window that was advertised is a fault

    void open(Time now);
    void tick(Time now);
    void receive(const Bytes& b, Time now);

    bool isDone() const { return acked_ == total_ + 2 && expected_ == peer->total_ + 2; }
    uint64_t received() const { return expected_; }
    unsigned side() const { return side_; }
    Time deadline() const { return std::min(timer_, reopens_); }

    /// In this host's name, by somebody who knows no number that the other host would look at.
    Bytes forged(Time now);
    bool isForgeable() const { return acked_ > 1 && hasPeer_; }

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
    Packet packet(Time now);
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
    bool hasOptions_ = false, hasPeer_ = false, isOpen_ = false, hasStamp_ = false;
    uint64_t mss_, window_, most_ = 0, acked_ = 0, sent_ = 0, edge_ = 0, expected_ = 0;
    unsigned duplicates_ = 0;
    std::map<uint64_t, uint64_t> ahead_;
    Time timer_ = never, timeout_ = 300 * milliseconds, reopens_ = never;
};

}  // namespace arqlink::gateway::fuzz
