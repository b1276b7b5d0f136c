// SPDX-License-Identifier: Apache-2.0
// The sending half of a TCP: sends what a SegmentQueue has in sequence, and again what the receiver lacks.
#pragma once

#include <memory>

#include "congestion.h"
#include "maker.h"
#include "segment_queue.h"

namespace arqlink::gateway {

/// RFC 5681 and 6582; with SACK, losses by RFC 6675 (section 4, IsLost); RFC 6298 for the timer; a closed window is probed as by RFC 9293,
/// section 3.8.6.1.
class Outlet {
  public:
    /// `first`: what the receiver expects. `most`: packets that may be under way.
    Outlet(Flow& flow, Port from, SegmentQueue& queue, Services& services, Position first, size_t most);

    /// Puts into the port's queue what may leave.
    void send(Time now);

    /// The receiver's segment acknowledges, and advertises a window. Frees what has arrived. What it acknowledges may have come to it by another
    /// way.
    void acknowledge(const Segment& segment, Time now);

    /// A segment leaves; nullptr: it is gone, or has arrived meanwhile.
    const Cached* leave(Position begin, Time now);

    /// Longer packets than `Flow::pathBytes` have been dropped on their way: they are sent again, in pieces. That is no congestion (RFC 1191, section
    /// 6.5).
    void pathShrank(Time now);

    /// The receiver's answers do not come this way, or do so again. Without them, all that it may lack is sent each time when the timer runs out: it takes
    /// what its window lets it.
    void goBlind(bool isBlind) { isBlind_ = isBlind; }

    /// The receiver has all before `place`, and nothing is sent any more.
    void forget(Position place);

    /// Data that are not stored went on to the receiver, up to `end`.
    void passedOn(Position end) { sent_ = std::max(sent_, end); }

    /// An ACK of nothing new may answer a segment that was sent again, and had arrived before.
    bool mayAnswerCopies(Time now) const { return now < copiesAnswered_; }

    Time deadline() const { return deadline_; }
    void timeOut(Time now);
    bool hasFailed() const { return hasFailed_; }

    Position acked() const { return acked_; }      ///< the receiver has all before it
    Position offered() const { return offered_; }  ///< what has left, or waits at the port, ends here
    Position sent() const { return sent_; }        ///< what has left ends here
    Position edge() const { return edge_; }        ///< of the receiver's window

  private:
    size_t inFlight() const;
    Congestion& congestion();
    size_t window();
    size_t keepFlightSize();
    size_t segmentBytes() const { return gateway::segmentBytes(flow_, from_); }
    bool isOutstanding() const;
    void fly(Cached& cached, bool flies);
    void lose(Cached& cached);
    void unlose(Cached& cached);
    bool extend(SegmentQueue::Map::iterator next);
    void queue(Cached& cached);
    void advance(Position ack, Time now);
    void markSacked(const Segment& segment);
    void findLosses();
    void sendAgain();
    void probe();
    void sendAll();
    void arm(Time now);

    Flow& flow_;
    const Port from_;
    SegmentQueue& queue_;
    Services& services_;
    const Treatment& treatment_;
    const size_t most_;           // packets
    const unsigned windowScale_;  // of the receiver
    std::unique_ptr<Congestion> congestion_;
    RetransmissionTimer timer_;

    Position acked_, offered_, sent_;
    Position edge_;     // of the receiver's window
    Position recover_;  // recovery ends when all before it has arrived
    enum class Recovery { none, fast, afterTimeout } recovery_ = Recovery::none;
    unsigned duplicates_ = 0;
    bool newlySacked_ = false;
    bool isUrgent_ = false;  // the first one that is lost goes at once, whatever the window says
    // Bytes: news of the last ACK; what duplicate ACKs have counted, and none has acknowledged yet.
    size_t delivered_ = 0, credit_ = 0;
    size_t flying_ = 0, lost_ = 0;  // bytes, segments
    size_t flightSize_ = 0;         // bytes, at the first timeout of a row
    Time deadline_ = never, answered_ = 0;
    Time copiesAnswered_ = 0;  // what was sent again, and was not needed, has been answered by then
    bool hasFailed_ = false, isBlind_ = false;
};

}  // namespace arqlink::gateway
