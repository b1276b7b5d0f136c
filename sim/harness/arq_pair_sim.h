// SPDX-License-Identifier: Apache-2.0
// The Verilated pair of links behind one class. Everything that simulates the pair in C++ uses it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "VArqPair.h"

namespace arqlink {

/// An AXI4-Lite access was answered with an error, or not at all.
struct AccessError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A packet on its way in. It is offered from clock `notBefore` on.
struct OutgoingPacket {
    std::vector<uint8_t> bytes;
    uint64_t notBefore = 0;
    bool abort = false;  ///< sets tuser in the last beat
};

/// A packet that left the link; `begin` and `clock` are those of its first and last beat.
struct DeliveredPacket {
    std::vector<uint8_t> bytes;
    uint64_t begin = 0;
    uint64_t clock = 0;
    bool aborted = false;  ///< tuser was set in the last beat
};

/// One instance of `ArqPair`: clock, reset, registers, and a packet source and sink at both ends.
///
/// Time is counted in clocks since construction. All calls but `clock` and `run` that need time to pass (register
/// accesses, reset) let it pass by themselves, with the packet streams going on meanwhile.
class ArqPairSim {
  public:
    enum End { A = 0, B = 1 };

    /// Width of the packet and PHY streams in bytes. Verilator's types have exactly the size of the port.
    static constexpr size_t dataBytes = sizeof(VArqPair::a_s_axis_tdata);
    static_assert(dataBytes == 1 || dataBytes == 2 || dataBytes == 4 || dataBytes == 8 || dataBytes == 16);

    /// Builds the pair in reset. `waves` names an FST file; empty: none. Throws std::runtime_error if the program
    /// was built without tracing.
    explicit ArqPairSim(const std::string& waves = "");
    ~ArqPairSim();
    ArqPairSim(const ArqPairSim&) = delete;
    ArqPairSim& operator=(const ArqPairSim&) = delete;

    void reset(unsigned clocks = 16);
    void clock() {
        low();
        high();
    }
    void run(uint64_t clocks) {
        for (uint64_t i = 0; i < clocks; ++i) clock();
    }
    uint64_t now() const { return now_; }

    /// AXI4-Lite accesses; throw AccessError on SLVERR and when no answer comes.
    void write(uint32_t address, uint32_t value);
    uint32_t read(uint32_t address);

    /// Queues a packet at an end. It must have at least one byte, for a stream has no beats without bytes.
    void send(End end, OutgoingPacket packet);
    /// Packets queued or on their way into the end.
    size_t pending(End end) const { return source_[end].queue.size(); }
    /// Clock of the last beat of each packet that the end took, in order.
    const std::vector<uint64_t>& accepted(End end) const { return source_[end].accepted; }

    /// Whether the end's sink takes beats; it does from the start.
    void setReady(End end, bool ready);
    /// Packets delivered at an end, oldest first; the caller takes them out.
    std::deque<DeliveredPacket>& delivered(End end) { return sink_[end].packets; }

    /// Notes the clock in which each packet's first unit starts to leave A for the first time.
    void watchFirstTransmissions(bool on) { watch_ = on; }
    const std::vector<uint64_t>& firstTransmissions() const { return firstTransmissions_; }

  private:
    struct Source {
        std::deque<OutgoingPacket> queue;
        size_t offset = 0;
        bool offering = false;
        std::vector<uint64_t> accepted;
    };
    struct Sink {
        std::deque<DeliveredPacket> packets;
        std::vector<uint8_t> current;
        uint64_t begin = 0;
        bool ready = true;
    };

    void low();
    void high();
    template <End end> void offer();
    template <End end> void collect();
    void watchUnit();

    std::unique_ptr<VerilatedContext> context_;
    std::unique_ptr<VArqPair> top_;
    struct Trace;
    std::unique_ptr<Trace> trace_;

    uint64_t now_ = 0;
    Source source_[2];
    Sink sink_[2];

    bool watch_ = false;
    size_t unitBeat_ = 0;
    bool unitStartsPacket_ = false;
    uint64_t unitStart_ = 0;
    std::vector<uint64_t> firstTransmissions_;
};

}  // namespace arqlink
