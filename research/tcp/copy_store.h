// SPDX-License-Identifier: Apache-2.0
// Which packets a sender must still keep: those of which a frame is neither acknowledged nor given up.
#pragma once

#include <cstdint>
#include <deque>

namespace arqlink::tcp {

/// Packets in the order in which they were offered to an end of the link, and their frames in the order of their FSNs.
class CopyStore {
  public:
    void add(unsigned frames) {
        for (unsigned i = 0; i < frames; ++i) packetOf_.push_back(packets_);
        left_.push_back(frames);
        ++packets_;
        ++held_;
    }
    /// True if it was the last one of its packet.
    bool settle(uint64_t fsn) {
        unsigned& left = left_[packetOf_[fsn - firstFsn_] - firstPacket_];
        const bool done = --left == 0;
        held_ -= done;
        for (; done && !left_.empty() && left_.front() == 0; left_.pop_front(), ++firstPacket_)
            for (; !packetOf_.empty() && packetOf_.front() == firstPacket_; packetOf_.pop_front()) ++firstFsn_;
        return done;
    }
    size_t held() const { return held_; }

  private:
    std::deque<uint64_t> packetOf_;  // of frames from firstFsn_ on
    std::deque<unsigned> left_;      // frames that are not settled, of packets from firstPacket_ on
    uint64_t firstFsn_ = 0, firstPacket_ = 0, packets_ = 0;
    size_t held_ = 0;
};

}  // namespace arqlink::tcp
