// SPDX-License-Identifier: Apache-2.0
#include "report.h"

#include <nlohmann/json.hpp>

#include "json_job.h"
#include "settings_reader.h"

namespace arqlink::live {

namespace {

const char* nameOf(arqlink_state state) {
    switch (state) {
    case ARQLINK_DOWN: return "down";
    case ARQLINK_CLEARING: return "clearing";
    case ARQLINK_HELLO: return "hello";
    case ARQLINK_UP: return "up";
    case ARQLINK_OUTAGE: return "outage";
    }
    return "unknown";
}

nlohmann::json countersOf(const arqlink_counters& counters) {
    nlohmann::json values;
#define ARQLINK_SHOW(name, offset) values[#name] = counters.value[ARQLINK_COUNT_##name];
    ARQLINK_COUNTER_LIST(ARQLINK_SHOW)
#undef ARQLINK_SHOW
    return values;
}

nlohmann::json reportOf(const LiveLink& link, End end, const EndState& state) {
    const arqlink_config& c = state.config;
    const Tap::Count& frames = link.frames(end);
    const nlohmann::json tap = {{"in", frames.in},
                                {"in_bytes", frames.inBytes},
                                {"out", frames.out},
                                {"out_bytes", frames.outBytes},
                                {"too_long", frames.tooLong},
                                {"refused", frames.refused}};
    return {{"state", nameOf(state.status.state)},
            {"stalled", state.status.stalled},
            {"events", state.events},
            {"k", c.k},
            {"n", c.n_first},
            {"nr", c.n_retx},
            {"delta", c.delta},
            {"ord", int{c.ordered}},
            {"poll", state.timers.poll},
            {"backlog", link.backlog(end)},
            {"cut", link.cut(end)},
            {"tap", tap},
            {"counters", countersOf(state.counters)}};
}

}  // namespace

int readEnd(const arqlink_device& device, EndState& state) {
    int error = arqlink_get_status(&device, &state.status);
    if (!error) error = arqlink_get_config(&device, &state.config);
    if (!error) error = arqlink_get_timers(&device, &state.timers);
    if (!error) error = arqlink_read_counters(&device, false, &state.counters);
    uint32_t interrupts = 0;
    if (!error) error = arqlink_irq_enabled(&device, &interrupts);
    if (!error) error = arqlink_irq_pending(&device, &state.events);
    state.events &= ~interrupts;
    if (!error && state.events) error = arqlink_irq_ack(&device, state.events);
    return error;
}

nlohmann::json report(const LiveLink& link, const Pacer::Count& pace, double lag, double clockHz,
                      const EndState (&ends)[2]) {
    nlohmann::json all = {{"time", static_cast<double>(link.now()) / clockHz},
                          {"lag", lag},
                          {"latest", pace.latest},
                          {"deadlines", pace.deadlines},
                          {"missed", pace.missed},
                          {"lost", pace.lost},
                          {"rests", link.rests()},
                          {"a", reportOf(link, A, ends[A])},
                          {"b", reportOf(link, B, ends[B])}};
    for (const End end : {A, B})
        if (const SoftSystem* soft = link.softSystem(end))
            all[end == A ? "soft_a" : "soft_b"] =
                nlohmann::json{{"clocks", soft->clocks()}, {"skipped", soft->skipped()}};
    if (const TapGateway* tap = link.gateway()) {
        const gateway::Gateway& gateway = tap->gateway();
        nlohmann::json& shown = all["gateway"] = gateway.counts();
        shown["flows"] = gateway.flows();
        shown["cache_used"] = gateway.cacheUsed();
    }
    return all;
}

}  // namespace arqlink::live
