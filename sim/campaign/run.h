// SPDX-License-Identifier: Apache-2.0
// One run: two link ends, the channel between them, all that is done to them, and all that is checked.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "channel.h"
#include "ends.h"
#include "forge.h"
#include "monitor.h"
#include "packets.h"
#include "scenario.h"
#include "streams.h"

namespace campaign {

/// Makes a link end; the caller knows where it comes from.
using MakeEnd = std::function<std::unique_ptr<LinkEnd>(unsigned end)>;

/// Clocks between two looks at registers.
constexpr uint64_t lookEvery = 400;

/// What a run comes to.
struct Outcome {
    std::string kind, text;  ///< no kind: no failure; the text may hold a remark
    uint64_t clocks = 0, units = 0, packets = 0, lives = 0, polls = 0, earlyPolls = 0, lost = 0, digest = 0;
    FlowResult flow;
    Recovery recovery;
    uint64_t frames[2] = {}, transmissions[2] = {};  ///< of the last life of each end
};

using Counters = std::map<std::string, uint64_t>;

/// All counters of a link end: name and offset.
const std::map<std::string, uint32_t>& counterOffsets();

class Run {
  public:
    Run(uint64_t seed, const Scenario& scenario, const MakeEnd& make, const std::set<std::string>& ignore = {});
    Outcome run();

  private:
    /// One end with everything at its ports.
    struct Side {
        std::unique_ptr<LinkEnd> link;
        EndIn in;
        EndOut out;
        AxiMaster bus;
        std::unique_ptr<Source> source;
        std::unique_ptr<Sink> sink;
        std::unique_ptr<Channel> way;      ///< of the units that it sends
        std::unique_ptr<PacketBook> book;  ///< of the packets that it sends
        Random phyRandom;
        double phyReady = 1;
        uint64_t phyStopped = 0;
        Bytes unit;  ///< leaving
        uint64_t unitBegin = 0, unitSinceRestart = 0;
        uint64_t sinceRestart = 0;
        bool restarting = false;  ///< asked to, and no unit of the new life has been seen
        unsigned lifeAtRestart = 0;
        bool enabled = true;
        unsigned packetLife = 0;  ///< sender's life when the packet under way began
        uint64_t cutPackets = 0;
        bool wasReset = false, wasRestarted = false;
        unsigned causes = 0;      ///< restarts, disables and resets that the run asked this end for
        uint32_t error = 0;       ///< register ERROR at the last full snapshot
        unsigned lostLife = 0;    ///< life of which `lostBefore` is known
        uint64_t lostBefore = 0;  ///< tx_packets_lost when it began
        unsigned notedLife = 0;
        bool ragged = false;  ///< a unit came while it left reset: it may be counted as damaged, or not
        uint32_t state = 0, stalled = 0;
        Counters counters;
    };

    void phases();
    void chaos();
    void heal();
    void healFaults();
    void books();
    FlowResult measureFlow();
    void restartOnce();
    void shoot(unsigned e, unsigned count);
    void recover();
    uint64_t oddPackets();
    uint64_t reportedLosses();
    bool freshCross(const std::function<bool()>& excused);
    unsigned restartsSinceShot() const;
    std::string silentLoss();
    void checkForged(const std::string& forged);
    void checkReported(const std::string& forged);

    void clock();
    void clocks(uint64_t count) {
        for (uint64_t i = 0; i < count; ++i) clock();
    }
    void drivePhy(Side& side, unsigned e);
    void notePhy(Side& side, unsigned e);
    void act(const Event& event);
    void armRestart(unsigned e);
    void configure(unsigned e, const Timers& timers);
    void writeCode(unsigned e, const Code& code, const Arq& arq);
    void writeTimers(unsigned e, const Timers& timers);
    void finishAccesses();
    void readStatus();
    void snapshot(bool all);
    bool atRest();
    bool sourcesIdle() const { return side_[0].source->idle() && side_[1].source->idle(); }
    uint64_t grace() const { return 2 * s_.roundTrip() + 20000; }
    bool calm() const;
    bool givesUp(unsigned e) const;
    uint64_t owed(unsigned e);
    uint64_t restBound() const;
    std::string standing() const;
    void checkBooks(unsigned e);
    void checkOutages(unsigned e);
    void checkRestarts(unsigned e) const;
    void noteLife(unsigned e);
    uint64_t overdue(unsigned e);
    void equal(unsigned e, const char* what, uint64_t left, uint64_t right) const;
    uint64_t restartClocks() const;

    uint64_t seed_;
    Scenario s_;
    std::set<std::string> ignore_;
    uint64_t now_ = 0;
    std::unique_ptr<Monitor> monitor_;
    std::unique_ptr<Forger> forger_;
    bool shot_ = false;             ///< forged units have been sent
    unsigned livesAtShot_[2] = {};  ///< as the first ones were
    FlowResult flow_;
    Recovery recovery_;
    std::string silentLoss_;  ///< of a sequence of forged units, which may do that
    Side side_[2];
    Code code_[2];
    Arq arq_[2];
    Timers timers_[2];
    bool healed_ = false;
};

}  // namespace campaign
