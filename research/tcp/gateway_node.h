// SPDX-License-Identifier: Apache-2.0
// A gateway (sim/gateway) in the time of ns-3.
#pragma once

#include <functional>

#include "gateway.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"

namespace arqlink::tcp {

/// Where the packets of a gateway's port go.
struct Exit {
    std::function<void(gateway::Bytes)> send;
    std::function<bool()> isReady = [] {
        return true;
    };  ///< for another packet; asked again each millisecond while one waits
};

class GatewayNode {
  public:
    explicit GatewayNode(const gateway::Settings& settings) : gateway_(settings) {}
    void attach(gateway::Port port, Exit exit) { exits_[index(port)] = std::move(exit); }

    /// A packet comes in at a port.
    void receive(gateway::Port port, gateway::Bytes packet);

    const gateway::Gateway& gateway() const { return gateway_; }

  private:
    static gateway::Time now();
    void serve();
    void look();

    gateway::Gateway gateway_;
    Exit exits_[2];
    ns3::EventId next_;
    gateway::Time planned_ = gateway::never;
};

}  // namespace arqlink::tcp
