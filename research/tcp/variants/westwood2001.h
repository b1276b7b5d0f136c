// SPDX-License-Identifier: Apache-2.0
// TCP Westwood as it was first published: S. Mascolo, C. Casetti, M. Gerla, M. Y. Sanadidi and R. Wang, "TCP Westwood: Bandwidth estimation
// for enhanced transport over wireless links", MobiCom 2001. TcpWestwoodPlus of ns-3 is its successor, with a sample in a round trip.
#pragma once

#include "ns3/tcp-congestion-ops.h"

namespace arqlink::tcp {

/// Estimates the rate at which data arrive from the ACKs, and sets the threshold to what that rate puts in flight in the least
/// round trip; else it is NewReno.
///
/// Sections of the paper: 2.2, filter and virtual samples; 2.3, what an ACK says of arrived data; 3, threshold and window after a loss.
/// Not in the paper, and done so:
/// - ACKs in one instant make one sample, which is taken with the next ACK that is later;
/// - the first ACK starts the clock and is no sample, as there is none before it;
/// - the threshold is two segments at least, after duplicate ACKs too.
class TcpWestwood2001 : public ns3::TcpNewReno {
  public:
    static ns3::TypeId GetTypeId();
    std::string GetName() const override { return "TcpWestwood2001"; }

    void PktsAcked(ns3::Ptr<ns3::TcpSocketState> tcb, uint32_t segmentsAcked, const ns3::Time& rtt) override;
    void IncreaseWindow(ns3::Ptr<ns3::TcpSocketState> tcb, uint32_t segmentsAcked) override;
    void CongestionStateSet(ns3::Ptr<ns3::TcpSocketState> tcb,
                            const ns3::TcpSocketState::TcpCongState_t state) override;
    uint32_t GetSsThresh(ns3::Ptr<const ns3::TcpSocketState> tcb, uint32_t bytesInFlight) override;
    ns3::Ptr<ns3::TcpCongestionOps> Fork() override { return ns3::CopyObject<TcpWestwood2001>(this); }

    /// BWE in bytes a second.
    double bandwidth() const { return bandwidth_; }

  private:
    uint32_t arrived(const ns3::Ptr<ns3::TcpSocketState>& tcb);
    void sample(double bytes, ns3::Time now);
    void filter(double sample, double interval);

    ns3::Time tau_;   // time constant of the filter
    uint32_t m_ = 2;  // virtual samples in a time constant, where no ACK comes
    double bandwidth_ = 0, lastSample_ = 0;
    bool started_ = false;
    ns3::Time last_;      // of the last sample, virtual ones too
    double pending_ = 0;  // bytes that arrived in that instant
    ns3::SequenceNumber32 lastAck_;
    uint32_t accountedFor_ = 0;  // bytes of duplicate ACKs, which a later ACK covers again
    ns3::Time leastRoundTrip_ = ns3::Time::Max();
    uint32_t before_ = 0;  // window before fast recovery, until it has ended
    bool ended_ = false;
};

}  // namespace arqlink::tcp
