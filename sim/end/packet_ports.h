// SPDX-License-Identifier: Apache-2.0
// Packet sources and sinks at both ends of a Verilated top that has the packet ports of `ArqPair`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <stdexcept>
#include <utility>
#include <vector>

namespace arqlink {

/// A packet on its way in. It is offered from clock `notBefore` on.
struct OutgoingPacket {
    std::vector<uint8_t> bytes;
    uint64_t notBefore = 0;
    bool abort = false;  ///< sets tuser in the last beat
};

/// A packet that left the link; `begin` and `clock` are those of its first and last beat.
struct DeliveredPacket {
    std::vector<uint8_t> bytes;
    uint64_t begin = 0;
    uint64_t clock = 0;
    bool aborted = false;  ///< tuser was set in the last beat
};

enum End { A = 0, B = 1 };

/// The packet streams of `Top`: `a_s_axis_*`, `a_m_axis_*`, `b_s_axis_*`, `b_m_axis_*`. The owner calls `sample` right
/// before each rising edge, when the outputs are valid, and `advance` right after it.
template <class Top>
class PacketPorts {
  public:
    /// Width of the streams in bytes. Verilator's types have exactly the size of the port.
    static constexpr size_t dataBytes = sizeof(Top::a_s_axis_tdata);
    static_assert(dataBytes == 1 || dataBytes == 2 || dataBytes == 4 || dataBytes == 8 || dataBytes == 16);

    explicit PacketPorts(Top& top) : top_(top) {
        top_.a_s_axis_tvalid = top_.b_s_axis_tvalid = 0;
        top_.a_m_axis_tready = top_.b_m_axis_tready = 1;
    }

    /// Queues a packet. It must have at least one byte, for a stream has no beats without bytes.
    void send(End end, OutgoingPacket packet) {
        if (packet.bytes.empty()) throw std::invalid_argument("A packet must have at least one byte.");
        source_[end].queue.push_back(std::move(packet));
    }
    /// Packets queued or on their way into the end.
    size_t pending(End end) const { return source_[end].queue.size(); }
    /// Those of them whose time has come by clock `now`, if they are queued in the order of their times.
    size_t offered(End end, uint64_t now) const {
        const auto& queue = source_[end].queue;
        const auto isOffered = [now](const OutgoingPacket& packet) { return packet.notBefore <= now; };
        return size_t(std::partition_point(queue.begin(), queue.end(), isOffered) - queue.begin());
    }
    /// Clock of the last beat of each packet that the end took, in order.
    const std::vector<uint64_t>& accepted(End end) const { return source_[end].accepted; }

    /// Whether the end's sink takes beats; it does from the start.
    void setReady(End end, bool ready) {
        sink_[end].ready = ready;
        (end == A ? top_.a_m_axis_tready : top_.b_m_axis_tready) = ready;
    }
    /// Packets delivered at an end, oldest first; the caller takes them out.
    std::deque<DeliveredPacket>& delivered(End end) { return sink_[end].packets; }

    /// Notes the handshakes of clock `now`, on the values that the ports have before its rising edge.
    void sample(uint64_t now) {
        source_[A].took = source_[A].offering && top_.a_s_axis_tready;
        source_[B].took = source_[B].offering && top_.b_s_axis_tready;
        if (top_.a_m_axis_tvalid) collect<A>(now);
        if (top_.b_m_axis_tvalid) collect<B>(now);
    }

    /// Offers the next beats; `now` is the clock that begins.
    void advance(uint64_t now) {
        if (source_[A].took || (!source_[A].offering && !source_[A].queue.empty())) offer<A>(now);
        if (source_[B].took || (!source_[B].offering && !source_[B].queue.empty())) offer<B>(now);
    }

  private:
    struct Source {
        std::deque<OutgoingPacket> queue;
        size_t offset = 0;
        bool offering = false;
        bool took = false;
        std::vector<uint64_t> accepted;
    };
    struct Sink {
        std::deque<DeliveredPacket> packets;
        std::vector<uint8_t> current;
        uint64_t begin = 0;
        bool ready = true;
    };

    // Takes back the beat that was accepted, if any, and offers the next one if its time has come.
    template <End end>
    void offer(uint64_t now) {
        auto& data = end == A ? top_.a_s_axis_tdata : top_.b_s_axis_tdata;
        auto& keep = end == A ? top_.a_s_axis_tkeep : top_.b_s_axis_tkeep;
        auto& last = end == A ? top_.a_s_axis_tlast : top_.b_s_axis_tlast;
        auto& user = end == A ? top_.a_s_axis_tuser : top_.b_s_axis_tuser;
        auto& valid = end == A ? top_.a_s_axis_tvalid : top_.b_s_axis_tvalid;

        Source& s = source_[end];
        if (s.offering) {
            s.offset += dataBytes;
            if (s.offset >= s.queue.front().bytes.size()) {
                s.accepted.push_back(now - 1);
                s.queue.pop_front();
                s.offset = 0;
            }
        }
        s.offering = !s.queue.empty() && (s.offset != 0 || s.queue.front().notBefore <= now);
        valid = s.offering;
        if (!s.offering) return;
        const OutgoingPacket& packet = s.queue.front();
        const size_t count = std::min(dataBytes, packet.bytes.size() - s.offset);
        std::memset(&data, 0, dataBytes);
        std::memcpy(&data, packet.bytes.data() + s.offset, count);
        keep = (1u << count) - 1;
        last = s.offset + count == packet.bytes.size();
        user = last && packet.abort;
    }

    template <End end>
    void collect(uint64_t now) {
        Sink& s = sink_[end];
        if (!s.ready) return;
        const auto& data = end == A ? top_.a_m_axis_tdata : top_.b_m_axis_tdata;
        const unsigned keep = end == A ? top_.a_m_axis_tkeep : top_.b_m_axis_tkeep;
        const bool last = end == A ? top_.a_m_axis_tlast : top_.b_m_axis_tlast;
        const bool user = end == A ? top_.a_m_axis_tuser : top_.b_m_axis_tuser;

        const auto* bytes = reinterpret_cast<const uint8_t*>(&data);
        if (s.current.empty()) s.begin = now;
        s.current.insert(s.current.end(), bytes, bytes + __builtin_popcount(keep));
        if (!last) return;
        s.packets.push_back({std::move(s.current), s.begin, now, user});
        s.current.clear();
    }

    Top& top_;
    Source source_[2];
    Sink sink_[2];
};

}  // namespace arqlink
