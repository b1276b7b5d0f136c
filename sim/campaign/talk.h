// SPDX-License-Identifier: Apache-2.0
// Two ends that say what a test wants, to the monitor.
#pragma once

#include <functional>
#include <memory>
#include <set>

#include "monitor.h"

namespace campaign {

/// Two ends of windows of 64 frames that speak by themselves: what a test leaves out or changes is what is wrong.
struct Talk {
    static constexpr unsigned unitBytes = 8;
    Rules rules;
    std::unique_ptr<Monitor> monitor;
    uint64_t clock = 100;
    ControlUnit said[2];
    uint8_t epoch[2] = {1, 1};
    unsigned tsn = 0;
    uint8_t windowLog2 = 6;
    uint8_t k = 2;
    bool lastTry = false;      ///< data units are of type 2, those of first transmissions of type 3
    std::set<unsigned> begun;  ///< frames that have been sent
    bool ticks = false;        ///< each clock is one: what is due may be late
    bool phyUp[2] = {true, true};

    explicit Talk(const std::function<void(Rules&)>& change = {}) {
        for (EndInfo& info : rules.info) info = {4, unitBytes, 64, 16, 8, 512};
        if (change) change(rules);
        monitor = std::make_unique<Monitor>(rules);
    }

    void wait(uint64_t clocks) {
        for (; clocks; --clocks) {
            ++clock;
            if (!ticks) continue;
            for (unsigned end : {0, 1}) monitor->clock(end, phyUp[end], true, clock);
        }
    }

    void leave(unsigned end, const Bytes& raw, bool comes = true, uint64_t sinceRestart = 0) {
        wait(10);
        monitor->sent(end, raw, clock - 5, clock, sinceRestart);
        if (comes) monitor->arrived(1 - end, raw, false, monitor->lifeId(end), clock + 4);
    }

    void hello(unsigned end, bool knows) {
        ControlUnit u;
        u.epoch = epoch[end], u.hello = true, u.peerKnown = knows, u.peerEpoch = knows ? epoch[1 - end] : 0;
        u.windowLog2 = windowLog2, u.unitBytes = unitBytes;
        leave(end, build(u));
    }

    /// A control unit; `change` sees what this end said last.
    void control(unsigned end, const std::function<void(ControlUnit&)>& change = {}, bool comes = true) {
        ControlUnit& u = said[end];
        u.epoch = epoch[end], u.peerKnown = true, u.peerEpoch = epoch[1 - end];
        u.poll = false;
        if (change) change(u);
        leave(end, build(u), comes);
    }

    /// What this end said last, with a wrong CRC.
    Bytes broken(unsigned end) const {
        Bytes raw = build(said[end]);
        raw.back() ^= 1;
        return raw;
    }

    void up() {
        hello(0, false);
        hello(1, true);
        hello(0, true);
        for (unsigned end : {1, 0}) control(end, [](ControlUnit& u) { u.bitmapBase = snCount - 32; });
    }

    DataUnit data(unsigned fsn, unsigned index, unsigned attempt = 0) const {
        DataUnit u;
        u.epoch = epoch[0], u.k = k, u.n = 3, u.index = static_cast<uint8_t>(index), u.odd = attempt & 1;
        u.sop = u.eop = true;
        u.lastTry = lastTry, u.allBelow = lastTry && !begun.count(fsn);
        u.fsn = fsn, u.tsn = tsn;
        u.payload.assign(unitBytes, 7);
        return u;
    }

    /// A transmission of A in full, of which `come` units come.
    void frame(unsigned fsn, unsigned come = 3, unsigned attempt = 0) {
        for (unsigned i = 0; i < 3; ++i) leave(0, build(data(fsn, i, attempt)), i < come);
        begun.insert(fsn);
        ++tsn;
    }

    /// Both ends have been set to a persistency.
    void delta(unsigned value) {
        for (unsigned end : {0, 1}) monitor->deltaChanges(end, value), monitor->deltaIs(end, value);
    }

    /// A sends frames, all of which come, until there are `count`; B reports the recent blocks after each eighth.
    void flow(unsigned count) {
        while (tsn < count) {
            frame(tsn);
            if (tsn % 8) continue;
            control(1, [&](ControlUnit& u) {
                const unsigned block = tsn / 32;
                u.bitmapBase = block ? 32 * (block - 1) : snCount - 32;
                u.bitmap = block ? ~uint64_t(0) : ~uint64_t(0) << 32;
                u.rxNext = u.rxBase = tsn;
            });
        }
    }

    /// B reports older blocks, from that of TSN `base` on, all of which were received.
    void older(unsigned base) {
        control(1, [=](ControlUnit& u) { u.bitmapBase = base, u.bitmap = ~uint64_t(0); });
    }

    /// A polls, and B replies, with the recent blocks.
    void pollAndReply() {
        control(0, [](ControlUnit& u) { u.poll = true; });
        control(1,
                [&](ControlUnit& u) { u.reply = true, u.bitmapBase = 32 * (tsn / 32 - 1), u.bitmap = ~uint64_t(0); });
        said[1].reply = false;
    }

    /// B reports outcomes of all below `rxNext`.
    void report(unsigned rxNext, uint64_t bitmap, bool comes = true) {
        control(1, [=](ControlUnit& u) { u.bitmapBase = 0, u.rxNext = rxNext, u.bitmap = bitmap; }, comes);
    }
};

}  // namespace campaign
