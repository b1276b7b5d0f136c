// SPDX-License-Identifier: Apache-2.0
#include "gateway_path.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

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

}  // namespace

GatewayPath::GatewayPath(const Experiment& e, const std::vector<LinkBridge*>& links, ReceiverLine& line) {
    // Two milliseconds of the line, as its backlog is looked at every millisecond.
    ahead_ = 2 + static_cast<size_t>(std::ceil(0.002 * e.clockHz * e.dataBytes / e.packetBytes));
    for (size_t i = 0; i <= links.size(); ++i) nodes_.push_back(std::make_unique<GatewayNode>(settingsOf(e, i)));
    for (size_t i = 0; i < links.size(); ++i) {
        // The last node's LAN is the receivers'; its link is behind it.
        const bool isLast = i + 1 == links.size();
        GatewayNode &before = *nodes_[i], &after = *nodes_[i + 1];
        LinkBridge& link = *links[i];
        const Port at = isLast ? Port::link : Port::lan;
        before.attach(Port::link,
                      {[&link, &after, at](Bytes packet) {
                           const auto bytes = static_cast<unsigned>(packet.size());
                           link.send(A, bytes, [&after, at, packet = std::move(packet)] { after.receive(at, packet); });
                       },
                       [this, &link] { return link.backlog(A) < ahead_; }});
        after.attach(at, {[&link, &before](Bytes packet) {
                              const auto bytes = static_cast<unsigned>(packet.size());
                              link.send(B, bytes,
                                        [&before, packet = std::move(packet)] { before.receive(Port::link, packet); });
                          },
                          [this, &link] { return link.backlog(B) < ahead_; }});
    }
    nodes_.front()->attach(Port::lan, {[this](Bytes packet) { deliver(std::move(packet), false); }});
    nodes_.back()->attach(Port::lan, {[this, &line](Bytes packet) {
                              const auto bytes = static_cast<unsigned>(packet.size());
                              line.toReceiver.send(bytes, [this, packet = std::move(packet)]() mutable {
                                  deliver(std::move(packet), true);
                              });
                          }});
}

void GatewayPath::join(Receive sender, Receive receiver) {
    senders_.push_back(std::move(sender));
    receivers_.push_back(std::move(receiver));
}

void GatewayPath::deliver(Bytes packet, bool toReceiver) {
    gateway::NotTreated why;
    auto segment = gateway::Segment::parse(packet, why);
    if (!segment) throw std::logic_error("A gateway has made a packet that is none.");
    const size_t i = (toReceiver ? segment->destination() : segment->source()).port - WireFlow::firstPort;
    auto& all = toReceiver ? receivers_ : senders_;
    if (i < all.size()) all[i](std::move(*segment).take());
}

GatewayConnection::GatewayConnection(const Experiment& e, unsigned i, GatewayPath& path, ReceiverLine& line)
    : flow_(WireFlow::numbered(i, e.packetBytes)),
      toPath_(pipe(e.atSender)),
      toSender_(pipe(e.atSender)),
      sender_(renoSettings(e), flow_,
              [this, &path](Bytes packet) {
                  const auto bytes = static_cast<unsigned>(packet.size());
                  toPath_.send(bytes, [&path, packet = std::move(packet)] { path.fromSender(packet); });
              }),
      receiver_(renoSettings(e), flow_, [&path, &line](Bytes packet) {
          const auto bytes = static_cast<unsigned>(packet.size());
          line.toLink.send(bytes, [&path, packet = std::move(packet)] { path.fromReceiver(packet); });
      }) {
    path.join(
        [this](Bytes packet) {
            const auto bytes = static_cast<unsigned>(packet.size());
            toSender_.send(bytes, [this, packet = std::move(packet)] { sender_.receive(packet); });
        },
        [this](Bytes packet) { receiver_.receive(std::move(packet)); });
}

}  // namespace arqlink::tcp
