// SPDX-License-Identifier: Apache-2.0
#include "report.h"

#include <cstdio>
#include <sstream>

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

const char* nameOf(bool value) { return value ? "true" : "false"; }

void show(std::ostream& out, const LiveLink& link, End end, const EndState& state) {
    const arqlink_config& c = state.config;
    const Tap::Count& frames = link.frames(end);
    out << "{\"state\": \"" << nameOf(state.status.state) << "\", \"stalled\": " << nameOf(state.status.stalled)
        << ", \"events\": " << state.events << ", \"k\": " << +c.k << ", \"n\": " << +c.n_first
        << ", \"nr\": " << +c.n_retx << ", \"delta\": " << +c.delta << ", \"ord\": " << c.ordered
        << ", \"poll\": " << state.timers.poll << ", \"backlog\": " << link.backlog(end)
        << ", \"cut\": " << link.cut(end) << ", \"tap\": {\"in\": " << frames.in << ", \"in_bytes\": " << frames.inBytes
        << ", \"out\": " << frames.out << ", \"out_bytes\": " << frames.outBytes << ", \"too_long\": " << frames.tooLong
        << ", \"refused\": " << frames.refused << "}, \"counters\": {";
    const char* comma = "";
#define ARQLINK_SHOW(name, offset)                                                   \
    out << comma << "\"" #name "\": " << state.counters.value[ARQLINK_COUNT_##name]; \
    comma = ", ";
    ARQLINK_COUNTER_LIST(ARQLINK_SHOW)
#undef ARQLINK_SHOW
    out << "}}";
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

std::string quoted(const std::string& text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') result += '\\';
        if (static_cast<unsigned char>(c) < ' ') {
            char code[8];
            std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(c));
            result += code;
        } else {
            result += c;
        }
    }
    return result + '"';
}

std::string report(const LiveLink& link, const Pacer::Count& pace, double lag, double clockHz,
                   const EndState (&ends)[2]) {
    std::ostringstream out;
    out.precision(9);
    out << "{\"time\": " << static_cast<double>(link.now()) / clockHz << ", \"lag\": " << lag
        << ", \"latest\": " << pace.latest << ", \"deadlines\": " << pace.deadlines << ", \"missed\": " << pace.missed
        << ", \"lost\": " << pace.lost << ", \"rests\": " << nameOf(link.rests());
    for (const End end : {A, B}) {
        out << ", \"" << "ab"[end] << "\": ";
        show(out, link, end, ends[end]);
    }
    for (const End end : {A, B})
        if (const SoftSystem* soft = link.softSystem(end))
            out << ", \"soft_" << "ab"[end] << "\": {\"clocks\": " << soft->clocks()
                << ", \"skipped\": " << soft->skipped() << "}";
    if (const TapGateway* tap = link.gateway()) {
        const gateway::Gateway& gateway = tap->gateway();
        out << ", \"gateway\": {\"flows\": " << gateway.flows() << ", \"cached\": " << gateway.cacheUsed();
        const gateway::Counters& counters = gateway.counts();
#define ARQLINK_SHOW(counter, what) out << ", \"" #counter "\": " << counters.counter;
        ARQLINK_GATEWAY_COUNTERS(ARQLINK_SHOW)
#undef ARQLINK_SHOW
        out << "}";
    }
    out << "}";
    return out.str();
}

}  // namespace arqlink::live
