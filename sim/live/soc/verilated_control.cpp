// SPDX-License-Identifier: Apache-2.0
// A Verilated `ArqControl` behind `Control`.
#include <memory>

#include "VArqControl.h"
#include "control.h"
#include "verilated.h"

namespace arqlink::live {
namespace {

class VerilatedControl final : public Control {
  public:
    VerilatedControl() : context_(new VerilatedContext), top_(new VArqControl(context_.get())) {
        modelBegins();
        top_->aclk = 0;
        top_->aresetn = 0;
        top_->m_axil_awready = top_->m_axil_wready = top_->m_axil_arready = 1;
        top_->eval();
    }
    ~VerilatedControl() override {
        Verilated::threadContextp(context_.get());  // the model takes itself out of this thread's
        top_->final();
    }

    const char* stopped() const override { return modelStopped(); }

    void clock(const ControlIn& in, ControlOut& out) override {
        VArqControl& t = *top_;
        t.aresetn = in.resetn;
        t.link_irq = in.linkIrq;
        t.uart_rx = in.uartRx;
        t.m_axil_bvalid = in.bvalid;
        t.m_axil_rvalid = in.rvalid;
        t.m_axil_bresp = t.m_axil_rresp = in.isRefused ? 2 : 0;
        t.m_axil_rdata = in.rdata;
        t.aclk = 0;
        t.eval();
        out.uartTx = t.uart_tx;
        out.awvalid = t.m_axil_awvalid;
        out.awaddr = t.m_axil_awaddr;
        out.wvalid = t.m_axil_wvalid;
        out.wdata = t.m_axil_wdata;
        out.bready = t.m_axil_bready;
        out.arvalid = t.m_axil_arvalid;
        out.araddr = t.m_axil_araddr;
        out.rready = t.m_axil_rready;
        t.aclk = 1;
        t.eval();
    }

  private:
    std::unique_ptr<VerilatedContext> context_;
    std::unique_ptr<VArqControl> top_;
};

}  // namespace
}  // namespace arqlink::live

extern "C" __attribute__((visibility("default"))) arqlink::live::Control* makeControl() {
    return new arqlink::live::VerilatedControl;
}
