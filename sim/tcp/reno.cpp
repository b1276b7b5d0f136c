// SPDX-License-Identifier: Apache-2.0
#include "reno.h"

#include <algorithm>

#include "ns3/simulator.h"

namespace arqlink::tcp {

using ns3::Simulator;
using ns3::Time;

// Sender --------------------------------------------------------------------------------------------------------------

void RenoSender::send(uint64_t number) {
    ++segments_;
    if (number < highest_) ++retransmissions_;
    highest_ = std::max(highest_, number + 1);
    if (!timer_.IsPending()) restartTimer();
    transmit_({number, Simulator::Now()});
}

void RenoSender::fill() {
    const auto allowed = static_cast<uint64_t>(std::min(window_, settings_.maxWindow));
    while (flight() < allowed && next_ < limit_) send(next_++);
}

void RenoSender::acknowledge(const Ack& ack) {
    if (ack.window < std::numeric_limits<uint64_t>::max()) limit_ = ack.next + ack.window;
    if (ack.next > base_) {
        measure(Simulator::Now() - ack.echo);
        advance(ack);
    } else if (flight() > 0 && !ack.opens) {
        duplicate();
    }
    fill();
}

// New data are acknowledged.
void RenoSender::advance(const Ack& ack) {
    const uint64_t acked = ack.next - base_;
    base_ = ack.next;
    next_ = std::max(next_, base_);
    duplicates_ = 0;
    if (!recovers_) {
        // RFC 5681, section 3.1; bytes are not counted, so delayed ACKs make the growth slower, as the papers' eq. 1 has it.
        window_ += window_ < threshold_ ? 1 : 1 / window_;
        restartTimer();
    } else if (base_ >= recover_) {
        recovers_ = false;
        window_ = std::min(threshold_, static_cast<double>(std::max<uint64_t>(flight(), 1) + 1));
        restartTimer();
    } else {
        // A partial ACK: the next hole is retransmitted, and the timer restarted for the first one only (RFC 6582, section 4).
        send(base_);
        window_ = std::max(window_ - static_cast<double>(acked), 1.0) + 1;
        if (!partial_) restartTimer();
        partial_ = true;
    }
}

void RenoSender::duplicate() {
    ++duplicates_;
    if (recovers_) {
        window_ += 1;
    } else if (duplicates_ == 3 && base_ >= recover_) {
        recover_ = highest_;
        recovers_ = true;
        partial_ = false;
        threshold_ = std::max(static_cast<double>(flight()) / 2, 2.0);
        window_ = threshold_ + 3;
        send(base_);
        restartTimer();
    }
}

void RenoSender::measure(Time sample) {
    roundTrip_.add(sample.GetSeconds());
    if (!measured_) {
        smoothed_ = sample;
        variation_ = sample / 2;
    } else {
        variation_ = (3 * variation_ + Abs(smoothed_ - sample)) / 4;
        smoothed_ = (7 * smoothed_ + sample) / 8;
    }
    measured_ = true;
    rto_ = std::clamp(smoothed_ + 4 * variation_, settings_.minRto, settings_.maxRto);
}

void RenoSender::restartTimer() {
    timer_.Cancel();
    if (flight() > 0) timer_ = Simulator::Schedule(rto_, &RenoSender::timeOut, this);
}

void RenoSender::timeOut() {
    ++timeouts_;
    threshold_ = std::max(static_cast<double>(flight()) / 2, 2.0);
    window_ = 1;
    recover_ = highest_;
    recovers_ = false;
    duplicates_ = 0;
    rto_ = std::min(2 * rto_, settings_.maxRto);
    next_ = base_;
    fill();
}

void RenoSender::resetStatistics() {
    segments_ = retransmissions_ = timeouts_ = 0;
    roundTrip_ = {};
}

// Receiver ------------------------------------------------------------------------------------------------------------

void RenoReceiver::receive(const Segment& segment) {
    if (segment.number < next_ || ahead_.count(segment.number)) {
        ++repeated_;
        acknowledge(segment.sent);
        return;
    }
    if (user_.room && user_.room() == 0) {
        ++refused_;
        return;
    }
    if (segment.number > next_) {
        ahead_.insert(segment.number);
        acknowledge(segment.sent);
        return;
    }
    const bool fillsGap = !ahead_.empty();
    takeNext();
    while (!ahead_.empty() && *ahead_.begin() == next_) {
        ahead_.erase(ahead_.begin());
        takeNext();
    }
    if (fillsGap || waiting_ || settings_.ackEvery == 1) {
        acknowledge(waiting_ ? echo_ : segment.sent);
        return;
    }
    waiting_ = true;
    echo_ = segment.sent;
    timer_ = Simulator::Schedule(settings_.delayedAck, [this] { acknowledge(echo_); });
}

void RenoReceiver::takeNext() {
    ++next_;
    if (user_.take) user_.take();
}

void RenoReceiver::acknowledge(Time echo, bool opens) {
    timer_.Cancel();
    waiting_ = false;
    Ack ack{next_, echo};
    if (user_.room) ack.window = user_.room();
    ack.opens = opens;
    advertised_ = ack.window;
    transmit_(ack);
}

void RenoReceiver::roomGrew() {
    constexpr uint64_t few = 2;  // segments (RFC 9293, section 3.8.6.2.2: no silly windows)
    if (advertised_ < few && user_.room() >= few) acknowledge(waiting_ ? echo_ : Simulator::Now(), !waiting_);
}

}  // namespace arqlink::tcp
