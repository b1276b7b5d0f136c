// SPDX-License-Identifier: Apache-2.0
#include "pcapng.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace arqlink::wire {

namespace {

constexpr size_t enough = 64 << 10;  // bytes that are written at once
constexpr std::chrono::milliseconds longest(200);

// Types of blocks, and codes of options. Numbers have the byte order of this machine, which the section's first one shows.
enum : uint32_t { section = 0x0A0D0D0A, byteOrder = 0x1A2B3C4D, interfaceDescription = 1, enhancedPacket = 6 };
enum : uint16_t {
    endOfOptions = 0,
    comment_ = 1,
    ifName = 2,
    packetFlags = 2,
    ifDescription = 3,
    shbUserAppl = 4,
    ifTsresol = 9
};
constexpr char nanosecond[] = {9};  // 10^-9 s

}  // namespace

PcapngWriter::PcapngWriter(const std::string& path, std::string_view application) : path_(path) {
    file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file_ < 0) fail();
    buffer_.reserve(2 * enough);
    begin(section);
    put<uint32_t>(byteOrder);
    put<uint16_t>(1);  // version 1.0
    put<uint16_t>(0);
    put<int64_t>(-1);  // the length of the section is not told
    option(shbUserAppl, application);
    option(endOfOptions, {});
    end();
}

PcapngWriter::~PcapngWriter() {
    try {
        close();
    } catch (const std::exception&) {
    }
}

uint32_t PcapngWriter::addInterface(uint16_t linkType, std::string_view name, std::string_view description) {
    begin(interfaceDescription);
    put<uint16_t>(linkType);
    put<uint16_t>(0);
    put<uint32_t>(0);  // packets are never cut
    option(ifName, name);
    option(ifDescription, description);
    option(ifTsresol, {nanosecond, sizeof nanosecond});
    option(endOfOptions, {});
    end();
    return interfaces_++;
}

void PcapngWriter::packet(uint32_t interface, uint64_t nanoseconds, const uint8_t* bytes, size_t length, uint32_t flags,
                          std::string_view comment) {
    begin(enhancedPacket);
    put<uint32_t>(interface);
    put<uint32_t>(nanoseconds >> 32);
    put<uint32_t>(nanoseconds);
    put<uint32_t>(length);  // captured
    put<uint32_t>(length);  // on the wire
    put(bytes, length);
    pad();
    if (!comment.empty()) option(comment_, comment);
    option(packetFlags, {reinterpret_cast<const char*>(&flags), sizeof flags});
    option(endOfOptions, {});
    end();
    if (buffer_.size() >= enough || Time::now() - written_ >= longest) flush();
}

void PcapngWriter::flush() {
    for (size_t done = 0; done < buffer_.size();) {
        const ssize_t count = ::write(file_, buffer_.data() + done, buffer_.size() - done);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) {
            buffer_.clear();  // not tried again when this is destroyed
            fail();
        }
        done += count;
    }
    buffer_.clear();
    written_ = Time::now();
}

void PcapngWriter::close() {
    if (file_ < 0) return;
    flush();
    const int result = ::close(file_);
    file_ = -1;
    if (result < 0) fail();
}

// A block is its type, its length, its body, and its length again.
void PcapngWriter::begin(uint32_t type) {
    block_ = buffer_.size();
    put(type);
    put<uint32_t>(0);
}

void PcapngWriter::end() {
    const uint32_t length = buffer_.size() - block_ + sizeof length;
    put(length);
    std::memcpy(&buffer_[block_ + sizeof(uint32_t)], &length, sizeof length);
}

void PcapngWriter::put(const void* bytes, size_t length) {
    const auto* first = static_cast<const uint8_t*>(bytes);
    buffer_.insert(buffer_.end(), first, first + length);
}

void PcapngWriter::pad() { buffer_.resize((buffer_.size() + 3) & ~size_t(3)); }

void PcapngWriter::option(uint16_t code, std::string_view value) {
    put(code);
    put<uint16_t>(value.size());
    put(value.data(), value.size());
    pad();
}

void PcapngWriter::fail() const {
    throw std::runtime_error("The capture '" + path_ + "' cannot be written: " + std::strerror(errno) + ".");
}

}  // namespace arqlink::wire
