// SPDX-License-Identifier: Apache-2.0
#include "composer.h"

#include <algorithm>

namespace arqlink::event {

namespace {
constexpr unsigned manyOutcomes = 16;  // so many are reported whatever STATUS_INTERVAL is
}

void Composer::heard(bool poll, uint64_t ackTsn) {
    reporter_.missing(ackTsn);
    if (poll) answer_ = reply_ = true;
}

void Composer::cameUp(Clock now, uint64_t smallerWindow) {
    reporter_.begin(smallerWindow);
    paceAt_ = now + settings_.statusInterval;
}

void Composer::follow(const Situation& s, Clock now) {
    if (asks(s) && !asks_) pollAt_ = now + settings_.pollTimeout;
    asks_ = asks(s);
}

void Composer::pollTimedOut(const Situation& s, Clock now) {
    pollAt_ = now + settings_.pollTimeout;
    const bool unfinished = sender_.peerRxBase() != sender_.nextFsn() || !sender_.resolved() || sender_.stalled();
    const bool progress = sender_.ackTsn() != tickAckTsn_ || sender_.peerRxBase() != tickRxBase_;
    tickAckTsn_ = sender_.ackTsn();
    tickRxBase_ = sender_.peerRxBase();
    poll_ |= (unfinished && !progress) || sender_.unconfirmed() || !s.peerUp;
}

// The clock from which on there is a cause for a message that is not of older blocks.
Clock Composer::causeAt(const Situation& s) const {
    const Clock keepalive = keepaliveAt(s);
    if (s.state == LinkState::hello) return hello_ ? 0 : paceAt_;
    if (s.state == LinkState::outage) return answer_ || (poll_ && !s.deaf) ? 0 : keepalive;
    if (s.state != LinkState::up) return never;
    const bool tail = s.idle && !sender_.resolved() && sender_.txEdge() != saidEdge_;
    const bool credit = resequencer_.rxBase() - saidRxBase_ >= window_ / 4;
    if (answer_ || notices_ || poll_ || credit) return 0;
    if (tail) return s.quiet + latencies_.tail;
    if (!status_) return keepalive;
    return receiver_.rxNext() - saidRxNext_ >= manyOutcomes ? 0 : std::min(paceAt_, keepalive);
}

Clock Composer::due(const Situation& s, Clock now) {
    if (!s.sending) turnEnds_ = std::min(turnEnds_, now);
    if (turnEnds_ == never && s.state != LinkState::hello) return never;
    const Clock cause = causeAt(s);
    const Clock older = s.state == LinkState::up ? reporter_.older() : never;
    const Clock when = std::min(cause, older);
    if (when == never) return never;
    return std::max({when, now, s.state == LinkState::hello ? 0 : turnEnds_});
}

void Composer::decide(const Situation& s, Clock now) {
    older_ = s.state == LinkState::up && reporter_.older() <= now && (olderTurn_ || causeAt(s) > now);
    isKeepalive_ = keepaliveAt(s) <= now;
}

Control Composer::compose(const Situation& s, Clock now) {
    Control message = filled(s, older_ ? reporter_.take(now) : reporter_.recent());
    turnEnds_ = never;
    olderTurn_ = !older_;
    composedAt_ = now;
    saidEdge_ = message.txEdge;
    saidRxBase_ = message.rxBase;
    ordinal_ = message.rxNext == lastRxNext_ && !greeted_ ? ordinal_ + 1 : 0;
    greeted_ = message.hello;
    lastRxNext_ = message.rxNext;
    message.ordinal = ordinal_;
    if (older_) return message;
    message.poll = !message.hello && (poll_ || isKeepalive_);
    message.reply = !message.hello && reply_;
    if (message.reply) reporter_.replied(now);
    saidRxNext_ = message.rxNext;
    hello_ = answer_ = reply_ = poll_ = status_ = false;
    notices_ -= notices_ != 0;
    paceAt_ =
        now + (s.state == LinkState::hello ? settings_.helloInterval : settings_.statusInterval) + latencies_.pace;
    return message;
}

// All that this end knows, and 64 outcomes from `base` on.
Control Composer::filled(const Situation& s, uint64_t base) const {
    Control message;
    message.peerKnown = s.peerKnown;
    if (s.state == LinkState::hello) {
        message.hello = true;
        message.window = static_cast<unsigned>(window_);
        return message;
    }
    message.deaf = s.deaf;
    message.abandons = sender_.unconfirmed();
    message.ackTsn = sender_.ackTsn();
    message.txBase = sender_.txBase();
    message.txEdge = sender_.txEdge();
    message.rxBase = resequencer_.rxBase();
    message.rxNext = receiver_.rxNext();
    message.bitmapBase = base;
    message.bitmap = receiver_.outcomes(base);
    return message;
}

}  // namespace arqlink::event
