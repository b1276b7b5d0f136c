// SPDX-License-Identifier: Apache-2.0
#include "split.h"

#include <algorithm>

#include "maker.h"

namespace arqlink::gateway {

namespace {

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
      queue_(first, services),
      outlet_(flow, from, queue_, services, first, underWay(treatment_, services.slots())),
      told_(first),
      sackedEdge_(first),
      advertised_(outlet_.edge()),
      tsRecent_(flow.host(from).tsValue) {
    tell(first);
}

// From the source -------------------------------------------------------------------------------------------------------

void Split::data(Segment segment, Time now) {
    const Position begin = placeOf(segment.seq(), queue_.next()),
                   end = begin + segment.length() + segment.has(flag::fin);
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
    const bool isNewer = static_cast<int32_t>(segment.tsValue() - tsRecent_) >= 0;
    const bool saysMore = segment.ack() != passedAck_ || segment.window() != passedWindow_;
    passedAck_ = segment.ack();
    passedWindow_ = segment.window();
    if (segment.hasTimestamps() && isNewer && begin <= told_ && end > told_)
        tsRecent_ = segment.tsValue();  // RFC 7323, 4.3
    const Position before = queue_.next();
    switch (queue_.store(std::move(segment))) {
    case SegmentQueue::Stored::yes: outlet_.send(now); break;
    case SegmentQueue::Stored::duplicate: ++services_.counters().duplicates; break;
    case SegmentQueue::Stored::noRoom: ++services_.counters().cache_full; break;
    }
    // What has come in sequence is acknowledged when it leaves, where that is the rule.
    if (!treatment_.ackWhenSent || queue_.next() == before) acknowledge();
    // Acknowledgements that came with data which the receiver's window keeps here must not wait.
    if (saysMore && outlet_.offered() < queue_.next())
        services_.emit(other(from_), makeSegment(headerOf(flow_, from_)));
}

void Split::passes(Segment& segment, Time) {
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
    if (place > outlet_.offered()) segment.setSeq(sequenceOf(outlet_.offered()));
}

std::optional<Bytes> Split::leave(Position begin, Time now) {
    const Segment* segment = outlet_.leave(begin, now);
    if (!segment) return std::nullopt;
    Segment copy = *segment;
    refresh(copy, flow_, from_);
    if (treatment_.ackWhenSent && told_ < mayTell()) acknowledge();
    return std::move(copy).take();
}

// From the receiver -------------------------------------------------------------------------------------------------------

bool Split::acknowledged(Segment& segment, Time now) {
    if (!outlet_.acknowledge(segment, now)) {
        ++services_.counters().invalid_acks;
        return false;
    }
    // News for the source: of what it has not been told of, because it was held back, is the FIN, or was not stored.
    const bool isNews = outlet_.acked() > told_ || isProbed_;
    if (!isNews && segment.length() == 0 && !segment.has(flag::fin)) {
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

// Data without FIN, and what the receiver has acknowledged. An ACK never ends where a block began that the source has been told of: TCPs do
// not know that of a receiver.
Position Split::mayTell() const {
    const Position left = treatment_.ackWhenSent ? std::max(outlet_.sent(), sackedEdge_) : queue_.next();
    const Position stored = std::min(left, queue_.next());
    const Position data = queue_.fin() ? std::min(stored, *queue_.fin()) : stored;
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

std::optional<Acknowledgement> Split::told() const { return Acknowledgement{sequenceOf(told_), window_, tsRecent_}; }

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
    // Blocks say that what lies between them and the ACK is missing, which is not so while it waits to leave.
    const bool isAllTold = told_ + (queue_.fin() ? 1 : 0) >= queue_.next();
    if (flow_.hasSack() && isAllTold) header.sack = queue_.blocks(flow_.hasTimestamps() ? 3 : 4);
    for (const SackBlock& block : header.sack) sackedEdge_ = std::max(sackedEdge_, placeOf(block.end, queue_.next()));
    ++services_.counters().acks_made;
    services_.emit(from_, makeSegment(header));
}

// An ACK for each segment that has had none: each lets the source's window grow.
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
    const bool isHeld = told_ < mayTell() && !treatment_.ackWhenSent;
    if (isHeld || advertised_ < told_ + little()) services_.waitForRoom(flow_, from_);
}

void Split::roomGrew(Time) {
    if (isReserving()) return services_.waitForRoom(flow_, from_);
    if (told_ < mayTell() && !treatment_.ackWhenSent) release();
    updateWindow();
}

void Split::linkReturned(Time) {
    if (told_ < mayTell() && !treatment_.ackWhenSent) release();
    wait();
}

bool Split::isClosed() const { return queue_.fin() && outlet_.acked() > *queue_.fin(); }

}  // namespace arqlink::gateway
