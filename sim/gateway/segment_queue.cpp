// SPDX-License-Identifier: Apache-2.0
#include "segment_queue.h"

#include <algorithm>
#include <utility>

namespace arqlink::gateway {

bool Slots::take(bool isAhead) {
    // What is ahead of gaps must leave room for what fills them.
    if (free() == 0 || (isAhead && ahead_ >= all_ / 4)) return false;
    ++used_;
    ahead_ += isAhead;
    return true;
}

void Slots::release(bool isAhead) {
    --used_;
    ahead_ -= isAhead;
}

SegmentQueue::~SegmentQueue() {
    for (const auto& [begin, cached] : segments_) services_.slots().release(cached.isAhead);
}

SegmentQueue::Stored SegmentQueue::store(Segment segment) {
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
    if (begin >= end) return Stored::duplicate;
    if (after != segments_.end()) end = std::min(end, after->second.begin);
    const bool isAhead = begin != next_;
    if (!services_.slots().take(isAhead)) return Stored::noRoom;

    if (end <= data) segment.keepFront(end - first);
    segment.trimFront(begin - first);
    ++services_.counters().cached;
    segments_.emplace(begin, Cached{std::move(segment), begin, end, isAhead});
    advance();
    return Stored::yes;
}

void SegmentQueue::advance() {
    for (auto it = segments_.find(next_); it != segments_.end() && it->second.begin == next_; ++it) {
        Cached& cached = it->second;
        if (cached.isAhead) services_.slots().settle();
        cached.isAhead = false;
        next_ = cached.end;
        if (cached.segment.has(flag::fin)) fin_ = cached.end - 1;
    }
}

void SegmentQueue::acknowledge(Position ack) {
    while (!segments_.empty()) {
        const auto first = segments_.begin();
        Cached& cached = first->second;
        if (cached.end <= ack) {
            services_.slots().release(cached.isAhead);
            segments_.erase(first);
            continue;
        }
        if (cached.begin < ack) {
            auto node = segments_.extract(first);
            Cached& rest = node.mapped();
            rest.segment.trimFront(std::min<Position>(ack - rest.begin, rest.segment.length()));
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
    Position end = 0;
    for (auto it = segments_.lower_bound(next_); it != segments_.end(); ++it) {
        const Cached& cached = it->second;
        if (!found.empty() && cached.begin == end) {
            found.back().end = sequenceOf(cached.end);
        } else {
            if (found.size() == most) break;
            found.push_back({sequenceOf(cached.begin), sequenceOf(cached.end)});
        }
        end = cached.end;
    }
    return found;
}

}  // namespace arqlink::gateway
