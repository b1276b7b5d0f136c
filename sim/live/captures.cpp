// SPDX-License-Identifier: Apache-2.0
#include "captures.h"

#include <chrono>
#include <cmath>

namespace arqlink::live {

namespace {

constexpr uint16_t linkTypeEthernet = 1;

}  // namespace

Captures::Captures(const CaptureFiles& files, double clockHz) : clockHz_(clockHz) {
    if (!files.phy.empty()) units_ = std::make_unique<wire::UnitCapture>(files.phy);
    for (const End end : {A, B}) {
        if (files.taps[end].empty()) continue;
        taps_[end] = std::make_unique<wire::PcapngWriter>(files.taps[end], "arqlink live");
        taps_[end]->addInterface(linkTypeEthernet, end == A ? "a" : "b", "TAP device of the namespace");
    }
}

void Captures::begin(Clock now) {
    const double seconds = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
    start_ = seconds - static_cast<double>(now) / clockHz_;
}

uint64_t Captures::nanoseconds(Clock clock) const {
    return static_cast<uint64_t>(std::llround(start_ * 1e6)) * 1000 +
           static_cast<uint64_t>(static_cast<double>(clock) * 1e9 / clockHz_);
}

void Captures::writeUnits(Clock until) {
    for (;;) {
        const auto startOf = [this](End end) { return waiting_[end].empty() ? never : waiting_[end].front().start; };
        const End from = startOf(A) <= startOf(B) ? A : B;
        if (startOf(from) >= until) return;
        const Unit& unit = waiting_[from].front();
        units_->unit(from == A ? wire::Way::aToB : wire::Way::bToA, nanoseconds(unit.start), unit.bytes.data(),
                     unit.bytes.size(), unit.isErased ? wire::Fate::erased : wire::Fate::arrived);
        waiting_[from].pop_front();
    }
}

void Captures::frame(End end, bool fromSystem, const std::vector<uint8_t>& bytes, Clock now) {
    if (!taps_[end]) return;
    taps_[end]->packet(0, nanoseconds(now), bytes.data(), bytes.size(), fromSystem ? wire::outbound : wire::inbound);
}

void Captures::flush() {
    if (units_) units_->flush();
    for (const auto& tap : taps_)
        if (tap) tap->flush();
}

}  // namespace arqlink::live
