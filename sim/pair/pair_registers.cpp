// SPDX-License-Identifier: Apache-2.0
#include "pair_registers.h"

namespace arqlink {

void PairRegisters::snapshot(const char* end) {
    const uint32_t address = job_.reg(std::string(end) + ".COUNTERS");
    pair_.write(address, 1);
    while (pair_.read(address) & 4) pair_.run(16);
}

uint64_t PairRegisters::counter(const std::string& name) {
    const uint32_t address = job_.counter(name);
    const uint64_t low = pair_.read(address);
    return low | uint64_t(pair_.read(address + 4)) << 32;
}

std::string PairRegisters::all() {
    std::string text = "{";
    const auto add = [&](const std::string& name, uint64_t value) {
        text += (text.size() > 1 ? ", \"" : "\"") + name + "\": " + std::to_string(value);
    };
    for (const auto& [name, address] : job_.registers) add(name, pair_.read(address));
    for (const auto& [name, address] : job_.counters) add(name, counter(name));
    return text + "}";
}

}  // namespace arqlink
