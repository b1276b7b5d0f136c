// SPDX-License-Identifier: Apache-2.0
// Connections of RenoSender over the link: end to end, or split at the gateway before it.
#pragma once

#include <memory>
#include <vector>

#include "experiment.h"
#include "pipe.h"

namespace arqlink::tcp {

class Connection {
  public:
    virtual ~Connection() = default;
    virtual RenoSender& sender() = 0;
    virtual void start() { sender().start(); }
    /// Segments that the receiver's user got, once each: in sequence, or as the link delivers them where the connection is split.
    virtual uint64_t received() const = 0;
    virtual const RenoReceiver& receiver() const = 0;  ///< of what `sender` sends
};

RenoSettings renoSettings(const Experiment& experiment);
Pipe pipe(const Wire& wire);

/// The wired line between link and receiver, and back, which all connections share; of some the terminal has bit errors.
struct ReceiverLine {
    explicit ReceiverLine(const Experiment& experiment);
    Pipe toReceiver, toLink;
    TerminalErrors errors;
};

/// Sender, wired line, the link, wired line, receiver, and back (RR-4752, Fig. 2).
class DirectConnection final : public Connection {
  public:
    DirectConnection(const Experiment& experiment, unsigned i, LinkBridge& link, ReceiverLine& line);
    RenoSender& sender() override { return sender_; }
    uint64_t received() const override { return receiver_.inOrder(); }
    const RenoReceiver& receiver() const override { return receiver_; }

  private:
    void send(const Segment& segment);
    void acknowledge(const Ack& ack);

    const unsigned bytes_, i_;
    LinkBridge& link_;
    ReceiverLine& line_;
    Pipe toLink_, toSender_;
    RenoSender sender_;
    RenoReceiver receiver_;
};

class SplitConnection;
class GatewayChain;
class GatewayPath;

/// The node before the link that acknowledges segments to their senders as it stores them, and sends them over the link, which is
/// trusted with them. Each ACK advertises what is left of its buffer, which all connections share (Zhu et al., section IV).
class Gateway {
  public:
    explicit Gateway(LinkBridge& link);
    void join(SplitConnection& connection) { connections_.push_back(&connection); }
    size_t room() const;

  private:
    LinkBridge& link_;
    std::vector<SplitConnection*> connections_;
};

/// TCP from the sender to the gateway; from there on, the link carries segments, and a wired line.
class SplitConnection final : public Connection {
  public:
    SplitConnection(const Experiment& experiment, LinkBridge& link, ReceiverLine& line, Gateway& gateway);
    RenoSender& sender() override { return sender_; }
    uint64_t received() const override { return received_; }
    const RenoReceiver& receiver() const override { return atGateway_; }
    void roomGrew() { atGateway_.roomGrew(); }

  private:
    const unsigned bytes_;
    LinkBridge& link_;
    Pipe toLink_, toSender_;
    RenoSender sender_;
    RenoReceiver atGateway_;
    uint64_t received_ = 0;
};

/// All connections of an experiment, with the gateway that they may need.
class Connections {
  public:
    Connections(const Experiment& experiment, const Links& links);
    ~Connections();
    size_t size() const { return all_.size(); }
    Connection& operator[](size_t i) { return *all_[i]; }
    /// The gateways; nullptr: there are none.
    const GatewayChain* gateways() const;

  private:
    ReceiverLine line_;
    std::unique_ptr<Gateway> gateway_;
    std::unique_ptr<GatewayPath> path_;
    std::vector<std::unique_ptr<Connection>> all_;
};

}  // namespace arqlink::tcp
