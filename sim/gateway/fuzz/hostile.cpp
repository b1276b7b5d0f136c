// SPDX-License-Identifier: Apache-2.0
#include "hostile.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <tuple>

#include "wire.h"

namespace arqlink::gateway::fuzz {

const std::vector<std::string> hostileModes = {
    R"({"mode": "pass", "ports": [1, 1]}, {"mode": "clamp", "ports": [2, 2], "both": true, "advertise": "room"}, {"mode": "snoop", "ports": [3, 3], "both": true}, {"mode": "split", "ports": [4, 4]}, {"mode": "proxy"})",
    R"({"mode": "split", "both": true, "reserve": 0.3, "give_up": 30})",
    R"({"mode": "split", "advertise": "receiver", "sender": "newreno", "give_up": 5, "max_rto": 2})",
    R"({"mode": "proxy", "sender": "westwood", "dupacks": 1, "give_up": 10})",
    R"({"mode": "snoop", "both": true, "dupacks": 2, "min_rto": 0.01})",
    R"({"mode": "clamp", "both": true})",
    R"({"mode": "split", "both": true, "advertise": "third"})",
};

namespace {

class Hostile {
  public:
    Hostile(Rng& rng, const std::string& modes) : rng_(rng), gateway_(small(rng, settingsOf(modes))) {}

    void run(unsigned packets) {
        for (unsigned i = 0; i < packets; ++i) {
            now_ += chance(rng_, 0.01) ? below(rng_, 30 * seconds) : below(rng_, 20 * milliseconds);
            const Port port = chance(rng_, 0.5) ? Port::lan : Port::link;
            receive(port, next(port));
            if (chance(rng_, 0.6)) take(Port::lan, below(rng_, 6));
            if (chance(rng_, 0.6)) take(Port::link, below(rng_, 6));
            if (chance(rng_, 0.02)) gateway_.advance(now_);
        }
        for (unsigned i = 0; i < 4; ++i) take(Port::lan, 1000), take(Port::link, 1000);
        for (const auto& passing : passing_)
            if (!passing.empty()) fault("a packet that must pass was not given out");
        drain(gateway_, now_);
    }

  private:
    static Settings small(Rng& rng, Settings settings) {
        settings.flows = 1 + below(rng, 6);
        settings.cachePackets = 4 + below(rng, 20);
        settings.slotBytes = 512;
        settings.mtu = chance(rng, 0.3) ? 200 + below(rng, 300) : 65535;
        settings.queuePackets = 40;
        settings.idle = 20 * seconds;
        return settings;
    }

    struct Talk {
        uint32_t place[2];
    };

    Bytes next(Port port) {
        const double kind = std::uniform_real_distribution<>(0, 1)(rng_);
        if (kind < 0.03) return random(below(rng_, 120));
        if (kind < 0.15 && !history_.empty()) return history_[below(rng_, history_.size())];
        Bytes b = bytesOf(segment(port));
        if (kind < 0.17 && b.size() > 60) return tooBig(b, below(rng_, 700));
        if (kind < 0.75) return b;
        for (uint64_t changes = 1 + below(rng_, 4); changes-- > 0;) b[below(rng_, b.size())] ^= 1u << below(rng_, 8);
        if (chance(rng_, 0.2)) b.resize(1 + below(rng_, b.size()));
        if (chance(rng_, 0.1)) b.resize(b.size() + 1 + below(rng_, 9));
        if (chance(rng_, 0.6) && b.size() > 60) mendChecksums(b);
        return b;
    }

    // Mostly what could be a part of a conversation.
    Packet segment(Port port) {
        Packet p;
        const bool isLocal = port == Port::lan;
        p.v6 = chance(rng_, 0.3);
        const auto local = static_cast<uint8_t>(1 + below(rng_, 2)), remote = static_cast<uint8_t>(8 + below(rng_, 2));
        const auto service = static_cast<uint16_t>(1 + below(rng_, 5));
        p.from = isLocal ? local : remote;
        p.to = isLocal ? remote : local;
        p.sourcePort = isLocal ? 1000 : service;
        p.port = isLocal ? service : 1000;
        Talk& talk = talks_.try_emplace({p.v6, local, remote, service}, Talk{{odd(), odd()}}).first->second;
        uint32_t &mine = talk.place[index(port)], &others = talk.place[index(other(port))];
        const double kind = std::uniform_real_distribution<>(0, 1)(rng_);
        p.window = static_cast<uint16_t>(chance(rng_, 0.2) ? below(rng_, 3) : rng_());
        p.ack = others - (chance(rng_, 0.3) ? below(rng_, 2000) : 0);
        p.seq = mine;
        p.flags = ACK;
        if (kind < 0.25) {
            p.flags = isLocal ? SYN : SYN | ACK;
            if (chance(rng_, 0.1)) p.flags = static_cast<uint8_t>(rng_());
            p.seq = mine = chance(rng_, 0.4) ? mine : mine + 100000;
            ++mine;
            p.options = {2, 4, 1, static_cast<uint8_t>(rng_()), 3, 3, static_cast<uint8_t>(below(rng_, 16)), 4, 2};
            if (chance(rng_, 0.05)) p.options.insert(p.options.end(), {30, 4, 1, 2});
        } else if (kind < 0.7) {
            p.data = random(below(rng_, 400));
            if (chance(rng_, 0.05)) p.data = random(below(rng_, 2000));
            if (chance(rng_, 0.05)) p.flags |= FIN;
            mine += static_cast<uint32_t>(p.data.size());
        } else if (kind < 0.75) {
            p.flags = static_cast<uint8_t>(rng_());
        } else if (kind < 0.77) {
            p.flags = RST;
        }
        if (chance(rng_, 0.2)) p.seq -= static_cast<uint32_t>(below(rng_, 3000));
        if (chance(rng_, 0.05)) p.seq += static_cast<uint32_t>(below(rng_, 100000));
        if (chance(rng_, 0.02)) p.seq = static_cast<uint32_t>(rng_());
        if (chance(rng_, 0.02)) p.ack = static_cast<uint32_t>(rng_());
        if (chance(rng_, 0.5)) {
            const Bytes stamp = {1, 8, 10, 0, 0, static_cast<uint8_t>(rng_()), 0, 0, 0, 0, 0};
            p.options.insert(p.options.end(), stamp.begin(), stamp.end());
        }
        if (chance(rng_, 0.1)) {
            Bytes sack(10);
            sack[0] = 5, sack[1] = 10;
            put(sack, 2, 4, others + below(rng_, 2000));
            put(sack, 6, 4, others + below(rng_, 4000));
            p.options.insert(p.options.end(), sack.begin(), sack.end());
        }
        if (chance(rng_, 0.05)) p.options = random(below(rng_, 41));
        if (p.options.size() > 40) p.options.resize(40);
        return p;
    }

    uint32_t odd() {
        return chance(rng_, 0.5) ? static_cast<uint32_t>(-static_cast<int32_t>(below(rng_, 3000)))
                                 : static_cast<uint32_t>(rng_());
    }

    Bytes random(size_t size) {
        Bytes b(size);
        for (uint8_t& byte : b) byte = static_cast<uint8_t>(rng_());
        return b;
    }

    void receive(Port port, Bytes packet) {
        const auto dropped = [this] { return gateway_.counts().queue_full; };
        gateway_.advance(now_);  // what timers drop is not this packet
        const Bytes inside = withoutPadding(packet);
        const bool passes = !packet.empty() && !isTcp(inside);
        const uint64_t before = dropped();
        if (!packet.empty()) {
            inputs_.insert({packet, inside});
            if (!passes) flows_.insert(flowOf(inside));
            if (history_.size() < 50)
                history_.push_back(packet);
            else
                history_[below(rng_, 50)] = packet;
        }
        gateway_.receive(port, packet, now_);
        if (passes && dropped() == before) passing_[index(other(port))].push_back(packet);
    }

    void take(Port port, uint64_t most) {
        while (most-- > 0) {
            const auto packet = gateway_.take(port, now_);
            if (!packet) return;
            auto& passing = passing_[index(port)];
            if (!passing.empty() && passing.front() == *packet) passing.pop_front();
            if (inputs_.count(*packet)) continue;
            if (!isTcp(*packet)) fault("an output that is no input is not right");
            if (!flows_.count(flowOf(*packet))) fault("an output of a flow that was never seen");
        }
    }

    Rng& rng_;
    Gateway gateway_;
    Time now_ = 0;
    std::map<std::tuple<bool, uint8_t, uint8_t, uint16_t>, Talk> talks_;
    std::vector<Bytes> history_;
    std::set<Bytes> inputs_, flows_;  // with padding and without
    std::deque<Bytes> passing_[2];
};

}  // namespace

void sendHostile(Rng& rng, const std::string& modes, unsigned packets) { Hostile(rng, modes).run(packets); }

}  // namespace arqlink::gateway::fuzz
