// SPDX-License-Identifier: Apache-2.0
#include "gateway_chain.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace arqlink::tcp {

using gateway::Bytes;
using gateway::Port;

namespace {

gateway::Settings settingsOf(const Experiment& e, size_t node) {
    if (node < e.gateways.size() && e.gateways[node]) return *e.gateways[node];
    gateway::Settings pass;
    pass.queuePackets = e.buffer.packets;
    return pass;
}

bool endsConnections(const gateway::Settings& settings) {
    return std::any_of(settings.classes.begin(), settings.classes.end(), [](const gateway::FlowClass& one) {
        return one.treatment.mode == gateway::Mode::split || one.treatment.mode == gateway::Mode::proxy;
    });
}

// Two milliseconds of the line, as its backlog is looked at every millisecond.
size_t packetsAhead(const Experiment& e) {
    return 2 + static_cast<size_t>(std::ceil(0.002 * e.clockHz * e.dataBytes / e.packetBytes));
}

}  // namespace

GatewayChain::GatewayChain(const Experiment& e, const Links& links, TakePacket toSenders, TakePacket toReceivers)
    : places_(settingsOf(e, 0).queuePackets), ahead_(packetsAhead(e)) {
    for (size_t i = 0; i <= links.size(); ++i) {
        nodes_.push_back(std::make_unique<GatewayNode>(settingsOf(e, i)));
        ends_.push_back(endsConnections(settingsOf(e, i)));
    }
    // The last node's LAN is the receivers'.
    for (size_t i = 0; i < links.size(); ++i)
        join(*links[i], *nodes_[i], *nodes_[i + 1], i + 1 == links.size() ? Port::link : Port::lan);
    nodes_.front()->attach(Port::lan, {std::move(toSenders)});
    nodes_.back()->attach(Port::lan, {std::move(toReceivers)});
}

void GatewayChain::join(LinkBridge& link, GatewayNode& before, GatewayNode& after, Port at) {
    const auto exit = [this, &link](End end, GatewayNode& peer, Port port) {
        const auto send = [&link, end, &peer, port](Bytes packet) {
            const auto bytes = static_cast<unsigned>(packet.size());
            link.send(end, bytes, [&peer, port, packet = std::move(packet)] { peer.receive(port, packet); });
        };
        return Exit{send, [this, &link, end] { return link.backlog(end) < ahead_; }};
    };
    before.attach(Port::link, exit(A, after, at));
    after.attach(at, exit(B, before, Port::link));
}

double GatewayChain::occupancy() const {
    const auto waiting = static_cast<double>(nodes_.front()->gateway().waiting(Port::link));
    return std::min(1.0, waiting / static_cast<double>(places_));
}

std::vector<gateway::Counters> GatewayChain::counters() const {
    std::vector<gateway::Counters> all;
    for (const auto& node : nodes_) all.push_back(node->gateway().counts());
    return all;
}

GatewayChain::Again GatewayChain::again() const {
    Again again;
    for (size_t i = 0; i < nodes_.size(); ++i) {
        const gateway::Counters counters = nodes_[i]->gateway().counts();
        again.sent += counters.retransmissions;
        if (ends_[i]) again.came += counters.duplicates;
    }
    return again;
}

std::vector<size_t> GatewayChain::cached() const {
    std::vector<size_t> all;
    for (const auto& node : nodes_) all.push_back(node->gateway().cacheUsed());
    return all;
}

}  // namespace arqlink::tcp
