// SPDX-License-Identifier: Apache-2.0
// The congestion control of a TCP of research/tcp/variants by a script on standard input, for the tests of its rules. It is called as ns-3's socket
// calls it. The first line is `VARIANT WINDOW THRESHOLD SEGMENT`: windows in segments, SEGMENT in bytes. Then each line is a time in
// seconds, and what happens then:
//   TIME ack NEXT ROUNDTRIP     all segments below NEXT are acknowledged; ROUNDTRIP in seconds
//   TIME duplicate              a duplicate ACK
//   TIME recovery               fast recovery begins
//   TIME recovered NEXT         … and ends with this ACK
//   TIME timeout
//   TIME queue SHARE            occupancy of the queue before the link from then on, for TcpDVegas
//   TIME state                  prints `state TIME WINDOW THRESHOLD BANDWIDTH`: in bytes, and the estimate of TcpWestwood2001 in bytes a second
#include <iostream>
#include <string>

#include "ns3/simulator.h"
#include "script.h"
#include "variants/dvegas.h"
#include "variants/westwood2001.h"

namespace {

using namespace ns3;
using State = TcpSocketState;

class Script {
  public:
    Script(const std::string& variant, double window, double threshold, uint32_t segment) {
        ObjectFactory factory("arqlink::Tcp" + variant);
        if (variant == "DVegas") factory.Set("Occupancy", CallbackValue(Callback<double>([this] { return queue_; })));
        control_ = factory.Create<TcpCongestionOps>();
        tcb_->m_segmentSize = segment;
        tcb_->m_cWnd = bytes(window);
        tcb_->m_ssThresh = bytes(threshold);
        control_->Init(tcb_);
        send();
    }

    void act(const std::string& what, std::istream& words) {
        if (what == "ack") {
            const uint32_t acked = advance(words);
            if (double roundTrip = 0; words >> roundTrip) tcb_->m_lastRtt = tcb_->m_srtt = Seconds(roundTrip);
            control_->PktsAcked(tcb_, acked, tcb_->m_srtt);
            if (tcb_->m_congState != State::CA_RECOVERY) control_->IncreaseWindow(tcb_, acked);
        } else if (what == "duplicate") {
            control_->PktsAcked(tcb_, 1, tcb_->m_srtt);
        } else if (what == "recovery") {
            enter(State::CA_RECOVERY);
            tcb_->m_ssThresh = control_->GetSsThresh(tcb_, tcb_->m_cWnd);
            tcb_->m_cWnd = bytes(1);  // whatever fast recovery makes of it
        } else if (what == "recovered") {
            const uint32_t acked = advance(words);
            control_->PktsAcked(tcb_, acked, tcb_->m_srtt);
            enter(State::CA_OPEN);
            tcb_->m_cWnd = tcb_->m_ssThresh.Get();
            control_->IncreaseWindow(tcb_, acked);
        } else if (what == "timeout") {
            tcb_->m_ssThresh = control_->GetSsThresh(tcb_, tcb_->m_cWnd);
            enter(State::CA_LOSS);
            tcb_->m_cWnd = bytes(1);
        } else if (what == "queue") {
            words >> queue_;
        } else {
            const auto* westwood = dynamic_cast<const arqlink::tcp::TcpWestwood2001*>(PeekPointer(control_));
            std::cout << "state " << Simulator::Now().GetSeconds() << ' ' << tcb_->m_cWnd << ' ' << tcb_->m_ssThresh
                      << ' ' << (westwood ? westwood->bandwidth() : 0) << '\n';
        }
        send();
    }

  private:
    uint32_t bytes(double segments) const { return static_cast<uint32_t>(segments * tcb_->m_segmentSize); }

    void enter(State::TcpCongState_t state) {
        control_->CongestionStateSet(tcb_, state);
        tcb_->m_congState = state;
    }

    // Segments that the ACK covers.
    uint32_t advance(std::istream& words) {
        uint32_t next = 0;
        words >> next;
        const SequenceNumber32 sequence(next * tcb_->m_segmentSize);
        const auto acked = static_cast<uint32_t>(sequence - tcb_->m_lastAckedSeq) / tcb_->m_segmentSize;
        tcb_->m_lastAckedSeq = sequence;
        return acked;
    }

    // The window is always used up.
    void send() {
        const SequenceNumber32 edge = tcb_->m_lastAckedSeq + tcb_->m_cWnd.Get();
        tcb_->m_highTxMark = std::max(tcb_->m_highTxMark.Get(), edge);
        tcb_->m_nextTxSequence = tcb_->m_highTxMark.Get();
    }

    const Ptr<State> tcb_ = CreateObject<State>();
    Ptr<TcpCongestionOps> control_;
    double queue_ = 0;
};

}  // namespace

int main() {
    std::string variant;
    double window = 0, threshold = 0;
    uint32_t segment = 0;
    std::cin >> variant >> window >> threshold >> segment >> std::ws;
    std::cout.precision(17);
    Script script(variant, window, threshold, segment);
    arqlink::tcp::planScript(std::cin,
                             [&script](const std::string& what, std::istream& values) { script.act(what, values); });
    Simulator::Run();
    Simulator::Destroy();
}
