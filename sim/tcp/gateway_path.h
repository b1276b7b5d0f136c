// SPDX-License-Identifier: Apache-2.0
// Connections of RenoSender through gateways: packets as they are on the wire, from the senders over one link, or two with a satellite between
// them, to the receivers.
#pragma once

#include <memory>
#include <vector>

#include "connection.h"
#include "gateway_node.h"
#include "wire_host.h"

namespace arqlink::tcp {

/// Gateways at the ends of the links, in their order. One that is not asked for passes all, and has its queue.
///
///     senders ──wires──> [0] ── link ── [1] ──wire──> receivers
///     senders ──wires──> [0] ── link ── [1] ── link ── [2] ──wire──> receivers       (a satellite at [1])
class GatewayPath {
  public:
    GatewayPath(const Experiment& experiment, const std::vector<LinkBridge*>& links, ReceiverLine& line);

    using Receive = std::function<void(gateway::Bytes)>;
    /// The next connection's sender and receiver: packets go to them by the port of the receiver.
    void join(Receive sender, Receive receiver);

    void fromSender(gateway::Bytes packet) { nodes_.front()->receive(gateway::Port::lan, std::move(packet)); }
    void fromReceiver(gateway::Bytes packet) { nodes_.back()->receive(gateway::Port::lan, std::move(packet)); }

    const std::vector<std::unique_ptr<GatewayNode>>& nodes() const { return nodes_; }

  private:
    void deliver(gateway::Bytes packet, bool toReceiver);

    size_t ahead_;  // packets that wait in a link, so that its line is never idle
    std::vector<std::unique_ptr<GatewayNode>> nodes_;
    std::vector<Receive> senders_, receivers_;
};

/// A connection of which every packet is one.
class GatewayConnection final : public Connection {
  public:
    GatewayConnection(const Experiment& experiment, unsigned i, GatewayPath& path, ReceiverLine& line);
    RenoSender& sender() override { return sender_.reno(); }
    void start() override { sender_.start(); }
    uint64_t received() const override { return receiver_.reno().inOrder(); }
    const RenoReceiver& receiver() const override { return receiver_.reno(); }

  private:
    const WireFlow flow_;
    Pipe toPath_, toSender_;
    WireSender sender_;
    WireReceiver receiver_;
};

}  // namespace arqlink::tcp
