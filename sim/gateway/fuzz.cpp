// SPDX-License-Identifier: Apache-2.0
// Hostile packets and conversations over bad wires, through a gateway: fuzz PACKETS SEED. What it knows of TCP/IP is its own. A fault names
// its run, which `fuzz PACKETS SEED RUN` repeats alone.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <queue>
#include <random>
#include <set>
#include <sstream>
#include <string>

#include "gateway.h"
#include "settings_reader.h"

using namespace arqlink::gateway;

namespace {

using Rng = std::mt19937_64;

unsigned long long seed = 1, run = 0;
const char* modesOfRun = "";

[[noreturn]] void fault(const std::string& what) {
    std::printf("Fault: %s (seed %llu, run %llu, %s)\n", what.c_str(), seed, run, modesOfRun);
    std::exit(1);
}

uint64_t below(Rng& rng, uint64_t bound) { return rng() % bound; }
bool chance(Rng& rng, double share) { return std::uniform_real_distribution<>(0, 1)(rng) < share; }

Gateway gatewayOf(const std::string& description) {
    std::istringstream lines(description);
    return Gateway(readSettings(lines));
}

// Packets -----------------------------------------------------------------------------------------------------------------

constexpr uint8_t FIN = 1, SYN = 2, RST = 4, ACK = 16;

struct Packet {
    bool v6 = false;
    uint8_t from = 1, to = 2;  // the last byte of the addresses
    uint16_t sourcePort = 0, port = 0;
    uint32_t seq = 0, ack = 0;
    uint8_t flags = 0;
    uint16_t window = 0;
    Bytes options, data;
};

uint32_t get(const Bytes& b, size_t at, size_t count) {
    uint32_t value = 0;
    for (size_t i = 0; i < count; ++i) value = value << 8 | b[at + i];
    return value;
}

void put(Bytes& b, size_t at, size_t count, uint64_t value) {
    for (size_t i = count; i-- > 0; value >>= 8) b[at + i] = static_cast<uint8_t>(value);
}

// Of words from `begin` on; `sum` is added.
uint16_t folded(const Bytes& b, size_t begin, size_t end, uint64_t sum) {
    for (size_t i = begin; i < end; ++i) sum += static_cast<uint64_t>(b[i]) << ((i - begin) % 2 ? 0 : 8);
    while (sum > 0xffff) sum = (sum >> 16) + (sum & 0xffff);
    return static_cast<uint16_t>(sum);
}

size_t tcpOf(const Bytes& b) { return b[0] >> 4 == 6 ? 40 : (b[0] & 15u) * 4u; }

uint16_t tcpSum(const Bytes& b) {
    const size_t tcp = tcpOf(b);
    const uint64_t pseudo = b[0] >> 4 == 6 ? folded(b, 8, 40, 0) : folded(b, 12, 20, 0);
    return folded(b, tcp, b.size(), pseudo + 6 + (b.size() - tcp));
}

void mendChecksums(Bytes& b) {
    const size_t tcp = tcpOf(b);
    if (b.size() < tcp + 18 || tcp < 20) return;
    if (b[0] >> 4 == 4) {
        put(b, 10, 2, 0);
        put(b, 10, 2, static_cast<uint16_t>(~folded(b, 0, tcp, 0)));
    }
    put(b, tcp + 16, 2, 0);
    put(b, tcp + 16, 2, static_cast<uint16_t>(~tcpSum(b)));
}

Bytes bytesOf(const Packet& p) {
    Bytes options = p.options;
    while (options.size() % 4) options.push_back(0);
    const size_t tcp = p.v6 ? 40 : 20, head = tcp + 20 + options.size();
    Bytes b(head + p.data.size());
    if (p.v6) {
        put(b, 0, 4, 6u << 28);
        put(b, 4, 2, b.size() - 40);
        b[6] = 6, b[7] = 60, b[8] = b[24] = 0xfd;
        b[23] = p.from, b[39] = p.to;
    } else {
        b[0] = 0x45, b[8] = 60, b[9] = 6, b[12] = b[16] = 10;
        put(b, 2, 2, b.size());
        b[15] = p.from, b[19] = p.to;
    }
    put(b, tcp, 2, p.sourcePort);
    put(b, tcp + 2, 2, p.port);
    put(b, tcp + 4, 4, p.seq);
    put(b, tcp + 8, 4, p.ack);
    b[tcp + 12] = static_cast<uint8_t>((20 + options.size()) / 4 << 4);
    b[tcp + 13] = p.flags;
    put(b, tcp + 14, 2, p.window);
    std::copy(options.begin(), options.end(), b.begin() + static_cast<std::ptrdiff_t>(tcp + 20));
    std::copy(p.data.begin(), p.data.end(), b.begin() + static_cast<std::ptrdiff_t>(head));
    mendChecksums(b);
    return b;
}

bool optionsAgree(const Bytes& b, size_t at, size_t end) {
    while (at < end && b[at] != 0) {
        if (b[at] == 1) {
            ++at;
        } else if (at + 1 >= end || b[at + 1] < 2 || at + b[at + 1] > end) {
            return false;
        } else {
            at += b[at + 1];
        }
    }
    return true;
}

/// TCP right behind IP, whole, with lengths, options and checksums that are right.
bool isTcp(const Bytes& b) {
    if (b.size() < 40) return false;
    const size_t version = b[0] >> 4, tcp = tcpOf(b);
    if (version == 4) {
        if (tcp < 20 || b.size() < tcp + 20 || get(b, 2, 2) != b.size() || b[9] != 6) return false;
        if (get(b, 6, 2) & 0x3fff || folded(b, 0, tcp, 0) != 0xffff) return false;
    } else if (version != 6 || b.size() < 60 || get(b, 4, 2) + 40 != b.size() || b[6] != 6) {
        return false;
    }
    const size_t head = tcp + (b[tcp + 12] >> 4) * 4u;
    return head >= tcp + 20 && head <= b.size() && tcpSum(b) == 0xffff && optionsAgree(b, tcp + 20, head);
}

/// Addresses and ports, the smaller end first.
Bytes flowOf(const Bytes& b) {
    const size_t size = b[0] >> 4 == 6 ? 16 : 4, first = size == 16 ? 8 : 12, tcp = tcpOf(b);
    Bytes ends[2];
    for (size_t i = 0; i < 2; ++i) {
        for (size_t j = 0; j < size; ++j) ends[i].push_back(b[first + i * size + j]);
        ends[i].push_back(b[tcp + 2 * i]), ends[i].push_back(b[tcp + 2 * i + 1]);
    }
    if (ends[1] < ends[0]) std::swap(ends[0], ends[1]);
    ends[0].insert(ends[0].end(), ends[1].begin(), ends[1].end());
    return ends[0];
}

// All timers run out, all entries age: nothing may be left.
void drain(Gateway& gateway, Time now) {
    for (unsigned steps = 0; gateway.deadline() != never; ++steps) {
        if (steps > 100000) fault("timers that do not end");
        now = std::max(now, gateway.deadline());
        gateway.advance(now);
        for (const Port port : {Port::lan, Port::link})
            while (gateway.take(port, now)) {
            }
    }
    gateway.advance(now + 10000 * seconds);
    if (gateway.flows() || gateway.cacheUsed())
        fault(std::to_string(gateway.flows()) + " flows and " + std::to_string(gateway.cacheUsed()) +
              " slots are left");
}

// Hostile packets -----------------------------------------------------------------------------------------------------------

const char* const hostileModes[] = {
    "class pass ports=1\nclass clamp ports=2 both advertise=room\nclass snoop ports=3 both\nclass split ports=4\nclass "
    "proxy",
    "class split both reserve=0.3 give_up=30",
    "class split advertise=receiver sender=newreno give_up=5 max_rto=2",
    "class proxy sender=westwood dupacks=1 give_up=10",
    "class snoop both dupacks=2 min_rto=0.01",
    "class clamp both",
    "class split both advertise=third ack=sent",
};

class Hostile {
  public:
    Hostile(Rng& rng, const std::string& modes)
        : rng_(rng),
          gateway_(gatewayOf("flows " + std::to_string(1 + below(rng, 6)) + "\ncache " +
                             std::to_string(4 + below(rng, 20)) + " 512\nqueue 40\nidle 20\n" + modes)) {}

    void run(unsigned packets) {
        for (unsigned i = 0; i < packets; ++i) {
            now_ += chance(rng_, 0.01) ? below(rng_, 30 * seconds) : below(rng_, 20 * milliseconds);
            const Port port = chance(rng_, 0.5) ? Port::lan : Port::link;
            receive(port, next(port));
            if (chance(rng_, 0.6)) take(Port::lan, below(rng_, 6));
            if (chance(rng_, 0.6)) take(Port::link, below(rng_, 6));
            if (chance(rng_, 0.01)) gateway_.linkReturned(now_);
            if (chance(rng_, 0.02)) gateway_.advance(now_);
        }
        for (unsigned i = 0; i < 4; ++i) take(Port::lan, 1000), take(Port::link, 1000);
        for (const auto& passing : passing_)
            if (!passing.empty()) fault("a packet that must pass was not given out");
        drain(gateway_, now_);
    }

  private:
    struct Talk {
        uint32_t place[2];
    };

    Bytes next(Port port) {
        const double kind = std::uniform_real_distribution<>(0, 1)(rng_);
        if (kind < 0.03) return random(below(rng_, 120));
        if (kind < 0.15 && !history_.empty()) return history_[below(rng_, history_.size())];
        Bytes b = bytesOf(segment(port));
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
        const bool passes = !packet.empty() && !isTcp(packet);
        const uint64_t before = dropped();
        if (!packet.empty()) {
            inputs_.insert(packet);
            if (!passes) flows_.insert(flowOf(packet));
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
    std::set<Bytes> inputs_, flows_;
    std::deque<Bytes> passing_[2];
};

// Conversations ---------------------------------------------------------------------------------------------------------------

uint8_t byteAt(uint64_t place, unsigned side) { return static_cast<uint8_t>(place * 31 + place / 253 + side * 77); }

/// A TCP host, as small as it can be. Places: 0 is the SYN, data are 1 to `total`, then the FIN.
class Peer {
  public:
    Peer(Rng& rng, unsigned side, uint16_t service, bool v6, bool options, uint64_t total)
        : rng_(rng), side_(side), service_(service), v6_(v6), total_(total), initial_(static_cast<uint32_t>(rng())) {
        if (chance(rng, 0.5)) initial_ = static_cast<uint32_t>(-static_cast<int32_t>(below(rng, total + 2)));
        hasOptions_ = options;
        mss_ = 60 + below(rng, 900);
        window_ = 500 + below(rng, 6000);
        clock_ = static_cast<uint32_t>(rng());
    }

    std::deque<Bytes> out;
    const Peer* peer = nullptr;
    bool keepsWindow = true;  // what comes beyond the window that was advertised is a fault

    void open(Time now) {
        isOpen_ = true;
        transmit(now, 0);
    }

    bool isDone() const { return acked_ == total_ + 2 && expected_ == peer->total_ + 2; }
    uint64_t received() const { return expected_; }
    unsigned side() const { return side_; }
    Time deadline() const { return std::min(timer_, reopens_); }

    void tick(Time now) {
        if (now >= reopens_) {
            window_ = 500 + below(rng_, 6000);
            reopens_ = never;
            acknowledge(now);
        }
        if (now >= timer_) {
            timeout_ = std::min<Time>(2 * timeout_, 3 * seconds);
            timer_ = never;
            if (isOpen_) transmit(now, acked_);
        }
    }

    /// In this host's name, by somebody who knows no number that the other host would look at.
    Bytes forged(Time now) {
        Packet p = packet(now);
        p.data.resize(below(rng_, 40));
        p.seq = static_cast<uint32_t>(initial_ + std::min(acked_, peer->expected_) - 2 - p.data.size() -
                                      below(rng_, 20000));
        p.ack += static_cast<uint32_t>(below(rng_, 4000));
        p.window = static_cast<uint16_t>(below(rng_, 2));
        if (hasOptions_) put(p.options, 3, 4, rng_());
        const uint8_t kinds[] = {ACK, ACK, ACK | FIN, RST, RST | ACK, SYN};
        p.flags = kinds[below(rng_, std::size(kinds))];
        return bytesOf(p);
    }
    bool isForgeable() const { return acked_ > 1 && hasPeer_; }

    void receive(const Bytes& b, Time now) {
        if (!isTcp(b)) fault("a host gets a wrong packet");
        const size_t tcp = tcpOf(b), head = tcp + (b[tcp + 12] >> 4) * 4u;
        const uint8_t flags = b[tcp + 13];
        const uint32_t seq = get(b, tcp + 4, 4), ack = get(b, tcp + 8, 4);
        if (flags & RST) {
            if (hasPeer_ && seq == static_cast<uint32_t>(others_ + expected_)) fault("a reset");
            return;
        }
        if (flags & SYN) {
            if (hasPeer_ && seq != others_) return acknowledge(now);  // RFC 5961, section 4
            if (!hasPeer_) {
                hasPeer_ = true;
                others_ = seq;
                expected_ = 1;
                bound();
            }
            if (!isOpen_) open(now);
        }
        if (!hasPeer_) return;
        const uint64_t begin =
            expected_ + static_cast<int64_t>(static_cast<int32_t>(seq - static_cast<uint32_t>(others_ + expected_)));
        const uint64_t data = begin + (flags & SYN), end = data + (b.size() - head) + (flags & FIN);
        if (end > begin && static_cast<int64_t>(end) > static_cast<int64_t>(most_ + 1) && keepsWindow && !(flags & SYN))
            fault("data beyond the window");
        if (!(flags & SYN) && (static_cast<int64_t>(end) < static_cast<int64_t>(expected_) || begin > most_))
            return acknowledge(now);
        if (flags & SYN && begin == 0 && expected_ > 1) return acknowledge(now);
        if (const auto stamp = timestamp(b, tcp + 20, head); stamp && hasOptions_) {
            if (hasStamp_ && static_cast<int32_t>(*stamp - stamp_) < 0) return acknowledge(now);  // PAWS
            if (begin <= expected_) stamp_ = *stamp, hasStamp_ = true;
        }
        if (flags & ACK) acknowledged(ack, get(b, tcp + 14, 2), flags, now);
        for (uint64_t place = data; place < data + (b.size() - head); ++place)
            if (b[head + place - data] != byteAt(place, 1 - side_)) fault("other data than were sent");
        if (end > begin && !(flags & SYN)) {
            const uint64_t last = std::min(end, expected_ + window_);
            if (begin <= expected_)
                expected_ = std::max(expected_, last);
            else if (last > begin)
                ahead_[begin] = std::max(ahead_[begin], last);
            for (auto it = ahead_.begin(); it != ahead_.end() && it->first <= expected_; it = ahead_.erase(it))
                expected_ = std::max(expected_, it->second);
            wander(now);
            acknowledge(now);
        } else if (flags & SYN) {
            acknowledge(now);
        }
    }

  private:
    static std::optional<uint32_t> timestamp(const Bytes& b, size_t at, size_t end) {
        while (at < end && b[at] != 0) {
            if (b[at] == 8) return get(b, at + 2, 4);
            at += b[at] == 1 ? 1 : b[at + 1];
        }
        return std::nullopt;
    }

    void acknowledged(uint32_t ack, uint16_t window, uint8_t flags, Time now) {
        const uint64_t place =
            acked_ + static_cast<int64_t>(static_cast<int32_t>(ack - static_cast<uint32_t>(initial_ + acked_)));
        if (static_cast<int64_t>(place) > static_cast<int64_t>(sent_)) fault("an ACK of what was not sent");
        if (place == total_ + 2 && peer->received() < total_ + 2) fault("an early ACK of a FIN");
        if (static_cast<int64_t>(place) < static_cast<int64_t>(acked_)) return;
        edge_ = place + (static_cast<uint64_t>(window) << (flags & SYN || !hasOptions_ ? 0 : scale));
        if (place > acked_) {
            acked_ = place;
            duplicates_ = 0;
            timeout_ = 300 * milliseconds;
            timer_ = acked_ < sent_ ? now + timeout_ : never;
        } else if (acked_ < sent_ && ++duplicates_ == 3) {
            transmit(now, acked_);
        }
        if (acked_ > 0) fresh(now);
    }

    // New data, as far as the window lets them.
    void fresh(Time now) {
        while (sent_ < total_ + 2 && sent_ < edge_) {
            const uint64_t before = sent_;
            transmit(now, sent_);
            if (sent_ == before) return;
        }
        if (sent_ < total_ + 2 && timer_ == never) timer_ = now + timeout_;
    }

    // What begins at a place, in pieces of any size; beyond the window a byte, as a probe.
    void transmit(Time now, uint64_t place) {
        timer_ = now + timeout_;
        Packet p = packet(now);
        p.seq = static_cast<uint32_t>(initial_ + place);
        if (place == 0) {
            p.flags = hasPeer_ ? SYN | ACK : SYN;
            Bytes more = {2, 4, static_cast<uint8_t>((mss_ + 20) >> 8), static_cast<uint8_t>(mss_ + 20)};
            if (hasOptions_) more.insert(more.end(), {4, 2, 3, 3, scale, 1, 1, 1});
            p.options.insert(p.options.begin(), more.begin(), more.end());
            p.window = static_cast<uint16_t>(std::min<uint64_t>(window_, 65535));
            sent_ = std::max<uint64_t>(sent_, 1);
        } else {
            const uint64_t room = edge_ > place ? edge_ - place : 1;
            const uint64_t length =
                std::min({room, 1 + below(rng_, peer->mss_), total_ + 1 - std::min(place, total_ + 1)});
            for (uint64_t i = place; i < place + length; ++i) p.data.push_back(byteAt(i, side_));
            uint64_t end = place + length;
            if (end == total_ + 1 && (edge_ > end || length == 0)) p.flags |= FIN, ++end;
            sent_ = std::max(sent_, end);
        }
        out.push_back(bytesOf(p));
    }

    void acknowledge(Time now) {
        if (!hasPeer_ || !isOpen_ || sent_ == 0) return;
        Packet p = packet(now);
        p.seq = static_cast<uint32_t>(initial_ + sent_);
        if (acked_ == 0 && side_ == answerer_) p.seq = static_cast<uint32_t>(initial_ + 1);
        if (hasOptions_ && !ahead_.empty()) {
            Bytes sack(10);
            sack[0] = 5, sack[1] = 10;
            put(sack, 2, 4, others_ + ahead_.begin()->first);
            put(sack, 6, 4, others_ + ahead_.begin()->second);
            p.options.insert(p.options.end(), sack.begin(), sack.end());
        }
        out.push_back(bytesOf(p));
    }

    Packet packet(Time now) {
        Packet p;
        p.v6 = v6_;
        p.from = static_cast<uint8_t>(1 + side_), p.to = static_cast<uint8_t>(2 - side_);
        p.sourcePort = side_ ? service_ : 1000, p.port = side_ ? 1000 : service_;
        p.flags = ACK;
        p.ack = hasPeer_ ? static_cast<uint32_t>(others_ + expected_) : 0;
        bound();
        p.window = static_cast<uint16_t>(std::min<uint64_t>(hasOptions_ ? window_ >> scale : window_, 65535));
        if (hasOptions_) {
            p.options.resize(11);
            p.options[0] = 1, p.options[1] = 8, p.options[2] = 10;
            put(p.options, 3, 4, clock_ + now / milliseconds);
            put(p.options, 7, 4, stamp_);
        }
        return p;
    }

    // The window changes: shrinks, closes for a while.
    void wander(Time now) {
        if (!chance(rng_, 0.03)) return;
        window_ = chance(rng_, 0.4) ? 0 : below(rng_, 5000);
        reopens_ = now + below(rng_, 2 * seconds);
    }

    void bound() { most_ = std::max(most_, expected_ + window_); }

    static constexpr uint8_t scale = 3;
    static constexpr unsigned answerer_ = 1;
    Rng& rng_;
    const unsigned side_;
    const uint16_t service_;
    const bool v6_;
    const uint64_t total_;
    uint32_t initial_, others_ = 0, clock_ = 0, stamp_ = 0;
    bool hasOptions_ = false, hasPeer_ = false, isOpen_ = false, hasStamp_ = false;
    uint64_t mss_, window_, most_ = 0, acked_ = 0, sent_ = 0, edge_ = 0, expected_ = 0;
    unsigned duplicates_ = 0;
    std::map<uint64_t, uint64_t> ahead_;
    Time timer_ = never, timeout_ = 300 * milliseconds, reopens_ = never;
};

const char* const modes[] = {
    "class pass",
    "class clamp both",
    "class clamp both advertise=room",
    "class snoop both",
    "class snoop both dupacks=3",
    "class split",
    "class split both",
    "class split both advertise=third",
    "class split both advertise=receiver",
    "class split both reserve=0.4",
    "class split both sender=newreno",
    "class split both ack=sent sender=westwood",
    "class proxy",
    "class proxy sender=westwood dupacks=2",
};

/// Several connections over one gateway; both wires lose, delay, reorder and repeat packets.
void converse(Rng& rng, const std::string& mode) {
    const bool isFull = chance(rng, 0.2);
    Gateway gateway = gatewayOf("flows " + std::string(isFull ? "2" : "100") + "\ncache " +
                                std::to_string(4 + below(rng, 60)) + " 1200\n" + mode);
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

}  // namespace

int main(int argc, char** argv) {
    const auto argument = [&](int i, unsigned long long none) {
        return argc > i ? std::strtoull(argv[i], nullptr, 10) : none;
    };
    constexpr unsigned packetsOfRun = 500;
    constexpr unsigned long long all = ~0ull;
    const unsigned long long packets = argument(1, 20000), runs = (packets + packetsOfRun - 1) / packetsOfRun,
                             only = argument(3, all);
    seed = argument(2, 1);
    for (run = 0; run < 2 * runs; ++run) {
        if (only != all && run != only) continue;
        Rng rng(seed * 1000003 + run);
        const bool isHostile = run < runs;
        modesOfRun = isHostile ? hostileModes[run % std::size(hostileModes)] : modes[run % std::size(modes)];
        if (isHostile)
            Hostile(rng, modesOfRun).run(packetsOfRun);
        else
            converse(rng, modesOfRun);
    }
    std::printf("%llu packets and %llu conversations, seed %llu: no fault\n", packets, runs, seed);
}
