// SPDX-License-Identifier: Apache-2.0
#include "channel.h"

#include <algorithm>
#include <cstring>

namespace campaign {

Channel::Channel(Random random, const Way& way, unsigned fromBytes, unsigned toBytes)
    : random_(random), way_(way), fromBytes_(fromBytes), toBytes_(toBytes) {}

bool Channel::erased(const Bytes& bytes, uint64_t clock) {
    const bool control = !bytes.empty() && (bytes[0] >> 4 & 3) == 1;
    if (way_.burst) {
        if (left_ == 0 && random_.chance(way_.goodToBad)) left_ = way_.burst;
        return left_ > 0 && left_-- > 0;
    }
    if (random_.chance(bad_ ? way_.badToGood : way_.goodToBad)) bad_ = !bad_;
    const bool lost = random_.chance(bad_ ? way_.bad : way_.good);
    const bool dark = clock < darkAll_ || clock < (control ? darkControl_ : darkData_);
    return lost || dark;
}

/// Changes a unit in a way that the receiver has to notice; false: nothing of it comes.
bool Channel::damage(Carried& unit) {
    unsigned kind;
    do kind = static_cast<unsigned>(random_.below(damageKinds));
    while (!(way_.damage >> kind & 1));
    Bytes& bytes = unit.bytes;
    switch (kind) {
    case flip: {
        for (uint64_t i = random_.octaves(1, 3); i > 0; --i) {
            const size_t bit = random_.below(bytes.size() * 8);
            bytes[bit / 8] ^= static_cast<uint8_t>(1u << (bit % 8));
        }
        return true;
    }
    case flag: unit.flagged = true; return true;
    case cut: {
        const size_t beats = bytes.size() / toBytes_;
        if (beats < 2) return false;
        bytes.resize(random_.between(1, beats - 1) * toBytes_);
        return true;
    }
    case longer: {
        for (uint64_t i = random_.octaves(1, 64) * toBytes_; i > 0; --i)
            bytes.push_back(static_cast<uint8_t>(random_.bits()));
        return true;
    }
    default: return false;
    }
}

void Channel::send(Carried unit, uint64_t clock) {
    const bool hello = unit.bytes.size() == controlBytes && (unit.bytes[0] >> 4 & 3) == 1 && (unit.bytes[2] & 1);
    auto put = [&](Carried u, uint64_t due) {
        const uint64_t clocks = (u.bytes.size() + toBytes_ - 1) / toBytes_;
        free_ = std::max(free_, due) + clocks;
        queue_.emplace(due, std::move(u));
    };
    if (!hello && way_.duplicate > 0 && random_.chance(way_.duplicate)) {
        Carried copy = unit;
        copy.copy = true;
        queue_.emplace(clock + way_.delay + random_.below(way_.behind + 1), std::move(copy));
    }
    if (!hello && way_.late > 0 && random_.chance(way_.late)) {
        unit.copy = true;
        ++lost_;
        queue_.emplace(clock + way_.delay + 1 + random_.below(way_.behind + 1), std::move(unit));
        return;
    }
    if (erased(unit.bytes, clock)) {
        ++lost_;
        if (!damage(unit)) return;
    }
    put(std::move(unit), clock + way_.delay);
}

void Channel::drive(EndIn& in, uint64_t clock) {
    in.phy.valid = false;
    while (!busy_ && !queue_.empty() && queue_.begin()->first <= clock) {
        current_ = std::move(queue_.begin()->second);
        queue_.erase(queue_.begin());
        if (current_.copy && fresh && !fresh(current_)) continue;
        busy_ = true;
        whole_ = true;
        offset_ = 0;
    }
    if (!busy_ || (way_.gap > 0 && random_.chance(way_.gap))) return;
    in.phy.valid = true;
    const size_t count = std::min<size_t>(toBytes_, current_.bytes.size() - offset_);
    std::memcpy(in.phy.data, current_.bytes.data() + offset_, count);
    in.phy.last = offset_ + toBytes_ >= current_.bytes.size();
    in.phy.user = current_.flagged && (in.phy.last || random_.chance(0.2));
}

void Channel::note(const EndIn& in, uint64_t clock) {
    awake_ = in.resetn ? awake_ + 1 : 0;
    if (!busy_) return;
    whole_ &= awake_ > 2;  // the blocks leave reset two clocks later
    if (!in.phy.valid) return;
    offset_ += toBytes_;
    if (!in.phy.last) return;
    busy_ = false;
    arrived(current_, clock, whole_);
}

void Channel::dark(EventKind kind, uint64_t until) {
    uint64_t& end = kind == EventKind::darkControl ? darkControl_ : kind == EventKind::darkData ? darkData_ : darkAll_;
    end = std::max(end, until);
}

void Channel::heal() {
    way_.good = way_.bad = way_.duplicate = way_.late = way_.gap = 0;
    bad_ = false;
    darkControl_ = darkData_ = darkAll_ = 0;
}

}  // namespace campaign
