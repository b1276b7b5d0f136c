// SPDX-License-Identifier: Apache-2.0
// RR-4752, Fig. 2, with connections of their own: sender, wired link, the link, wired link, receiver, and back.
#include <memory>
#include <stdexcept>

#include "experiment.h"
#include "ns3/simulator.h"
#include "pipe.h"
#include "splitmix.h"

namespace arqlink::tcp {

namespace {

constexpr unsigned ackBytes = 40;

/// A connection and its two wired links. Each direction of a wired link is a pipe.
class Connection {
  public:
    Connection(const Experiment& e, LinkBridge& link)
        : bytes_(e.packetBytes),
          link_(link),
          toLink_(e.accessBitsPerSecond, ns3::Seconds(e.accessDelay)),
          fromLink_(e.accessBitsPerSecond, ns3::Seconds(e.accessDelay)),
          toLinkBack_(e.accessBitsPerSecond, ns3::Seconds(e.accessDelay)),
          fromLinkBack_(e.accessBitsPerSecond, ns3::Seconds(e.accessDelay)),
          sender_(settings(e), [this](const Segment& s) { send(s); }),
          receiver_(settings(e), [this](const Ack& a) { acknowledge(a); }) {}

    RenoSender& sender() { return sender_; }
    RenoReceiver& receiver() { return receiver_; }

  private:
    static RenoSettings settings(const Experiment& e) {
        RenoSettings s;
        s.maxWindow = e.windowPackets;
        return s;
    }
    void send(const Segment& segment) {
        toLink_.send(bytes_, [this, segment] {
            link_.send(A, bytes_,
                       [this, segment] { fromLink_.send(bytes_, [this, segment] { receiver_.receive(segment); }); });
        });
    }
    void acknowledge(const Ack& ack) {
        toLinkBack_.send(ackBytes, [this, ack] {
            link_.send(B, ackBytes,
                       [this, ack] { fromLinkBack_.send(ackBytes, [this, ack] { sender_.acknowledge(ack); }); });
        });
    }

    const unsigned bytes_;
    LinkBridge& link_;
    Pipe toLink_, fromLink_, toLinkBack_, fromLinkBack_;
    RenoSender sender_;
    RenoReceiver receiver_;
};

}  // namespace

double bringUp(LinkBridge& link) {
    LinkModel& model = link.model();
    constexpr double most = 60;
    const auto step = static_cast<Clock>(link.clockHz() * 0.01);
    while (!model.isUp()) {
        model.runTo(model.now() + step);
        if (static_cast<double>(model.now()) > most * link.clockHz())
            throw std::runtime_error("The link did not come up; is all of it lost?");
    }
    return static_cast<double>(model.now()) / link.clockHz();
}

Measured runReno(const Experiment& e, LinkBridge& link) {
    const double start = bringUp(link);
    std::vector<std::unique_ptr<Connection>> connections;
    Random random(e.seed);
    for (unsigned i = 0; i < e.connections; ++i) {
        connections.push_back(std::make_unique<Connection>(e, link));
        RenoSender& sender = connections.back()->sender();
        ns3::Simulator::Schedule(ns3::Seconds(start + random.uniform()), [&sender] { sender.start(); });
    }
    std::vector<uint64_t> before(e.connections);
    uint64_t repeatedBefore = 0, droppedBefore = 0;
    ns3::Simulator::Schedule(ns3::Seconds(start + e.warmUp), [&] {
        for (unsigned i = 0; i < e.connections; ++i) {
            before[i] = connections[i]->receiver().inOrder();
            repeatedBefore += connections[i]->receiver().repeated();
            connections[i]->sender().resetStatistics();
        }
        droppedBefore = link.dropped(A) + link.dropped(B);
    });
    ns3::Simulator::Stop(ns3::Seconds(start + e.warmUp + e.seconds));
    ns3::Simulator::Run();
    Measured m;
    double roundTrips = 0;
    uint64_t samples = 0;
    for (unsigned i = 0; i < e.connections; ++i) {
        const RenoSender& sender = connections[i]->sender();
        m.goodputs.push_back(static_cast<double>(connections[i]->receiver().inOrder() - before[i]) * e.packetBytes * 8 /
                             e.seconds);
        m.segments += sender.segments();
        m.retransmissions += sender.retransmissions();
        m.timeouts += sender.timeouts();
        m.spurious += connections[i]->receiver().repeated();
        roundTrips += sender.roundTrip().value() * static_cast<double>(sender.roundTrip().count());
        samples += sender.roundTrip().count();
    }
    m.spurious -= repeatedBefore;
    m.roundTrip = samples ? roundTrips / static_cast<double>(samples) : 0;
    m.dropped = link.dropped(A) + link.dropped(B) - droppedBefore;
    for (const End end : {A, B}) m.counters[end] = link.model().counters(end);
    m.clocks = link.model().now();
    ns3::Simulator::Destroy();
    return m;
}

}  // namespace arqlink::tcp
