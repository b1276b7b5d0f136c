// SPDX-License-Identifier: Apache-2.0
#include "outlet.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace arqlink::gateway {

Outlet::Outlet(Flow& flow, Port from, SegmentQueue& queue, Services& services, Position first, size_t most)
    : flow_(flow),
      from_(from),
      queue_(queue),
      services_(services),
      treatment_(flow.treatment),
      most_(most),
      windowScale_(flow.windowScale(other(from))),
      timer_(treatment_.minRto, treatment_.maxRto, flow.handshakes[index(other(from))]),
      acked_(first),
      offered_(first),
      sent_(first),
      edge_(first + flow.windowBytes(other(from))),
      recover_(first - 1) {}

// What is under way -----------------------------------------------------------------------------------------------------

// Without SACK, each duplicate ACK says that one more segment has arrived.
size_t Outlet::inFlight() const {
    const size_t arrived = flow_.hasSack() ? 0 : duplicates_ * segmentBytes();
    return flying_ - std::min(flying_, arrived);
}

// Made with the first segment, which says how long they are where the receiver does not.
Congestion& Outlet::congestion() {
    if (!congestion_) congestion_ = makeCongestion(treatment_.sender, segmentBytes());
    return *congestion_;
}

size_t Outlet::window() { return std::min(congestion().window(), most_ * segmentBytes()); }

bool Outlet::isOutstanding() const { return !queue_.isEmpty() && queue_.all().begin()->second.times > 0; }

void Outlet::fly(Cached& cached, bool flies) {
    if (cached.isFlying == flies) return;
    cached.isFlying = flies;
    if (flies)
        flying_ += cached.end - cached.begin;
    else
        flying_ -= cached.end - cached.begin;
}

void Outlet::lose(Cached& cached) {
    if (cached.isLost) return;
    cached.isLost = true;
    ++lost_;
    fly(cached, false);
}

void Outlet::unlose(Cached& cached) {
    if (cached.isLost) --lost_;
    cached.isLost = false;
}

// Sending ---------------------------------------------------------------------------------------------------------------

void Outlet::queue(Cached& cached) {
    unlose(cached);
    fly(cached, true);
    cached.isQueued = true;
}

// What is missing goes first, in the order of the stream.
void Outlet::sendAgain() {
    std::vector<Position> again;
    for (auto it = queue_.all().begin(); lost_ > 0 && it != queue_.all().end(); ++it) {
        Cached& cached = it->second;
        if (!cached.isLost) continue;
        const bool isFirst = isUrgent_ || inFlight() == 0;
        if (!isFirst && inFlight() + (cached.end - cached.begin) > window()) break;
        isUrgent_ = false;
        if (!cached.isQueued) again.push_back(cached.begin);
        queue(cached);
    }
    services_.offerFirst(flow_, from_, again);
}

// A short segment becomes a part of the one before it, which waits at the port.
bool Outlet::extend(SegmentQueue::Map::iterator next) {
    if (next == queue_.all().begin() || !std::prev(next)->second.isQueued) return false;
    const auto waiting = std::prev(next);
    const size_t bytes = next->second.end - next->second.begin;
    if (!queue_.join(waiting, segmentBytes())) return false;
    flying_ += bytes;
    return true;
}

void Outlet::send(Time now) {
    sendAgain();
    if (lost_ > 0) return;
    for (auto it = queue_.find(offered_); it != queue_.all().end();) {
        Cached& cached = it->second;
        const Position end = cached.end;
        if (cached.begin != offered_ || cached.isAhead || end > edge_) break;
        if (inFlight() > 0 && inFlight() + (end - cached.begin) > window()) break;
        const auto next = std::next(it);
        if (!extend(it)) {
            queue(cached);
            services_.offer(flow_, from_, cached.begin);
        }
        offered_ = end;
        it = next;
    }
    if (deadline_ == never) {
        answered_ = now;  // silence counts from here on
        arm(now);
    }
}

const Cached* Outlet::leave(Position begin, Time now) {
    const auto found = queue_.find(begin);
    if (found == queue_.all().end() || !found->second.isQueued) return nullptr;
    Cached& cached = found->second;
    cached.isQueued = false;
    if (cached.isSacked) return nullptr;
    if (cached.times == 0 && cached.end > edge_ && !isBlind_) {  // the window has shrunk meanwhile
        fly(cached, false);
        offered_ = std::min(offered_, begin);
        if (deadline_ == never) arm(now);
        return nullptr;
    }
    if (!isOutstanding()) answered_ = now;  // silence counts from here on
    if (cached.times++) ++services_.counters().retransmissions;
    cached.sent = now;
    sent_ = std::max(sent_, cached.end);
    if (cached.begin == acked_ || deadline_ == never) deadline_ = now + timer_.timeout();
    return &cached;
}

// Acknowledgements --------------------------------------------------------------------------------------------------------

void Outlet::acknowledge(const Segment& segment, Time now) {
    const Position ack = placeOf(segment.ack(), acked_);
    if (ack < acked_) return;
    passedOn(ack);
    answered_ = now;
    const Position edge = ack + (static_cast<size_t>(segment.window()) << windowScale_);
    const bool isMoved = edge != edge_;
    edge_ = edge;
    delivered_ = 0;
    markSacked(segment);
    if (ack > acked_) {
        advance(ack, now);
    } else if (segment.length() == 0 && isOutstanding() && (!isMoved || newlySacked_)) {
        ++duplicates_;
        if (!flow_.hasSack()) {
            delivered_ += segmentBytes();
            credit_ += segmentBytes();
        }
    }
    if (delivered_ > 0) congestion().delivered(delivered_, now);
    findLosses();
    send(now);
}

void Outlet::advance(Position ack, Time now) {
    const size_t bytes = ack - acked_;
    if (!flow_.hasSack()) {
        delivered_ += bytes - std::min(bytes, credit_);
        credit_ -= std::min(bytes, credit_);
    }
    const bool isLimited = inFlight() + segmentBytes() > window();
    bool isEarly = false;
    // Behind what was sent again, segments have waited at the receiver: their round trips are none (Karn & Partridge).
    const auto isAgain = [](const Cached& c) { return c.times > 1 || c.isQueued; };
    bool isMended = false, hasCopies = false;
    for (auto it = queue_.all().begin(); it != queue_.all().end() && it->second.end <= ack; ++it)
        isMended |= isAgain(it->second);
    bool waits = false;  // the rest of a segment, of which the receiver has a part
    for (auto it = queue_.all().begin(); it != queue_.all().end() && it->second.begin < ack; ++it) {
        Cached& cached = it->second;
        const bool flies = cached.isFlying;
        fly(cached, false);
        if (flow_.hasSack() && !cached.isSacked)
            delivered_ += std::min(cached.end, ack) - std::max(cached.begin, acked_);
        hasCopies |= cached.times > 1;
        if (cached.end <= ack) {
            unlose(cached);
            isEarly |= isAgain(cached) && (cached.isQueued || 2 * (now - cached.sent) < timer_.shortest());
            if (!isMended) {
                timer_.measured(now - cached.sent);
                congestion().measured(now - cached.sent);
            }
        } else if (flies) {  // a part of it
            cached.isFlying = true;
            flying_ += cached.end - ack;
            waits = cached.isQueued;
        }
    }
    queue_.acknowledge(ack);
    if (waits) {
        queue(queue_.all().begin()->second);
        services_.offerFirst(flow_, from_, {ack});
    }
    const size_t segments = (bytes + segmentBytes() - 1) / segmentBytes();
    acked_ = ack;
    offered_ = std::max(offered_, ack);
    timer_.answered();
    if (hasCopies) copiesAnswered_ = now + timer_.timeout();

    // So soon after a segment was sent again, its first transmission is acknowledged (Allman & Paxson, SIGCOMM 1999). It was not lost, nor are
    // the others: the link's ARQ has bridged an outage, say. Duplicate ACKs of what was sent again are no news until all of it is over.
    if (recovery_ != Recovery::none && isEarly) {
        for (auto& [begin, cached] : queue_.all())
            if (cached.isLost) {
                unlose(cached);
                fly(cached, true);
            }
        recovery_ = Recovery::none;
        recover_ = offered_;
        duplicates_ = 0;
        congestion().recovered();
    }
    if (recovery_ != Recovery::fast) congestion().acknowledged(bytes, isLimited);
    if (recovery_ != Recovery::none && ack >= recover_) {
        recovery_ = Recovery::none;
        congestion().recovered();
        duplicates_ = 0;
    } else if (recovery_ == Recovery::fast) {
        // A partial ACK: the next segment is missing too (RFC 6582, step 3).
        duplicates_ -= std::min<unsigned>(duplicates_, static_cast<unsigned>(segments) - 1);
        if (!queue_.isEmpty() && !flow_.hasSack()) {
            Cached& cached = queue_.all().begin()->second;
            if (cached.times == 1 && !cached.isQueued) lose(cached);
        }
    } else {
        duplicates_ = 0;
    }
    deadline_ = never;
    arm(now);
}

void Outlet::markSacked(const Segment& segment) {
    newlySacked_ = false;
    if (!flow_.hasSack()) return;
    queue_.markSacked(segment, sent_, [this](Cached& cached) {
        newlySacked_ = true;
        delivered_ += cached.end - cached.begin;
        unlose(cached);
        fly(cached, false);
    });
}

// What is missing: with SACK all that has `dupAcks` segments above it that have arrived, without it the first segment.
void Outlet::findLosses() {
    const bool hadLost = lost_ > 0;
    if (flow_.hasSack()) {
        if (!newlySacked_) return;
        unsigned above = 0;
        for (auto it = queue_.all().rbegin(); it != queue_.all().rend(); ++it) {
            Cached& cached = it->second;
            if (cached.isSacked)
                ++above;
            else if (above >= treatment_.dupAcks && cached.times == 1 && !cached.isQueued)
                lose(cached);
        }
    } else if (recovery_ == Recovery::none && duplicates_ >= treatment_.dupAcks && acked_ > recover_ &&
               isOutstanding()) {
        lose(queue_.all().begin()->second);
    }
    if (lost_ > 0 && !hadLost && recovery_ == Recovery::none) {
        recovery_ = Recovery::fast;
        recover_ = offered_;
        congestion().lost(offered_ - acked_);
        isUrgent_ = true;
    }
}

void Outlet::pathShrank(Time now) {
    for (auto& [begin, cached] : queue_.all())
        if (cached.times > 0 && !cached.isQueued && !cached.isSacked &&
            cached.segment.bytes().size() > flow_.pathBytes[index(from_)])
            lose(cached);
    send(now);
}

void Outlet::forget(Position place) {
    acked_ = offered_ = sent_ = place;
    recovery_ = Recovery::none;
    recover_ = place - 1;
    duplicates_ = 0;
    flying_ = lost_ = credit_ = 0;
    deadline_ = never;
}

// Timer -----------------------------------------------------------------------------------------------------------------

void Outlet::arm(Time now) {
    // Either an answer is due, or the receiver's window does not let the next segment go.
    const auto next = queue_.find(offered_);
    const bool isClosed = next != queue_.all().end() && !next->second.isAhead && next->second.end > edge_;
    if (isOutstanding() || isClosed) deadline_ = now + timer_.timeout();
}

// FlightSize of RFC 5681, section 3.1, at a timeout. In fast recovery it is at most the window: for what duplicate ACKs have let out beyond that, as much
// has arrived. Until the recovery from a timeout ends, further timeouts use the size at the first one.
size_t Outlet::keepFlightSize() {
    const size_t unanswered = offered_ - acked_;
    if (recovery_ == Recovery::fast)
        flightSize_ = std::min(unanswered, window());
    else if (recovery_ == Recovery::none)
        flightSize_ = unanswered;
    return std::min(flightSize_, unanswered);
}

void Outlet::timeOut(Time now) {
    deadline_ = never;
    hasFailed_ = now - answered_ > treatment_.giveUp;
    if (hasFailed_) return;
    timer_.backOff();
    if (isBlind_ && !queue_.isEmpty()) {
        sendAll();
        deadline_ = now + timer_.timeout();
        return;
    }
    if (!isOutstanding()) {
        probe();
        arm(now);
        return;
    }
    ++services_.counters().timeouts;
    congestion().timedOut(keepFlightSize());
    recovery_ = Recovery::afterTimeout;
    recover_ = offered_;
    duplicates_ = 0;
    for (auto& [begin, cached] : queue_.all()) {
        cached.isSacked = false;  // a receiver may have thrown it away (RFC 2018, section 8)
        if (cached.times > 0 && !cached.isQueued) lose(cached);
    }
    isUrgent_ = lost_ > 0 && queue_.all().begin()->second.isLost;
    sendAgain();
    deadline_ = now + timer_.timeout();
}

void Outlet::sendAll() {
    ++services_.counters().timeouts;
    std::vector<Position> all;
    for (auto& [begin, cached] : queue_.all()) {
        if (cached.isAhead) break;
        cached.isSacked = false;
        if (!cached.isQueued) all.push_back(begin);
        queue(cached);
        offered_ = std::max(offered_, cached.end);
    }
    services_.offerFirst(flow_, from_, all);
}

// As much of the next segment as the window has room for, or none: what lies before the window is answered by an ACK.
void Outlet::probe() {
    const auto next = queue_.find(offered_);
    if (next == queue_.all().end()) return;
    ++services_.counters().probes;
    Segment copy = next->second.segment;
    const size_t room = edge_ > offered_ ? edge_ - offered_ : 0;
    copy.keepFront(std::min(room, copy.length()));
    if (room == 0) copy.setSeq(sequenceOf(acked_ - 1));
    sent_ = std::max(sent_, offered_ + copy.length());
    refresh(copy, flow_, from_);
    copy.clearEcn();  // RFC 3168, section 6.1.6
    for (Bytes& packet : packetsOf(std::move(copy), flow_, from_)) services_.emit(other(from_), std::move(packet));
}

}  // namespace arqlink::gateway
