// SPDX-License-Identifier: Apache-2.0
// A Verilated `ArqLink` behind `LinkEnd`. MODEL is the class, MODEL_HEADER its header.
#include <cstring>
#include <memory>

#include MODEL_HEADER
#include "link_end.h"
#include "verilated.h"
#if VM_TRACE
#include "verilated_fst_c.h"
#endif

namespace verilated_end {
namespace {

class VerilatedEnd final : public LinkEnd {
  public:
    explicit VerilatedEnd(const char* waves) : context_(new VerilatedContext), top_(new MODEL(context_.get())) {
        modelBegins();
#if VM_TRACE
        if (waves) {
            context_->traceEverOn(true);
            trace_ = std::make_unique<VerilatedFstC>();
            top_->trace(trace_.get(), 99);
            trace_->open(waves);
        }
#else
        (void)waves;
#endif
        top_->aclk = 0;
        top_->aresetn = 0;
        top_->s_axil_awprot = top_->s_axil_arprot = 0;
        top_->s_axil_wstrb = 0xf;
        top_->s_axil_bready = top_->s_axil_rready = 1;
        top_->s_axil_awvalid = top_->s_axil_wvalid = top_->s_axil_arvalid = 0;
        top_->s_axis_tvalid = top_->s_axis_phy_tvalid = 0;
        top_->eval();
    }
    ~VerilatedEnd() override {
#if VM_TRACE
        if (trace_) trace_->close();
#endif
        top_->final();
    }

    unsigned dataBytes() const override { return sizeof top_->s_axis_tdata; }

    const char* stopped() const override { return modelStopped(); }

    void clock(const EndIn& in, EndOut& out) override {
        drive(in);
        top_->aclk = 0;
        top_->eval();
        dump();
        sample(out);
        top_->aclk = 1;
        top_->eval();
        dump();
    }

  private:
    void drive(const EndIn& in) {
        MODEL& t = *top_;
        t.aresetn = in.resetn;
        t.phy_up = in.phyUp;
        t.s_axis_tvalid = in.packet.valid;
        if (in.packet.valid) {
            std::memcpy(&t.s_axis_tdata, in.packet.data, sizeof t.s_axis_tdata);
            t.s_axis_tkeep = in.packet.keep;
            t.s_axis_tlast = in.packet.last;
            t.s_axis_tuser = in.packet.user;
        }
        t.s_axis_phy_tvalid = in.phy.valid;
        if (in.phy.valid) {
            std::memcpy(&t.s_axis_phy_tdata, in.phy.data, sizeof t.s_axis_phy_tdata);
            t.s_axis_phy_tlast = in.phy.last;
            t.s_axis_phy_tuser = in.phy.user;
        }
        t.m_axis_tready = in.packetOutReady;
        t.m_axis_phy_tready = in.phyOutReady;
        t.s_axil_awvalid = in.awvalid;
        t.s_axil_wvalid = in.wvalid;
        t.s_axil_awaddr = in.awaddr;
        t.s_axil_wdata = in.wdata;
        t.s_axil_arvalid = in.arvalid;
        t.s_axil_araddr = in.araddr;
    }

    void sample(EndOut& out) const {
        const MODEL& t = *top_;
        out.packetReady = t.s_axis_tready;
        out.phyReady = t.s_axis_phy_tready;
        out.irq = t.irq;
        out.packet.valid = t.m_axis_tvalid;
        if (out.packet.valid) {
            std::memcpy(out.packet.data, &t.m_axis_tdata, sizeof t.m_axis_tdata);
            out.packet.keep = t.m_axis_tkeep;
            out.packet.last = t.m_axis_tlast;
            out.packet.user = t.m_axis_tuser;
        }
        out.phy.valid = t.m_axis_phy_tvalid;
        if (out.phy.valid) {
            std::memcpy(out.phy.data, &t.m_axis_phy_tdata, sizeof t.m_axis_phy_tdata);
            out.phy.last = t.m_axis_phy_tlast;
            out.phy.user = t.m_axis_phy_tuser;
        }
        out.awready = t.s_axil_awready;
        out.wready = t.s_axil_wready;
        out.bvalid = t.s_axil_bvalid;
        out.bresp = t.s_axil_bresp;
        out.arready = t.s_axil_arready;
        out.rvalid = t.s_axil_rvalid;
        out.rresp = t.s_axil_rresp;
        out.rdata = t.s_axil_rdata;
    }

    void dump() {
#if VM_TRACE
        if (trace_) trace_->dump(5 * halves_++);
#endif
    }

    std::unique_ptr<VerilatedContext> context_;
    std::unique_ptr<MODEL> top_;
#if VM_TRACE
    std::unique_ptr<VerilatedFstC> trace_;
    uint64_t halves_ = 0;
#endif
};

}  // namespace
}  // namespace verilated_end

extern "C" __attribute__((visibility("default"))) verilated_end::LinkEnd* makeLinkEnd(const char* waves) {
    return new verilated_end::VerilatedEnd(waves);
}
