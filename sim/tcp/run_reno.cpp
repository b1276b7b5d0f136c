// SPDX-License-Identifier: Apache-2.0
// An experiment with RenoSender.
#include "connection.h"
#include "gateway_chain.h"
#include "measure.h"
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
        const GatewayChain* gateways = connections_.gateways();
        samples_.push_back({ns3::Simulator::Now().GetSeconds(), std::move(windows),
                            gateways ? gateways->cached() : std::vector<size_t>()});
        ns3::Simulator::Schedule(every_, &Tracer::sample, this);
    }

  private:
    const ns3::Time every_;
    Connections& connections_;
    std::vector<Measured::Sample>& samples_;
};

FlowCount countOf(Connection& connection) {
    const RenoSender& sender = connection.sender();
    const RenoReceiver& receiver = connection.receiver();
    FlowCount count;
    count.received = static_cast<double>(connection.received());
    count.spurious = receiver.repeated();
    count.segments = sender.segments();
    count.retransmissions = sender.retransmissions();
    count.timeouts = sender.timeouts();
    count.refused = receiver.refused();
    count.roundTrip = sender.roundTrip();
    return count;
}

}  // namespace

Measured runReno(const Experiment& e, Links links) {
    const double start = bringUp(links);
    Connections connections(e, links);
    Random random = randomOf(e.seed, Purpose::starts);
    for (size_t i = 0; i < connections.size(); ++i) {
        Connection& connection = connections[i];
        ns3::Simulator::Schedule(ns3::Seconds(start + random.uniform()), [&connection] { connection.start(); });
    }
    std::vector<Measured::Sample> samples;
    Tracer tracer(e.traceEvery, connections, samples);
    if (e.traceEvery > 0) ns3::Simulator::Schedule(ns3::Seconds(start + e.warmUp), &Tracer::sample, &tracer);
    Measured measured = measure(e, start, *links.back(), [&](size_t i) { return countOf(connections[i]); });
    measured.trace = std::move(samples);
    if (const GatewayChain* gateways = connections.gateways()) measured.gateways = gateways->counters();
    ns3::Simulator::Destroy();
    return measured;
}

}  // namespace arqlink::tcp
