// SPDX-License-Identifier: Apache-2.0
// The Verilated soft system with its pair of links behind one class.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>

#include "VArqPairSoc.h"
#include "packet_ports.h"
#include "uart_line.h"

namespace arqlink {

/// One instance of `ArqPairSoc`: clock, reset, UART, and a packet source and sink at both ends. Registers are the CPU's.
class SocSim {
  public:
    /// Comes out of reset. Parameters as for UartLine.
    SocSim(unsigned bitClocks, unsigned byteClocks)
        : context_(std::make_unique<VerilatedContext>()),
          top_(std::make_unique<VArqPairSoc>(context_.get())),
          packets_(*top_),
          uart_(bitClocks, byteClocks) {
        constexpr unsigned resetClocks = 16;
        top_->aclk = 0;  // the first evaluation has to be with the clock low
        top_->aresetn = 0;
        top_->uart_rx = 1;
        top_->eval();
        run(resetClocks);
        top_->aresetn = 1;
    }
    ~SocSim() { top_->final(); }
    SocSim(const SocSim&) = delete;
    SocSim& operator=(const SocSim&) = delete;

    void run(uint64_t clocks) {
        for (uint64_t i = 0; i < clocks; ++i) clock();
    }
    /// Clocks since construction.
    uint64_t now() const { return now_; }

    PacketPorts<VArqPairSoc>& packets() { return packets_; }
    UartLine& uart() { return uart_; }

  private:
    void clock() {
        top_->aclk = 0;
        top_->eval();
        packets_.sample(now_);
        const bool tx = top_->uart_tx;
        top_->aclk = 1;
        top_->eval();
        if (context_->gotFinish())
            throw std::runtime_error("An invariant of the model does not hold; what it said is above.");
        top_->uart_rx = uart_.clock(tx);
        packets_.advance(++now_);
    }

    std::unique_ptr<VerilatedContext> context_;
    std::unique_ptr<VArqPairSoc> top_;
    PacketPorts<VArqPairSoc> packets_;
    UartLine uart_;
    uint64_t now_ = 0;
};

}  // namespace arqlink
