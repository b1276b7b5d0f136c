// SPDX-License-Identifier: Apache-2.0
// The soft system `ArqControl` as a program sees it: its ports, a clock at a time, behind a shared library.
#pragma once

#include <cstdint>

namespace arqlink::live {

/// What the ports are driven with in a clock. The AXI4-Lite slave is always ready for an address and for data.
struct ControlIn {
    bool resetn = true, linkIrq = false, uartRx = true;
    bool bvalid = false, rvalid = false, isRefused = false;  ///< `isRefused`: the answer is SLVERR
    uint32_t rdata = 0;
};

/// What they show in the same clock, right before its rising edge.
struct ControlOut {
    bool uartTx = true;
    bool awvalid = false, wvalid = false, bready = false, arvalid = false, rready = false;
    uint32_t awaddr = 0, wdata = 0, araddr = 0;
};

class Control {
  public:
    virtual ~Control() = default;
    virtual void clock(const ControlIn& in, ControlOut& out) = 0;
    /// What the model said when it stopped by itself; nullptr while it runs.
    virtual const char* stopped() const = 0;
};

/// The entry of the library.
extern "C" {
using MakeControl = Control* (*)();
}

}  // namespace arqlink::live
