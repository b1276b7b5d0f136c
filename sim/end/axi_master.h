// SPDX-License-Identifier: Apache-2.0
// Register accesses of one end, one after the other while the clocks go on. An access that a reset cuts begins anew.
#pragma once

#include <cstdint>
#include <cstdio>
#include <deque>
#include <functional>
#include <stdexcept>
#include <string>

#include "link_end.h"

namespace verilated_end {

/// An access was answered with an error, or not at all.
struct AccessError : std::runtime_error {
    AccessError(uint32_t address, const char* what) : std::runtime_error(text(address, what)) {}

  private:
    static std::string text(uint32_t address, const char* what) {
        char line[80];
        std::snprintf(line, sizeof line, "register 0x%03x %s", address, what);
        return line;
    }
};

class AxiMaster {
  public:
    using Answer = std::function<void(uint32_t)>;

    using Refusal = std::function<void()>;

    /// Without `refused`, an access that is answered with an error throws AccessError.
    void write(uint32_t address, uint32_t value, Answer done = {}, Refusal refused = {}) {
        queue_.push_back({true, address, value, std::move(done), std::move(refused)});
    }
    void read(uint32_t address, Answer answer, Refusal refused = {}) {
        queue_.push_back({false, address, 0, std::move(answer), std::move(refused)});
    }
    bool idle() const { return queue_.empty(); }
    void clear() {
        queue_.clear();
        begin();
    }

    void drive(EndIn& in) {
        in.awvalid = in.wvalid = in.arvalid = false;
        if (!in.resetn) begin();
        if (!in.resetn || queue_.empty()) return;
        const Access& a = queue_.front();
        in.awvalid = a.write && !addressTaken_;
        in.wvalid = a.write && !dataTaken_;
        in.arvalid = !a.write && !addressTaken_;
        in.awaddr = in.araddr = a.address;
        in.wdata = a.value;
    }

    void note(const EndIn& in, const EndOut& out) {
        if (!in.resetn || queue_.empty()) return;
        const Access& a = queue_.front();
        addressTaken_ |= (in.awvalid && out.awready) || (in.arvalid && out.arready);
        dataTaken_ |= in.wvalid && out.wready;
        if (++clocks_ > 2000) throw AccessError(a.address, "did not answer");
        if (!(a.write ? out.bvalid : out.rvalid)) return;
        const bool isRefused = a.write ? out.bresp : out.rresp;
        if (isRefused && !a.refused) throw AccessError(a.address, "refused the access");
        const Access ended = std::move(queue_.front());
        queue_.pop_front();
        begin();
        if (isRefused)
            ended.refused();
        else if (ended.done)
            ended.done(out.rdata);
    }

  private:
    struct Access {
        bool write;
        uint32_t address, value;
        Answer done;
        Refusal refused;
    };
    void begin() {
        addressTaken_ = dataTaken_ = false;
        clocks_ = 0;
    }
    std::deque<Access> queue_;
    bool addressTaken_ = false, dataTaken_ = false;
    unsigned clocks_ = 0;
};

}  // namespace verilated_end
