// SPDX-License-Identifier: Apache-2.0
#include "sender.h"

#include <algorithm>

namespace arqlink::event {

Sender::Sender(const Build& build, const EndSettings& settings, Counters& counters)
    : settings_(settings),
      latencies_(Latencies::of(build)),
      counters_(counters),
      window_(build.windowFrames),
      peerWindow_(build.windowFrames),
      smaller_(build.windowFrames),
      slots_(build.windowFrames),
      table_(build.windowFrames) {}

void Sender::peerWindow(unsigned frames) {
    peerWindow_ = frames;
    smaller_ = std::min(window_, peerWindow_);
}

void Sender::store(const Frame& frame) { slot(stored_++) = {frame, State::open}; }

Transmission Sender::issue(Clock now) {
    Transmission t;
    const bool repeats = !again_.empty() && again_.front().ready <= now;
    if (repeats) {
        t.fsn = again_.front().fsn;
        t.attempt = again_.front().attempt;
        again_.pop_front();
        ++counters_.tx_retx;
    } else {
        t.fsn = nextFsn_++;
        ++counters_.tx_frames;
    }
    const bool lastTry = settings_.delta < 15 && t.attempt >= settings_.delta;
    if (repeats) {
        t.lastTry = lastTry;
    } else {
        if (!lastTry) againBelow_ = nextFsn_;
        t.lastTry = t.allBelow = newestAnnounced_ = txBase_ >= againBelow_;
    }
    t.tsn = nextTsn_++;
    t.again = repeats;
    t.frame = slot(t.fsn).frame;
    t.n = static_cast<uint16_t>(t.frame.k + (repeats ? settings_.nRetx : settings_.nFirst) - settings_.k);
    sentAs(t.tsn) = {t.fsn, t.attempt, lastTry, false};
    return t;
}

bool Sender::feedback(const Control& report, Clock now) {
    const uint64_t end = std::min(report.bitmapBase + 64, report.rxNext);
    for (uint64_t tsn = std::max(report.bitmapBase, ackTsn_); tsn < end; ++tsn) {
        if (sentAs(tsn).known) continue;
        sentAs(tsn).known = true;
        outcome(tsn, report.bitmap >> (tsn - report.bitmapBase) & 1, now);
    }
    while (ackTsn_ < txEdge_ && sentAs(ackTsn_).known) ++ackTsn_;
    peerRxBase_ = std::max(peerRxBase_, report.rxBase);
    sweep();
    noticeDue_ &= unconfirmed();
    const bool notice = noticeDue_ && !noticesWait();
    noticeDue_ &= !notice;
    return notice;
}

void Sender::outcome(uint64_t tsn, bool received, Clock now) {
    const Sent& sent = sentAs(tsn);
    Slot& frame = slot(sent.fsn);
    if (received) {
        ++counters_.tx_outcomes_ok;
        ++counters_.tx_frames_acked;
        ++(&counters_.tx_acked_0)[sent.attempt];
        frame.state = State::acknowledged;
        if (settled) settled(sent.fsn);
        return;
    }
    ++counters_.tx_outcomes_failed;
    const bool excused = settings_.outageFreeze && !sent.lastTry && tsn < freezeBelow_;
    counters_.tx_outcomes_outage += excused;
    const bool exhausted = settings_.delta < 15 && sent.attempt >= settings_.delta;
    if (sent.lastTry || (exhausted && !excused)) {
        ++counters_.tx_frames_abandoned;
        frame.state = State::abandoned;
        if (settled) settled(sent.fsn);
    } else {
        again_.push_back({sent.fsn, excused ? sent.attempt : std::min(sent.attempt + 1, 15u), now + latencies_.repeat});
    }
}

// Moves txBase past resolved frames.
void Sender::sweep() {
    for (; txBase_ < nextFsn_ && slot(txBase_).state != State::open; ++txBase_) {
        const Slot& frame = slot(txBase_);
        if (frame.frame.sop) packetLost_ = false;
        if (frame.state == State::abandoned) {
            packetLost_ = true;
            if (txBase_ >= peerRxBase_) {
                abandonedEdge_ = txBase_ + 1;
                noticeDue_ = true;
            }
        }
        counters_.tx_packets_lost += packetLost_ && frame.frame.eop;
    }
}

}  // namespace arqlink::event
