// SPDX-License-Identifier: Apache-2.0
// Writes captures in the format pcapng (draft-ietf-opsawg-pcapng): one section, interfaces, packets with times in ns.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace arqlink::wire {

/// Bits of a packet's flags (epb_flags).
enum PacketFlags : uint32_t { inbound = 1, outbound = 2, crcError = 1u << 24 };

/// A capture on its way into a file or a named pipe.
///
/// Blocks are collected and written whole: at 64 KiB, at the first packet 0.2 s after the last write, and by flush(). So a
/// program that is killed leaves a file that can be read, without the packets of its last moment. All calls throw
/// std::runtime_error, with a sentence, where the file cannot be written.
class PcapngWriter {
  public:
    /// Replaces the file. A named pipe is waited for until it has a reader. `application` names the program that writes.
    PcapngWriter(const std::string& path, std::string_view application);
    /// Writes what is left; errors are not told here, so call close() first.
    ~PcapngWriter();
    PcapngWriter(const PcapngWriter&) = delete;
    PcapngWriter& operator=(const PcapngWriter&) = delete;

    /// Describes an interface; returns its number. `linkType` is a LINKTYPE_ number of tcpdump.org.
    uint32_t addInterface(uint16_t linkType, std::string_view name, std::string_view description);

    /// Adds a packet; `nanoseconds` count from 1970. `comment` may be empty.
    void packet(uint32_t interface, uint64_t nanoseconds, const uint8_t* bytes, size_t length, uint32_t flags,
                std::string_view comment = {});

    void flush();
    void close();

  private:
    void begin(uint32_t type);
    void end();
    void put(const void* bytes, size_t length);
    template <typename T>
    void put(T value) {
        put(&value, sizeof value);
    }
    void pad();
    void option(uint16_t code, std::string_view value);
    [[noreturn]] void fail() const;

    using Time = std::chrono::steady_clock;

    const std::string path_;
    int file_ = -1;
    std::vector<uint8_t> buffer_;
    size_t block_ = 0;
    uint32_t interfaces_ = 0;
    Time::time_point written_ = Time::now();
};

}  // namespace arqlink::wire
