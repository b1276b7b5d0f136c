// SPDX-License-Identifier: Apache-2.0
#include "segmenter.h"

#include <algorithm>

namespace arqlink::event {

void Segmenter::offer(const Packet& packet, Clock now) {
    queue_.push_back(packet);
    if (queue_.size() > 1) return;
    behind_ = false;
    begin(now);
}

void Segmenter::begin(Clock now) {
    rest_ = queue_.front().bytes;
    start_ = sender_.stored();
    store(now);
}

void Segmenter::store(Clock now) {
    busy_ = std::max(busy_, now);
    const Packet& packet = queue_.front();
    const uint32_t frameBytes = settings_.k * build_.unitBytes;
    for (; rest_ && sender_.hasSlot();) {
        const uint32_t bytes = std::min(rest_, frameBytes);
        Frame frame{packet.packet, packet.bytes, 0, rest_ == packet.bytes, bytes == rest_};
        frame.k = static_cast<uint16_t>((bytes + build_.unitBytes - 1) / build_.unitBytes);
        sender_.store(frame);
        rest_ -= bytes;
        busy_ += (bytes + build_.dataBytes - 1) / build_.dataBytes;
    }
    blocked_ = rest_ != 0;
    behind_ |= blocked_;
}

uint64_t Segmenter::complete() {
    const Packet packet = queue_.front();
    queue_.pop_front();
    ++counters_.tx_packets;
    counters_.tx_bytes += packet.bytes;
    const unsigned lastUnit = packet.bytes % build_.unitBytes;
    const Clock filling = lastUnit ? (build_.unitBytes - lastUnit) / build_.dataBytes : 0;  // beats without a byte
    const Clock stored = busy_ + filling + (behind_ ? latencies_.prefetch : 0);
    releases_.push_back({stored + latencies_.commit, sender_.stored()});
    starts_.push_back(start_);
    if (!queue_.empty()) begin(busy_);
    return packet.packet;
}

void Segmenter::releaseUntil(Clock now) {
    for (; release() <= now; releases_.pop_front()) sender_.release(releases_.front().head);
}

}  // namespace arqlink::event
