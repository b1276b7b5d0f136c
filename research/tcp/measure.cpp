// SPDX-License-Identifier: Apache-2.0
#include "measure.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "ns3/simulator.h"

namespace arqlink::tcp {

FlowCount FlowCount::operator-(const FlowCount& before) const {
    FlowCount difference;
    difference.received = received - before.received;
    difference.spurious = spurious - before.spurious;
    difference.segments = segments - before.segments;
    difference.retransmissions = retransmissions - before.retransmissions;
    difference.timeouts = timeouts - before.timeouts;
    difference.refused = refused - before.refused;
    difference.roundTrip = roundTrip - before.roundTrip;
    return difference;
}

namespace {

double bringUp(LinkBridge& link) {
    LinkModel& model = link.model();
    constexpr double most = 600;  // seconds
    const auto step = static_cast<Clock>(link.clockHz() * 0.01) + 1;
    while (!model.isUp()) {
        model.runTo(model.now() + step);
        if (static_cast<double>(model.now()) > most * link.clockHz())
            throw std::runtime_error("The link did not come up; is all of it lost?");
    }
    return static_cast<double>(model.now()) / link.clockHz();
}

/// Takes samples at equal distances.
class Tracer {
  public:
    Tracer(const Experiment& e, const Observed& observed, std::vector<Measured::Sample>& samples)
        : e_(e), observed_(observed), samples_(samples), received_(e.connections) {}
    void begin() {
        for (size_t i = 0; i < received_.size(); ++i) received_[i] = observed_.count(i).received;
        sample();
    }

  private:
    void sample() {
        Measured::Sample sample{ns3::Simulator::Now().GetSeconds(), {}, {}, {}};
        for (size_t i = 0; i < received_.size(); ++i) {
            const double before = std::exchange(received_[i], observed_.count(i).received);
            sample.windows.push_back(observed_.window(i));
            sample.rates.push_back((received_[i] - before) * e_.packetBytes * 8 / e_.traceEvery);
        }
        if (observed_.gateways) sample.cached = observed_.gateways->cached();
        samples_.push_back(std::move(sample));
        ns3::Simulator::Schedule(ns3::Seconds(e_.traceEvery), &Tracer::sample, this);
    }

    const Experiment& e_;
    const Observed& observed_;
    std::vector<Measured::Sample>& samples_;
    std::vector<double> received_;  // by the last sample
};

}  // namespace

double bringUp(const Links& links) {
    double start = 0;
    for (const auto& link : links) start = std::max(start, bringUp(*link));
    return start;
}

Measured measure(const Experiment& e, double start, const Observed& observed) {
    Measured m;
    LinkBridge& link = observed.link;
    std::vector<FlowCount> before(e.connections);
    uint64_t dropped = 0, carried = 0;
    GatewayChain::Again again;
    Tracer tracer(e, observed, m.trace);
    ns3::Simulator::Schedule(ns3::Seconds(start + e.warmUp), [&] {
        for (size_t i = 0; i < before.size(); ++i) before[i] = observed.count(i);
        dropped = link.dropped(A) + link.dropped(B);
        carried = link.carriedBytes();
        if (observed.gateways) again = observed.gateways->again();
        if (e.traceEvery > 0) tracer.begin();
    });
    ns3::Simulator::Stop(ns3::Seconds(start + e.warmUp + e.seconds));
    ns3::Simulator::Run();

    Mean roundTrip;
    for (size_t i = 0; i < before.size(); ++i) {
        const FlowCount flow = observed.count(i) - before[i];
        m.goodputs.push_back(flow.received * e.packetBytes * 8 / e.seconds);
        m.segments += flow.segments;
        m.retransmissions += flow.retransmissions;
        m.timeouts += flow.timeouts;
        m.dropped += flow.refused;
        m.spurious += flow.spurious;
        roundTrip.add(flow.roundTrip);
    }
    m.roundTrip = roundTrip.value();
    m.dropped += link.dropped(A) + link.dropped(B) - dropped;
    m.carried = static_cast<double>(link.carriedBytes() - carried) * 8 / e.seconds;
    for (const End end : {A, B}) m.counters[end] = link.model().counters(end);
    m.clocks = link.model().now();
    if (observed.gateways) {
        m.gateways = observed.gateways->counters();
        const GatewayChain::Again now = observed.gateways->again();
        m.gatewayRetransmissions = now.sent - again.sent;
        m.spurious += now.came - again.came;
    }
    return m;
}

}  // namespace arqlink::tcp
