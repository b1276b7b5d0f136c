// SPDX-License-Identifier: Apache-2.0
// A capture of the units of a link, both ways, for Wireshark. docs/wireshark.md describes the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "pcapng.h"

namespace arqlink::wire {

enum class Way : uint8_t { aToB = 0, bToA = 1 };

/// What became of a unit. `unknown`: it was under way when the capture ended, or the place of the capture does not show it.
enum class Fate : uint8_t { unknown = 0, arrived = 1, erased = 2 };

/// A unit's pseudo header: version, way, fate, and a zero.
constexpr uint8_t pseudoHeaderVersion = 1;
constexpr size_t pseudoHeaderBytes = 4;
constexpr uint16_t linkTypeUser0 = 147;  ///< a unit with its pseudo header
constexpr uint16_t linkTypeUser1 = 148;  ///< a unit alone, which the dissector takes too

class UnitCapture {
  public:
    /// Creates the file: an interface for each way. Throws as PcapngWriter does.
    explicit UnitCapture(const std::string& path);

    /// Adds a unit as it is on the PHY: header, payload and CRC. `nanoseconds` is when its first byte was sent; units are
    /// added in the order of that.
    void unit(Way way, uint64_t nanoseconds, const uint8_t* bytes, size_t length, Fate fate);

    void flush() { file_.flush(); }
    void close() { file_.close(); }

  private:
    PcapngWriter file_;
    std::vector<uint8_t> record_;
};

}  // namespace arqlink::wire
