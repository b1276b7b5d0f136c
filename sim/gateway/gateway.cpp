// SPDX-License-Identifier: Apache-2.0
#include "gateway.h"

#include <algorithm>
#include <set>
#include <utility>

#include "clamp.h"
#include "icmp.h"
#include "maker.h"
#include "snoop.h"
#include "split.h"

namespace arqlink::gateway {

namespace {

constexpr Time ageEvery = 1 * seconds;
constexpr Time recentFor = 24 * 86400 * seconds;  // RFC 7323, section 5.5
constexpr Time kept = 60 * seconds;               // what a source has sent into a window has come by then

std::unique_ptr<Half> makeHalf(Flow& flow, Port from, Position first, Services& services) {
    switch (flow.treatment.mode) {
    case Mode::clamp: return std::make_unique<Clamp>(flow, from, first, services);
    case Mode::snoop: return std::make_unique<Snoop>(flow, from, first, services);
    case Mode::split:
    case Mode::proxy: return std::make_unique<Split>(flow, from, first, services);
    case Mode::pass: break;
    }
    return nullptr;
}

// Whether data that come in at `from` are treated.
bool isTreated(const Treatment& treatment, Port from) { return from == Port::lan || treatment.bothWays; }

// Whether their source is told of windows by the gateway.
bool isBounded(const Treatment& treatment, Port from) {
    return treatment.mode != Mode::pass && treatment.mode != Mode::snoop &&
           treatment.advertise != Advertise::receiver && isTreated(treatment, from);
}

bool isBetween(uint32_t value, uint32_t first, uint32_t last) { return value - first <= last - first; }

// The flow of a segment from `source`, which is behind the port `from`.
FlowKey keyOf(bool isV6, Port from, const Endpoint& source, const Endpoint& destination) {
    return from == Port::lan ? FlowKey{isV6, source, destination} : FlowKey{isV6, destination, source};
}

// Bytes from `from` to `to`; negative where `to` comes before it.
int32_t distance(uint32_t from, uint32_t to) { return static_cast<int32_t>(to - from); }

}  // namespace

Gateway::Gateway(Settings settings)
    : settings_((check(settings), std::move(settings))), slots_(settings_.cachePackets), table_(settings_.flows) {}

Gateway::~Gateway() = default;

// Ports -------------------------------------------------------------------------------------------------------------------

bool Gateway::emit(Port port, Bytes packet) {
    const unsigned i = index(port);
    if (packets_[i] >= settings_.queuePackets) {
        ++counters_.queue_full;
        return false;
    }
    ++packets_[i];
    queues_[i].push_back({std::move(packet), {}, port, 0});
    return true;
}

void Gateway::offer(Flow& flow, Port from, Position begin) {
    queues_[index(other(from))].push_back({{}, flow.weak_from_this(), from, begin});
}

void Gateway::offerFirst(Flow& flow, Port from, const std::vector<Position>& begins) {
    auto& queue = queues_[index(other(from))];
    for (auto it = begins.rbegin(); it != begins.rend(); ++it) queue.push_front({{}, flow.weak_from_this(), from, *it});
}

std::optional<Bytes> Gateway::take(Port port, Time now) {
    auto& queue = queues_[index(port)];
    while (!queue.empty()) {
        Waiting next = std::move(queue.front());
        queue.pop_front();
        if (!next.packet.empty()) {
            --packets_[index(port)];
            return std::move(next.packet);
        }
        const auto flow = next.flow.lock();
        if (!flow || !flow->half(next.from)) continue;
        auto packets = flow->half(next.from)->leave(next.begin, now);
        plan(*flow);
        if (packets.empty()) continue;
        for (size_t i = packets.size() - 1; i > 0; --i, ++packets_[index(port)])
            queue.push_front({std::move(packets[i]), {}, port, 0});
        return std::move(packets[0]);
    }
    return std::nullopt;
}

void Gateway::pass(Port port, Bytes packet) {
    ++counters_.passed;
    emit(other(port), std::move(packet));
}

void Gateway::count(NotTreated why) {
    switch (why) {
    case NotTreated::malformed: ++counters_.malformed; break;
    case NotTreated::otherPacket: ++counters_.not_tcp; break;
    case NotTreated::fragment: ++counters_.fragments; break;
    case NotTreated::badChecksum: ++counters_.bad_checksum; break;
    }
}

// Packets -----------------------------------------------------------------------------------------------------------------

void Gateway::receive(Port port, Bytes packet, Time now) {
    advance(now);
    if (packet.empty()) return;
    NotTreated why;
    auto segment = Segment::parse(packet, why);
    if (!segment) {
        count(why);
        heedTooBig(port, packet, now);
        return pass(port, std::move(packet));
    }
    const FlowKey key = keyOf(segment->isV6(), port, segment->source(), segment->destination());
    Flow* flow = table_.find(key, now);
    if (flow && flow->isBroken()) {
        if (segment->has(flag::rst)) return pass(port, std::move(*segment).take());  // a host's answer to a challenge
        if (!segment->has(flag::syn)) return refuse(*flow, port, *segment);
        remove(*flow, now);  // another connection
        flow = nullptr;
    }
    if (segment->has(flag::syn)) {
        if (flow && flow->half(port)) flow->half(port)->mayBeChallenged();
        synchronize(flow, key, port, *segment, now);
        return pass(port, std::move(*segment).take());
    }
    if (flow && !flow->isEstablished && !establish(*flow, *segment, now)) {
        remove(*flow, now);
        flow = nullptr;
    }
    if (!flow || !flow->isEstablished) {
        if (flow) heedEarly(*flow, port, *segment);
        ++counters_.no_entry;
        return pass(port, std::move(*segment).take());
    }
    if (segment->has(flag::rst)) return reset(*flow, port, std::move(*segment), now);
    if (!segment->has(flag::ack)) return pass(port, std::move(*segment).take());  // RFC 9293: to be dropped
    treat(*flow, port, std::move(*segment), now);
}

// A router behind `port` says that packets of this size do not arrive.
void Gateway::heedTooBig(Port port, const Bytes& packet, Time now) {
    const auto message = TooBig::read(packet);
    if (!message) return;
    const Port from = other(port);  // of the packet that was too long
    Flow* flow = table_.find(keyOf(message->isV6, from, message->source, message->destination), now);
    if (!flow || !flow->half(from) || message->mtu >= flow->pathBytes[index(from)]) return;
    if (!flow->half(from)->isUnderWay(message->seq)) return;  // RFC 5927, section 7.2
    ++counters_.too_big;
    flow->pathBytes[index(from)] = message->mtu;
    flow->half(from)->pathShrank(now);
    plan(*flow);
}

// A host may send no further than the largest window that can be advertised to it, nor acknowledge what cannot have been sent, nor what
// is older than a window (RFC 5961, section 5.2). Some of what was sent may have taken another way.
bool Gateway::isPlausible(const Flow& flow, Port port, const Segment& segment) {
    const Host &host = flow.hosts[index(port)], &peer = flow.hosts[index(other(port))];
    const int64_t own = flow.largestWindow(port);
    return distance(acknowledgementOf(flow, other(port)).ack, segment.end()) <= flow.largestWindow(other(port)) &&
           distance(peer.next, segment.ack()) <= own && distance(segment.ack(), host.ack) <= own;
}

// All of it lies before what the other host has been heard to expect. That one would answer, and else forget it (RFC 9293, section
// 3.10.7.4): so what it says is not taken for the host's word.
bool Gateway::isOld(const Flow& flow, Port port, const Segment& segment) {
    return distance(acknowledgementOf(flow, other(port)).ack, segment.end()) < 0;
}

// A segment may show that nothing is owed to the receiver. It is believed if it is at most two windows ahead, and acknowledges what may have been
// sent.
void Gateway::considerHandBack(Flow& flow, Port port, const Segment& segment, Time now) {
    Half* half = flow.half(port);
    if (!half) return;
    const int64_t ahead = distance(acknowledgementOf(flow, other(port)).ack, segment.seq());
    const int64_t more = distance(flow.host(other(port)).next, segment.ack()), own = flow.largestWindow(port);
    if (ahead > 2 * flow.largestWindow(other(port)) || more > own || more < -own) return;
    if (!half->handsBack(segment, now)) return;
    ++counters_.handed_back;
    plan(flow);
    serveRoom(now);
}

// RFC 7323, section 5.3.
bool Gateway::isOutdated(const Flow& flow, Port port, const Segment& segment, Time now) {
    const Host& host = flow.hosts[index(port)];
    return flow.hasTimestamps() && segment.hasTimestamps() && now - host.recentSince < recentFor &&
           distance(host.recent, segment.tsValue()) < 0;
}

// A host has heard of data, or by a timestamp of any segment, that have not come this way. A probe of a closed window says so as well.
bool Gateway::hasHeardElsewhere(const Flow& flow, Port port, const Segment& segment) {
    const Host& peer = flow.hosts[index(other(port))];
    const bool isProbe = distance(acknowledgementOf(flow, other(port)).ack, segment.end()) == -1;
    if (isOld(flow, port, segment) && !isProbe) return false;
    return distance(peer.claimed, segment.ack()) > 0 ||
           (flow.hasTimestamps() && segment.hasTimestamps() && distance(peer.tsValue, segment.tsEcho()) > 0);
}

// What a segment says of its host, and of the other one.
void Gateway::hears(Flow& flow, Port port, const Segment& segment, Time now) {
    Host &host = flow.host(port), &peer = flow.host(other(port));
    if (segment.hasTimestamps() && distance(acknowledgementOf(flow, other(port)).ack, segment.seq()) <= 0) {
        host.recent = segment.tsValue();  // RFC 7323, section 4.3
        host.recentSince = now;
    }
    host.says(segment);
    if (segment.bytes().size() <= settings_.slotBytes) host.longest = std::max(host.longest, segment.length());
    if (flow.reopening && flow.reopening->port == port) flow.reopening.reset();  // it still has the connection
    peer.reaches(segment.ack());
}

void Gateway::treat(Flow& flow, Port port, Segment segment, Time now) {
    Half* const half = flow.half(port);
    if (!isPlausible(flow, port, segment)) {
        ++counters_.implausible;
        if (!isOutdated(flow, port, segment, now)) considerHandBack(flow, port, segment, now);
        return pass(port, std::move(segment).take());
    }
    const bool hasData = segment.length() > 0 || segment.has(flag::fin);
    if (isOutdated(flow, port, segment, now)) {
        ++counters_.outdated;
        if (!half || !half->told()) {
            flow.host(port).claims(segment.end());  // the other host may not know yet that it is outdated
            return pass(port, std::move(segment).take());
        }
        if (hasData) half->outdated();
        return;
    }
    const auto keep = flow.shared_from_this();
    const size_t used = slots_.used();
    bool endsHere = false;
    if (half && hasHeardElsewhere(flow, port, segment)) half->returnPathMoved(now);
    if (!isOld(flow, port, segment)) {
        hears(flow, port, segment, now);
        if (Half* back = flow.half(other(port))) endsHere = back->acknowledged(segment, now);
        considerHandBack(flow, port, segment, now);
    }
    if (hasData) {
        if (half)
            half->data(std::move(segment), now);
        else
            emit(other(port), std::move(segment).take());
    } else if (endsHere) {
        ++counters_.acks_suppressed;
    } else {
        if (half) half->passes(segment, now);
        emit(other(port), std::move(segment).take());
    }
    settle(flow, used, now);
}

// Opening -----------------------------------------------------------------------------------------------------------------

void Gateway::synchronize(Flow* flow, const FlowKey& key, Port port, Segment& segment, Time now) {
    if (segment.has(flag::rst | flag::fin)) return;
    if (segment.has(flag::ack)) {
        if (flow) answerSyn(*flow, port, segment, now);
        return;
    }
    if (!flow) return open(key, port, segment, now);
    const Host& host = flow->host(port);
    if (host.hasSyn && host.initial == segment.seq()) {  // again
        flow->host(port).ticks(segment);
        flow->host(port).synCame = never;
        return bound(flow->treatment, port, segment);
    }
    if (flow->isEstablished) {
        // Another connection of the same ports, if the other host agrees; or an old or forged SYN.
        const Treatment& treatment = treatmentFor(key, segment);
        bound(treatment, port, segment);
        flow->reopening = {port, treatment, {}};
        flow->reopening->host.opens(segment, now);
        return;
    }
    const bool isSimultaneous = flow->opener != port;
    remove(*flow, now);
    if (!isSimultaneous) open(key, port, segment, now);
}

void Gateway::open(const FlowKey& key, Port port, Segment& syn, Time now) {
    const Treatment& treatment = treatmentFor(key, syn);
    if (treatment.mode == Mode::pass) return;
    if (table_.isFull()) {
        Flow* oldest = table_.oldest(now, std::max(now, kept) - kept);
        if (!oldest) {
            ++counters_.flows_refused;
            return;
        }
        ++counters_.flows_evicted;
        remove(*oldest, now);
    }
    auto flow = std::make_shared<Flow>();
    flow->key = key;
    flow->treatment = treatment;
    flow->opener = port;
    bound(treatment, port, syn);
    flow->host(port).opens(syn, now);
    table_.add(std::move(flow), now);
    ++counters_.flows_opened;
}

void Gateway::answerSyn(Flow& flow, Port port, Segment& segment, Time now) {
    const auto answers = [&segment](const Host& opener) {
        return isBetween(segment.ack(), opener.initial + 1, opener.afterSyn);
    };
    if (flow.reopening && flow.reopening->port != port && answers(flow.reopening->host)) {
        // What was owed belongs to a connection that neither host has any more.
        const auto fresh = std::make_shared<Flow>();
        fresh->key = flow.key;
        fresh->treatment = flow.reopening->treatment;
        fresh->opener = other(port);
        fresh->host(other(port)) = flow.reopening->host;
        remove(flow, now);
        if (fresh->treatment.mode == Mode::pass) return;
        return answerSyn(table_.add(fresh, now), port, segment, now);
    }
    if (flow.opener == port || !answers(flow.host(other(port)))) return;
    if (segment.isBound()) {
        ++counters_.flows_bound;
        return remove(flow, now);
    }
    bound(flow.treatment, port, segment);
    if (flow.isEstablished) return flow.host(port).ticks(segment);
    if (!flow.host(port).hasSyn) shakeHands(flow, port, now);
    flow.host(port).opens(segment, now);
}

// The host behind `port` has answered the other one's SYN.
void Gateway::shakeHands(Flow& flow, Port port, Time now) {
    const Time asked = flow.host(other(port)).synCame;
    if (asked != never) flow.handshakes[index(port)] = now - asked;
}

// A source whose data will be stored must not be told of more than there is room for, nor of longer segments than fit a slot and the link.
void Gateway::bound(const Treatment& t, Port port, Segment& syn) const {
    if (t.mode == Mode::pass) return;
    const size_t longest = std::min(settings_.slotBytes, settings_.mtu) - leastHeaderBytes(syn.isV6());
    if (syn.maxSegment().value_or(0) > longest) syn.setMaxSegment(static_cast<uint16_t>(longest));
    if (!isBounded(t, other(port))) return;
    const size_t bytes =
        (t.advertise == Advertise::third ? slots_.all() / 3 : slots_.all()) * syn.maxSegment().value_or(536);
    syn.setWindow(static_cast<uint16_t>(std::min<size_t>(syn.window(), bytes)));
}

// Whoever has answered a SYN may speak before the opener does: of the window that its answer told of, no more.
void Gateway::heedEarly(Flow& flow, Port port, Segment& segment) {
    Host& host = flow.host(port);
    if (flow.opener == port || !host.hasSyn || segment.ack() != flow.host(other(port)).afterSyn) return;
    host.ticks(segment);
    if (!isBounded(flow.treatment, other(port))) return;
    const size_t told = flow.windowBytes(port) >> flow.windowScale(port);
    if (segment.window() > told) segment.setWindow(static_cast<uint16_t>(told));
}

// The opener's ACK of the answer to its SYN: all three have come this way. False: the flow is none that can be treated.
bool Gateway::establish(Flow& flow, const Segment& segment, Time now) {
    const Port opener = *flow.opener, answerer = other(opener);
    const Host& answer = flow.host(answerer);
    const bool isOpener = (segment.source() == flow.endpoint(opener));
    if (!isOpener || !answer.hasSyn || !segment.has(flag::ack) || segment.has(flag::rst) ||
        !isBetween(segment.ack(), answer.initial + 1, answer.afterSyn))
        return true;
    const size_t longest = std::max(flow.hosts[0].maxSegment, flow.hosts[1].maxSegment);
    if (longest + leastHeaderBytes(flow.key.isV6) > settings_.slotBytes) return false;
    flow.isEstablished = true;
    flow.host(opener).ack = segment.ack();
    shakeHands(flow, opener, now);
    const Position first[2] = {firstPosition(answer.ack), firstPosition(segment.ack())};
    for (const Port from : {Port::lan, Port::link})
        if (isTreated(flow.treatment, from))
            flow.halves[index(from)] = makeHalf(flow, from, first[from != opener], *this);
    if (Half* half = flow.half(answerer)) half->asked();  // which waits for this ACK
    return true;
}

const Treatment& Gateway::treatmentFor(const FlowKey& key, const Segment& syn) {
    static const Treatment none;
    const auto isIn = [&key](const Endpoint& end, const std::optional<FlowClass::Prefix>& prefix) {
        if (!prefix) return true;
        if (prefix->isV6 != key.isV6) return false;
        for (unsigned bit = 0; bit < prefix->bits; bit += 8) {
            const unsigned shift = prefix->bits - bit < 8 ? 8 - (prefix->bits - bit) : 0;
            if ((end.address[bit / 8] ^ prefix->address[bit / 8]) >> shift) return false;
        }
        return true;
    };
    for (const FlowClass& c : settings_.classes) {
        const auto hasPort = [&c](uint16_t port) { return c.firstPort <= port && port <= c.lastPort; };
        if (isIn(key.local, c.local) && isIn(key.remote, c.remote) &&
            (hasPort(key.local.port) || hasPort(key.remote.port)) && (!c.dscp || *c.dscp == syn.dscp())) {
            if (c.treatment.mode == Mode::pass || !syn.isBound()) return c.treatment;
            ++counters_.flows_bound;
            return none;
        }
    }
    return none;
}

// Closing -----------------------------------------------------------------------------------------------------------------

void Gateway::reset(Flow& flow, Port port, Segment segment, Time now) {
    // Only a reset that a host would believe ends the flow here (RFC 5961, section 3): one at what it has sent last, or
    // at what it has heard that the other one expects.
    const bool isLast =
        segment.seq() == flow.host(port).next || segment.seq() == acknowledgementOf(flow, other(port)).ack;
    if (const Half* half = flow.half(port); half && isLast) {
        const uint32_t sent = half->sent().value_or(segment.seq());  // what waits at the port goes with the flow
        if (distance(sent, segment.seq()) > 0) segment.setSeq(sent);
    }
    pass(port, std::move(segment).take());
    if (isLast) return remove(flow, now);
    if (Half* half = flow.half(port)) half->mayBeChallenged();
}

// The receiver is gone: both hosts learn it. A reset may get lost, so the entry stays, until it ages.
void Gateway::fail(Flow& flow, Time now) {
    ++counters_.flows_failed;
    for (const Port from : {Port::lan, Port::link}) {
        Header header = headerOf(flow, from);
        // A host believes one at what it expects alone (RFC 5961, section 3): what it has acknowledged last, or, where its ACKs take another way, an
        // edge of what was sent since.
        std::set<uint32_t> all{flow.host(other(from)).ack};
        if (const Half* half = flow.half(from))
            for (const uint32_t edge : half->edges()) all.insert(edge);
        header.flags = flag::rst | flag::ack;
        for (const uint32_t seq : all) {
            header.seq = seq;
            flow.resets.emplace_back(other(from), makeSegment(header));
        }
    }
    flow.halves = {};
    sendResets(flow, now);
}

// At doubling distances: a host whose packets take another way cannot show that it has not heard.
void Gateway::sendResets(Flow& flow, Time now) {
    constexpr unsigned most = 7;
    for (const auto& [port, packet] : flow.resets) emit(port, packet);
    const Time wait = seconds << flow.timesReset;
    schedule(flow, ++flow.timesReset < most ? now + wait : never);
}

// As a host answers that does not know the connection (RFC 9293, section 3.10.7.1).
void Gateway::refuse(const Flow& flow, Port port, const Segment& segment) {
    if (!segment.has(flag::ack)) return;
    Header header;
    header.isV6 = flow.key.isV6;
    header.source = flow.endpoint(other(port));
    header.destination = flow.endpoint(port);
    header.seq = segment.ack();
    header.flags = flag::rst;
    emit(port, makeSegment(header));
}

void Gateway::remove(Flow& flow, Time now) {
    const auto keep = flow.shared_from_this();
    const size_t used = slots_.used();
    timers_.erase({flow.planned, flow.number});
    table_.remove(flow);
    flow.halves = {};
    if (slots_.used() < used) serveRoom(now);
}

// Time and room -----------------------------------------------------------------------------------------------------------

void Gateway::plan(Flow& flow) {
    Time next = never;
    for (const auto& half : flow.halves)
        if (half) next = std::min(next, half->deadline());
    schedule(flow, next);
}

void Gateway::schedule(Flow& flow, Time next) {
    if (next == flow.planned) return;
    timers_.erase({flow.planned, flow.number});
    flow.planned = next;
    if (next != never) timers_.emplace(std::pair{next, flow.number}, &flow);
}

// After a half has done something.
void Gateway::settle(Flow& flow, size_t usedBefore, Time now) {
    const auto isDone = [](const auto& half) { return !half || half->isClosed(); };
    if (std::all_of(flow.halves.begin(), flow.halves.end(), isDone))
        remove(flow, now);
    else if (std::any_of(flow.halves.begin(), flow.halves.end(),
                         [](const auto& half) { return half && half->hasFailed(); }))
        fail(flow, now);
    else
        plan(flow);
    if (slots_.used() < usedBefore) serveRoom(now);
}

void Gateway::waitForRoom(Flow& flow, Port from) {
    const auto isSame = [&](const auto& entry) { return entry.second == from && entry.first.lock().get() == &flow; };
    if (std::none_of(waitingForRoom_.begin(), waitingForRoom_.end(), isSame))
        waitingForRoom_.emplace_back(flow.weak_from_this(), from);
}

void Gateway::serveRoom(Time now) {
    for (const auto& [weak, from] : std::exchange(waitingForRoom_, {})) {
        const auto flow = weak.lock();
        if (!flow || !flow->half(from)) continue;
        flow->half(from)->roomGrew(now);
        plan(*flow);
    }
}

void Gateway::advance(Time now) {
    while (deadline() <= now) {
        Flow& flow = *timers_.begin()->second;
        if (flow.isBroken()) {
            sendResets(flow, now);
            continue;
        }
        const auto keep = flow.shared_from_this();
        const size_t used = slots_.used();
        for (const auto& half : flow.halves)
            if (half && half->deadline() <= now) half->timeOut(now);
        settle(flow, used, now);
    }
    if (now < aged_ + ageEvery) return;
    aged_ = now;
    if (now < settings_.idle) return;
    while (Flow* flow = table_.oldest(now - settings_.idle, now - settings_.idle)) remove(*flow, now);
}

}  // namespace arqlink::gateway
