// SPDX-License-Identifier: Apache-2.0
// An experiment with RenoSender.
#include <stdexcept>

#include "connection.h"
#include "ns3/simulator.h"
#include "splitmix.h"

namespace arqlink::tcp {

namespace {

/// Samples of all congestion windows, at equal distances.
class Tracer {
  public:
    Tracer(double every, Connections& connections, std::vector<Measured::Sample>& samples)
        : every_(ns3::Seconds(every)), connections_(connections), samples_(samples) {}
    void sample() {
        std::vector<double> windows;
        for (size_t i = 0; i < connections_.size(); ++i) windows.push_back(connections_[i].sender().cwnd());
        samples_.push_back({ns3::Simulator::Now().GetSeconds(), std::move(windows)});
        ns3::Simulator::Schedule(every_, &Tracer::sample, this);
    }

  private:
    const ns3::Time every_;
    Connections& connections_;
    std::vector<Measured::Sample>& samples_;
};

}  // namespace

double bringUp(LinkBridge& link) {
    LinkModel& model = link.model();
    constexpr double most = 60;
    const auto step = static_cast<Clock>(link.clockHz() * 0.01) + 1;
    while (!model.isUp()) {
        model.runTo(model.now() + step);
        if (static_cast<double>(model.now()) > most * link.clockHz())
            throw std::runtime_error("The link did not come up; is all of it lost?");
    }
    return static_cast<double>(model.now()) / link.clockHz();
}

Measured runReno(const Experiment& e, LinkBridge& link) {
    const double start = bringUp(link);
    Measured m;
    Connections connections(e, link);
    Random random = randomOf(e.seed, Purpose::starts);
    for (size_t i = 0; i < connections.size(); ++i) {
        RenoSender& sender = connections[i].sender();
        ns3::Simulator::Schedule(ns3::Seconds(start + random.uniform()), [&sender] { sender.start(); });
    }
    Tracer tracer(e.traceEvery, connections, m.trace);
    std::vector<uint64_t> before(e.connections);
    uint64_t repeatedBefore = 0, droppedBefore = 0;
    const auto repeated = [&] {
        uint64_t sum = 0;
        for (size_t i = 0; i < connections.size(); ++i) sum += connections[i].receiver().repeated();
        return sum;
    };
    const auto dropped = [&] {
        uint64_t sum = link.dropped(A) + link.dropped(B);
        for (size_t i = 0; i < connections.size(); ++i) sum += connections[i].receiver().refused();
        return sum;
    };
    ns3::Simulator::Schedule(ns3::Seconds(start + e.warmUp), [&] {
        for (size_t i = 0; i < connections.size(); ++i) {
            before[i] = connections[i].received();
            connections[i].sender().resetStatistics();
        }
        repeatedBefore = repeated();
        droppedBefore = dropped();
        if (e.traceEvery > 0) tracer.sample();
    });
    ns3::Simulator::Stop(ns3::Seconds(start + e.warmUp + e.seconds));
    ns3::Simulator::Run();
    double roundTrips = 0;
    uint64_t samples = 0;
    for (size_t i = 0; i < connections.size(); ++i) {
        const RenoSender& sender = connections[i].sender();
        m.goodputs.push_back(static_cast<double>(connections[i].received() - before[i]) * e.packetBytes * 8 /
                             e.seconds);
        m.segments += sender.segments();
        m.retransmissions += sender.retransmissions();
        m.timeouts += sender.timeouts();
        roundTrips += sender.roundTrip().value() * static_cast<double>(sender.roundTrip().count());
        samples += sender.roundTrip().count();
    }
    m.spurious = repeated() - repeatedBefore;
    m.roundTrip = samples ? roundTrips / static_cast<double>(samples) : 0;
    m.dropped = dropped() - droppedBefore;
    for (const End end : {A, B}) m.counters[end] = link.model().counters(end);
    m.clocks = link.model().now();
    ns3::Simulator::Destroy();
    return m;
}

}  // namespace arqlink::tcp
