// SPDX-License-Identifier: Apache-2.0
#include "conversation.h"

#include <algorithm>
#include <memory>
#include <queue>
#include <tuple>

#include "peer.h"

namespace arqlink::gateway::fuzz {

const std::vector<std::string> conversationModes = {
    R"({"mode": "pass"})",
    R"({"mode": "clamp", "both": true})",
    R"({"mode": "clamp", "both": true, "advertise": "room"})",
    R"({"mode": "snoop", "both": true})",
    R"({"mode": "snoop", "both": true, "dupacks": 3})",
    R"({"mode": "split"})",
    R"({"mode": "split", "both": true})",
    R"({"mode": "split", "both": true, "advertise": "third"})",
    R"({"mode": "split", "both": true, "advertise": "receiver"})",
    R"({"mode": "split", "both": true, "reserve": 0.4})",
    R"({"mode": "split", "both": true, "sender": "newreno"})",
    R"({"mode": "split", "both": true, "ack": "sent", "sender": "westwood"})",
    R"({"mode": "proxy"})",
    R"({"mode": "proxy", "sender": "westwood", "dupacks": 2})",
};

void converse(Rng& rng, const std::string& mode) {
    const bool isFull = chance(rng, 0.2);
    Settings settings = settingsOf(mode);
    settings.flows = isFull ? 2 : 100;
    settings.cachePackets = 4 + below(rng, 60);
    settings.slotBytes = 1200;
    Gateway gateway(settings);
    std::vector<std::unique_ptr<Peer>> hosts;
    const bool v6 = chance(rng, 0.3);
    for (uint16_t i = 0; i < 1 + below(rng, 4); ++i) {
        const bool options = chance(rng, 0.7);
        for (unsigned side = 0; side < 2; ++side)
            hosts.push_back(std::make_unique<Peer>(rng, side, i, v6, options, below(rng, 20000)));
        for (unsigned side = 0; side < 2; ++side) {
            Peer& host = *hosts[hosts.size() - 2 + side];
            host.peer = hosts[hosts.size() - 1 - side].get();
            host.keepsWindow = !isFull && mode.find("split") != std::string::npos;
        }
    }
    struct Event {
        Time time;
        uint64_t number;
        unsigned to;  // a host, or a port of the gateway behind them
        Bytes packet;
        bool operator<(const Event& other) const { return std::tie(time, number) > std::tie(other.time, other.number); }
    };
    std::priority_queue<Event> events;
    uint64_t number = 0;
    const double loss = chance(rng, 0.3) ? 0 : 0.15 * std::uniform_real_distribution<>(0, 1)(rng);
    const bool isForged = chance(rng, 0.4);
    const double jitter = chance(rng, 0.3) ? 0 : 0.2;
    const auto wire = [&](unsigned to, Bytes packet, Time now, Time delay) {
        if (chance(rng, loss)) return;
        if (chance(rng, jitter)) delay += below(rng, 50 * milliseconds);
        if (chance(rng, jitter / 10)) events.push({now + 2 * delay, number++, to, packet});
        events.push({now + delay, number++, to, std::move(packet)});
    };
    const auto count = static_cast<unsigned>(hosts.size());
    const Time delays[2] = {2 * milliseconds, 60 * milliseconds};
    Time now = 0, free = 0;
    for (unsigned i = 0; i < count; i += 2) hosts[i]->open(now);
    const auto isDone = [](const auto& host) { return host->isDone(); };
    for (uint64_t steps = 0; !std::all_of(hosts.begin(), hosts.end(), isDone); ++steps) {
        if (now > 4000 * seconds || steps > 1000000)
            fault("a conversation that does not end, after " + std::to_string(now / seconds) + " s");
        for (unsigned i = 0; i < count; ++i)
            for (; !hosts[i]->out.empty(); hosts[i]->out.pop_front())
                wire(count + i % 2, hosts[i]->out.front(), now, delays[i % 2]);
        if (isForged && chance(rng, 0.02)) {
            Peer& host = *hosts[below(rng, count)];
            const unsigned side = host.side();
            if (host.isForgeable()) gateway.receive(side ? Port::link : Port::lan, host.forged(now), now);
        }
        const auto deliver = [&](const Bytes& packet, unsigned side) {
            const size_t tcp = tcpOf(packet);
            wire(2 * get(packet, tcp + (side ? 2 : 0), 2) + side, packet, now, delays[side]);
        };
        while (auto packet = gateway.take(Port::lan, now)) deliver(*packet, 0);
        while (free <= now) {
            auto packet = gateway.take(Port::link, now);
            if (!packet) break;
            free = now + packet->size() * 10000;  // 800 kb/s
            deliver(*packet, 1);
        }
        Time next = std::min(gateway.deadline(), events.empty() ? never : events.top().time);
        if (gateway.waiting(Port::link)) next = std::min(next, free);
        for (const auto& host : hosts) next = std::min(next, host->deadline());
        if (gateway.waiting(Port::lan)) next = now;
        if (next == never) fault("a conversation that stands still");
        now = std::max(now, next);
        gateway.advance(now);
        for (const auto& host : hosts) host->tick(now);
        while (!events.empty() && events.top().time <= now) {
            const Event event = events.top();
            events.pop();
            if (event.to < count)
                hosts[event.to]->receive(event.packet, now);
            else
                gateway.receive(event.to == count ? Port::lan : Port::link, event.packet, now);
        }
    }
    drain(gateway, now);
}

}  // namespace arqlink::gateway::fuzz
