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

std::map<std::string, uint64_t> PairRegisters::all() {
    std::map<std::string, uint64_t> values;
    for (const auto& [name, address] : job_.registers) values[name] = pair_.read(address);
    for (const auto& [name, address] : job_.counters) values[name] = counter(name);
    return values;
}

}  // namespace arqlink
