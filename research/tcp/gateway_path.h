// SPDX-License-Identifier: Apache-2.0
// Connections of RenoSender through gateways: packets as they are on the wire, from the senders over one link, or two with a satellite between
// them, to the receivers.
#pragma once

#include <memory>
#include <vector>

#include "connection.h"
#include "gateway_chain.h"
#include "wire_host.h"

namespace arqlink::tcp {

/// The chain, with the wire to the receivers.
class GatewayPath {
  public:
    GatewayPath(const Experiment& experiment, const Links& links, ReceiverLine& line);

    /// The next connection's sender and receiver: packets go to them by the port of the receiver.
    void join(TakePacket sender, TakePacket receiver);
    GatewayChain& chain() { return chain_; }

  private:
    static void deliver(gateway::Bytes packet, bool toReceiver, std::vector<TakePacket>& all);

    std::vector<TakePacket> senders_, receivers_;
    GatewayChain chain_;
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
    Pipe toPath_, toSender_;
    WireSender sender_;
    WireReceiver receiver_;
};

}  // namespace arqlink::tcp
