// SPDX-License-Identifier: Apache-2.0
#include "arq_pair_sim.h"

#include <cstdio>
#include <cstring>

#include "VArqPair.h"

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

const size_t ArqPairSim::dataBytes = PacketPorts<VArqPair>::dataBytes;

struct ArqPairSim::Model {
    VerilatedContext context;
    VArqPair top{&context};
    PacketPorts<VArqPair> ports{top};
};

struct ArqPairSim::Trace {
#if VM_TRACE
    VerilatedFstC file;
    ~Trace() { file.close(); }
#endif
};

ArqPairSim::ArqPairSim(const std::string& waves) : model_(std::make_unique<Model>()) {
    VArqPair& top = model_->top;
    if (!waves.empty()) {
#if VM_TRACE
        model_->context.traceEverOn(true);
        trace_ = std::make_unique<Trace>();
        top.trace(&trace_->file, 99);
        trace_->file.open(waves.c_str());
#else
        throw std::runtime_error("This program was built without tracing; waves need the build that has it.");
#endif
    }
    // The first evaluation has to be with the clock low.
    top.aclk = 0;
    top.aresetn = 0;
    top.s_axil_awvalid = top.s_axil_wvalid = top.s_axil_arvalid = 0;
    top.s_axil_awprot = top.s_axil_arprot = 0;
    top.s_axil_wstrb = 0xf;
    top.s_axil_bready = top.s_axil_rready = 1;
    top.ab_erase = top.ba_erase = 0;
    top.eval();
}

ArqPairSim::~ArqPairSim() { model_->top.final(); }

void ArqPairSim::run(uint64_t clocks) {
    for (uint64_t i = 0; i < clocks; ++i) {
        low();
        high();
    }
}

void ArqPairSim::send(End end, OutgoingPacket packet) { model_->ports.send(end, std::move(packet)); }
size_t ArqPairSim::pending(End end) const { return model_->ports.pending(end); }
size_t ArqPairSim::offered(End end) const { return model_->ports.offered(end, now_); }
const std::vector<uint64_t>& ArqPairSim::accepted(End end) const { return model_->ports.accepted(end); }
void ArqPairSim::setReady(End end, bool ready) { model_->ports.setReady(end, ready); }
std::deque<DeliveredPacket>& ArqPairSim::delivered(End end) { return model_->ports.delivered(end); }

void ArqPairSim::leaveFiles() {
    observer_ = nullptr;
    static_cast<void>(trace_.release());
}

void ArqPairSim::reset(unsigned clocks) {
    VArqPair& top = model_->top;
    top.aresetn = 0;
    for (unsigned i = 0; i < clocks; ++i) clock();
    top.aresetn = 1;
}

// First half of a clock: inputs that were set after the last rising edge take effect, outputs become valid.
void ArqPairSim::low() {
    VArqPair& top = model_->top;
    top.aclk = 0;
    top.eval();
#if VM_TRACE
    if (trace_) trace_->file.dump(now_ * 10);
#endif
}

// Second half: handshakes happen at the rising edge, on the values that the outputs have before it.
void ArqPairSim::high() {
    VArqPair& top = model_->top;
    model_->ports.sample(now_);
    if (watch_ && top.a_phy_tvalid) watchUnit();
    if (observer_) tellObserver();
    if (top.a_phy_tvalid) erasures_[A].beat(top.a_phy_tlast);
    if (top.b_phy_tvalid) erasures_[B].beat(top.b_phy_tlast);

    top.aclk = 1;
    top.eval();
    if (model_->context.gotFinish())
        throw std::runtime_error("An invariant of the model does not hold; what it said is above.");
#if VM_TRACE
    if (trace_) trace_->file.dump(now_ * 10 + 5);
#endif
    model_->ports.advance(++now_);
    top.ab_erase = erasures_[A].next();
    top.ba_erase = erasures_[B].next();
}

// Finds units that begin a packet and are sent for the first time: of frames whose FSN is new.
void ArqPairSim::watchUnit() {
    VArqPair& top = model_->top;
    constexpr size_t fsnBeat = 9 / dataBytes;
    if (unitBeat_ <= fsnBeat) std::memcpy(header_ + unitBeat_ * dataBytes, &top.a_phy_tdata, dataBytes);
    if (unitBeat_ == 0) unitStart_ = now_;
    if (unitBeat_ == fsnBeat) {
        const uint8_t* b = header_;
        const bool isControl = (b[0] >> 4 & 3) == 1, isHello = isControl && (b[2] & 1), startsPacket = b[5] & 0x20;
        const int fsn = b[7] << 12 | b[8] << 4 | b[9] >> 4;
        if (isHello) nextFsn_ = anyFsn;  // numbers begin anew
        if (!isControl && (nextFsn_ == anyFsn || fsn == nextFsn_)) {
            nextFsn_ = (fsn + 1) & 0xfffff;
            if (startsPacket) firstTransmissions_.push_back(unitStart_);
        }
    }
    unitBeat_ = top.a_phy_tlast ? 0 : unitBeat_ + 1;
}

void ArqPairSim::tellObserver() {
    VArqPair& top = model_->top;
    const auto bytes = [](const auto& data) { return reinterpret_cast<const uint8_t*>(&data); };
    if (top.a_phy_tvalid) observer_->sent(A, now_, bytes(top.a_phy_tdata), top.a_phy_tlast);
    if (top.b_phy_tvalid) observer_->sent(B, now_, bytes(top.b_phy_tdata), top.b_phy_tlast);
    if (top.ab_tap_tvalid) observer_->arrived(A, now_, bytes(top.ab_tap_tdata), top.ab_tap_tlast, top.ab_tap_tuser);
    if (top.ba_tap_tvalid) observer_->arrived(B, now_, bytes(top.ba_tap_tdata), top.ba_tap_tlast, top.ba_tap_tuser);
}

void ArqPairSim::write(uint32_t address, uint32_t value) {
    VArqPair& top = model_->top;
    top.s_axil_awaddr = address;
    top.s_axil_wdata = value;
    top.s_axil_awvalid = top.s_axil_wvalid = 1;
    for (unsigned i = 0; i < accessClocks; ++i) {
        low();
        const bool address_taken = top.s_axil_awvalid && top.s_axil_awready;
        const bool data_taken = top.s_axil_wvalid && top.s_axil_wready;
        const bool answered = top.s_axil_bvalid;
        const unsigned response = top.s_axil_bresp;
        high();
        if (address_taken) top.s_axil_awvalid = 0;
        if (data_taken) top.s_axil_wvalid = 0;
        if (answered) {
            if (response) throw AccessError("The write to register " + hex(address) + " was refused.");
            return;
        }
    }
    throw AccessError("The write to register " + hex(address) + " was not answered.");
}

uint32_t ArqPairSim::read(uint32_t address) {
    VArqPair& top = model_->top;
    top.s_axil_araddr = address;
    top.s_axil_arvalid = 1;
    for (unsigned i = 0; i < accessClocks; ++i) {
        low();
        const bool taken = top.s_axil_arvalid && top.s_axil_arready;
        const bool answered = top.s_axil_rvalid;
        const uint32_t value = top.s_axil_rdata;
        const unsigned response = top.s_axil_rresp;
        high();
        if (taken) top.s_axil_arvalid = 0;
        if (answered) {
            if (response) throw AccessError("The read of register " + hex(address) + " was refused.");
            return value;
        }
    }
    throw AccessError("The read of register " + hex(address) + " was not answered.");
}

}  // namespace arqlink
