// SPDX-License-Identifier: Apache-2.0
#include "dvegas.h"

#include <algorithm>

#include "ns3/double.h"

namespace arqlink::tcp {

using namespace ns3;

NS_OBJECT_ENSURE_REGISTERED(TcpDVegas);

TypeId TcpDVegas::GetTypeId() {
    static const TypeId id =
        TypeId("arqlink::TcpDVegas")
            .SetParent<TcpVegas>()
            .AddConstructor<TcpDVegas>()
            .AddAttribute("Occupancy", "Says which share of the queue before the link is taken now, 0 to 1.",
                          CallbackValue(), MakeCallbackAccessor(&TcpDVegas::occupancy_), MakeCallbackChecker())
            .AddAttribute("Threshold", "Occupancy from which on the queue is congested.", DoubleValue(0.5),
                          MakeDoubleAccessor(&TcpDVegas::threshold_), MakeDoubleChecker<double>(0, 1));
    return id;
}

uint32_t TcpDVegas::reduced(const TcpSocketState& tcb, uint32_t window) const {
    return std::max(window / 4 * 3 / tcb.m_segmentSize, 2U) * tcb.m_segmentSize;
}

void TcpDVegas::noteCut(const TcpSocketState& tcb) {
    cut_ = true;
    cutUntil_ = tcb.m_highTxMark;
}

void TcpDVegas::IncreaseWindow(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked) {
    if (congested()) {
        if (wasCut(*tcb)) return;
        tcb->m_cWnd = reduced(*tcb, tcb->m_cWnd);
        tcb->m_ssThresh = tcb->m_cWnd.Get();
        noteCut(*tcb);
        return;
    }
    adjusting_ = true;
    TcpVegas::IncreaseWindow(tcb, segmentsAcked);
    adjusting_ = false;
}

void TcpDVegas::CongestionStateSet(Ptr<TcpSocketState> tcb, const TcpSocketState::TcpCongState_t state) {
    const bool repairs = state == TcpSocketState::CA_RECOVERY || state == TcpSocketState::CA_LOSS;
    // Fast recovery and timeouts change the window; what it was before them counts.
    if (repairs && !repairing_) before_ = tcb->m_cWnd;
    repairing_ = repairs;
    TcpVegas::CongestionStateSet(tcb, state);
}

uint32_t TcpDVegas::GetSsThresh(Ptr<const TcpSocketState> tcb, uint32_t bytesInFlight) {
    if (adjusting_) return TcpVegas::GetSsThresh(tcb, bytesInFlight);
    const uint32_t window = std::max(repairing_ ? before_ : tcb->m_cWnd.Get(), 2 * tcb->m_segmentSize);
    if (!congested() || wasCut(*tcb)) return window;
    noteCut(*tcb);
    return reduced(*tcb, window);
}

}  // namespace arqlink::tcp
