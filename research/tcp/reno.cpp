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
    if (number < sndMax_) ++retransmissions_;
    time(number);
    sndMax_ = std::max(sndMax_, number + 1);
    if (!timer_.IsPending()) restartTimer();
    transmit_({number, Simulator::Now()});
}

void RenoSender::fill() {
    const auto allowed = static_cast<uint64_t>(std::min(cwnd_, settings_.maxWindow));
    while (flight() < allowed && sndNxt_ < rwndEdge_) send(sndNxt_++);
}

void RenoSender::acknowledge(const Ack& ack) {
    if (ack.next < sndUna_) return;  // overtaken by a later one
    if (ack.window < std::numeric_limits<uint64_t>::max()) rwndEdge_ = ack.next + ack.window;
    if (ack.next > sndUna_) {
        if (settings_.timestamps) {
            measure(Simulator::Now() - ack.echo);
        } else if (timed_ && ack.next > *timed_) {
            measure(Simulator::Now() - timedAt_);
            timed_.reset();
        }
        advance(ack);
    } else if (flight() > 0 && !ack.windowOnly) {
        duplicate();
    }
    fill();
}

// New data are acknowledged.
void RenoSender::advance(const Ack& ack) {
    const uint64_t acked = ack.next - sndUna_;
    sndUna_ = ack.next;
    sndNxt_ = std::max(sndNxt_, sndUna_);
    dupAcks_ = 0;
    backedOff_ = false;
    if (!inRecovery_) {
        // RFC 5681, section 3.1; bytes are not counted, so delayed ACKs make the growth slower, as the papers' eq. 1 has it.
        cwnd_ += cwnd_ < ssthresh_ ? 1 : 1 / cwnd_;
        restartTimer();
    } else if (settings_.classic) {
        inRecovery_ = false;
        cwnd_ = ssthresh_;  // RFC 5681, section 3.2, step 6: whatever else is missing needs three duplicates of its own
        restartTimer();
    } else if (static_cast<int64_t>(sndUna_) >= recover_) {
        inRecovery_ = false;
        cwnd_ = std::min(ssthresh_, static_cast<double>(std::max<uint64_t>(flight(), 1) + 1));
        restartTimer();
    } else {
        // A partial ACK: the next hole is retransmitted, and the timer restarted for the first one only (RFC 6582, section 4).
        send(sndUna_);
        cwnd_ = std::max(cwnd_ - static_cast<double>(acked), 1.0) + 1;
        if (!partial_) restartTimer();
        partial_ = true;
    }
}

void RenoSender::duplicate() {
    ++dupAcks_;
    if (inRecovery_) {
        cwnd_ += 1;
    } else if (dupAcks_ == 3 && (settings_.classic || static_cast<int64_t>(sndUna_) > recover_)) {
        recover_ = static_cast<int64_t>(sndMax_);
        inRecovery_ = true;
        partial_ = false;
        ssthresh_ = std::max(static_cast<double>(flight()) / 2, 2.0);
        cwnd_ = ssthresh_ + 3;
        send(sndUna_);
        restartTimer();
    } else if (dupAcks_ < 3 && sndNxt_ == sndMax_ && sndNxt_ < rwndEdge_ &&
               static_cast<double>(flight()) < std::min(cwnd_ + dupAcks_, settings_.maxWindow)) {
        send(sndNxt_++);  // limited transmit
    }
}

// Karn's rule (RFC 6298, section 3): what is sent again is not measured, nor what waits for it. A timeout stays as long as it has become until a segment
// that was sent once is acknowledged.
void RenoSender::time(uint64_t number) {
    if (number < sndMax_)
        timed_.reset();
    else if (!timed_)
        timed_ = number, timedAt_ = Simulator::Now();
}

void RenoSender::measure(Time sample) {
    roundTrip_.add(sample.GetSeconds());
    if (!measured_) {
        srtt_ = sample;
        rttvar_ = sample / 2;
    } else {
        rttvar_ = (3 * rttvar_ + Abs(srtt_ - sample)) / 4;
        srtt_ = (7 * srtt_ + sample) / 8;
    }
    measured_ = true;
    rto_ = std::clamp(srtt_ + 4 * rttvar_, settings_.minRto, settings_.maxRto);
}

void RenoSender::restartTimer() {
    timer_.Cancel();
    if (flight() > 0) timer_ = Simulator::Schedule(rto_, &RenoSender::timeOut, this);
}

void RenoSender::timeOut() {
    ++timeouts_;
    // RFC 5681, section 3.1: once for a segment, however often it times out. RFC 2001 says each time. In fast recovery at most
    // ssthresh is outstanding: for what duplicate ACKs have let out beyond it, as much has arrived.
    const double outstanding =
        inRecovery_ ? std::min(static_cast<double>(flight()), ssthresh_) : static_cast<double>(flight());
    if (!backedOff_ || settings_.classic) ssthresh_ = std::max(outstanding / 2, 2.0);
    backedOff_ = true;
    cwnd_ = 1;
    recover_ = static_cast<int64_t>(sndMax_);
    inRecovery_ = false;
    dupAcks_ = 0;
    rto_ = std::min(2 * rto_, settings_.maxRto);
    sndNxt_ = sndUna_;
    fill();
}

// Receiver ------------------------------------------------------------------------------------------------------------

void RenoReceiver::receive(const Segment& segment) {
    const Time echo = waiting_ ? echo_ : segment.sent;
    if (segment.number < rcvNxt_ || ahead_.count(segment.number)) {
        ++repeated_;
        acknowledge(echo);
        return;
    }
    // Segments out of sequence must not fill what the one before them needs.
    if (user_.room && user_.room() <= (segment.number > rcvNxt_ ? user_.reserve : 0)) {
        ++refused_;
        acknowledge(echo, !waiting_);
        return;
    }
    if (segment.number > rcvNxt_) {
        ahead_.insert(segment.number);
        acknowledge(echo);
        return;
    }
    const bool fillsGap = !ahead_.empty();
    takeNext();
    while (!ahead_.empty() && *ahead_.begin() == rcvNxt_) {
        ahead_.erase(ahead_.begin());
        takeNext();
    }
    if (fillsGap || waiting_ || settings_.ackEvery == 1) {
        acknowledge(echo);
        return;
    }
    waiting_ = true;
    echo_ = segment.sent;
    timer_ = Simulator::Schedule(settings_.delayedAck, [this] { acknowledge(echo_); });
}

void RenoReceiver::takeNext() {
    ++rcvNxt_;
    if (user_.take) user_.take();
}

void RenoReceiver::acknowledge(Time echo, bool windowOnly) {
    timer_.Cancel();
    waiting_ = false;
    Ack ack{rcvNxt_, echo};
    if (user_.room) ack.window = user_.room();
    ack.windowOnly = windowOnly;
    advertised_ = ack.window;
    transmit_(ack);
}

void RenoReceiver::roomGrew() {
    if (advertised_ == 0 && user_.room() > 0) acknowledge(waiting_ ? echo_ : Simulator::Now(), !waiting_);
}

}  // namespace arqlink::tcp
