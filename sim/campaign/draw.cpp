// SPDX-License-Identifier: Apache-2.0
// A scenario from a seed: each kind of fault is switched on by its own coin, and its strength is log-uniform.
#include <algorithm>

#include "scenario.h"

namespace campaign {

namespace {

class Draw {
  public:
    Draw(uint64_t seed, const std::string& pair, const EndInfo (&info)[2], double forge)
        : random_(seed, pair),
          forge_(seed, pair + " forge"),
          again_(seed, pair + " again"),
          deep_(seed, pair + " deep"),
          oneWay_(seed, pair + " one way"),
          deaf_(seed, pair + " deaf") {
        s_.info[0] = info[0];
        s_.info[1] = info[1];
        forged_ = forge_.chance(forge);
        isDeep_ = deep_.chance(std::min(info[0].window, info[1].window) < 1024 ? 0.04 : 0.2);
    }

    Scenario run() {
        s_.clean = coin(0.1);
        const bool faults = !s_.clean;
        if (faults) paces();
        for (unsigned e : {0, 1}) code(s_.code[e]);
        delays();
        if (s_.clean && coin(0.5)) manyFrames();
        if (isDeep_) deepDelays();
        s_.finite = coin(0.4);
        for (unsigned e : {0, 1}) arq(s_.arq[e]);
        for (unsigned e : {0, 1}) s_.timers[e] = timers(false), s_.healTimers[e] = timers(true);
        if (s_.clean) s_.timers[0] = s_.healTimers[0], s_.timers[1] = s_.healTimers[1];
        length();
        if (faults) {
            losses();
            copies();
            pauses();
            dark();
            outages();
            if (isDeep_) deepDark();
            restarts();
            stops();
            changes();
        }
        if (forged_) dropRestarts();
        for (unsigned e : {0, 1}) traffic(e);
        s_.skew = coin(0.5) ? random_.octaves(1, 4000) : 0;
        s_.restartAtEnd = coin(0.3);
        if (forged_) forge();
        if (faults && !forged_) {
            if (oneWay_.chance(0.08))
                oneWay();
            else if (deaf_.chance(0.08))
                restartOfDeaf();
        }
        std::stable_sort(s_.events.begin(), s_.events.end(),
                         [](const Event& a, const Event& b) { return a.clock < b.clock; });
        return s_;
    }

    /// One-unit frames both ways without a pause, some losses and dark spells of the feedback: as many as sequence numbers need to wrap.
    Scenario runOf(uint64_t frames) {
        for (unsigned e : {0, 1}) {
            s_.code[e] = Code{};
            s_.way[e].good = s_.way[e].bad = 0.002 + random_.rare(0.05, 4);
            s_.traffic[e].longest = s_.info[e].unitBytes;
        }
        const uint64_t unit = std::max(frame(0), frame(1)), fills = unit * window() / 2;
        for (Way& w : s_.way) w.delay = static_cast<uint32_t>(std::clamp<uint64_t>(fills / 2, 4, 20000));
        for (unsigned e : {0, 1}) {
            s_.timers[e] = timers(true);
            s_.timers[e].outage = 0;
            s_.timers[e].status = static_cast<uint32_t>(40 * unit);
            s_.healTimers[e] = s_.timers[e];
        }
        s_.chaosClocks = frames * unit * 3 / 2;
        for (unsigned e : {0, 1})
            for (uint64_t t = 5000; t < s_.chaosClocks; t += random_.between(fills * 50, fills * 150))
                add(t, EventKind::darkControl, e, random_.between(fills / 2, 3 * fills));
        std::stable_sort(s_.events.begin(), s_.events.end(),
                         [](const Event& a, const Event& b) { return a.clock < b.clock; });
        return s_;
    }

  private:
    bool coin(double p) { return random_.chance(p); }
    unsigned maxK() const { return std::min(s_.info[0].maxK, s_.info[1].maxK); }
    unsigned maxParity() const { return std::min(s_.info[0].maxParity, s_.info[1].maxParity); }
    unsigned window() const { return std::min(s_.info[0].window, s_.info[1].window); }

    void code(Code& c) {
        c.k = coin(0.3) ? random_.octaves(1, maxK()) : random_.between(1, maxK());
        auto parity = [&] {
            return coin(0.25) ? 0 : coin(0.5) ? random_.octaves(1, maxParity()) : random_.between(1, maxParity());
        };
        c.nFirst = c.k + parity();
        c.nRetx = coin(0.5) ? c.nFirst : c.k + parity();
        c.preset = coin(0.7) ? 0 : random_.below(3);
    }

    uint64_t frame(unsigned e) const { return s_.code[e].nFirst * s_.unitClocks(e); }

    /// Lines slower than the core, and unlike each other.
    void paces() {
        for (unsigned e : {0, 1})
            if (coin(0.15)) s_.pace[e] = static_cast<unsigned>(random_.octaves(2, 32));
    }

    /// A third of the links are longer than the window.
    void delays() {
        const uint64_t fills = std::max(frame(0), frame(1)) * window() / 2;
        const bool longer = coin(0.33);
        for (unsigned e : {0, 1}) {
            uint64_t d = longer ? random_.between(fills, fills * 3) : random_.octaves(4, std::max<uint64_t>(fills, 64));
            if (e == 1 && coin(0.5)) d = s_.way[0].delay;
            s_.way[e].delay = std::clamp<uint64_t>(d, 4, 20000);
        }
    }

    /// Whatever the window: a round trip of one to three windows. Large windows have frames of one unit, so that the run ends.
    void deepDelays() {
        if (window() > 256)
            for (Code& c : s_.code) c.k = 1, c.nFirst = c.nRetx = 1 + deep_.below(2);
        for (Way& w : s_.way)
            w.delay = static_cast<uint32_t>(std::max<uint64_t>(deep_.between(fill() / 2, fill() * 3 / 2), 4));
    }

    /// Spells of one to three windows in which the feedback of an end, or all that it sends, is erased.
    void deepDark() {
        const unsigned e = deep_.below(2);
        const uint64_t clocks = deep_.between(fill(), 3 * fill());
        s_.chaosClocks = std::max(s_.chaosClocks, 4 * clocks);
        const EventKind kind = deep_.chance(0.7) ? EventKind::darkControl : EventKind::darkAll;
        add(clocks + deep_.below(static_cast<unsigned>(clocks)), kind, e, clocks);
    }

    /// Clocks in which a window of frames is sent.
    uint64_t fill() const { return std::max(frame(0), frame(1)) * window(); }

    /// More frames a round trip than a report has outcomes, as many as the window allows.
    void manyFrames() {
        for (unsigned e : {0, 1}) s_.code[e].k = 1, s_.code[e].nFirst = s_.code[e].nRetx = 1 + random_.below(2);
        const uint64_t most = std::max(frame(0), frame(1)) * window() / 2;
        for (Way& w : s_.way)
            w.delay = static_cast<uint32_t>(std::clamp<uint64_t>(random_.between(most / 4, most), 4, 20000));
    }

    void arq(Arq& a) {
        if (!s_.finite || coin(0.3))
            a.delta = 15;
        else
            a.delta = coin(0.3) ? 0 : random_.between(1, coin(0.7) ? 3 : 14);
        a.inOrder = coin(0.85);
        a.freeze = coin(0.8);
    }

    Timers timers(bool fit) {
        const uint64_t trip = s_.roundTrip();
        Timers t;
        t.status = coin(0.4) ? 0 : random_.octaves(1, coin(0.2) ? 50000 : 4000);
        const uint64_t least = trip + 20 * std::max(frame(0), frame(1)) + 2 * t.status + 500;
        t.poll =
            fit ? least + random_.below(least) : random_.octaves(std::max<uint64_t>(trip / 3, 200), 4 * trip + 2000);
        if (!fit && coin(0.4)) t.poll = least;
        t.hello = random_.octaves(64, std::max<uint64_t>(trip, 4096));
        t.keepalive = random_.octaves(fit ? std::max<uint64_t>(trip, 500) : 300, 4 * trip + 4000);
        const bool small = !fit && coin(0.1);
        t.outage = coin(0.5) ? 0 : small ? random_.octaves(200, 4000) : t.keepalive * random_.between(4, 8) + 4000;
        if (s_.clean || !coin(0.06)) return t;
        // What nobody should set: traffic still flows, and what is too long ends when the register is written again.
        for (uint32_t* timer : {&t.poll, &t.hello, &t.keepalive, &t.status}) {
            if (!coin(0.4)) continue;
            *timer =
                fit || coin(0.6) ? static_cast<uint32_t>(random_.below(coin(0.5) ? 4 : 200)) : ~0u >> random_.below(16);
        }
        if (!fit && coin(0.3)) t.outage = coin(0.5) ? 1 + random_.below(200) : ~0u;
        return t;
    }

    /// About 5,000 units, and several round trips.
    void length() {
        uint64_t clocks = random_.octaves(20000, coin(0.1) ? 250000 : 80000);
        const uint64_t unit = std::max(s_.unitClocks(0), s_.unitClocks(1));
        clocks = std::min<uint64_t>(clocks, unit * 12000);
        s_.chaosClocks = std::max(clocks, 4 * s_.roundTrip() + 4000);
    }

    void losses() {
        for (unsigned e : {0, 1}) {
            if (!coin(0.6)) continue;
            Way& w = s_.way[e];
            const double p = random_.rare(0.6, 9);
            w.damage = coin(0.5) ? 1u << random_.below(damageKinds) : 1 + random_.below((1u << damageKinds) - 1);
            if (coin(0.6)) {
                w.good = w.bad = p;
            } else {
                w.bad = coin(0.5) ? 1.0 : 0.7;
                w.badToGood = 1.0 / static_cast<double>(random_.octaves(2, 200));
                w.goodToBad = w.badToGood * p / (1.05 - p);
            }
        }
    }

    void copies() {
        if (!coin(0.12)) return;
        s_.copies = true;
        for (unsigned e : {0, 1}) {
            if (!coin(0.7)) continue;
            Way& w = s_.way[e];
            w.duplicate = coin(0.7) ? random_.rare(0.2, 6) : 0;
            w.late = coin(0.5) ? random_.rare(0.1, 6) : 0;
            w.behind = static_cast<uint32_t>(random_.octaves(1, 5000));
        }
    }

    void pauses() {
        for (unsigned e : {0, 1}) {
            if (coin(0.2)) s_.user[e].ready = 1 - random_.rare(0.95, 4);
            if (coin(0.25)) s_.phy[e].ready = 1 - random_.rare(0.9, 4);
            if (coin(0.15)) s_.way[e].gap = random_.rare(0.7, 4);
        }
    }

    uint64_t moment() { return moment(random_); }
    uint64_t moment(Random& random) const { return random.between(1000, s_.chaosClocks - 1); }
    void add(uint64_t clock, EventKind kind, unsigned end, uint64_t value = 0) {
        Event event;
        event.clock = clock;
        event.kind = kind;
        event.end = end;
        event.value = value;
        s_.events.push_back(event);
    }

    /// The feedback goes dark again and again: control units of one side, all units of it, or of both.
    void dark() {
        if (!coin(0.5)) return;
        const uint64_t longest = std::max<uint64_t>(3 * window() * std::max(frame(0), frame(1)) / 2, 3000);
        const uint64_t spell = random_.octaves(500, std::min<uint64_t>(longest, s_.chaosClocks / 3));
        const uint64_t rest = random_.octaves(std::max<uint64_t>(spell / 4, 300), 4 * spell);
        const unsigned which = random_.below(4);
        const unsigned ends = coin(0.5) ? 3 : 1 + random_.below(2);
        for (unsigned e : {0, 1}) {
            if (!(ends >> e & 1)) continue;
            for (uint64_t t = 1000 + random_.below(rest); t < s_.chaosClocks;
                 t += spell + random_.between(rest / 2, rest * 3 / 2)) {
                const unsigned kind = which == 3 ? random_.below(3) : which;
                const uint64_t clocks = random_.between(spell / 2, spell * 3 / 2);
                add(t,
                    kind == 0   ? EventKind::darkControl
                    : kind == 1 ? EventKind::darkAll
                                : EventKind::darkData,
                    e, clocks);
            }
        }
    }

    void outages() {
        if (!coin(0.15)) return;
        for (uint64_t i = random_.octaves(1, 6); i > 0; --i) {
            const uint64_t at = moment(), clocks = random_.octaves(10, 8000);
            const unsigned which = random_.below(4);
            for (unsigned e : {0, 1}) {
                if (which != 2 && which != e) continue;
                add(at, EventKind::phyDown, e);
                add(at + clocks, EventKind::phyUp, e);
            }
            if (which == 3)
                for (unsigned e : {0, 1}) add(at, EventKind::darkAll, e, clocks + s_.timers[e].outage % 30000);
        }
    }

    void restarts() {
        const bool restart = coin(0.15), disable = coin(0.06), reset = coin(0.08);
        if (restart)
            for (uint64_t i = random_.octaves(1, 5); i > 0; --i) add(moment(), EventKind::restart, random_.below(2));
        if (disable)
            for (uint64_t i = random_.octaves(1, 3); i > 0; --i) {
                const unsigned e = random_.below(2);
                const uint64_t at = moment();
                add(at, EventKind::disable, e);
                add(at + random_.octaves(1, 3000), EventKind::enable, e);
            }
        if (reset)
            for (uint64_t i = random_.octaves(1, 3); i > 0; --i) {
                const unsigned e = random_.below(2);
                const uint64_t at = moment();
                add(at, EventKind::resetLow, e);
                add(at + random_.between(16, 200), EventKind::resetHigh, e);
            }
        s_.restarts = restart || disable || reset;
        s_.resets = reset;
    }

    void stops() {
        for (unsigned e : {0, 1}) {
            if (coin(0.15))
                for (uint64_t i = random_.octaves(1, 6); i > 0; --i)
                    add(moment(), EventKind::stopUser, e, random_.octaves(50, 10000));
            if (coin(0.15))
                for (uint64_t i = random_.octaves(1, 6); i > 0; --i)
                    add(moment(), EventKind::stopPhy, e, random_.octaves(20, 5000));
        }
    }

    /// Settings that change while traffic runs.
    void changes() {
        for (unsigned e : {0, 1}) {
            if (coin(0.2))
                for (uint64_t i = random_.octaves(1, 8); i > 0; --i) {
                    add(moment(), EventKind::code, e);
                    code(s_.events.back().code);
                }
            if (coin(0.12))
                for (uint64_t i = random_.octaves(1, 6); i > 0; --i) {
                    add(moment(), EventKind::arq, e);
                    Arq a = s_.arq[e];
                    if (s_.finite) a.delta = coin(0.3) ? 15 : random_.below(6);
                    a.freeze = coin(0.5);
                    if (coin(0.3)) a.inOrder = coin(0.5);
                    if (a.inOrder != s_.arq[e].inOrder) s_.steadyOrder = false;
                    s_.events.back().arq = a;
                    s_.steadyArq = false;
                }
            if (coin(0.15))
                for (uint64_t i = random_.octaves(1, 6); i > 0; --i) {
                    add(moment(), EventKind::timers, e);
                    s_.events.back().timers = timers(coin(0.3));
                }
        }
    }

    /// Data one way alone, without a pause, for many OUTAGE_TIMEOUTs, each of which three keep-alives fit into: there is nothing but data to be heard.
    void oneWay() {
        const unsigned from = oneWay_.below(2);
        s_.oneWay = s_.steadyArq = s_.steadyOrder = true;
        s_.restarts = s_.resets = false;
        s_.events.clear();
        s_.traffic[1 - from].any = false;
        Traffic& t = s_.traffic[from];
        t.any = true, t.gap = 0, t.burst = 1;
        t.pause = t.abort = t.tooLong = t.holes = t.nothing = 0;
        const uint64_t frames = std::max(frame(0), frame(1)), units = std::max(s_.unitClocks(0), s_.unitClocks(1));
        const double loss = oneWay_.chance(0.5) ? 0 : oneWay_.rare(0.02, 4);
        for (unsigned e : {0, 1}) {
            // The window is not exhausted, so the sender never rests.
            const uint64_t longest = std::max<uint64_t>(frame(from) * window() / 8, 4);
            s_.way[e].delay = static_cast<uint32_t>(std::min<uint64_t>(s_.way[e].delay, longest));
            s_.way[e].good = s_.way[e].bad = loss;
            s_.user[e].ready = 1;
        }
        for (Timers& timers : s_.timers) {
            timers.keepalive = static_cast<uint32_t>(oneWay_.octaves(4 * units + 300, 8 * units + 1200));
            timers.status = static_cast<uint32_t>(oneWay_.octaves(1, 1000));
            timers.poll =
                static_cast<uint32_t>(2 * s_.roundTrip() + 20 * frames + 2 * timers.status + 500 + oneWay_.below(4000));
            timers.hello = static_cast<uint32_t>(oneWay_.octaves(64, 4096));
        }
        const uint32_t silence = std::max(s_.timers[0].keepalive, s_.timers[1].keepalive);
        for (Timers& timers : s_.timers) timers.outage = static_cast<uint32_t>(silence * oneWay_.between(4, 6));
        s_.chaosClocks = std::max<uint64_t>(s_.chaosClocks, 5 * std::max(s_.timers[0].outage, s_.timers[1].outage));
        if (oneWay_.chance(0.25)) return eraseNotices(from);
        if (oneWay_.chance(0.5)) eraseReports(1 - from);
    }

    /// Frames are abandoned, and all control units of their sender are erased in spells: data goes on until the window is exhausted.
    void eraseNotices(unsigned from) {
        Code& code = s_.code[from];
        code.nFirst = code.nRetx = code.k;
        const uint64_t fills = frame(from) * window();
        s_.finite = true;
        s_.arq[from].delta = 1 + static_cast<unsigned>(oneWay_.below(2));
        s_.way[from].good = s_.way[from].bad = 0.02 + oneWay_.rare(0.2, 3);
        Timers& timers = s_.timers[from];
        timers.poll = static_cast<uint32_t>(oneWay_.octaves(600, std::max<uint64_t>(fills / 4, 600)));
        for (uint64_t t = 2000; t < s_.chaosClocks; t += oneWay_.between(fills, 3 * fills + 1000))
            add(t, EventKind::darkControl, from, oneWay_.between(fills / 2, fills));
    }

    /// Most reports get lost, so that a later one begins beyond an outcome that is missing. Keep-alives, which are polls, are longer than POLL_TIMEOUT.
    void eraseReports(unsigned from) {
        s_.way[from].good = s_.way[from].bad = 0.4 + oneWay_.rare(0.4, 1);
        s_.timers[from].status = static_cast<uint32_t>(oneWay_.between(400, 1500));
        Timers& timers = s_.timers[1 - from];
        timers.poll = static_cast<uint32_t>(oneWay_.between(1500, 5000));
        timers.keepalive = 3 * timers.poll;
        for (Timers& t : s_.timers) t.outage = 4 * timers.keepalive;
    }

    /// An end is deaf until its peer has heard of it and restarts: in their new lives neither is deaf, and there is no outage.
    void restartOfDeaf() {
        const unsigned e = deaf_.below(2);
        const uint32_t keepalive = s_.timers[e].keepalive;
        if (keepalive > 20000) return;
        const uint64_t told = keepalive + s_.way[e].delay + 4 * s_.unitClocks(e) + 300 + deaf_.below(1000);
        const uint64_t at = moment(deaf_), restart = at + told;
        add(at, EventKind::phyDown, e);
        add(restart, EventKind::restart, 1 - e);
        add(restart + deaf_.octaves(1, 200), EventKind::phyUp, e);
        s_.restarts = true;
        s_.chaosClocks = std::max(s_.chaosClocks, restart + 2 * s_.roundTrip() + 2000);
        // Packets of a byte are not told apart where some are lost.
        for (Traffic& t : s_.traffic)
            t.shortest = std::max(t.shortest, 4u), t.longest = std::max(t.longest, t.shortest);
    }

    /// One shot, mostly of one unit: on an idle link, or in the traffic, with whatever else is going on.
    void forge() {
        s_.restartAtEnd = s_.clean = false;
        s_.forged = forge_.chance(0.6) ? 1 : forge_.between(2, 5);
        s_.forgeEnd = forge_.below(2);
        s_.forgeIdle = forge_.chance(0.3);
        if (forge_.chance(0.4)) s_.freshFrom = 1 + forge_.below(2);
        if (s_.forgeIdle) return;
        // While the link starts, or in the traffic.
        const uint64_t started = s_.skew + 4 * s_.roundTrip() + 2000;
        const bool early = started < s_.chaosClocks && forge_.chance(0.2);
        const uint64_t clock =
            early ? forge_.between(s_.skew, started) : forge_.between(s_.chaosClocks / 4, s_.chaosClocks - 1);
        add(clock, EventKind::forge, s_.forgeEnd, s_.forged);
        forgeAgain(clock);
    }

    /// Further shots, while the link may still be getting over the one before with its timers.
    void forgeAgain(uint64_t clock) {
        if (!again_.chance(0.3)) return;
        const uint64_t pause = std::min(2 * std::max(s_.timers[0].poll, s_.timers[1].poll), 10000u);
        for (uint64_t i = again_.between(1, 5); i > 0; --i) {
            clock += again_.between(1, pause);
            const unsigned count = again_.chance(0.8) ? 1 : 2;
            add(clock, EventKind::forge, again_.chance(0.8) ? s_.forgeEnd : 1 - s_.forgeEnd, count);
            s_.forged += count;
            ++s_.shots;
        }
        s_.chaosClocks = std::max(s_.chaosClocks, clock + 1);
    }

    void dropRestarts() {
        auto restarts = [](const Event& e) { return e.kind <= EventKind::resetHigh; };
        s_.events.erase(std::remove_if(s_.events.begin(), s_.events.end(), restarts), s_.events.end());
        s_.restarts = s_.resets = s_.copies = false;
        for (Way& w : s_.way) w.duplicate = w.late = 0;
    }

    void traffic(unsigned e) {
        Traffic& t = s_.traffic[e];
        const EndInfo& info = s_.info[e];
        const unsigned longest = std::min(info.maxPacketBytes, 9216u);
        t.any = !coin(0.12);
        const unsigned rate = random_.below(8);
        t.gap = rate < 5 ? 0 : static_cast<uint32_t>(random_.octaves(4, 4000));
        t.burst = rate == 7 ? static_cast<uint32_t>(random_.octaves(2, 64)) : 1;
        t.pause = coin(0.15) ? random_.rare(0.9, 4) : 0;
        // Without restarts packets follow each other without a hole, so that those of a byte are told apart as well.
        const unsigned shortest = s_.restarts ? 4 : 1;
        t.shortest = shortest;
        t.longest = longest;
        switch (random_.below(6)) {
        case 0: t.longest = std::min(longest, std::max(shortest, 8u)); break;
        case 1: t.longest = std::min(longest, std::max(shortest, 4 * info.unitBytes)); break;
        case 2: t.shortest = std::max(shortest, longest / 2); break;
        case 3: t.multiple = s_.code[e].k * info.unitBytes; break;
        case 4: t.shortest = t.longest = static_cast<unsigned>(random_.between(shortest, longest)); break;
        default: break;
        }
        if (t.multiple > longest) t.multiple = info.unitBytes;
        if (coin(0.2)) t.abort = random_.rare(0.3, 5);
        if (coin(0.2)) t.tooLong = random_.rare(0.3, 5);
        if (coin(0.15)) t.holes = random_.rare(0.3, 5);
        if (coin(0.15)) t.nothing = random_.rare(0.3, 5);
        t.tooLongFrom = info.maxPacketBytes + 1;
        t.tooLongTo = info.maxPacketBytes + static_cast<unsigned>(random_.octaves(1, 3 * info.maxPacketBytes));
    }

    Random random_, forge_, again_, deep_, oneWay_, deaf_;
    bool forged_ = false, isDeep_ = false;
    Scenario s_;
};

}  // namespace

Scenario draw(uint64_t seed, const std::string& pair, const EndInfo (&info)[2], double forge) {
    return Draw(seed, pair, info, forge).run();
}

Scenario drawLong(uint64_t seed, const std::string& pair, const EndInfo (&info)[2], uint64_t frames) {
    return Draw(seed, pair, info, 0).runOf(frames);
}

}  // namespace campaign
