// SPDX-License-Identifier: Apache-2.0
// Sends packets both ways over a lossy pair of links, checks that they arrive, and says so. The FuseSoC target `sim`
// runs it; it needs nothing but the Verilated pair.

#include <cstdio>
#include <random>

#include "arq_pair_sim.h"
#include "arqlink_regs.h"

using namespace arqlink;

namespace {

constexpr uint32_t linkBase[] = {0x0000, 0x1000};
constexpr uint32_t channelBase[] = {0x2000, 0x3000};
constexpr unsigned packetCount = 50;
constexpr uint32_t erased = 0x08000000;  // 1/32 of the units
constexpr uint64_t limit = 3'000'000;

bool isUp(ArqPairSim& pair, uint32_t base) {
    return (pair.read(base + ARQLINK_STATUS_OFFSET) & ARQLINK_STATUS_STATE_MASK) == 3;
}

void runUntil(ArqPairSim& pair, bool (*done)(ArqPairSim&), const char* what) {
    while (!done(pair)) {
        if (pair.now() > limit) throw std::runtime_error(std::string("Timeout: ") + what + ".");
        pair.run(200);
    }
}

}  // namespace

int main() {
    try {
        ArqPairSim pair;
        pair.reset();
        for (uint32_t base : channelBase) {
            pair.write(base + ARQCHAN_DELAY_OFFSET, 1000);
            pair.write(base + ARQCHAN_P_GOOD_OFFSET, erased);
            pair.write(base + ARQCHAN_CTRL_OFFSET, ARQCHAN_CTRL_ENABLE_MASK);
        }
        for (uint32_t base : linkBase) pair.write(base + ARQLINK_POLL_TIMEOUT_OFFSET, 8000);
        runUntil(
            pair, [](ArqPairSim& p) { return isUp(p, linkBase[0]) && isUp(p, linkBase[1]); },
            "the link did not come up");

        std::mt19937 random(1);
        std::vector<OutgoingPacket> sent[2];
        for (unsigned i = 0; i < packetCount; ++i)
            for (auto end : {ArqPairSim::A, ArqPairSim::B}) {
                OutgoingPacket packet;
                packet.bytes.resize(1 + random() % 2000);
                for (auto& byte : packet.bytes) byte = random();
                sent[end].push_back(packet);
                pair.send(end, std::move(packet));
            }
        runUntil(
            pair,
            [](ArqPairSim& p) {
                return p.delivered(ArqPairSim::A).size() >= packetCount &&
                       p.delivered(ArqPairSim::B).size() >= packetCount;
            },
            "not all packets arrived");
        for (unsigned i = 0; i < packetCount; ++i)
            if (pair.delivered(ArqPairSim::B)[i].bytes != sent[ArqPairSim::A][i].bytes ||
                pair.delivered(ArqPairSim::A)[i].bytes != sent[ArqPairSim::B][i].bytes)
                throw std::runtime_error("A packet arrived changed, or not in its place.");
        std::printf("%u packets each way arrived in order, in %llu clocks.\n", packetCount,
                    static_cast<unsigned long long>(pair.now()));
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
    return 0;
}
