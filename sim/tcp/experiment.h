// SPDX-License-Identifier: Apache-2.0
// One simulation of TCP over the link: what is asked, and what is measured.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "link_bridge.h"
#include "reno.h"

namespace arqlink::tcp {

struct Experiment {
    unsigned connections = 10;
    std::string variant = "reno";  ///< `reno`: RenoSender; else a TCP of ns-3
    bool sack = true;              ///< of a TCP of ns-3
    double seconds = 100;          ///< measured after `warmUp`
    double warmUp = 10;
    double accessBitsPerSecond = 10e6;
    double accessDelay = 0.02;  ///< seconds, each way, at the senders and at the receiver
    unsigned packetBytes = 1500;
    unsigned windowPackets = 2000;
    double clockHz = 410e3;
    size_t queuePackets = 500;
    uint64_t seed = 1;
};

struct Measured {
    std::vector<double> goodputs;  ///< of each connection: bits a second of packets received once and in sequence
    double roundTrip = 0;          ///< seconds, mean of all samples
    uint64_t segments = 0, retransmissions = 0, spurious = 0, timeouts = 0;
    uint64_t dropped = 0;  ///< packets that found the queue full
    Counters counters[2];
    Clock clocks = 0;  ///< of the model
};

/// Runs it with RenoSender; `link` is a model whose ends have just been enabled.
Measured runReno(const Experiment& experiment, LinkBridge& link);

/// The same with TCP of ns-3: NewReno, Hybla, Vegas, WestwoodPlus, Cubic or Bbr.
Measured runNs3(const Experiment& experiment, std::unique_ptr<LinkBridge> link);

/// Waits until both ends of the link can send data; seconds that this took.
double bringUp(LinkBridge& link);

}  // namespace arqlink::tcp
