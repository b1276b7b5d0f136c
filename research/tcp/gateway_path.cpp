// SPDX-License-Identifier: Apache-2.0
#include "gateway_path.h"

#include <stdexcept>
#include <utility>

namespace arqlink::tcp {

using gateway::Bytes;

namespace {

// A packet that arrives at the end of a wire.
TakePacket over(Pipe& wire, TakePacket arrived) {
    return [&wire, arrived = std::move(arrived)](Bytes packet) {
        const auto bytes = static_cast<unsigned>(packet.size());
        wire.send(bytes, [arrived, packet = std::move(packet)] { arrived(packet); });
    };
}

}  // namespace

GatewayPath::GatewayPath(const Experiment& e, const Links& links, ReceiverLine& line)
    : chain_(
          e, links, [this](Bytes packet) { deliver(std::move(packet), false, senders_); },
          over(line.toReceiver, [this](Bytes packet) { deliver(std::move(packet), true, receivers_); })) {}

void GatewayPath::join(TakePacket sender, TakePacket receiver) {
    senders_.push_back(std::move(sender));
    receivers_.push_back(std::move(receiver));
}

void GatewayPath::deliver(Bytes packet, bool toReceiver, std::vector<TakePacket>& all) {
    gateway::NotTreated why;
    auto segment = gateway::Segment::parse(packet, why);
    if (!segment) throw std::logic_error("A gateway has made a packet that is none.");
    const size_t i = (toReceiver ? segment->destination() : segment->source()).port - WireFlow::firstPort;
    if (i < all.size()) all[i](std::move(*segment).take());
}

GatewayConnection::GatewayConnection(const Experiment& e, unsigned i, GatewayPath& path, ReceiverLine& line)
    : toPath_(pipe(e.atSender)),
      toSender_(pipe(e.atSender)),
      sender_(renoSettings(e), WireFlow::numbered(i, e),
              over(toPath_, [&path](Bytes packet) { path.chain().fromSenders(std::move(packet)); })),
      receiver_(renoSettings(e), WireFlow::numbered(i, e), over(line.toLink, [&path, &line, i](Bytes packet) {
                    if (!line.errors.hits(i, static_cast<unsigned>(packet.size())))
                        path.chain().fromReceivers(std::move(packet));
                })) {
    path.join(over(toSender_, [this](Bytes packet) { sender_.receive(std::move(packet)); }),
              [this, &line, i](Bytes packet) {
                  if (!line.errors.hits(i, static_cast<unsigned>(packet.size()))) receiver_.receive(std::move(packet));
              });
}

}  // namespace arqlink::tcp
