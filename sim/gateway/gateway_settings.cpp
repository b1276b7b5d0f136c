// SPDX-License-Identifier: Apache-2.0
#include "gateway_settings.h"

#include <stdexcept>

namespace arqlink::gateway {

Treatment treatmentOf(Mode mode) {
    Treatment t;
    t.mode = mode;
    switch (mode) {
    case Mode::clamp: t.advertise = Advertise::third; break;
    case Mode::snoop:
        t.dupAcks = 1;  // the link keeps the order
        t.minRto = 200 * milliseconds;
        break;
    case Mode::proxy:
        t.bothWays = true;
        t.advertise = Advertise::third;
        t.sender = Sender::newReno;
        break;
    case Mode::pass:
    case Mode::split: break;
    }
    return t;
}

void check(const Settings& settings) {
    const auto require = [](bool isRight, const char* sentence) {
        if (!isRight) throw std::invalid_argument(sentence);
    };
    require(settings.flows >= 1, "The flow table needs an entry.");
    require(settings.cachePackets >= 4, "The cache needs room for four packets.");
    constexpr size_t most = 1u << 24;
    require(settings.flows <= most && settings.cachePackets <= most && settings.queuePackets <= most,
            "The flow table, the cache and a port's queue have 16777216 places at most.");
    require(settings.slotBytes >= 128 && settings.slotBytes <= 65535, "A packet of the cache has 128 to 65535 bytes.");
    require(settings.queuePackets >= 1, "A port's queue needs room for a packet.");
    require(settings.mtu >= 128 && settings.mtu <= 65535, "A packet over the link has 128 to 65535 bytes.");
    for (const FlowClass& c : settings.classes) {
        const Treatment& t = c.treatment;
        require(t.reserveAbove > 0 && t.reserveAbove <= 1,
                "ACKs are held back above a share of the cache of more than 0, at most 1.");
        require(t.dupAcks >= 1, "One duplicate ACK at least shows a loss.");
        require(t.minRto >= milliseconds && t.minRto <= t.maxRto,
                "A timeout is a millisecond at least, and no longer than the longest.");
        require(!c.dscp || *c.dscp <= 63, "A DSCP is 0 to 63.");
        require(c.firstPort <= c.lastPort, "The first port of a class is above the last one.");
        for (const auto& prefix : {c.local, c.remote})
            require(!prefix || prefix->bits <= (prefix->isV6 ? 128u : 32u), "A prefix is longer than an address.");
    }
}

}  // namespace arqlink::gateway
