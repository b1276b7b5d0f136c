// SPDX-License-Identifier: Apache-2.0
// One Verilated end with what drives it: packets in and out, units in and out, registers.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "axi_master.h"
#include "link_end.h"
#include "link_model.h"

namespace arqlink::rtl {

/// A beat on its way to the other end, which takes it in the clock after `arrives`.
struct BeatOnAir {
    Clock arrives;
    verilated_end::Beat beat;
};

class RtlEnd {
  public:
    /// `library`: a shared library of arqlink.rtl.ends. Throws std::runtime_error where it cannot be loaded.
    explicit RtlEnd(const std::string& library);

    unsigned dataBytes() const { return end_->dataBytes(); }
    verilated_end::AxiMaster& registers() { return axi_; }

    /// Packets are named by their first bytes; the others follow from the name.
    void offer(uint64_t packet, unsigned bytes) { queue_.push_back({packet, bytes}); }
    /// Packets that have yet to be accepted.
    size_t waiting() const { return queue_.size(); }

    struct Out {
        bool unit = false;  ///< `beat` left for the PHY
        verilated_end::Beat beat;
        bool accepted = false, delivered = false;
        uint64_t packet = 0, deliveredPacket = 0;
        unsigned bytes = 0;  ///< of the packet accepted
    };
    /// One clock; `in` is the beat that arrives from the PHY, `takes`: the PHY is ready for a beat.
    void clock(const verilated_end::Beat& in, bool resetn, bool takes, Out& out);

    static constexpr unsigned nameBytes = 8;

  private:
    struct Packet {
        uint64_t name;
        unsigned bytes;
    };
    void offerBeat();
    void collect(const verilated_end::Beat& beat, Out& out);

    std::unique_ptr<verilated_end::LinkEnd> end_;
    verilated_end::AxiMaster axi_;
    verilated_end::EndIn in_;
    verilated_end::EndOut out_;
    std::deque<Packet> queue_;
    unsigned offset_ = 0;  // bytes of the first one that were accepted
    std::vector<uint8_t> arriving_;
};

}  // namespace arqlink::rtl
