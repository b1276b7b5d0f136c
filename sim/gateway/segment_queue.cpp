// SPDX-License-Identifier: Apache-2.0
#include "segment_queue.h"

#include <algorithm>
#include <utility>

namespace arqlink::gateway {

namespace {

constexpr size_t mostRecent = 8;  // blocks that are remembered in the order in which they came: an ACK tells of four

size_t slotsOf(size_t bytes, size_t full) { return (bytes + full - 1) / full; }

// Whether `a` and `b`, which follow each other, can be one segment.
bool canJoin(const Cached& a, const Cached& b, size_t full, size_t slot) {
    return a.end == b.begin && !a.times && !b.times && !b.isQueued && a.isAhead == b.isAhead && !a.isSacked &&
           !b.isSacked && !a.isLost && !b.isLost && !b.isFlying && a.isFlying == a.isQueued &&
           !a.segment.has(flag::fin | flag::urg) && !b.segment.has(flag::urg) &&
           a.segment.length() + b.segment.length() <= full && a.segment.bytes().size() + b.segment.length() <= slot;
}

}  // namespace

SegmentQueue::~SegmentQueue() { forget(next_); }

void SegmentQueue::forget(Position next) {
    for (size_t i = segments_.size(); i > 0; --i) services_.slots().release();
    segments_.clear();
    recent_.clear();
    next_ = next;
    aheadBytes_ = 0;
    count();
}

// What the gaps need, as the gateway knows it.
void SegmentQueue::count() {
    const Position last = segments_.empty() ? next_ : std::max(next_, segments_.rbegin()->second.end);
    const size_t missing = slotsOf(last - next_ - std::min<Position>(aheadBytes_, last - next_), full_);
    services_.slots().miss(missing_, missing);
    missing_ = missing;
}

void SegmentQueue::noteRecent(Position place) {
    recent_.push_front(place);
    if (recent_.size() > mostRecent) recent_.pop_back();
}

SegmentQueue::Stored SegmentQueue::store(Segment segment, size_t full) {
    full_ = std::max<size_t>(full, 1);
    const Position first = placeOf(segment.seq(), next_);
    const Position data = first + segment.length();
    Position begin = std::max(first, next_), end = data + segment.has(flag::fin);
    if (fin_ || begin >= end) return Stored::duplicate;
    auto after = segments_.upper_bound(begin);
    if (after != segments_.begin()) {
        for (auto before = std::prev(after); before->second.begin <= begin && begin < before->second.end;) {
            begin = before->second.end;
            if (++before == segments_.end()) break;
        }
        after = segments_.upper_bound(begin);
    }
    if (begin >= end) {
        noteRecent(first);
        return Stored::duplicate;
    }
    if (after != segments_.end()) end = std::min(end, after->second.begin);
    const bool isAhead = begin != next_;
    const Position last = segments_.empty() ? end : std::max(end, segments_.rbegin()->second.end);
    const size_t gaps = isAhead ? slotsOf(last - next_ - aheadBytes_ - (end - begin), full_) : 0;
    if (end <= data) segment.keepFront(end - first);
    segment.trimFront(begin - first);
    Slots& slots = services_.slots();
    const bool hasSlot = slots.take(isAhead ? slots.missing() - missing_ + gaps : 0);
    Cached cached{std::move(segment), begin, end, isAhead};
    const bool follows = joins_ && after != segments_.begin() && !std::prev(after)->second.isQueued &&
                         canJoin(std::prev(after)->second, cached, full_, services_.settings().slotBytes);
    if (!hasSlot && !follows) return Stored::noRoom;
    ++services_.counters().cached;
    if (isAhead) {
        aheadBytes_ += end - begin;
        noteRecent(begin);
    }
    auto stored = segments_.end();
    if (follows) {
        stored = std::prev(after);
        stored->second.segment.join(cached.segment);
        stored->second.end = end;
        if (hasSlot) slots.release();
        if (!isAhead) next_ = end;
        if (!isAhead && cached.segment.has(flag::fin)) fin_ = end - 1;
    } else {
        stored = segments_.emplace(begin, std::move(cached)).first;
    }
    advance();
    if (joins_) join(stored, full_);
    return Stored::yes;
}

bool SegmentQueue::join(Map::iterator first, size_t full) {
    const auto second = std::next(first);
    if (second == segments_.end()) return false;
    Cached &a = first->second, &b = second->second;
    if (!canJoin(a, b, full, services_.settings().slotBytes)) return false;
    a.segment.join(b.segment);
    a.end = b.end;
    segments_.erase(second);
    services_.slots().release();
    return true;
}

void SegmentQueue::advance() {
    for (auto it = segments_.lower_bound(next_); it != segments_.end() && it->second.begin == next_; ++it) {
        Cached& cached = it->second;
        if (cached.isAhead) aheadBytes_ -= cached.end - cached.begin;
        cached.isAhead = false;
        next_ = cached.end;
        if (cached.segment.has(flag::fin)) fin_ = cached.end - 1;
    }
    count();
}

void SegmentQueue::acknowledge(Position ack) {
    while (!segments_.empty()) {
        const auto first = segments_.begin();
        Cached& cached = first->second;
        if (cached.end <= ack) {
            if (cached.isAhead) aheadBytes_ -= cached.end - cached.begin;
            services_.slots().release();
            segments_.erase(first);
            continue;
        }
        if (cached.begin < ack) {
            auto node = segments_.extract(first);
            Cached& rest = node.mapped();
            rest.segment.trimFront(std::min<Position>(ack - rest.begin, rest.segment.length()));
            if (rest.isAhead) aheadBytes_ -= ack - rest.begin;
            rest.begin = node.key() = ack;
            rest.isQueued = false;  // under another name
            segments_.insert(std::move(node));
        }
        break;
    }
    if (ack > next_) next_ = ack;
    advance();
}

Position SegmentQueue::markSacked(const Segment& segment, Position sent, const std::function<void(Cached&)>& arrived) {
    Position last = 0;
    for (size_t i = 0; i < segment.sackBlocks(); ++i) {
        const SackBlock block = segment.sackBlock(i);
        const Position begin = placeOf(block.begin, sent), end = placeOf(block.end, sent);
        if (begin >= end || end > sent) continue;
        last = std::max(last, end);
        for (auto it = segments_.lower_bound(begin); it != segments_.end() && it->second.end <= end; ++it) {
            if (std::exchange(it->second.isSacked, true)) continue;
            arrived(it->second);
        }
    }
    return last;
}

std::vector<SackBlock> SegmentQueue::blocks(size_t most) const {
    std::vector<SackBlock> found;
    for (const Position place : recent_) {
        if (found.size() == most) break;
        auto it = segments_.upper_bound(place);
        if (place < next_ || it == segments_.begin()) continue;
        auto first = std::prev(it), last = first;
        if (place >= first->second.end) continue;
        while (first != segments_.begin() && std::prev(first)->second.end == first->second.begin) --first;
        while (it != segments_.end() && it->second.begin == last->second.end) last = it++;
        const SackBlock block{sequenceOf(first->second.begin), sequenceOf(last->second.end)};
        const auto isSame = [&](const SackBlock& other) { return other.begin == block.begin; };
        if (std::none_of(found.begin(), found.end(), isSame)) found.push_back(block);
    }
    return found;
}

}  // namespace arqlink::gateway
