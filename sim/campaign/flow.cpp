// SPDX-License-Identifier: Apache-2.0
// What one direction carries on a long link while feedback is lost: frames of one unit, as many as the line takes.
#include "run.h"

namespace campaign {

Scenario drawFlow(const EndInfo (&info)[2], const Flow& flow) {
    Scenario s;
    const uint64_t frame = info[0].unitClocks(), trip = flow.roundTrip * frame;
    s.flow = flow;
    s.clean = !flow.loss && !flow.feedbackLoss;
    for (unsigned e : {0, 1}) {
        s.info[e] = info[e];
        s.way[e].delay = static_cast<uint32_t>(trip / 2);
        s.timers[e].poll = static_cast<uint32_t>(trip + trip / 4 + 2000);
        s.timers[e].keepalive = static_cast<uint32_t>(4 * trip + 65536);
        s.timers[e].outage = 0;
        s.timers[e].status = flow.status;
        s.healTimers[e] = s.timers[e];
    }
    for (Traffic& traffic : s.traffic) traffic.shortest = traffic.longest = info[0].unitBytes;
    s.traffic[1].any = flow.bothWays;
    s.way[0].good = flow.loss;
    s.way[1].burst = flow.burst;
    if (flow.burst)
        s.way[1].goodToBad = flow.feedbackLoss / (flow.burst * (1 - flow.feedbackLoss));
    else
        s.way[1].good = flow.feedbackLoss;
    return s;
}

/// Measured once the link has settled: outcomes have come back, and the first losses have been sent again.
FlowResult Run::measureFlow() {
    const uint64_t trip = s_.flow.roundTrip * s_.info[0].unitClocks();
    clocks(6 * trip + 2 * s_.timers[0].hello);
    auto totals = [this] {
        snapshot(true);
        Counters &a = side_[0].counters, &b = side_[1].counters;
        return FlowResult{now_, a["tx_frames"], a["tx_retx"], a["tx_polls"], b["tx_control_units"]};
    };
    const FlowResult begin = totals();
    clocks(s_.flow.trips * trip);
    const FlowResult end = totals();
    return {end.clocks - begin.clocks, end.frames - begin.frames, end.again - begin.again, end.polls - begin.polls,
            end.reports - begin.reports};
}

}  // namespace campaign
