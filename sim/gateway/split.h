// SPDX-License-Identifier: Apache-2.0
// Split connections: the gateway acknowledges what it stores, and delivers it (modes `split` and `proxy`).
#pragma once

#include "half.h"
#include "outlet.h"
#include "segment_queue.h"

namespace arqlink::gateway {

/// Receiver towards the source, sender towards the receiver. The source is told of data only, never of a FIN: that waits for the
/// receiver's own ACK, so a source that has closed knows that all has arrived.
class Split final : public Half {
  public:
    /// `from`: the port of the source. `first`: what the receiver expects of it.
    Split(Flow& flow, Port from, Position first, Services& services);

    void data(Segment segment, Time now) override;
    bool acknowledged(Segment& segment, Time now) override;
    void asked() override { isProbed_ = true; }
    void mayBeChallenged() override { isChallenged_ = true; }
    void passes(Segment& segment, Time now) override;
    std::optional<Acknowledgement> told() const override;
    std::optional<uint32_t> left() const override { return sequenceOf(leftTo()); }
    std::optional<uint32_t> sent() const override { return sequenceOf(outlet_.sent()); }
    std::vector<uint32_t> edges() const override;
    std::vector<Bytes> leave(Position begin, Time now) override;
    bool isUnderWay(uint32_t sequence) const override;
    void pathShrank(Time now) override { outlet_.pathShrank(now); }
    bool promises() const override { return treatment_.advertise != Advertise::receiver; }
    void outdated() override { answer(); }
    void returnPathMoved(Time now) override;
    bool handsBack(const Segment& segment, Time now) override;
    Time deadline() const override { return outlet_.deadline(); }
    void timeOut(Time now) override { outlet_.timeOut(now); }
    void roomGrew(Time now) override;
    bool owes() const override { return told_ > outlet_.acked(); }
    bool hasFailed() const override { return outlet_.hasFailed(); }
    bool isClosed() const override;

  private:
    /// All that has come in sequence has arrived.
    bool isDelivered() const;
    /// What has left ends here, as far as the receiver would look at it.
    Position leftTo() const;
    bool isReserving() const;
    Position mayTell() const;
    size_t segmentBytes() const { return gateway::segmentBytes(flow_, from_); }
    size_t room() const;
    size_t mostRoom() const;
    size_t little() const;
    void tell(Position position);
    void acknowledge();
    void answer();
    void release();
    void updateWindow();
    void repeats(Position begin, Time now);
    void wait();

    Flow& flow_;
    const Port from_;
    Services& services_;
    const Treatment& treatment_;
    SegmentQueue queue_;
    Outlet outlet_;
    Position told_;           // the source has been told that all before it has arrived
    Position sackedEdge_;     // the same of blocks beyond gaps: the last one's end
    Position advertised_;     // edge of the window that it has been told of
    uint16_t window_ = 0;     // the same, as it was in the header
    uint32_t passedAck_ = 0;  // what the source's last segment said of the other direction
    uint16_t passedWindow_ = 0;
    bool isProbed_ = false;          // the source asked for an answer of the receiver
    bool isChallenged_ = false;      // its SYN or RST may be answered
    bool isReturnPathAway_ = false;  // the receiver's ACKs go another way: no debts are made
    Time awaySince_ = 0;
    Position repeated_ = 0, gap_ = 0;  // what was sent again while a gap stays
    Time repeatsSince_ = 0;
};

}  // namespace arqlink::gateway
