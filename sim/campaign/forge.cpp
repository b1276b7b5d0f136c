// SPDX-License-Identifier: Apache-2.0
#include "forge.h"

#include "failure.h"

namespace campaign {

Bytes Forger::unit(const Monitor& monitor, unsigned end) {
    const Life *self = monitor.life(1 - end), *peer = monitor.life(end);
    if (!self || !peer) return {};
    if (random_.chance(0.4)) return data(*self, end);
    return random_.chance(0.2) ? hello(*self, *peer) : control(*self, *peer);
}

/// Half of the fields are true, so that most units get past some checks.
uint32_t Forger::number(int64_t truth, unsigned window) {
    const int64_t sign = random_.chance(0.5) ? 1 : -1;
    int64_t value = truth;
    switch (random_.below(8)) {
    case 0: value += sign * static_cast<int64_t>(random_.between(1, 4)); break;
    case 1: value += sign * static_cast<int64_t>(random_.between(1, window)); break;
    case 2: value += sign * static_cast<int64_t>(random_.between(window - 2, window + 2)); break;
    case 3: value = static_cast<int64_t>(random_.below(snCount)); break;
    default: break;
    }
    return static_cast<uint32_t>(value & (snCount - 1));
}

Bytes Forger::hello(const Life& self, const Life& peer) {
    const EndInfo& info = s_.info[self.end];
    ControlUnit u;
    u.epoch = self.epoch;
    u.hello = true;
    u.peerKnown = random_.chance(0.7);
    u.peerEpoch = peer.epoch;
    u.unitBytes = static_cast<uint16_t>(info.unitBytes + random_.chance(0.1));
    u.packetCrc = info.packetCrc ^ random_.chance(0.1);
    u.windowLog2 = static_cast<uint8_t>(__builtin_ctz(info.window));
    if (random_.chance(0.6)) u.windowLog2 = static_cast<uint8_t>(random_.below(32));
    text_ += format(" [hello to %s: window 2^%u unitBytes %u%s%s]", endName(peer.end), u.windowLog2, u.unitBytes,
                    u.packetCrc ? " packetCrc" : "", u.peerKnown ? " peerKnown" : "");
    u.raise(info.firstSn);
    return build(u);
}

Bytes Forger::control(const Life& self, const Life& peer) {
    const unsigned own = s_.info[self.end].window, other = s_.info[peer.end].window;
    ControlUnit u;
    u.epoch = self.epoch;
    u.peerKnown = true;
    u.peerEpoch = peer.epoch;
    u.poll = random_.chance(0.3);
    u.reply = random_.chance(0.3);
    u.deaf = random_.chance(0.1);
    u.abandons = random_.chance(0.3);
    u.ackTsn = number(self.ackTsn, own);
    u.txBase = number(self.txBase, own);
    u.txEdge = number(self.full, own);
    u.rxBase = number(self.rxBase, other);
    u.rxNext = number(self.rxNext, other);
    const uint32_t block = static_cast<uint32_t>(((self.rxNext / 32 - 1) * 32) & (snCount - 1));
    u.bitmapBase = random_.chance(0.6) ? block : number(block, other) & ~31u;
    u.bitmap = random_.chance(0.3) ? ~uint64_t(0) : random_.chance(0.3) ? 0 : random_.bits();
    text_ += format(
        " [control to %s: txBase %u (%lld) txEdge %u (%lld) rxBase %u (%lld) rxNext %u (%lld) bitmapBase %u (%u) "
        "ackTsn %u (%lld)%s%s%s%s]",
        endName(peer.end), u.txBase, (long long)self.txBase, u.txEdge, (long long)self.full, u.rxBase,
        (long long)self.rxBase, u.rxNext, (long long)self.rxNext, u.bitmapBase, block, u.ackTsn, (long long)self.ackTsn,
        u.poll ? " poll" : "", u.reply ? " reply" : "", u.deaf ? " deaf" : "", u.abandons ? " abandons" : "");
    u.raise(s_.info[self.end].firstSn);
    return build(u);
}

Bytes Forger::data(const Life& self, unsigned end) {
    const EndInfo& info = s_.info[end];
    const unsigned window = info.window;
    const int64_t nextTsn = static_cast<int64_t>(self.transmissions.size()),
                  nextFsn = static_cast<int64_t>(self.frames.size());
    DataUnit u;
    u.epoch = self.epoch;
    u.k = static_cast<uint8_t>(random_.between(1, info.maxK));
    u.n = static_cast<uint8_t>(u.k + random_.between(0, info.maxParity));
    // That of the frame in progress, half of the time.
    const bool last = nextTsn > 0 && random_.chance(0.5);
    if (last) u.k = self.transmissions.back().k, u.n = self.transmissions.back().n;
    u.index = static_cast<uint8_t>(random_.chance(0.3) ? u.n - 1 : random_.below(u.n));
    u.odd = random_.chance(0.4);
    u.preset = static_cast<uint8_t>(random_.chance(0.7) ? 0 : random_.below(3));
    u.sop = random_.chance(0.6);
    u.eop = random_.chance(0.6);
    u.lastTry = random_.chance(0.3);
    u.allBelow = u.lastTry && random_.chance(0.6);
    u.pad = static_cast<uint16_t>(random_.chance(0.5) ? 0 : random_.below(info.unitBytes));
    u.tsn = number(nextTsn - last, window);
    u.fsn = number(last ? self.transmissions.back().fsn : nextFsn, window);
    for (unsigned i = 0; i < info.unitBytes; ++i) u.payload.push_back(static_cast<uint8_t>(random_.bits() >> 40));
    text_ +=
        format(" [data to %s: FSN %u (%lld) TSN %u (%lld) K %u N %u index %u%s%s%s%s%s]", endName(end), u.fsn,
               (long long)nextFsn, u.tsn, (long long)nextTsn, u.k, u.n, u.index, u.odd ? " odd" : "",
               u.sop ? " sop" : "", u.eop ? " eop" : "", u.lastTry ? " last try" : "", u.allBelow ? ", all below" : "");
    ++dataUnits_;
    u.raise(info.firstSn);
    return build(u);
}

}  // namespace campaign
