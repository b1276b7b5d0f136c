// SPDX-License-Identifier: Apache-2.0
// Where TCP of ns-3 ends at the gateway before the link.
#pragma once

#include "experiment.h"
#include "ns3/node.h"
#include "ns3/socket.h"
#include "pipe.h"

namespace arqlink::tcp {

/// Takes a connection's segments as the gateway has room for them, and sends each over the link as a packet, which then crosses `line`. The
/// socket advertises what is left of the gateway's buffer; what the gateway has no room for waits in the socket. For one connection: where
/// several share the buffer, windows would be taken back, which TCP of ns-3 does not stand.
class GatewaySocket {
  public:
    GatewaySocket(ns3::Ptr<ns3::Node> node, uint16_t port, const Experiment& experiment, unsigned segment,
                  LinkBridge& link, Pipe& line);

    /// The gateway may have more room than before.
    void roomGrew() { serve(false); }
    /// Segments that the receiver's user got.
    uint64_t received() const { return received_; }

  private:
    void accept(ns3::Ptr<ns3::Socket> socket);
    void serve(bool arrival);

    const unsigned packet_, segment_;
    LinkBridge& link_;
    Pipe& line_;
    ns3::Ptr<ns3::Socket> listening_, socket_;
    uint32_t advertised_;  // bytes of the socket's buffer
    uint64_t received_ = 0;
};

}  // namespace arqlink::tcp
