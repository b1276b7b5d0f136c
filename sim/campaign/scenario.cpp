// SPDX-License-Identifier: Apache-2.0
#include "scenario.h"

#include <algorithm>

#include <map>

#include "failure.h"

namespace campaign {

namespace {

const char* name(EventKind kind) {
    switch (kind) {
    case EventKind::restart: return "restart";
    case EventKind::disable: return "disable";
    case EventKind::enable: return "enable";
    case EventKind::resetLow: return "resetLow";
    case EventKind::resetHigh: return "resetHigh";
    case EventKind::phyDown: return "phyDown";
    case EventKind::phyUp: return "phyUp";
    case EventKind::darkControl: return "darkControl";
    case EventKind::darkData: return "darkData";
    case EventKind::darkAll: return "darkAll";
    case EventKind::stopUser: return "stopUser";
    case EventKind::stopPhy: return "stopPhy";
    case EventKind::code: return "code";
    case EventKind::arq: return "arq";
    case EventKind::timers: return "timers";
    case EventKind::forge: return "forge";
    }
    return "?";
}

}  // namespace

uint64_t Scenario::roundTrip() const {
    uint64_t clocks = 0;
    for (unsigned e : {0, 1}) clocks += way[e].delay + 2 * unitClocks(e) + controlClocks(e) + 100;
    return clocks;
}

bool Scenario::changesK() const {
    return std::any_of(events.begin(), events.end(),
                       [this](const Event& e) { return e.kind == EventKind::code && e.code.k != code[e.end].k; });
}

std::string Scenario::text() const {
    std::string line =
        format("chaos %llu clocks%s%s%s%s%s%s%s; events", static_cast<unsigned long long>(chaosClocks),
               clean ? ", clean" : "", restarts ? ", restarts" : "", resets ? ", resets" : "", copies ? ", copies" : "",
               finite ? ", finite delta" : "", forged ? ", forged" : "", oneWay ? ", oneWay" : "");
    std::map<EventKind, unsigned> counts;
    for (const Event& event : events) ++counts[event.kind];
    for (const auto& [kind, count] : counts) line += format(" %u %s", count, name(kind));
    for (unsigned e : {0, 1}) {
        const Way& w = way[e];
        line += format("\n  %s: K %u N %u/%u delta %u ord %u, poll %u hello %u keepalive %u outage %u status %u",
                       endName(e), code[e].k, code[e].nFirst, code[e].nRetx, arq[e].delta, arq[e].inOrder,
                       timers[e].poll, timers[e].hello, timers[e].keepalive, timers[e].outage, timers[e].status);
        line += format(
            "\n     delay %u loss %.4f/%.4f (%.4f, %.4f) damage %x, user %.2f phy %.2f pace %u; packets %u..%u x%u gap "
            "%u%s",
            w.delay, w.good, w.bad, w.goodToBad, w.badToGood, w.damage, user[e].ready, phy[e].ready, pace[e],
            traffic[e].shortest, traffic[e].longest, traffic[e].multiple, traffic[e].gap,
            traffic[e].any ? "" : " none");
        const Traffic& t = traffic[e];
        static const char* const damages[damageKinds] = {"vanish", "flip", "flag", "cut", "longer"};
        for (unsigned kind = 0; kind < damageKinds; ++kind)
            if (w.damage >> kind & 1 && w.bad > 0) line += format(" %s", damages[kind]);
        const std::pair<const char*, bool> others[] = {
            {"aborted", t.abort > 0},
            {"tooLong", t.tooLong > 0},
            {"holes", t.holes > 0},
            {"empty", t.nothing > 0},
            {"stalledUser", user[e].ready < 1},
            {"stalledPhy", phy[e].ready < 1},
            {"slowLine", pace[e] > 1},
            {"gaps", w.gap > 0},
            {"duplicates", w.duplicate > 0},
            {"lateUnits", w.late > 0},
        };
        for (const auto& [what, drawn] : others)
            if (drawn) line += format(" %s", what);
    }
    return line;
}

}  // namespace campaign
