// SPDX-License-Identifier: Apache-2.0
// One end of a link as a program sees it: its ports, a clock at a time. Each build is a shared library that makes ends, and a
// program may load several (arqlink.rtl.verilated_end).
#pragma once

#include <cstdint>

namespace verilated_end {

constexpr unsigned maxDataBytes = 16;

/// A beat of one of the four streams; `keep` is used by packets alone.
struct Beat {
    bool valid = false, last = false, user = false;
    uint16_t keep = 0;
    uint8_t data[maxDataBytes] = {};
};

/// What the ports are driven with in a clock.
struct EndIn {
    bool resetn = true, phyUp = true;
    Beat packet, phy;
    bool packetOutReady = true, phyOutReady = true;
    bool awvalid = false, wvalid = false, arvalid = false;
    uint32_t awaddr = 0, wdata = 0, araddr = 0;
};

/// What they show in the same clock, right before its rising edge.
struct EndOut {
    bool packetReady = false, phyReady = false, irq = false;
    Beat packet, phy;
    bool awready = false, wready = false, bvalid = false, arready = false, rvalid = false;
    uint8_t bresp = 0, rresp = 0;
    uint32_t rdata = 0;
};

class LinkEnd {
  public:
    virtual ~LinkEnd() = default;
    virtual unsigned dataBytes() const = 0;
    /// One clock: inputs settle, outputs are noted, the edge rises.
    virtual void clock(const EndIn& in, EndOut& out) = 0;
    /// What the model said when it stopped by itself, as a failed assertion makes it; nullptr while it runs.
    virtual const char* stopped() const = 0;
};

/// The entry of each library. `waves` names an FST file or is nullptr; a build without tracing ignores it.
extern "C" {
using MakeLinkEnd = LinkEnd* (*)(const char* waves);
}

}  // namespace verilated_end
