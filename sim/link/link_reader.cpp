// SPDX-License-Identifier: Apache-2.0
#include "link_reader.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "event/event_link.h"
#include "rtl/rtl_link.h"
#include "settings.h"

namespace arqlink {

std::vector<const char*> namesOf(Model) { return {"event", "rtl"}; }
std::vector<const char*> namesOf(Process) { return {"bernoulli", "markov", "outage", "intervals"}; }

void fields(job::Object& keys, Build& b) {
    keys.need("data_bytes", b.dataBytes, "unit_bytes", b.unitBytes, "window_frames", b.windowFrames);
    keys.need("max_packet_bytes", b.maxPacketBytes, "max_k", b.maxK, "max_parity", b.maxParity);
}

void fields(job::Object& keys, EndSettings& e) {
    keys.need("k", e.k, "n_first", e.nFirst, "n_retx", e.nRetx, "delta", e.delta, "in_order", e.inOrder);
    keys.need("outage_freeze", e.outageFreeze, "poll_timeout", e.pollTimeout, "hello_interval", e.helloInterval);
    keys.need("keepalive", e.keepalive, "outage_timeout", e.outageTimeout, "status_interval", e.statusInterval);
}

void fields(job::Object& keys, ErasureSettings& e) {
    keys.need("process", e.process, "p", e.p);
    if (e.process == Process::markov) keys.need("p_bad", e.pBad, "mean_bad", e.meanBad, "bad", e.bad);
    if (e.process == Process::outage) keys.need("dark", e.dark, "cycle", e.cycle, "phase", e.phase);
    if (e.process == Process::intervals) keys.need("file", e.file);
}

void fields(job::Object& keys, LinkDescription& link) {
    LinkSettings& s = link.settings;
    Clock delay[2];
    job::FileName delays;
    keys.need("model", link.model, "build", s.build, "ends", s.end, "delay", delay);
    keys.take("library", link.library, "delays", delays, "beats", s.clocksPerBeat, "erasures", link.erasures);
    for (const End from : {A, B}) s.delay[from] = delays.empty() ? Delays(delay[from]) : Delays::read(delays);
    check(s);
}

void to_json(nlohmann::json& json, const Counters& counters) {
#define ARQLINK_SHOW(counter, offset) json[#counter] = counters.counter;
    ARQLINK_COUNTER_LIST(ARQLINK_SHOW)
#undef ARQLINK_SHOW
}

std::unique_ptr<LinkModel> LinkDescription::make(std::unique_ptr<ErasureProcess> aToB,
                                                 std::unique_ptr<ErasureProcess> bToA, bool rests) const {
    if (model == Model::event) return std::make_unique<event::EventLink>(settings, std::move(aToB), std::move(bToA));
    auto link = std::make_unique<rtl::RtlLink>(settings, library, std::move(aToB), std::move(bToA));
    link->mayRest(rests);
    return link;
}

}  // namespace arqlink
