// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "experiment.h"
#include "gateway_node.h"

namespace arqlink::tcp {

using TakePacket = std::function<void(gateway::Bytes)>;

/// Gateways at the ends of the links, in their order. One that is not asked for passes all, and has its queue.
///
///     senders ──> [0] ── link ── [1] ──> receivers
///     senders ──> [0] ── link ── [1] ── link ── [2] ──> receivers       (a satellite at [1])
class GatewayChain {
  public:
    GatewayChain(const Experiment& experiment, const Links& links, TakePacket toSenders, TakePacket toReceivers);

    void fromSenders(gateway::Bytes packet) { nodes_.front()->receive(gateway::Port::lan, std::move(packet)); }
    void fromReceivers(gateway::Bytes packet) { nodes_.back()->receive(gateway::Port::lan, std::move(packet)); }

    std::vector<gateway::Counters> counters() const;
    /// What all of them sent again, and what came again to those that end connections.
    struct Again {
        uint64_t sent = 0, came = 0;
    };
    Again again() const;
    /// Packets in the cache of each.
    std::vector<size_t> cached() const;
    /// Share of the places in the first gateway's queue to the link that are taken, 0 to 1.
    double occupancy() const;

  private:
    void join(LinkBridge& link, GatewayNode& before, GatewayNode& after, gateway::Port at);

    const size_t places_;  // in that queue
    const size_t ahead_;   // packets that wait in a link, so that its line is never idle
    std::vector<std::unique_ptr<GatewayNode>> nodes_;
    std::vector<bool> ends_;  // connections end at this node
};

}  // namespace arqlink::tcp
