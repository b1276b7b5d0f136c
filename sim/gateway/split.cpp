// SPDX-License-Identifier: Apache-2.0
#include "split.h"

#include <algorithm>

#include "maker.h"

namespace arqlink::gateway {

namespace {

constexpr Time onItsWay = 1 * seconds;  // longer than an ACK takes to a source

// Packets that a proxy has under way: a third of the cache (Luglio et al., section IV.B).
size_t underWay(const Treatment& treatment, const Slots& slots) {
    return treatment.mode == Mode::proxy ? std::max<size_t>(slots.all() / 3, 1) : slots.all();
}

}  // namespace

Split::Split(Flow& flow, Port from, Position first, Services& services)
    : flow_(flow),
      from_(from),
      services_(services),
      treatment_(flow.treatment),
      queue_(first, services, true),
      outlet_(flow, from, queue_, services, first, underWay(treatment_, services.slots())),
      told_(first),
      sackedEdge_(first),
      advertised_(outlet_.edge()) {
    tell(first);
}

// From the source -------------------------------------------------------------------------------------------------------

void Split::data(Segment segment, Time now) {
    const Position begin = placeOf(segment.seq(), queue_.next()),
                   end = begin + segment.length() + segment.has(flag::fin);
    if (isReturnPathAway_) {
        outlet_.passedOn(end);
        services_.emit(other(from_), std::move(segment).take());
        return;
    }
    // A keep-alive with a byte of old data is the receiver's to answer, if it has the data.
    const bool isKeepAlive = segment.length() == 1 && end == told_;
    if (isKeepAlive && owes()) return answer();
    isProbed_ |= isKeepAlive;
    if (isKeepAlive || segment.bytes().size() > services_.settings().slotBytes) {
        outlet_.passedOn(end);
        refresh(segment, flow_, from_);
        services_.emit(other(from_), std::move(segment).take());
        return;
    }
    const bool saysMore = segment.ack() != passedAck_ || segment.window() != passedWindow_;
    passedAck_ = segment.ack();
    passedWindow_ = segment.window();
    switch (queue_.store(std::move(segment), segmentBytes())) {
    case SegmentQueue::Stored::yes: outlet_.send(now); break;
    case SegmentQueue::Stored::duplicate:
        ++services_.counters().duplicates;
        if (begin > queue_.next()) repeats(begin, now);
        break;
    case SegmentQueue::Stored::noRoom: ++services_.counters().cache_full; break;
    }
    // A source that has not heard what it was told is told again, also while nothing more is acknowledged.
    if (isReserving() && end <= told_)
        answer();
    else
        acknowledge();
    // Acknowledgements that came with data which the receiver's window keeps here must not wait.
    if (saysMore && outlet_.offered() < queue_.next())
        services_.emit(other(from_), makeSegment(headerOf(flow_, from_)));
}

// The source sends again what is ahead of a gap, and not what is missing: the receiver has that, and has told it by another way.
void Split::repeats(Position begin, Time now) {
    if (begin != repeated_ || queue_.next() != gap_) {
        repeated_ = begin;
        gap_ = queue_.next();
        repeatsSince_ = now;
    } else if (now >= repeatsSince_ + onItsWay) {
        returnPathMoved(now);
    }
}

void Split::passes(Segment& segment, Time) {
    if (isReturnPathAway_) return;
    const Position place = placeOf(segment.seq(), queue_.next());
    passedAck_ = segment.ack();
    passedWindow_ = segment.window();
    if (place + 1 == told_) {
        if (owes())
            answer();
        else
            isProbed_ = true;
    }
    // Old by what the source was told, but maybe not to the receiver: it would remember this timestamp, and refuse what is sent next with an
    // older one, each time it comes (RFC 7323, section 5).
    if (place < told_) refresh(segment, flow_, from_);
    // Beyond what has left, the receiver would not look at it.
    if (const Position left = leftTo(); place > left) segment.setSeq(sequenceOf(left));
}

std::vector<Bytes> Split::leave(Position begin, Time now) {
    const Cached* cached = outlet_.leave(begin, now);
    if (!cached) return {};
    Segment copy = cached->segment;
    refresh(copy, flow_, from_);
    if (cached->times > 1) copy.clearEcn();  // RFC 3168, section 6.1.5
    return packetsOf(std::move(copy), flow_, from_);
}

// Where nothing waits here, all that the source has sent has left, if not by this way: then its own number counts, as far as the receiver's window
// reaches.
Position Split::leftTo() const {
    const Position left = outlet_.offered();
    return isDelivered() ? std::max(left, std::min(placeOf(flow_.host(from_).next, left), outlet_.edge())) : left;
}

bool Split::isDelivered() const { return queue_.isEmpty() || queue_.all().begin()->second.isAhead; }

std::vector<uint32_t> Split::edges() const {
    std::vector<uint32_t> edges;
    for (const auto& [_, cached] : queue_.all())
        if (cached.times > 0)
            for (const Segment& piece : piecesOf(cached.segment, flow_, from_)) edges.push_back(piece.seq());
    edges.push_back(sequenceOf(outlet_.sent()));
    return edges;
}

bool Split::isUnderWay(uint32_t sequence) const {
    const Position place = placeOf(sequence, outlet_.acked());
    return place >= outlet_.acked() && place < outlet_.sent();
}

void Split::returnPathMoved(Time now) {
    if (!isReturnPathAway_) awaySince_ = now;
    isReturnPathAway_ = true;
    outlet_.goBlind(true);
}

// No source sends a segment that begins behind the edge of the window which it has been told of, but for a probe, which begins at it: so the
// receiver has told it of another one. That ACK may be older than what the source was told of here. But what lies further behind than any window
// reaches is allowed by a newer one alone, once all that was told of here has reached the source or is lost.
bool Split::handsBack(const Segment& segment, Time now) {
    const Position begin = placeOf(segment.seq(), advertised_),
                   largest = static_cast<Position>(flow_.largestWindow(other(from_)));
    if (segment.length() == 0 || begin <= advertised_) return false;
    returnPathMoved(now);
    if (now < awaySince_ + onItsWay || begin <= told_ + largest || queue_.isEmpty()) return false;
    queue_.forget(told_);
    outlet_.forget(told_);
    outlet_.passedOn(begin + segment.length());
    return true;
}

// From the receiver -------------------------------------------------------------------------------------------------------

bool Split::acknowledged(Segment& segment, Time now) {
    const Position before = outlet_.acked();
    const bool wasDelivered = isDelivered();
    isReturnPathAway_ = false;
    outlet_.goBlind(false);
    outlet_.acknowledge(segment, now);
    const bool isBare = segment.length() == 0 && !segment.has(flag::fin);
    if (isChallenged_ && isBare && outlet_.acked() == before) {
        isChallenged_ = false;
        // Whoever sent the SYN looks at the numbers alone; a source that has the connection, at no window of an ACK that is old.
        if (segment.ack() == sequenceOf(told_)) segment.setWindow(std::min(segment.window(), window_));
        return false;
    }
    // News for the source: of what it has not been told of, because it was held back, is the FIN, or was not stored. And an ACK of nothing new answers
    // the source, whose segments take another way, unless it may answer a copy that the gateway has sent.
    const bool isStray = wasDelivered && outlet_.acked() == before && !outlet_.mayAnswerCopies(now);
    const bool isNews = outlet_.acked() > told_ || isProbed_ || isStray;
    if (!isNews && isBare) {
        if (treatment_.advertise == Advertise::receiver) updateWindow();
        return true;
    }
    isProbed_ = false;
    tell(std::max(told_, outlet_.acked()));
    const Acknowledgement now_ = *told();
    segment.setAck(now_.ack);
    segment.setWindow(now_.window);
    if (segment.hasTimestamps()) segment.setTimestamps(segment.tsValue(), now_.tsEcho);
    segment.clearSack();
    return false;
}

// To the source -----------------------------------------------------------------------------------------------------------

bool Split::isReserving() const {
    const Slots& slots = services_.slots();
    return treatment_.reserveAbove < 1 &&
           static_cast<double>(slots.used()) > treatment_.reserveAbove * static_cast<double>(slots.all());
}

// Data without FIN, and what the receiver has acknowledged.
Position Split::mayTell() const {
    const Position data = queue_.fin() ? std::min(queue_.next(), *queue_.fin()) : queue_.next();
    return std::max({data, outlet_.acked(), told_});
}

size_t Split::room() const {
    const Slots& slots = services_.slots();
    const size_t segment = segmentBytes();
    switch (treatment_.advertise) {
    case Advertise::room: return slots.free() * segment;
    case Advertise::open: return std::max<size_t>(slots.free(), 1) * segment;
    case Advertise::third: return std::min(slots.free(), slots.all() / 3) * segment;
    case Advertise::receiver: break;
    }
    return flow_.windowBytes(other(from_));
}

// What `room` is at most.
size_t Split::mostRoom() const {
    const size_t slots = services_.slots().all();
    switch (treatment_.advertise) {
    case Advertise::receiver: return room();
    case Advertise::third: return slots / 3 * segmentBytes();
    case Advertise::room:
    case Advertise::open: break;
    }
    return slots * segmentBytes();
}

// Bytes of a window that makes a source wait.
size_t Split::little() const { return std::min(4 * segmentBytes(), mostRoom() / 2); }

// An edge that was advertised is not taken back (RFC 9293, section 3.8.6.2.1), but for the bits that shifting cuts off: rounded up, each
// ACK would push the edge a little further than there is room.
void Split::tell(Position position) {
    told_ = position;
    const unsigned scale = flow_.windowScale(other(from_));
    const Position wanted = told_ + room();
    const Position step = std::min(segmentBytes(), little());
    const Position edge = wanted >= advertised_ + step ? wanted : std::max(advertised_, told_);
    window_ = static_cast<uint16_t>(std::min<Position>((edge - told_) >> scale, 65535));
    advertised_ = std::max(advertised_, told_ + (static_cast<Position>(window_) << scale));
    wait();
}

std::optional<Acknowledgement> Split::told() const {
    return Acknowledgement{sequenceOf(told_), window_, flow_.host(from_).recent};
}

void Split::acknowledge() {
    if (isReserving()) {
        ++services_.counters().acks_held;
        services_.waitForRoom(flow_, from_);
        return;
    }
    tell(mayTell());
    answer();
}

void Split::answer() {
    Header header = headerOf(flow_, other(from_));
    // Blocks say that what lies between them and the ACK is missing, which is not so while ACKs are held back.
    const bool isAllTold = told_ + (queue_.fin() ? 1 : 0) >= queue_.next();
    if (flow_.hasSack() && isAllTold) header.sack = queue_.blocks(flow_.hasTimestamps() ? 3 : 4);
    for (const SackBlock& block : header.sack) sackedEdge_ = std::max(sackedEdge_, placeOf(block.end, queue_.next()));
    ++services_.counters().acks_made;
    services_.emit(from_, makeSegment(header));
}

// An ACK for each segment that has had none: each lets the source's window grow. None ends where a block began that the source has been told of:
// TCPs do not know that of a receiver.
void Split::release() {
    const Position last = mayTell();
    for (auto it = queue_.all().upper_bound(told_ > 0 ? told_ - 1 : 0); it != queue_.all().end(); ++it) {
        const Position end = std::min(std::max(it->second.end, sackedEdge_), last);
        if (it->second.begin >= last) break;
        if (end <= told_) continue;
        tell(end);
        ++services_.counters().acks_made;
        services_.emit(from_, makeSegment(headerOf(flow_, other(from_))));
    }
    if (told_ < last) acknowledge();
}

// A source that was left with little room is told when there is more, and not of each byte (RFC 9293, section 3.8.6.2.2).
void Split::updateWindow() {
    if (advertised_ >= told_ + little() || told_ + room() < advertised_ + little()) return wait();
    acknowledge();
}

void Split::wait() {
    const bool isHeld = told_ < mayTell();
    if (isHeld || advertised_ < told_ + little()) services_.waitForRoom(flow_, from_);
}

void Split::roomGrew(Time) {
    if (isReturnPathAway_) return;
    if (isReserving()) return services_.waitForRoom(flow_, from_);
    if (told_ < mayTell()) release();
    updateWindow();
}

bool Split::isClosed() const { return queue_.fin() && outlet_.acked() > *queue_.fin(); }

}  // namespace arqlink::gateway
