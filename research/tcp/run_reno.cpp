// SPDX-License-Identifier: Apache-2.0
// An experiment with RenoSender.
#include "connection.h"
#include "measure.h"
#include "ns3/simulator.h"
#include "splitmix.h"

namespace arqlink::tcp {

namespace {

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
    const Measured measured =
        measure(e, start,
                {*links.back(), [&](size_t i) { return countOf(connections[i]); },
                 [&](size_t i) { return connections[i].sender().cwnd(); }, connections.gateways()});
    ns3::Simulator::Destroy();
    return measured;
}

}  // namespace arqlink::tcp
