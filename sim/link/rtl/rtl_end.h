// SPDX-License-Identifier: Apache-2.0
// One Verilated end with what drives it: packets in and out, units in and out, registers.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <utility>
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
    using Packet = std::vector<uint8_t>;
    static constexpr unsigned resetClocks = 32;

    /// `library`: a shared library of arqlink.rtl.ends. Throws std::runtime_error where it cannot be loaded.
    explicit RtlEnd(const std::string& library);

    unsigned dataBytes() const { return end_->dataBytes(); }
    verilated_end::AxiMaster& registers() { return axi_; }

    /// A packet of a byte or more waits for the end to accept it.
    void offer(Packet packet) { queue_.push_back(std::move(packet)); }
    /// Packets that have yet to be accepted.
    size_t waiting() const { return queue_.size(); }
    /// Its interrupt line, in the last clock.
    bool irq() const { return out_.irq; }

    struct Out {
        bool unit = false;  ///< `beat` left for the PHY
        verilated_end::Beat beat;
        size_t accepted = 0;     ///< length of the packet whose last beat was accepted; 0: none was
        bool delivered = false;  ///< `packet` has come out
        bool isCut = false;      ///< and was cut by a restart
        Packet packet;
    };
    /// One clock; `in` is the beat that arrives from the PHY, `takes`: the PHY is ready for a beat. Throws std::runtime_error where the model stops.
    void clock(const verilated_end::Beat& in, bool resetn, bool takes, Out& out);

  private:
    void offerBeat();
    void collect(const verilated_end::Beat& beat, Out& out);

    std::unique_ptr<verilated_end::LinkEnd> end_;
    verilated_end::AxiMaster axi_;
    verilated_end::EndIn in_;
    verilated_end::EndOut out_;
    std::deque<Packet> queue_;
    size_t offset_ = 0;  // bytes of the first one that were accepted
    Packet arriving_;
};

}  // namespace arqlink::rtl
