// SPDX-License-Identifier: Apache-2.0
#include "connection.h"

#include <stdexcept>

#include "gateway_path.h"

namespace arqlink::tcp {

namespace {

constexpr unsigned ackBytes = 40;

}  // namespace

RenoSettings renoSettings(const Experiment& e) {
    RenoSettings s;
    s.classic = e.variant == "classic";
    s.timestamps = e.timestamps;
    s.initialWindow = e.initialWindow;
    s.maxWindow = e.windowPackets;
    s.ackEvery = e.ackEvery;
    s.minRto = ns3::Seconds(e.minRto);
    s.maxRto = ns3::Seconds(e.maxRto);
    return s;
}

Pipe pipe(const Wire& wire) { return {wire.bitsPerSecond, ns3::Seconds(wire.delay)}; }

ReceiverLine::ReceiverLine(const Experiment& e)
    : toReceiver(pipe(e.atReceiver)), toLink(pipe(e.atReceiver)), errors(e.terminals, e.seed) {}

// End to end ------------------------------------------------------------------------------------------------------------

DirectConnection::DirectConnection(const Experiment& e, unsigned i, LinkBridge& link, ReceiverLine& line)
    : bytes_(e.packetBytes),
      i_(i),
      link_(link),
      line_(line),
      toLink_(pipe(e.atSender)),
      toSender_(pipe(e.atSender)),
      sender_(renoSettings(e), [this](const Segment& s) { send(s); }),
      receiver_(renoSettings(e), [this](const Ack& a) { acknowledge(a); }) {}

void DirectConnection::send(const Segment& segment) {
    toLink_.send(bytes_, [this, segment] {
        link_.send(A, bytes_, [this, segment] {
            if (line_.errors.hits(i_, bytes_)) return;
            line_.toReceiver.send(bytes_, [this, segment] { receiver_.receive(segment); });
        });
    });
}

void DirectConnection::acknowledge(const Ack& ack) {
    if (line_.errors.hits(i_, ackBytes)) return;
    line_.toLink.send(ackBytes, [this, ack] {
        link_.send(B, ackBytes, [this, ack] { toSender_.send(ackBytes, [this, ack] { sender_.acknowledge(ack); }); });
    });
}

// Split -----------------------------------------------------------------------------------------------------------------

Gateway::Gateway(LinkBridge& link) : link_(link) {
    link_.freed = [this] {
        for (SplitConnection* connection : connections_) connection->roomGrew();
    };
}

size_t Gateway::room() const {
    size_t ahead = 0;
    for (const SplitConnection* connection : connections_) ahead += connection->receiver().ahead();
    const size_t room = link_.room();
    return room > ahead ? room - ahead : 0;
}

SplitConnection::SplitConnection(const Experiment& e, LinkBridge& link, ReceiverLine& line, Gateway& gateway)
    : bytes_(e.packetBytes),
      link_(link),
      toLink_(pipe(e.atSender)),
      toSender_(pipe(e.atSender)),
      sender_(renoSettings(e),
              [this](const Segment& s) { toLink_.send(bytes_, [this, s] { atGateway_.receive(s); }); }),
      atGateway_(renoSettings(e),
                 [this](const Ack& a) { toSender_.send(ackBytes, [this, a] { sender_.acknowledge(a); }); }) {
    gateway.join(*this);
    const auto room = [&gateway] { return gateway.room(); };
    const auto take = [this, &line] {
        if (!link_.send(A, bytes_, [this, &line] { line.toReceiver.send(bytes_, [this] { ++received_; }); }))
            throw std::logic_error("The gateway accepted a segment that it has no room for.");
    };
    // A segment in sequence for each connection finds room, however many segments ahead of gaps are stored.
    atGateway_.serve({room, take, e.connections});
}

Connections::Connections(const Experiment& e, const Links& links) : line_(e) {
    LinkBridge& link = *links.front();
    if (!e.gateways.empty())
        path_ = std::make_unique<GatewayPath>(e, links, line_);
    else if (e.split)
        gateway_ = std::make_unique<Gateway>(link);
    for (unsigned i = 0; i < e.connections; ++i) {
        if (path_)
            all_.push_back(std::make_unique<GatewayConnection>(e, i, *path_, line_));
        else if (e.split)
            all_.push_back(std::make_unique<SplitConnection>(e, link, line_, *gateway_));
        else
            all_.push_back(std::make_unique<DirectConnection>(e, i, link, line_));
    }
}

Connections::~Connections() = default;

const GatewayChain* Connections::gateways() const { return path_ ? &path_->chain() : nullptr; }

}  // namespace arqlink::tcp
