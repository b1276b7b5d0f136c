// SPDX-License-Identifier: Apache-2.0
// One simulation of TCP over the link: what is asked, and what is measured.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gateway_settings.h"
#include "link_bridge.h"
#include "packet.h"
#include "reno.h"
#include "terminal_errors.h"

namespace arqlink::tcp {

/// A wired line without losses.
struct Wire {
    double bitsPerSecond = 10e6;
    double delay = 0.02;  ///< seconds, each way
};

/// What is offered beside the connections, with TCP of ns-3; in the order of the ends A and B, where it begins, in bits a second.
struct Offered {
    unsigned webUsers = 0, calls = 0;
    double files[2] = {0, 0}, datagrams[2] = {0, 0};
    bool any() const { return webUsers || calls || files[A] + files[B] + datagrams[A] + datagrams[B] > 0; }
};

struct Experiment {
    unsigned connections = 10;
    std::string variant = "reno";  ///< `reno`, `classic`: RenoSender; else a TCP of ns-3, or of variants/
    bool sack = true;              ///< of a TCP of ns-3
    bool timestamps = true;        ///< RFC 7323; without them round trips are measured by Karn's rule
    double initialWindow = 2;      ///< segments
    bool pacing = false;           ///< of a TCP of ns-3: segments are paced, and do not leave as ACKs let them
    bool split = false;            ///< TCP ends at the gateway before the link, which acknowledges what it stores
    /// Gateways that look into packets (GatewayPath); empty: there are none, and `split` counts.
    std::vector<std::optional<gateway::Settings>> gateways;
    bool onBoard = false;  ///< two links, and a satellite with a gateway between them
    double seconds = 100;  ///< measured after `warmUp`
    double warmUp = 10;
    Wire atSender, atReceiver;  ///< one for each sender, and one for each receiver or for all
    unsigned packetBytes = 1500;
    unsigned windowPackets = 2000;
    double minRto = 1, maxRto = 60;  ///< seconds, of `reno`
    unsigned ackEvery = 2;           ///< segments of an ACK: 1, or 2 with delayed ACKs
    double clockHz = 410e3;
    double capacity = 2e6;   ///< bits a second of packets that the link carries, which XCP's router needs to know
    unsigned dataBytes = 1;  ///< of a clock on the line
    Buffer buffer;           ///< before the link, at end A
    size_t ackQueue = 500;   ///< packets that may wait at end B
    double traceEvery = 0;   ///< seconds between two samples of the congestion windows; 0: none are taken
    Offered background;
    Terminals terminals;
    uint64_t seed = 1;
};

/// Bytes of the headers of IPv4 and TCP.
inline unsigned headerBytes(const Experiment& e) {
    return static_cast<unsigned>(gateway::leastHeaderBytes(false) + (e.timestamps ? gateway::timestampsBytes : 0));
}

struct Measured {
    std::vector<double> goodputs;  ///< of each connection: bits a second of packets received once and in sequence
    double carried = 0;            ///< bits a second of all packets that the link delivered to end B's user
    double roundTrip = 0;          ///< seconds, mean of all samples
    uint64_t segments = 0, retransmissions = 0, timeouts = 0;
    uint64_t gatewayRetransmissions = 0;
    /// Of both: segments that arrived where they had been received, at a receiver or at a gateway that ends the connection.
    uint64_t spurious = 0;
    uint64_t dropped = 0;  ///< packets that found a buffer full
    Counters counters[2];
    Clock clocks = 0;                         ///< of the model
    std::vector<gateway::Counters> gateways;  ///< of all gateways, in their order
    struct Background {
        double there = 0, back = 0;               ///< bits a second of packets that arrived
        uint64_t pages = 0;                       ///< of the web
        double pageTime = 0;                      ///< seconds, mean
        uint64_t voice = 0;                       ///< datagrams of calls
        double voiceLoss = 0;                     ///< share of them that did not arrive
        double voiceDelay = 0, voiceDelay99 = 0;  ///< seconds: mean, and what 99 of 100 do not exceed
    };
    Background background;
    struct Sample {
        double time;                  ///< seconds of the simulation
        std::vector<double> windows;  ///< congestion windows of all connections, in segments
        std::vector<double> rates;    ///< of all connections since the last sample, as `goodputs`
        std::vector<size_t> cached;   ///< packets in the cache of each gateway
    };
    std::vector<Sample> trace;
};

/// The link, or with a satellite between them the one to it and the one from it.
using Links = std::vector<std::unique_ptr<LinkBridge>>;

/// Runs it with RenoSender; `links` are models whose ends have just been enabled.
Measured runReno(const Experiment& experiment, Links links);

/// The same with TCP of ns-3, such as NewReno, or of variants/ in ns-3's sockets.
Measured runNs3(const Experiment& experiment, Links links);

}  // namespace arqlink::tcp
