// SPDX-License-Identifier: Apache-2.0
// Runs a simulation whose connections are set up, and takes the difference of what they have counted.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "experiment.h"
#include "gateway_chain.h"

namespace arqlink::tcp {

/// What a connection has counted since the beginning.
struct FlowCount {
    double received = 0;  ///< packets that the receiver's user got, in sequence and once each
    uint64_t segments = 0, retransmissions = 0, timeouts = 0;
    uint64_t spurious = 0;  ///< segments that arrived though they had been received
    uint64_t refused = 0;   ///< segments that a gateway had no room for
    Mean roundTrip;
    FlowCount operator-(const FlowCount& before) const;
};

/// What is looked at while an experiment runs.
struct Observed {
    LinkBridge& link;                        ///< the last one
    std::function<FlowCount(size_t)> count;  ///< what connection i has counted
    std::function<double(size_t)> window;    ///< its congestion window, in segments
    const GatewayChain* gateways = nullptr;  ///< where there are some
};

/// Simulates until the end of the experiment, which began at `start` seconds.
Measured measure(const Experiment& experiment, double start, const Observed& observed);

/// Waits until all ends of the links can send data; seconds that this took.
double bringUp(const Links& links);

}  // namespace arqlink::tcp
