// SPDX-License-Identifier: Apache-2.0
// Link ends without a link: they answer registers, pass on packets and say units as a test wants, to show what a run detects.
#pragma once

#include <deque>
#include <map>
#include <utility>

#include "arqlink_regs.h"
#include "ends.h"
#include "wire.h"

namespace campaign {

/// What both ends of a fake link share.
struct FakeLink {
    static constexpr unsigned dataBytes = 4;
    uint32_t state = 3;
    bool takesPackets = true, takesUnits = true, answers = true;
    bool carries = false;  ///< packets come out at the other end
    unsigned loses = 0;    ///< so many packets do not
    const char* stopped = nullptr;
    std::map<uint32_t, uint32_t> registers[2];       ///< by offset; all others are 0
    std::deque<Beat> out[2];                         ///< m_axis of each end
    std::deque<std::pair<uint64_t, Bytes>> says[2];  ///< units to the PHY, and the clock from which on each may leave
};

class FakeEnd : public LinkEnd {
  public:
    FakeEnd(FakeLink& link, unsigned end) : link_(link), end_(end) {}
    unsigned dataBytes() const override { return FakeLink::dataBytes; }
    const char* stopped() const override { return link_.stopped; }

    void clock(const EndIn& in, EndOut& out) override {
        out = EndOut{};
        ++clock_;
        out.phyReady = link_.takesUnits;
        if (!in.resetn) return;
        access(in, out);
        takePackets(in, out);
        if (!link_.out[end_].empty()) {
            out.packet = link_.out[end_].front();
            if (in.packetOutReady) link_.out[end_].pop_front();
        }
        sayUnits(in, out);
    }

  private:
    void access(const EndIn& in, EndOut& out) {
        out.awready = out.wready = out.arready = true;
        out.bvalid = in.awvalid && in.wvalid;
        out.rvalid = in.arvalid;
        out.bresp = out.rresp = link_.answers ? 0 : 2;
        const auto found = link_.registers[end_].find(in.araddr);
        if (in.araddr == ARQLINK_STATUS_OFFSET)
            out.rdata = link_.state;
        else if (found != link_.registers[end_].end())
            out.rdata = found->second;
    }

    void takePackets(const EndIn& in, EndOut& out) {
        out.packetReady = link_.takesPackets;
        if (!in.packet.valid || !out.packetReady) return;
        packet_.push_back(in.packet);
        if (!in.packet.last) return;
        const bool lost = !link_.carries || link_.loses;
        if (link_.loses) --link_.loses;
        if (!lost) link_.out[1 - end_].insert(link_.out[1 - end_].end(), packet_.begin(), packet_.end());
        packet_.clear();
    }

    void sayUnits(const EndIn& in, EndOut& out) {
        auto& says = link_.says[end_];
        if (says.empty() || clock_ < says.front().first) return;
        const Bytes& unit = says.front().second;
        out.phy.valid = true;
        for (unsigned i = 0; i < FakeLink::dataBytes; ++i) out.phy.data[i] = unit[offset_ + i];
        out.phy.last = offset_ + FakeLink::dataBytes == unit.size();
        if (!in.phyOutReady) return;
        offset_ += FakeLink::dataBytes;
        if (out.phy.last) offset_ = 0, says.pop_front();
    }

    FakeLink& link_;
    unsigned end_;
    uint64_t clock_ = 0;
    size_t offset_ = 0;
    std::deque<Beat> packet_;
};

}  // namespace campaign
