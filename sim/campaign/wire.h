// SPDX-License-Identifier: Apache-2.0
// Units on the wire, as docs/architecture.md lays them out, in both directions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sequence.h"

namespace campaign {

using Bytes = std::vector<uint8_t>;

using verilated_end::snCount;
using verilated_end::unwrap;
constexpr uint8_t version = 3;
constexpr unsigned headerBytes = 12, crcBytes = 4, controlBytes = 32;

struct DataUnit {
    uint8_t epoch = 0, k = 0, n = 0, index = 0, preset = 0, link = 0;
    bool sop = false, eop = false;
    bool odd = false;                        ///< so is the attempt
    bool lastTry = false, allBelow = false;  ///< type 2; with both of them type 3
    uint16_t pad = 0;
    uint32_t fsn = 0, tsn = 0;
    Bytes payload;
    /// Counts FSN and TSN from a number that lies `by` lower.
    void raise(uint32_t by);
};

struct ControlUnit {
    uint8_t epoch = 0, peerEpoch = 0, link = 0;
    bool hello = false, peerKnown = false, poll = false, reply = false, deaf = false, abandons = false;
    bool packetCrc = false;  // of a hello
    uint8_t windowLog2 = 0;  // of a hello
    uint16_t unitBytes = 0;  // of a hello
    uint32_t ackTsn = 0;     // of all others
    uint32_t txBase = 0, txEdge = 0, rxBase = 0, rxNext = 0, bitmapBase = 0;
    uint64_t bitmap = 0;  // bit i: TSN bitmapBase + i
    void raise(uint32_t by);
};

/// What a receiver has to make of a unit; all but the first two are counters of their own. `link`: it is of another link.
enum class Verdict { data, control, flag, link, length, crc, header };

struct Unit {
    Verdict verdict = Verdict::length;
    DataUnit data;
    ControlUnit control;
    bool isData() const { return verdict == Verdict::data; }
    bool isControl() const { return verdict == Verdict::control; }
    uint8_t epoch() const { return isData() ? data.epoch : control.epoch; }
};

/// Limits of a receiver's build; a unit beyond them has a bad header for it. FSN and TSN begin with `firstSn`: what is read counts from there.
struct WireLimits {
    unsigned unitBytes = 0, maxK = 128, maxParity = 255;
    uint32_t firstSn = 0;
    uint8_t link = 0;
};

uint32_t crc32(const uint8_t* bytes, size_t count);
Unit parse(const Bytes& raw, const WireLimits& limits, bool flagged = false);
Bytes build(const DataUnit& unit);
Bytes build(const ControlUnit& unit);

}  // namespace campaign
