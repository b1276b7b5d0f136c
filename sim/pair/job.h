// SPDX-License-Identifier: Apache-2.0
// What one run of `arqsim` does, and the files it reads and writes. sim/pair/README.md describes the formats.
#pragma once

#include <cstdint>
#include <istream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "arq_pair_sim.h"
#include "json_job.h"

namespace arqlink {

enum class Mode {
    send,   // packets from A to B
    stats,  // what the traffic generator at A makes
};

struct Job {
    Mode mode = Mode::send;
    std::vector<std::pair<uint32_t, uint32_t>> setup;  // register writes, in order, before the links start
    std::vector<std::pair<uint32_t, uint32_t>> start;  // register writes, in order, that start the traffic
    std::map<std::string, uint32_t> registers;         // 32-bit registers by name
    std::map<std::string, uint32_t> counters;          // 64-bit counters by name
    job::FileName packets, deliveries, waves;
    job::FileName traces[2];          // erasures of the way from A, and from B
    job::FileName phyCapture;         // of the units on the PHYs
    double clockHz = 0;               // clocks of a simulated second, for the times of that
    double reportSeconds = 0;         // seconds of real time between two reports; 0: none
    uint64_t frames = 0;              // frames that will be sent for the first time
    uint64_t window = 0;              // first transmissions before the measuring window opens
    uint64_t checkClocks = 10000;     // clocks between two looks at the counters
    uint64_t idleClocks = 1000000;    // clocks without any progress after which to stop
    uint64_t maxClocks = UINT64_MAX;  // clocks after which to stop in any case

    uint32_t reg(const std::string& name) const;
    uint32_t counter(const std::string& name) const;
};

/// Throws std::invalid_argument where the text is not such a job.
Job readJob(std::istream& in);

/// Reads a packet file: the packets one after the other (packet_format.h). Their clocks count from the start of the
/// traffic, `origin`.
std::vector<OutgoingPacket> readPackets(const std::string& path, uint64_t origin);

/// Reads a trace of erasures: a byte for each unit, 1 if it is erased, else 0.
std::vector<uint8_t> readTrace(const std::string& path);

/// Delivery file: "ARQD", number of accepted packets (8 bytes), for each the clock of its last beat in and that of its
/// first unit out (8 each; all ones: never); then the delivered packets one after the other (packet_format.h).
void writeDeliveries(const std::string& path, const ArqPairSim& pair, const std::vector<DeliveredPacket>& packets);

}  // namespace arqlink
