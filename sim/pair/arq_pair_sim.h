// SPDX-License-Identifier: Apache-2.0
// The Verilated pair of links behind one class. Everything that simulates the pair in C++ uses it. Only arq_pair_sim.cpp is compiled for each model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "packet_ports.h"

namespace arqlink {

/// An AXI4-Lite access was answered with an error, or not at all.
struct AccessError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Is told each beat on the PHYs of the pair, `dataBytes` long: as it is sent, and as it comes out of the channel.
struct PhyObserver {
    virtual ~PhyObserver() = default;
    virtual void sent(End from, uint64_t clock, const uint8_t* beat, bool last) = 0;
    /// `flagged`: the channel marks the beat as erased.
    virtual void arrived(End from, uint64_t clock, const uint8_t* beat, bool last, bool flagged) = 0;
};

/// One instance of `ArqPair`: clock, reset, registers, and a packet source and sink at both ends.
///
/// Time is counted in clocks since construction. All calls but `clock` and `run` that need time to pass (register
/// accesses, reset) let it pass by themselves, with the packet streams going on meanwhile.
class ArqPairSim {
  public:
    using End = arqlink::End;
    static constexpr End A = arqlink::A, B = arqlink::B;

    /// Width of the packet and PHY streams in bytes.
    static const size_t dataBytes;

    /// Builds the pair in reset. `waves` names an FST file; empty: none. Throws std::runtime_error if the program
    /// was built without tracing.
    explicit ArqPairSim(const std::string& waves = "");
    ~ArqPairSim();
    ArqPairSim(const ArqPairSim&) = delete;
    ArqPairSim& operator=(const ArqPairSim&) = delete;

    void reset(unsigned clocks = 16);
    void clock() { run(1); }
    void run(uint64_t clocks);
    uint64_t now() const { return now_; }

    /// AXI4-Lite accesses; throw AccessError on SLVERR and when no answer comes.
    void write(uint32_t address, uint32_t value);
    uint32_t read(uint32_t address);

    /// Packets in and out: see PacketPorts.
    void send(End end, OutgoingPacket packet);
    size_t pending(End end) const;
    size_t offered(End end) const;
    const std::vector<uint64_t>& accepted(End end) const;
    void setReady(End end, bool ready);
    std::deque<DeliveredPacket>& delivered(End end);

    /// Erases units that `from` sends: the first unit after this call if units[0] is not 0, and so on, control units
    /// too; behind the last one it begins again. The channel's CTRL.enable has to be set.
    void setErasures(End from, std::vector<uint8_t> units) { erasures_[from] = {std::move(units)}; }

    /// Notes the clock in which each packet's first unit starts to leave A for the first time.
    void watchFirstTransmissions(bool on) { watch_ = on; }
    const std::vector<uint64_t>& firstTransmissions() const { return firstTransmissions_; }

    /// From now on `observer` is told of all beats; nullptr: nobody is. It has to live as long as it is told.
    void observe(PhyObserver* observer) { observer_ = observer; }

    /// No clock writes to a file from now on, nor does the destructor: waves and observers belong to another process.
    void leaveFiles();

  private:
    void low();
    void high();
    void watchUnit();
    void tellObserver();

    /// Which of the units of one way are erased. `next` is for the unit that has not begun.
    struct Erasures {
        std::vector<uint8_t> units;
        size_t at = 0;
        bool inUnit = false;

        bool next() const { return !units.empty() && units[at]; }
        void beat(bool last) {
            if (!inUnit && ++at >= units.size()) at = 0;
            inUnit = !last;
        }
    };

    struct Model;
    std::unique_ptr<Model> model_;
    struct Trace;
    std::unique_ptr<Trace> trace_;

    uint64_t now_ = 0;
    Erasures erasures_[2];
    PhyObserver* observer_ = nullptr;

    bool watch_ = false;
    size_t unitBeat_ = 0;
    static constexpr int anyFsn = -1;
    int nextFsn_ = anyFsn;     // of A's next new frame
    uint8_t header_[16] = {};  // of the unit that is leaving A
    uint64_t unitStart_ = 0;
    std::vector<uint64_t> firstTransmissions_;
};

}  // namespace arqlink
