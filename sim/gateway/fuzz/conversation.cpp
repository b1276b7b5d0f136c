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
    R"({"mode": "split", "both": true, "sender": "westwood"})",
    R"({"mode": "proxy"})",
    R"({"mode": "proxy", "sender": "westwood", "dupacks": 2})",
};

namespace {

/// What a conversation meets beside losses.
struct Weather {
    double loss, jitter;
    bool isForged, isOutdated, isPadded;
    double fragments, detours;  ///< shares of the hosts' packets that are cut, or go by the gateway
    size_t mtu = 65535;         ///< behind the link, from `shrinks` on
    Time shrinks = never;
    Time moves[2] = {never, never};    ///< the packets of a side go by the gateway from then on, …
    Time returns[2] = {never, never};  ///< … and no longer

    explicit Weather(Rng& rng, bool v6) {
        const auto share = [&rng](double most) { return most * std::uniform_real_distribution<>(0, 1)(rng); };
        loss = chance(rng, 0.3) ? 0 : share(0.15);
        jitter = chance(rng, 0.3) ? 0 : 0.2;
        isForged = chance(rng, 0.4);
        isOutdated = chance(rng, 0.3);
        isPadded = chance(rng, 0.3);
        fragments = chance(rng, 0.2) ? share(0.3) : 0;
        detours = chance(rng, 0.2) ? share(0.3) : 0;
        if (!v6 && chance(rng, 0.2)) {
            mtu = 200 + below(rng, 800);
            shrinks = below(rng, 3 * seconds);
        }
        for (unsigned side = 0; side < 2; ++side) {
            if (!chance(rng, 0.1)) continue;
            moves[side] = below(rng, 2 * seconds);
            if (chance(rng, 0.5)) returns[side] = moves[side] + below(rng, 5 * seconds);
        }
    }

    /// All packets go through the gateway, so it knows what both hosts know.
    bool isStraight() const { return !mayReset() && fragments == 0 && detours == 0; }
    bool isAway(unsigned side, Time now) const { return now >= moves[side] && now < returns[side]; }
    bool isTooLong(const Bytes& packet, Time now) const { return now >= shrinks && packet.size() > mtu; }
    bool mayReset() const { return moves[0] != never || moves[1] != never; }
};

}  // namespace

void converse(Rng& rng, const std::string& mode) {
    const bool isFull = chance(rng, 0.2);
    const bool v6 = chance(rng, 0.3);
    const Weather weather(rng, v6);
    Settings settings = settingsOf(mode);
    settings.flows = isFull ? 2 : 100;
    settings.cachePackets = 4 + below(rng, 60);
    settings.slotBytes = 1200;
    if (chance(rng, 0.2)) settings.mtu = 300 + below(rng, 900);
    if (weather.mayReset())
        for (FlowClass& c : settings.classes) c.treatment.giveUp = 30 * seconds;
    Gateway gateway(settings);
    std::vector<std::unique_ptr<Peer>> hosts;
    for (uint16_t i = 0; i < 1 + below(rng, 4); ++i) {
        const bool options = chance(rng, 0.7), isBound = chance(rng, 0.1);
        for (unsigned side = 0; side < 2; ++side)
            hosts.push_back(std::make_unique<Peer>(rng, side, i, v6, options, below(rng, 20000)));
        for (unsigned side = 0; side < 2; ++side) {
            Peer& host = *hosts[hosts.size() - 2 + side];
            host.peer = hosts[hosts.size() - 1 - side].get();
            host.keepsWindow = !isFull && mode.find("split") != std::string::npos && weather.isStraight();
            host.mayBeReset = weather.mayReset();
            host.isBound = isBound;
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
    uint16_t fragment = 0;
    const auto wire = [&](unsigned to, Bytes packet, Time now, Time delay) {
        if (chance(rng, weather.loss)) return;
        if (chance(rng, weather.jitter)) delay += below(rng, 50 * milliseconds);
        if (chance(rng, weather.jitter / 10)) events.push({now + 2 * delay, number++, to, packet});
        if (chance(rng, weather.jitter / 50))
            events.push({now + delay + below(rng, 5 * seconds), number++, to, packet});
        events.push({now + delay, number++, to, std::move(packet)});
    };
    const auto count = static_cast<unsigned>(hosts.size());
    const Time delays[2] = {2 * milliseconds, 60 * milliseconds};
    Time now = 0, free = 0;
    for (unsigned i = 0; i < count; i += 2) hosts[i]->open(now);
    // To a host behind its side of the gateway; the way to the far ones has a router.
    const auto deliver = [&](const Bytes& packet, unsigned side) {
        // All fragments of a connection go to its host, though the second one has no ports.
        const auto connection = [&](const Bytes& b, bool isAnswer) {
            const auto fragment = fragmentOf(b);
            if (fragment && fragment->begin) return fragment->number % (count / 2);
            return get(b, (fragment ? fragment->data : tcpOf(b)) + ((side == 1) != isAnswer ? 2 : 0), 2);
        };
        if (saysTooBig(packet)) {
            const Bytes about(packet.begin() + (packet[0] >> 4 == 6 ? 48 : 28), packet.end());
            return wire(2 * connection(about, true) + side, packet, now, delays[side]);
        }
        if (side == 1 && weather.isTooLong(packet, now))
            return wire(count + 1, tooBig(packet, weather.mtu), now, delays[1]);
        wire(2 * connection(packet, false) + side, packet, now, delays[side]);
    };
    const auto leave = [&](unsigned i, Bytes packet) {
        const unsigned side = i % 2;
        if (weather.isAway(side, now) || chance(rng, weather.detours)) {
            if (side == 0 && weather.isTooLong(packet, now))
                return wire(i, tooBig(packet, weather.mtu), now, delays[1]);
            return wire(i ^ 1, std::move(packet), now, delays[0] + delays[1]);
        }
        if (weather.isPadded && packet.size() < 60) packet.resize(packet.size() + below(rng, 19));
        wire(count + side, std::move(packet), now, delays[side]);
    };
    const auto isDone = [](const auto& host) { return host->isDone(); };
    const auto isTold = [](const auto& host) { return host->isTold(); };
    // A connection may end in resets, of which some get lost.
    const auto mayEnd = [&] { return weather.mayReset() && std::all_of(hosts.begin(), hosts.end(), isTold); };
    for (uint64_t steps = 0; !std::all_of(hosts.begin(), hosts.end(), isDone); ++steps) {
        const bool isLong = now > 4000 * seconds || steps > 1000000;
        if (isLong && mayEnd()) break;
        if (isLong) fault("a conversation that does not end, after " + std::to_string(now / seconds) + " s");
        for (unsigned i = 0; i < count; ++i)
            for (; !hosts[i]->out.empty(); hosts[i]->out.pop_front()) {
                const Bytes& packet = hosts[i]->out.front();
                if (!chance(rng, weather.fragments)) {
                    leave(i, packet);
                    continue;
                }
                fragment = static_cast<uint16_t>((fragment / (count / 2) + 1) % 1000 * (count / 2) + i / 2);
                for (Bytes& part : fragmentsOf(packet, fragment)) leave(i, std::move(part));
            }
        // What is old for both hosts is old for the gateway as well, if it has seen all.
        if (weather.isForged && weather.isStraight() && chance(rng, 0.02)) {
            Peer& host = *hosts[below(rng, count)];
            const unsigned side = host.side();
            if (host.isForgeable() && !host.isBound)
                gateway.receive(side ? Port::link : Port::lan, host.forged(now), now);
        }
        if (weather.isOutdated && chance(rng, 0.05)) {
            Peer& host = *hosts[below(rng, count)];
            if (host.isForgeable() && host.hasTimestamps() && !host.isBound)
                gateway.receive(host.side() ? Port::link : Port::lan, host.outdated(now), now);
        }
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
        if (next == never && mayEnd()) break;
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
