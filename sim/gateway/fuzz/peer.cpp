// SPDX-License-Identifier: Apache-2.0
#include "peer.h"

#include <algorithm>
#include <iterator>

namespace arqlink::gateway::fuzz {

namespace {

uint8_t byteAt(uint64_t place, unsigned side) { return static_cast<uint8_t>(place * 31 + place / 253 + side * 77); }

}  // namespace

Peer::Peer(Rng& rng, unsigned side, uint16_t service, bool v6, bool options, uint64_t total)
    : rng_(rng), side_(side), service_(service), v6_(v6), total_(total), initial_(static_cast<uint32_t>(rng())) {
    if (chance(rng, 0.5)) initial_ = static_cast<uint32_t>(-static_cast<int32_t>(below(rng, total + 2)));
    hasOptions_ = options;
    mss_ = 60 + below(rng, 900);
    window_ = 500 + below(rng, 6000);
    clock_ = static_cast<uint32_t>(rng());
}

void Peer::open(Time now) {
    isOpen_ = true;
    transmit(now, 0);
}

void Peer::tick(Time now) {
    if (now >= reopens_) {
        window_ = 500 + below(rng_, 6000);
        reopens_ = never;
        acknowledge(now);
    }
    if (now >= timer_) {
        timeout_ = std::min<Time>(2 * timeout_, 3 * seconds);
        timer_ = never;
        if (isOpen_ && isClosed() && chance(rng_, 0.5))
            probe(now);
        else if (isOpen_)
            transmit(now, acked_);
    }
}

Bytes Peer::forged(Time now) {
    Packet p = packet(now);
    p.data.resize(below(rng_, 40));
    p.seq =
        static_cast<uint32_t>(initial_ + std::min(acked_, peer->expected_) - 2 - p.data.size() - below(rng_, 20000));
    p.ack += static_cast<uint32_t>(below(rng_, 4000));
    p.window = static_cast<uint16_t>(below(rng_, 2));
    if (hasOptions_) put(p.options, 3, 4, rng_());
    const uint8_t kinds[] = {ACK, ACK, ACK | FIN, RST, RST | ACK, SYN};
    p.flags = kinds[below(rng_, std::size(kinds))];
    return bytesOf(p);
}

Bytes Peer::outdated(Time now) {
    Packet p = packet(now);
    p.seq = static_cast<uint32_t>(initial_ + sent_ + below(rng_, 600));
    p.data.resize(1 + below(rng_, 400), 0xee);
    put(p.options, 3, 4, clock_ - 1 - below(rng_, 1u << 30));
    return bytesOf(p);
}

void Peer::receive(const Bytes& came, Time now) {
    if (const size_t mtu = saysTooBig(came)) {
        mtu_ = std::min(mtu_, mtu);
        return;
    }
    const auto whole = reassembly_.add(came);
    if (!whole) return;
    const Bytes& b = *whole;
    if (!isTcp(b) && b.size() > came.size()) return;  // fragments of two packets
    if (!isTcp(b)) fault("a host gets a wrong packet");
    if (peer->isBound && !peer->said.count(b)) fault("a segment with authentication was changed");
    const size_t tcp = tcpOf(b), head = tcp + (b[tcp + 12] >> 4) * 4u;
    const uint8_t flags = b[tcp + 13];
    const uint32_t seq = get(b, tcp + 4, 4), ack = get(b, tcp + 8, 4);
    if (flags & RST) {
        const bool isExact = hasPeer_ && seq == static_cast<uint32_t>(others_ + expected_);
        if (isExact && !mayBeReset) fault("a reset");
        if (isExact) isReset_ = true, timer_ = reopens_ = never;
        if (!isExact && hasPeer_ && seq - static_cast<uint32_t>(others_ + expected_) < window_) acknowledge(now);
        return;
    }
    if (isReset_) {
        Packet p = packet(now);
        p.flags = RST, p.seq = ack, p.options = {};
        say(bytesOf(p));
        return;
    }
    if (flags & SYN) {
        if (hasPeer_ && seq != others_) return acknowledge(now);  // RFC 5961, section 4
        if (!hasPeer_) {
            hasPeer_ = true;
            others_ = seq;
            expected_ = 1;
            bound();
            if (const auto stamp = timestamp(b, tcp + 20, head); stamp && hasOptions_)
                stamp_ = *stamp, hasStamp_ = true;
        }
        if (!isOpen_) open(now);
    }
    if (!hasPeer_) return;
    const uint64_t begin =
        expected_ + static_cast<int64_t>(static_cast<int32_t>(seq - static_cast<uint32_t>(others_ + expected_)));
    const uint64_t data = begin + (flags & SYN), end = data + (b.size() - head) + (flags & FIN);
    const auto stamp = hasOptions_ ? timestamp(b, tcp + 20, head) : std::nullopt;
    const bool hasData = end > begin;
    if (stamp && hasStamp_ && static_cast<int32_t>(*stamp - stamp_) < 0) return refuse(hasData, now);  // PAWS
    if (end > begin && static_cast<int64_t>(end) > static_cast<int64_t>(most_ + 1) && keepsWindow && !(flags & SYN))
        fault("data beyond the window");
    if (!(flags & SYN) && (static_cast<int64_t>(end) < static_cast<int64_t>(expected_) || begin > most_))
        return refuse(hasData, now);
    if (flags & SYN && begin == 0 && expected_ > 1) return acknowledge(now);
    if (stamp && begin <= expected_) stamp_ = *stamp, hasStamp_ = true;
    if (flags & ACK) acknowledged(ack, get(b, tcp + 14, 2), flags, now);
    for (uint64_t place = data; place < data + (b.size() - head); ++place)
        if (b[head + place - data] != byteAt(place, 1 - side_)) fault("other data than were sent");
    if (end > begin && !(flags & SYN)) {
        const uint64_t last = std::min(end, expected_ + window_);
        if (begin <= expected_)
            expected_ = std::max(expected_, last);
        else if (last > begin) {
            ahead_[begin] = std::max(ahead_[begin], last);
            recent_.push_front(begin);
        }
        for (auto it = ahead_.begin(); it != ahead_.end() && it->first <= expected_; it = ahead_.erase(it))
            expected_ = std::max(expected_, it->second);
        wander(now);
        acknowledge(now);
    } else if (flags & SYN) {
        acknowledge(now);
    }
}

std::optional<uint32_t> Peer::timestamp(const Bytes& b, size_t at, size_t end) {
    while (at < end && b[at] != 0) {
        if (b[at] == 8) return get(b, at + 2, 4);
        at += b[at] == 1 ? 1 : b[at + 1];
    }
    return std::nullopt;
}

void Peer::acknowledged(uint32_t ack, uint16_t window, uint8_t flags, Time now) {
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

void Peer::fresh(Time now) {
    while (sent_ < total_ + 2 && sent_ < edge_) {
        const uint64_t before = sent_;
        transmit(now, sent_);
        if (sent_ == before) return;
    }
    if (sent_ < total_ + 2 && timer_ == never) timer_ = now + timeout_;
}

void Peer::transmit(Time now, uint64_t place) {
    timer_ = now + timeout_;
    Packet p = packet(now);
    p.seq = static_cast<uint32_t>(initial_ + place);
    if (place == 0) {
        p.flags = hasPeer_ ? SYN | ACK : SYN;
        Bytes more = {2, 4, static_cast<uint8_t>((mss_ + 20) >> 8), static_cast<uint8_t>(mss_ + 20)};
        if (hasOptions_) more.insert(more.end(), {4, 2, 3, 3, scale, 1, 1, 1});
        if (isBound) more.insert(more.end(), {29, 4, 1, 1});
        p.options.insert(p.options.begin(), more.begin(), more.end());
        p.window = static_cast<uint16_t>(std::min<uint64_t>(window_, 65535));
        sent_ = std::max<uint64_t>(sent_, 1);
    } else {
        const uint64_t room = edge_ > place ? edge_ - place : 1;
        const size_t most = std::max<size_t>(std::min<size_t>(peer->mss_, mtu_ - 80), 8);
        const uint64_t length = std::min({room, 1 + below(rng_, most), total_ + 1 - std::min(place, total_ + 1)});
        for (uint64_t i = place; i < place + length; ++i) p.data.push_back(byteAt(i, side_));
        uint64_t end = place + length;
        if (end == total_ + 1 && (edge_ > end || length == 0)) p.flags |= FIN, ++end;
        sent_ = std::max(sent_, end);
    }
    say(bytesOf(p));
}

void Peer::say(Bytes b) {
    if (isBound) said.insert(b);
    out.push_back(std::move(b));
}

void Peer::probe(Time now) {
    timer_ = now + timeout_;
    Packet p = packet(now);
    p.seq = static_cast<uint32_t>(initial_ + acked_ - 1);
    say(bytesOf(p));
}

void Peer::acknowledge(Time now) {
    if (!hasPeer_ || !isOpen_ || sent_ == 0) return;
    Packet p = packet(now);
    p.seq = static_cast<uint32_t>(initial_ + sent_);
    if (acked_ == 0 && side_ == answerer_) p.seq = static_cast<uint32_t>(initial_ + 1);
    if (hasOptions_ && !ahead_.empty()) {
        // The block that came last is the first one (RFC 2018).
        Bytes sack = {5, 2};
        std::set<uint64_t> told;
        for (const uint64_t place : recent_) {
            const auto it = ahead_.find(place);
            if (it == ahead_.end() || !told.insert(place).second || sack.size() > 2 + 2 * 8) continue;
            sack.resize(sack.size() + 8);
            put(sack, sack.size() - 8, 4, others_ + it->first);
            put(sack, sack.size() - 4, 4, others_ + it->second);
        }
        while (recent_.size() > 8) recent_.pop_back();
        sack[1] = static_cast<uint8_t>(sack.size());
        if (sack.size() > 2) p.options.insert(p.options.end(), sack.begin(), sack.end());
    }
    say(bytesOf(p));
}

// As TCP of Linux does it: two hosts that both lack much would answer each other's answers for ever.
void Peer::refuse(bool hasData, Time now) {
    if (!hasData && now < refused_ + 500 * milliseconds) return;
    if (!hasData) refused_ = now;
    acknowledge(now);
}

Packet Peer::packet(Time now) {
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

void Peer::wander(Time now) {
    if (!chance(rng_, 0.03)) return;
    window_ = chance(rng_, 0.4) ? 0 : below(rng_, 5000);
    reopens_ = now + below(rng_, 2 * seconds);
}

}  // namespace arqlink::gateway::fuzz
