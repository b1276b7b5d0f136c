// SPDX-License-Identifier: Apache-2.0
// TCP segments in IP packets as they are on the wire: read, and changed with their checksums.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace arqlink::gateway {

using Bytes = std::vector<uint8_t>;

inline uint16_t read16(const Bytes& b, size_t at) { return static_cast<uint16_t>(b[at] << 8 | b[at + 1]); }
inline uint32_t read32(const Bytes& b, size_t at) {
    return static_cast<uint32_t>(read16(b, at)) << 16 | read16(b, at + 2);
}

// Bytes of headers without options, of TCP's timestamps with their padding, and TCP's protocol number.
constexpr size_t v4HeaderBytes = 20, v6HeaderBytes = 40, tcpHeaderBytes = 20, timestampsBytes = 12;
constexpr uint8_t protocolTcp = 6;
/// Of IP and TCP together.
constexpr size_t leastHeaderBytes(bool isV6) { return (isV6 ? v6HeaderBytes : v4HeaderBytes) + tcpHeaderBytes; }

namespace flag {
constexpr uint8_t fin = 0x01, syn = 0x02, rst = 0x04, psh = 0x08, ack = 0x10, urg = 0x20, ece = 0x40, cwr = 0x80;
}

/// Why a packet is none that the gateway treats. Such packets pass as they are.
enum class NotTreated {
    malformed,    ///< lengths that contradict each other, or options that do
    otherPacket,  ///< not IPv4 or IPv6 with TCP right behind the header: another protocol, IPsec, an extension header
    fragment,     ///< a fragment of an IPv4 packet
    badChecksum,  ///< of IPv4's header, or of TCP
};

/// An address and a port. IPv4's address has four bytes, the rest are 0.
struct Endpoint {
    std::array<uint8_t, 16> address{};
    uint16_t port = 0;
    bool operator==(const Endpoint&) const = default;
};

struct SackBlock {
    uint32_t begin, end;
};

/// An IP packet with a TCP segment. What is read once is kept beside the bytes; setters change both, and update checksums (RFC 1624).
class Segment {
  public:
    /// Takes `bytes`, which are one IP packet, and cuts off what lies behind it, as Ethernet's padding does; if it is none to treat, leaves
    /// them, and says why.
    static std::optional<Segment> parse(Bytes& bytes, NotTreated& why);

    const Bytes& bytes() const { return bytes_; }
    Bytes take() && { return std::move(bytes_); }

    bool isV6() const { return tcp_ > 0 && bytes_[0] >> 4 == 6; }
    Endpoint source() const { return endpoint(true); }
    Endpoint destination() const { return endpoint(false); }
    uint8_t dscp() const;

    uint32_t seq() const { return word(tcp_ + 4); }
    uint32_t ack() const { return word(tcp_ + 8); }
    uint8_t flags() const { return bytes_[tcp_ + 13]; }
    bool has(uint8_t flags) const { return (bytes_[tcp_ + 13] & flags) != 0; }
    uint16_t window() const { return half(tcp_ + 14); }
    size_t length() const { return bytes_.size() - payload_; }  ///< bytes of payload
    const uint8_t* payload() const { return bytes_.data() + payload_; }
    /// The sequence number after its data and its FIN.
    uint32_t end() const { return seq() + static_cast<uint32_t>(length()) + has(flag::fin); }
    size_t headerBytes() const { return payload_; }  ///< of IP and TCP

    // Options; what is not there, or has another length than it should, is empty.
    bool hasTimestamps() const { return timestamps_ != 0; }
    uint32_t tsValue() const { return word(timestamps_ + 2); }
    uint32_t tsEcho() const { return word(timestamps_ + 6); }
    std::optional<uint8_t> windowScale() const;
    std::optional<uint16_t> maxSegment() const;
    bool sackPermitted() const { return sackPermitted_; }
    /// An option that may bind or protect segments: authentication (RFC 2385, 5925), multipath (RFC 8684), encryption (RFC 8547), and all that is
    /// not known to do neither.
    bool isBound() const { return isBound_; }
    size_t sackBlocks() const { return sack_ ? (bytes_[sack_ + 1] - 2u) / 8 : 0; }
    SackBlock sackBlock(size_t i) const { return {word(sack_ + 2 + 8 * i), word(sack_ + 6 + 8 * i)}; }

    /// Urgent data stay where they are; if they are out of reach then, there are none.
    void setSeq(uint32_t seq);
    void setAck(uint32_t ack) { setWord(tcp_ + 8, ack); }
    void setWindow(uint16_t window) { setHalf(tcp_ + 14, window); }
    void setFlags(uint8_t flags) { setHalf(tcp_ + 12, static_cast<uint16_t>(bytes_[tcp_ + 12] << 8 | flags)); }
    void setTimestamps(uint32_t value, uint32_t echo);  ///< does nothing where there are none
    void setMaxSegment(uint16_t bytes);                 ///< the same
    /// Not ECN-capable (RFC 3168).
    void clearEcn();
    /// Replaces blocks of selective acknowledgements by padding.
    void clearSack();
    /// Cuts off the first `count` bytes of the payload.
    void trimFront(size_t count);
    /// Cuts off all but the first `count` bytes of the payload, and the FIN.
    void keepFront(size_t count);
    /// Adds the payload of `next`, which follows it in the stream, and its flags.
    void join(const Segment& next);

  private:
    bool readOptions();
    Endpoint endpoint(bool source) const;
    uint16_t half(size_t at) const { return read16(bytes_, at); }
    uint32_t word(size_t at) const { return read32(bytes_, at); }
    void put(size_t at, uint16_t value);
    void setHalf(size_t at, uint16_t value);
    void setWord(size_t at, uint32_t value);
    void changeChecksum(uint16_t before, uint16_t after);
    void changeIpLength();
    void shorten(size_t from, size_t count);

    Bytes bytes_;
    size_t tcp_ = 0, payload_ = 0;                                         // where they begin
    size_t timestamps_ = 0, sack_ = 0, windowScale_ = 0, maxSegment_ = 0;  // where the options begin; 0: not there
    bool sackPermitted_ = false, isBound_ = false;
};

/// What a segment is made of.
struct Header {
    bool isV6 = false;
    uint8_t trafficClass = 0;
    Endpoint source, destination;
    uint32_t seq = 0, ack = 0;
    uint8_t flags = 0;
    uint16_t window = 0;
    struct Timestamps {
        uint32_t value, echo;
    };
    std::optional<Timestamps> timestamps;
    std::vector<SackBlock> sack;  ///< three at most beside timestamps, four without
    Bytes more;                   ///< further options, a multiple of four bytes
    size_t payload = 0;           ///< bytes of zeros
};

/// The packet: hop limit 64, no IP options, IPv4's identification 0 with "don't fragment" (RFC 6864).
Bytes makeSegment(const Header& header);

}  // namespace arqlink::gateway
