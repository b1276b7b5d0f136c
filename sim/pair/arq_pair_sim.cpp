// SPDX-License-Identifier: Apache-2.0
#include "arq_pair_sim.h"

#include <cstdio>

#if VM_TRACE
#include "verilated_fst_c.h"
#endif

namespace arqlink {

namespace {

constexpr unsigned accessClocks = 1000;  // an access takes about five; more means that nobody answers

std::string hex(uint32_t value) {
    char text[16];
    std::snprintf(text, sizeof text, "0x%04x", value);
    return text;
}

}  // namespace

struct ArqPairSim::Trace {
#if VM_TRACE
    VerilatedFstC file;
    ~Trace() { file.close(); }
#endif
};

ArqPairSim::ArqPairSim(const std::string& waves)
    : context_(std::make_unique<VerilatedContext>()), top_(std::make_unique<VArqPair>(context_.get())), ports_(*top_) {
    if (!waves.empty()) {
#if VM_TRACE
        context_->traceEverOn(true);
        trace_ = std::make_unique<Trace>();
        top_->trace(&trace_->file, 99);
        trace_->file.open(waves.c_str());
#else
        throw std::runtime_error("This program was built without tracing; waves need the build that has it.");
#endif
    }
    // The first evaluation has to be with the clock low.
    top_->aclk = 0;
    top_->aresetn = 0;
    top_->s_axil_awvalid = top_->s_axil_wvalid = top_->s_axil_arvalid = 0;
    top_->s_axil_awprot = top_->s_axil_arprot = 0;
    top_->s_axil_wstrb = 0xf;
    top_->s_axil_bready = top_->s_axil_rready = 1;
    top_->ab_erase = top_->ba_erase = 0;
    top_->eval();
}

ArqPairSim::~ArqPairSim() { top_->final(); }

void ArqPairSim::leaveFiles() {
    observer_ = nullptr;
    static_cast<void>(trace_.release());
}

void ArqPairSim::reset(unsigned clocks) {
    top_->aresetn = 0;
    for (unsigned i = 0; i < clocks; ++i) clock();
    top_->aresetn = 1;
}

// First half of a clock: inputs that were set after the last rising edge take effect, outputs become valid.
void ArqPairSim::low() {
    top_->aclk = 0;
    top_->eval();
#if VM_TRACE
    if (trace_) trace_->file.dump(now_ * 10);
#endif
}

// Second half: handshakes happen at the rising edge, on the values that the outputs have before it.
void ArqPairSim::high() {
    ports_.sample(now_);
    if (watch_ && top_->a_phy_tvalid) watchUnit();
    if (observer_) tellObserver();
    if (top_->a_phy_tvalid) erasures_[A].beat(top_->a_phy_tlast);
    if (top_->b_phy_tvalid) erasures_[B].beat(top_->b_phy_tlast);

    top_->aclk = 1;
    top_->eval();
    if (context_->gotFinish())
        throw std::runtime_error("An invariant of the model does not hold; what it said is above.");
#if VM_TRACE
    if (trace_) trace_->file.dump(now_ * 10 + 5);
#endif
    ports_.advance(++now_);
    top_->ab_erase = erasures_[A].next();
    top_->ba_erase = erasures_[B].next();
}

// Finds units that begin a packet and are sent for the first time; byte 0 holds type (0 or 2: data) and sop, byte 5 the
// attempt.
void ArqPairSim::watchUnit() {
    constexpr size_t attemptBeat = 5 / dataBytes;
    const auto* bytes = reinterpret_cast<const uint8_t*>(&top_->a_phy_tdata);
    if (unitBeat_ == 0) {
        unitStartsPacket_ = (bytes[0] & 0x12) == 0x02;
        unitStart_ = now_;
    }
    // The unit index (byte 4) is 0 in the frame's first unit only.
    if (unitBeat_ == 4 / dataBytes && bytes[4 % dataBytes] != 0) unitStartsPacket_ = false;
    if (unitBeat_ == attemptBeat && unitStartsPacket_ && (bytes[5 % dataBytes] & 0xf0) == 0)
        firstTransmissions_.push_back(unitStart_);
    unitBeat_ = top_->a_phy_tlast ? 0 : unitBeat_ + 1;
}

void ArqPairSim::tellObserver() {
    const auto bytes = [](const auto& data) { return reinterpret_cast<const uint8_t*>(&data); };
    if (top_->a_phy_tvalid) observer_->sent(A, now_, bytes(top_->a_phy_tdata), top_->a_phy_tlast);
    if (top_->b_phy_tvalid) observer_->sent(B, now_, bytes(top_->b_phy_tdata), top_->b_phy_tlast);
    if (top_->ab_tap_tvalid)
        observer_->arrived(A, now_, bytes(top_->ab_tap_tdata), top_->ab_tap_tlast, top_->ab_tap_tuser);
    if (top_->ba_tap_tvalid)
        observer_->arrived(B, now_, bytes(top_->ba_tap_tdata), top_->ba_tap_tlast, top_->ba_tap_tuser);
}

void ArqPairSim::write(uint32_t address, uint32_t value) {
    top_->s_axil_awaddr = address;
    top_->s_axil_wdata = value;
    top_->s_axil_awvalid = top_->s_axil_wvalid = 1;
    for (unsigned i = 0; i < accessClocks; ++i) {
        low();
        const bool address_taken = top_->s_axil_awvalid && top_->s_axil_awready;
        const bool data_taken = top_->s_axil_wvalid && top_->s_axil_wready;
        const bool answered = top_->s_axil_bvalid;
        const unsigned response = top_->s_axil_bresp;
        high();
        if (address_taken) top_->s_axil_awvalid = 0;
        if (data_taken) top_->s_axil_wvalid = 0;
        if (answered) {
            if (response) throw AccessError("The write to register " + hex(address) + " was refused.");
            return;
        }
    }
    throw AccessError("The write to register " + hex(address) + " was not answered.");
}

uint32_t ArqPairSim::read(uint32_t address) {
    top_->s_axil_araddr = address;
    top_->s_axil_arvalid = 1;
    for (unsigned i = 0; i < accessClocks; ++i) {
        low();
        const bool taken = top_->s_axil_arvalid && top_->s_axil_arready;
        const bool answered = top_->s_axil_rvalid;
        const uint32_t value = top_->s_axil_rdata;
        const unsigned response = top_->s_axil_rresp;
        high();
        if (taken) top_->s_axil_arvalid = 0;
        if (answered) {
            if (response) throw AccessError("The read of register " + hex(address) + " was refused.");
            return value;
        }
    }
    throw AccessError("The read of register " + hex(address) + " was not answered.");
}

}  // namespace arqlink
