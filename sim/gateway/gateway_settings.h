// SPDX-License-Identifier: Apache-2.0
// What a gateway is built with, and what it does with which flows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace arqlink::gateway {

/// Nanoseconds.
using Time = uint64_t;
constexpr Time never = std::numeric_limits<Time>::max();
constexpr Time milliseconds = 1'000'000, seconds = 1'000'000'000;

/// The local side, and the side of the link. Of a proxy between two links, either one is `lan`.
enum class Port : unsigned { lan = 0, link = 1 };
constexpr Port other(Port port) { return port == Port::lan ? Port::link : Port::lan; }
constexpr unsigned index(Port port) { return static_cast<unsigned>(port); }

enum class Mode { pass, clamp, snoop, split, proxy };

/// Which window is advertised to a source (`clamp`, `split`, `proxy`).
enum class Advertise {
    room,   ///< what is free of the cache (Zhu et al.)
    open,   ///< the same, but a segment at least: sources run into timeouts where others wait for a window (ns-2's TCP)
    third,  ///< a third of the cache, less where less is free (Luglio et al., section IV.B)
    receiver,  ///< what the receiver advertises; a source may send more than the cache has room for
};

/// How fast a gateway sends what it has taken over.
enum class Sender {
    window,    ///< as fast as the receiver's window and the port allow: for a link that nothing else uses
    newReno,   ///< RFC 5681 and 6582
    westwood,  ///< the same, with a window by the estimated bandwidth after a loss (Mascolo et al., 2001)
};

struct Treatment {
    Mode mode = Mode::pass;
    bool bothWays = false;  ///< also for data from the link to the LAN; of a proxy, always
    Advertise advertise = Advertise::room;
    Sender sender = Sender::window;
    /// K of ACK reservation: ACKs are held back while more than this share of the cache is in use; 1: never.
    double reserveAbove = 1;
    unsigned dupAcks = 3;       ///< duplicate ACKs that show a loss
    Time minRto = 1 * seconds;  ///< of local retransmission (RFC 6298)
    Time maxRto = 60 * seconds;
    Time giveUp = 900 * seconds;  ///< without any answer from the receiver, a flow that owes it data is reset
};

/// The usual treatment of a mode.
Treatment treatmentOf(Mode mode);

/// Which flows a treatment is for. What is left open matches all.
struct FlowClass {
    struct Prefix {
        bool isV6 = false;
        std::array<uint8_t, 16> address{};
        unsigned bits = 0;
    };
    std::optional<Prefix> local, remote;       ///< the addresses at the LAN's and at the link's side
    uint16_t firstPort = 0, lastPort = 65535;  ///< either side's port is within
    std::optional<uint8_t> dscp;               ///< of the first packet
    Treatment treatment;
};

struct Settings {
    size_t flows = 1024;             ///< entries of the flow table
    size_t cachePackets = 256;       ///< B: packets that the cache has room for …
    size_t slotBytes = 2048;         ///< … each of at most so many bytes, headers included
    size_t queuePackets = 1000;      ///< packets that may wait at a port beside those of the cache
    size_t mtu = 65535;              ///< bytes of an IP packet over the link: SYNs are told of no longer segments
    Time idle = 600 * seconds;       ///< an entry is forgotten after it, if it owes nothing
    std::vector<FlowClass> classes;  ///< the first one that matches counts; what matches none passes
};

/// Throws std::invalid_argument, with a sentence.
void check(const Settings& settings);

#define ARQLINK_GATEWAY_COUNTERS(X)                                                           \
    X(passed, "packets that passed as they were")                                             \
    X(not_tcp, "of them, other protocols than TCP right behind IP, IPsec, extension headers") \
    X(fragments, "of them, fragments")                                                        \
    X(malformed, "of them, with lengths or options that contradict each other")               \
    X(bad_checksum, "of them, with a wrong checksum")                                         \
    X(no_entry, "of them, TCP of a flow that the table does not have")                        \
    X(implausible, "of them, too far ahead, or an ACK of what cannot have been sent")         \
    X(queue_full, "packets dropped as a port's queue was full")                               \
    X(flows_opened, "entries made")                                                           \
    X(flows_evicted, "entries given to another flow")                                         \
    X(flows_refused, "flows that got no entry: all owe data, or are in use")                  \
    X(flows_failed, "flows reset as the receiver did not answer")                             \
    X(flows_bound, "SYNs with an option that may bind or protect segments: their flows pass") \
    X(handed_back, "directions in which the receiver has all that it was owed, unseen here")  \
    X(cached, "segments stored")                                                              \
    X(cache_full, "segments that there was no room for")                                      \
    X(duplicates, "segments from a source that were stored or delivered already")             \
    X(outdated, "segments older than what has come, by their timestamps")                     \
    X(too_big, "ICMP messages of a packet that was too long for its way")                     \
    X(acks_made, "ACKs made by the gateway")                                                  \
    X(acks_held, "ACKs held back by reservation")                                             \
    X(acks_suppressed, "ACKs of the receiver that ended here")                                \
    X(windows_clamped, "windows of the receiver made smaller")                                \
    X(retransmissions, "segments sent again from the cache")                                  \
    X(timeouts, "of local timers")                                                            \
    X(probes, "of a closed window")

struct Counters {
#define ARQLINK_FIELD(name, what) uint64_t name = 0;
    ARQLINK_GATEWAY_COUNTERS(ARQLINK_FIELD)
#undef ARQLINK_FIELD
};

}  // namespace arqlink::gateway
