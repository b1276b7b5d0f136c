// SPDX-License-Identifier: Apache-2.0
#include "westwood2001.h"

#include <algorithm>

#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

namespace arqlink::tcp {

using namespace ns3;

NS_OBJECT_ENSURE_REGISTERED(TcpWestwood2001);

TypeId TcpWestwood2001::GetTypeId() {
    static const TypeId id =
        TypeId("arqlink::TcpWestwood2001")
            .SetParent<TcpNewReno>()
            .AddConstructor<TcpWestwood2001>()
            .AddAttribute("Tau", "Time constant of the filter.", TimeValue(MilliSeconds(500)),
                          MakeTimeAccessor(&TcpWestwood2001::tau_), MakeTimeChecker(MicroSeconds(1)))
            .AddAttribute("VirtualSamples", "m: without an ACK, the filter gets a sample of 0 each Tau / m.",
                          UintegerValue(2), MakeUintegerAccessor(&TcpWestwood2001::m_),
                          MakeUintegerChecker<uint32_t>(2, 1000));
    return id;
}

// AckedCount of section 2.3, in bytes: a duplicate ACK says that a segment arrived, which the next ACK of new data covers again.
uint32_t TcpWestwood2001::arrived(const Ptr<TcpSocketState>& tcb) {
    const uint32_t segment = tcb->m_segmentSize;
    auto covered = static_cast<uint32_t>(tcb->m_lastAckedSeq - lastAck_);
    lastAck_ = tcb->m_lastAckedSeq;
    if (covered == 0) {
        accountedFor_ += segment;
        return segment;
    }
    if (covered <= segment) return covered;
    const uint32_t known = std::min(accountedFor_, covered);
    accountedFor_ -= known;
    return known == covered ? segment : covered - known;
}

// Tustin's approximation of a low-pass filter (section 2.2); `interval` in seconds.
void TcpWestwood2001::filter(double sample, double interval) {
    const double ratio = 2 * tau_.GetSeconds() / interval;
    bandwidth_ = ((ratio - 1) * bandwidth_ + sample + lastSample_) / (ratio + 1);
    lastSample_ = sample;
}

void TcpWestwood2001::sample(double bytes, Time now) {
    pending_ += bytes;
    if (now == last_) return;
    const Time most = tau_ / static_cast<int64_t>(m_);
    for (; now - last_ > most; last_ += most) filter(0, most.GetSeconds());
    const double interval = (now - last_).GetSeconds();
    filter(pending_ / interval, interval);
    pending_ = 0;
    last_ = now;
}

void TcpWestwood2001::PktsAcked(Ptr<TcpSocketState> tcb, uint32_t, const Time&) {
    if (const Time roundTrip = tcb->m_lastRtt; roundTrip.IsStrictlyPositive())
        leastRoundTrip_ = std::min(leastRoundTrip_, roundTrip);
    const Time now = Simulator::Now();
    if (started_) {
        sample(arrived(tcb), now);
        return;
    }
    started_ = true;
    last_ = now;
    lastAck_ = tcb->m_lastAckedSeq;
}

void TcpWestwood2001::IncreaseWindow(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked) {
    // ns-3 does not say so of each ACK after duplicate ones.
    if (started_ && tcb->m_lastAckedSeq > lastAck_) sample(arrived(tcb), Simulator::Now());
    // After fast recovery the window is the threshold in ns-3; in section 3.1, only if it was larger.
    if (ended_ && before_ > 0) {
        tcb->m_cWnd = std::min(tcb->m_cWnd.Get(), before_);
        before_ = 0;
    }
    TcpNewReno::IncreaseWindow(tcb, segmentsAcked);
}

void TcpWestwood2001::CongestionStateSet(Ptr<TcpSocketState> tcb, const TcpSocketState::TcpCongState_t state) {
    if (state == TcpSocketState::CA_RECOVERY) before_ = tcb->m_cWnd;
    if (state == TcpSocketState::CA_LOSS) before_ = 0;
    ended_ = state == TcpSocketState::CA_OPEN;
}

uint32_t TcpWestwood2001::GetSsThresh(Ptr<const TcpSocketState> tcb, uint32_t bytesInFlight) {
    if (leastRoundTrip_ == Time::Max()) return TcpNewReno::GetSsThresh(tcb, bytesInFlight);
    return std::max(static_cast<uint32_t>(bandwidth_ * leastRoundTrip_.GetSeconds()), 2 * tcb->m_segmentSize);
}

}  // namespace arqlink::tcp
