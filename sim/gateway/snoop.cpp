// SPDX-License-Identifier: Apache-2.0
#include "snoop.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "maker.h"

namespace arqlink::gateway {

namespace {

constexpr unsigned mostTries = 10;  // of the local timer; the source has its own

}  // namespace

Snoop::Snoop(Flow& flow, Port from, Position first, Services& services)
    : flow_(flow),
      from_(from),
      services_(services),
      treatment_(flow.treatment),
      queue_(first, services, false),
      timer_(treatment_.minRto, treatment_.maxRto, flow.handshakes[index(other(from))]),
      acked_(first),
      sent_(first),
      timedOut_(first),
      window_(flow.host(other(from)).window) {}

void Snoop::data(Segment segment, Time now) {
    const Position begin = placeOf(segment.seq(), sent_), end = begin + segment.length() + segment.has(flag::fin);
    const bool isNew = begin >= sent_;
    sent_ = std::max(sent_, end);
    if (segment.has(flag::fin) && !fin_) fin_ = end - 1;
    // What this gateway has no room for is lost by congestion, which the source must learn: it is not mended here.
    Segment copy = segment;
    const bool goesOn = services_.emit(other(from_), std::move(segment).take());
    if (goesOn && copy.bytes().size() <= services_.settings().slotBytes) {
        switch (queue_.store(std::move(copy), segmentBytes(flow_, from_))) {
        case SegmentQueue::Stored::yes: break;
        case SegmentQueue::Stored::duplicate: ++services_.counters().duplicates; break;
        case SegmentQueue::Stored::noRoom: ++services_.counters().cache_full; break;
        }
        const auto cached = queue_.find(begin);
        if (cached != queue_.all().end()) {
            cached->second.times += isNew ? 1 : 2;  // of what the source has sent again, no round trip is measured
            cached->second.isResentBySource |= !isNew;
            cached->second.sent = now;
        }
    }
    if (deadline_ == never) arm(now);
}

void Snoop::sendAgain(const std::vector<Cached*>& missing, Time now) {
    std::vector<Position> again;
    for (Cached* cached : missing) {
        const bool isRecent = cached->times > 1 && now < cached->sent + timer_.timeout();
        if (cached->isQueued || isRecent) continue;
        cached->isQueued = true;
        again.push_back(cached->begin);
    }
    services_.offerFirst(flow_, from_, again);
}

std::vector<Bytes> Snoop::leave(Position begin, Time now) {
    const auto found = queue_.find(begin);
    if (found == queue_.all().end() || !found->second.isQueued) return {};
    Cached& cached = found->second;
    cached.isQueued = false;
    cached.times += 1 + (cached.times == 0);
    cached.sent = now;
    ++services_.counters().retransmissions;
    Segment copy = cached.segment;
    refresh(copy, flow_, from_);
    copy.clearEcn();  // RFC 3168, section 6.1.5
    return packetsOf(std::move(copy), flow_, from_);
}

bool Snoop::isUnderWay(uint32_t sequence) const {
    const Position place = placeOf(sequence, acked_);
    return place >= acked_ && place < sent_;
}

void Snoop::pathShrank(Time now) {
    std::vector<Cached*> tooLong;
    for (auto& [begin, cached] : queue_.all())
        if (!cached.isSacked && cached.segment.bytes().size() > flow_.pathBytes[index(from_)])
            tooLong.push_back(&cached);
    sendAgain(tooLong, now);
}

bool Snoop::acknowledged(Segment& segment, Time now) {
    const Position ack = placeOf(segment.ack(), acked_);
    if (ack < acked_) return false;
    sent_ = std::max(sent_, ack);
    const uint16_t before = std::exchange(window_, segment.window());
    const bool isAsked = std::exchange(isAsked_, false);
    const bool isDuplicate = ack == acked_, hasSack = flow_.hasSack() && segment.sackBlocks() > 0;
    if (!isDuplicate) advance(ack, now);
    const auto missing = queue_.find(acked_);
    // The source mends what was lost before it came here, and hears each ACK until what it has sent again arrives.
    if (missing == queue_.all().end() || missing->second.isResentBySource) return false;
    const Position arrived = hasSack ? queue_.markSacked(segment, sent_, [](Cached&) {}) : acked_;
    if (hasSack) segment.clearSack();  // the source would take what is missing for congestion
    if (window_ == 0) return false;    // it answers a probe
    // With blocks, the window of a duplicate may have changed, but not opened: the source waits for that.
    const bool isNews = isAsked || (before != window_ && (!hasSack || before == 0));
    const bool endsHere = isDuplicate && segment.length() == 0 && !isNews;
    if ((endsHere || hasSack) && ++duplicates_ >= treatment_.dupAcks) {
        std::vector<Cached*> lost;
        for (auto it = missing; it != queue_.all().end() && (it == missing || it->first < arrived); ++it)
            if (!it->second.isSacked) lost.push_back(&it->second);
        sendAgain(lost, now);
    }
    return endsHere;
}

void Snoop::advance(Position ack, Time now) {
    bool isMended = false;  // then segments behind it have waited at the receiver: their round trips are none
    for (auto it = queue_.all().begin(); it != queue_.all().end() && it->second.end <= ack; ++it) {
        isMended |= it->second.times != 1;
        if (!isMended) timer_.measured(now - it->second.sent);
    }
    queue_.acknowledge(ack);
    acked_ = ack;
    duplicates_ = 0;
    tries_ = 0;
    timer_.answered();
    // More was lost with what the timer has mended, and a receiver that has nothing beyond it says no more.
    const auto next = queue_.find(ack);
    if (ack < timedOut_ && next != queue_.all().end() && now >= next->second.sent + timer_.roundTrip())
        sendAgain({&next->second}, now);
    deadline_ = never;
    arm(now);
}

void Snoop::arm(Time now) {
    if (queue_.find(acked_) != queue_.all().end()) deadline_ = now + timer_.timeout();
}

void Snoop::timeOut(Time now) {
    deadline_ = never;
    const auto missing = queue_.find(acked_);
    if (missing == queue_.all().end() || ++tries_ > mostTries) return;
    ++services_.counters().timeouts;
    timer_.backOff();
    timedOut_ = sent_;
    for (auto& [begin, cached] : queue_.all())
        cached.isSacked = false;  // a receiver may have thrown it away (RFC 2018, section 8)
    if (!std::exchange(missing->second.isQueued, true)) services_.offerFirst(flow_, from_, {acked_});
    arm(now);
}

}  // namespace arqlink::gateway
