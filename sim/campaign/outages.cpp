// SPDX-License-Identifier: Apache-2.0
#include "outages.h"

namespace campaign {

void Outages::mayBeUp(uint64_t now) {
    if (endsAt_) finish();
    if (mayUp_) return;
    mayUp_ = true;
    heardFirst_ = heardLast_ = now;
}

void Outages::isUp(uint64_t now) {
    if (endsAt_ || up_) return;
    mayBeUp(now);
    up_ = true;
    heardLast_ = std::max(heardLast_, now);
}

void Outages::restarts(uint64_t now) {
    up_ = wasOff_ = false;
    if (mayUp_ && !endsAt_) endsAt_ = now + jitter_;
}

/// Nothing is left of what was up.
void Outages::finish() {
    endsAt_ = 0;
    mayUp_ = up_ = wasMayUp_ = peerDeaf_ = possible_ = certain_ = wasOff_ = false;
    peer_.clear(), silence_.clear();
}

void Outages::reset() {
    const uint32_t timeout = timeout_;
    const bool phyUp = phyUp_;
    *this = Outages(jitter_);
    timeout_ = timeout, phyUp_ = phyUp;
}

void Outages::heard(uint64_t now, bool control, bool deaf) {
    heardFirst_ = heardLast_ = now;
    silence_.end(now, jitter_);
    if (!control || !mayUp_) return;
    if (deaf && !peerDeaf_) {
        peerSince_ = now;
        peer_.begin();
    }
    if (!deaf) peer_.end(now, jitter_);
    peerDeaf_ = deaf;
}

/// A write of a timer starts it anew, unless it has run out.
void Outages::timerIs(uint32_t timeout, uint64_t now) {
    isWriting_ = false;
    timeout_ = timeout;
    if (!timeout) silence_.end(now, jitter_);
    if (silence_.certain) return;
    // If it may have run out, it may stay so until something comes.
    if (!silence_.possible || silence_.fadesAt) heardFirst_ = now > jitter_ ? now - jitter_ : 0;
    heardLast_ = now;
}

void Outages::phyClock(uint64_t now, bool phyUp) {
    if (phyUp_ && !phyUp) phyFell_ = now;
    if (!phyUp && (!phy_.possible || phy_.fadesAt)) phy_.begin();
    phy_.certain = !phyUp && now >= phyFell_ + phyLatency && up_;
    if (phyUp) phy_.end(now, phyLatency);
    phyUp_ = phyUp;
}

void Outages::silenceClock(uint64_t now) {
    // While it is written, it runs from the old value or the new one.
    uint32_t least = timeout_;
    if (isWriting_ && next_ && (!least || next_ < least)) least = next_;
    if (!least) return;
    const bool mayEnd = mayUp_ && now + jitter_ >= heardFirst_ + least;
    if (mayEnd && (!silence_.possible || silence_.fadesAt)) silence_.begin();
    if (isWriting_)
        silence_.certain &= up_ && next_;
    else
        silence_.certain = up_ && (silence_.certain || now >= heardLast_ + timeout_ + 2 * jitter_);
}

void Outages::count() {
    const bool wasCertain = certain_;
    possible_ = mayUp_ && (phy_.possible || silence_.possible || peer_.possible);
    certain_ = up_ && (phy_.certain || silence_.certain || peer_.certain);
    const bool begins = mayUp_ && !wasMayUp_;
    for (Cause* cause : {&phy_, &silence_, &peer_}) {
        const bool rises = cause->begins || (begins && cause->possible);
        // What another cause hides may show when that one ends.
        const bool shows = wasCertain && !certain_ && cause->possible && !cause->certain && !cause->fadesAt;
        if (mayUp_ && ((rises && !wasCertain) || shows)) ++most_;
        cause->begins = false;
    }
    wasMayUp_ = mayUp_;
    if (up_ && !possible_) wasOff_ = true;
    if (certain_ && wasOff_) ++least_, wasOff_ = false;
}

void Outages::clock(uint64_t now, bool phyUp) {
    for (Cause* cause : {&phy_, &silence_, &peer_}) cause->fade(now);
    phyClock(now, phyUp);
    silenceClock(now);
    peer_.certain = up_ && peerDeaf_ && now >= peerSince_ + jitter_;
    count();
    if (endsAt_ && now >= endsAt_) finish();
}

}  // namespace campaign
