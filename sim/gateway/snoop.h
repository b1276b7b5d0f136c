// SPDX-License-Identifier: Apache-2.0
// Losses behind the gateway are mended from a cache, and hidden from the source (mode `snoop`).
#pragma once

#include <vector>

#include "congestion.h"
#include "half.h"
#include "segment_queue.h"

namespace arqlink::gateway {

/// Balakrishnan, Seshan, Amir & Katz (MobiCom 1995). Segments go on at once; copies stay until the receiver acknowledges them. No ACK is
/// made: those of the receiver go on, but for duplicates of which the missing segment is here, and has not been sent again by the source.
class Snoop final : public Half {
  public:
    Snoop(Flow& flow, Port from, Position first, Services& services);

    void data(Segment segment, Time now) override;
    bool acknowledged(Segment& segment, Time now) override;
    void asked() override { isAsked_ = true; }
    std::vector<Bytes> leave(Position begin, Time now) override;
    bool isUnderWay(uint32_t sequence) const override;
    void pathShrank(Time now) override;
    Time deadline() const override { return deadline_; }
    void timeOut(Time now) override;
    bool isClosed() const override { return fin_ && acked_ > *fin_; }

  private:
    void advance(Position ack, Time now);
    void sendAgain(const std::vector<Cached*>& missing, Time now);
    void arm(Time now);

    Flow& flow_;
    const Port from_;
    Services& services_;
    const Treatment& treatment_;
    SegmentQueue queue_;
    RetransmissionTimer timer_;
    Position acked_, sent_;
    Position timedOut_;            // what was sent before the local timer ran out last ends here
    std::optional<Position> fin_;  // whether it is stored or not
    uint16_t window_;              // of the receiver's last ACK
    unsigned duplicates_ = 0, tries_ = 0;
    bool isAsked_ = false;  // the source waits for an answer of the receiver
    Time deadline_ = never;
};

}  // namespace arqlink::gateway
