// SPDX-License-Identifier: Apache-2.0
#include "gateway_node.h"

#include <algorithm>

#include "ns3/simulator.h"

namespace arqlink::tcp {

using gateway::Port;
using gateway::Time;

Time GatewayNode::now() { return static_cast<Time>(ns3::Simulator::Now().GetNanoSeconds()); }

void GatewayNode::receive(Port port, gateway::Bytes packet) {
    gateway_.receive(port, std::move(packet), now());
    serve();
}

void GatewayNode::serve() {
    bool isWaiting = false;
    for (const Port port : {Port::lan, Port::link}) {
        Exit& exit = exits_[index(port)];
        while (gateway_.waiting(port) > 0 && exit.isReady())
            if (auto packet = gateway_.take(port, now())) exit.send(std::move(*packet));
        isWaiting |= gateway_.waiting(port) > 0;
    }
    Time next = gateway_.deadline();
    if (isWaiting) next = std::min(next, now() + gateway::milliseconds);
    if (next == planned_) return;
    next_.Cancel();
    planned_ = next;
    if (next == gateway::never) return;
    next_ = ns3::Simulator::Schedule(ns3::NanoSeconds(std::max(next, now()) - now()), &GatewayNode::look, this);
}

void GatewayNode::look() {
    planned_ = gateway::never;
    gateway_.advance(now());
    serve();
}

}  // namespace arqlink::tcp
