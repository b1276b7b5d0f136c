// SPDX-License-Identifier: Apache-2.0
// A TCP connection as the gateway sees it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "gateway_settings.h"
#include "half.h"
#include "packet.h"

namespace arqlink::gateway {

/// The host at the LAN's side and the one at the link's side.
struct FlowKey {
    bool isV6 = false;
    Endpoint local, remote;
    bool operator==(const FlowKey&) const = default;
};

struct FlowKeyHash {
    size_t operator()(const FlowKey& key) const;
};

/// What a host has said last. Packets that the gateway makes, or sends again, in its name repeat it.
struct Host {
    bool hasSyn = false;
    uint32_t initial = 0;   ///< sequence number of its SYN
    uint32_t afterSyn = 0;  ///< the one after the SYN and its data
    Time synCame = never;   ///< never: more than once, and nobody knows which one is answered (Karn & Partridge)
    std::optional<uint8_t> windowScale;
    bool sackPermitted = false, timestamps = false;
    size_t longest = 0;           ///< bytes of payload of its longest segment that a slot has room for
    uint16_t maxSegment = 536;    ///< bytes of payload that it takes in a segment …
    bool saysMaxSegment = false;  ///< … by its own word, or by RFC 9293

    uint8_t dscp = 0;
    uint32_t next = 0;  ///< after the last byte that it has sent
    /// No less: what outdated segments say in its name counts too, which the other host may have believed.
    uint32_t claimed = 0;
    uint32_t ack = 0;
    uint16_t window = 0;   ///< as it is in the header
    bool isOfSyn = false;  ///< that window was in a SYN, where it is not shifted
    uint32_t tsValue = 0, tsEcho = 0;
    bool hasEcho = false;     ///< it has echoed a timestamp, since the connection is open
    bool congestion = false;  ///< its last segment had ECE

    /// The timestamp of the last segment in sequence, of which an older one is outdated (RFC 7323, TS.Recent), and when it came.
    uint32_t recent = 0;
    Time recentSince = 0;

    void opens(const Segment& syn, Time now);
    void says(const Segment& segment);
    /// How far it has sent.
    void reaches(uint32_t end);
    void claims(uint32_t end);
    /// Its clock, by a segment of which nothing else counts.
    void ticks(const Segment& segment);
};

struct Flow : std::enable_shared_from_this<Flow> {
    FlowKey key;
    Treatment treatment;
    uint64_t number = 0;  ///< of its entry, in the order in which entries were made
    Time lastUse = 0;
    Time planned = never;                         ///< its place among the gateway's timers
    std::array<Host, 2> hosts;                    ///< by the port behind which they are
    std::array<std::unique_ptr<Half>, 2> halves;  ///< by the port of the host that sends the data; empty: they pass
    /// The longest IP packet that gets from the host behind a port to the other one, by what routers have said.
    std::array<size_t, 2> pathBytes{65535, 65535};
    /// Round trips to the host behind a port, by its answer in the handshake.
    std::array<Time, 2> handshakes{never, never};
    bool isEstablished = false;  ///< the handshake went through this gateway; else all passes
    /// What the gateway has reset the flow with: packets for the host behind a port.
    std::vector<std::pair<Port, Bytes>> resets;
    unsigned timesReset = 0;     ///< they have been sent so often
    std::optional<Port> opener;  ///< whose SYN was the first
    struct Reopening {
        Port port;
        Treatment treatment;
        Host host;
    };
    std::optional<Reopening> reopening;  ///< a SYN of another connection came, which the other host has not answered

    Host& host(Port port) { return hosts[index(port)]; }
    Half* half(Port from) { return halves[index(from)].get(); }
    Endpoint endpoint(Port port) const { return port == Port::lan ? key.local : key.remote; }

    /// Data have been acknowledged in a receiver's name that it has not acknowledged itself.
    bool owes() const;
    /// A source may send into a window that is not the receiver's.
    bool promises() const;
    /// The gateway has reset it: data that were acknowledged are missing.
    bool isBroken() const { return !resets.empty(); }
    bool hasSack() const { return hosts[0].sackPermitted && hosts[1].sackPermitted; }
    bool hasTimestamps() const { return hosts[0].timestamps && hosts[1].timestamps; }
    /// By how much the windows of a host are shifted (RFC 7323: only if both sent the option).
    unsigned windowScale(Port port) const;
    /// Bytes of the largest window that a host can advertise.
    int64_t largestWindow(Port port) const { return int64_t{65536} << windowScale(port); }
    /// Bytes of the window that a host advertised last.
    size_t windowBytes(Port port) const;
};

}  // namespace arqlink::gateway
