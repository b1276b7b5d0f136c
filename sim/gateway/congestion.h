// SPDX-License-Identifier: Apache-2.0
// How much may be under way: none of a gateway's business on a link of its own, or TCP's congestion control.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>

#include "gateway_settings.h"

namespace arqlink::gateway {

/// In bytes of payload.
class Congestion {
  public:
    virtual ~Congestion() = default;
    virtual size_t window() const = 0;
    /// The receiver has acknowledged `bytes` more, in sequence; `isLimited`: the window was in use.
    virtual void acknowledged(size_t bytes, bool isLimited) = 0;
    /// `bytes` more have arrived, in sequence or not, as blocks of SACK and duplicate ACKs say it too.
    virtual void delivered(size_t bytes, Time now) { (void)bytes, (void)now; }
    virtual void measured(Time roundTrip) { (void)roundTrip; }
    /// Duplicate ACKs show a loss while `inFlight` bytes are under way.
    virtual void lost(size_t inFlight) = 0;
    virtual void timedOut(size_t inFlight) = 0;
    /// What was lost, or sent before a timeout, has arrived.
    virtual void recovered() {}
};

std::unique_ptr<Congestion> makeCongestion(Sender sender, size_t segmentBytes);

/// Round trips and the timeout by RFC 6298.
class RetransmissionTimer {
  public:
    /// `first`: a round trip that is known; never: none is.
    RetransmissionTimer(Time least, Time most, Time first) : least_(least), most_(most) {
        if (first != never)
            measured(first);
        else
            answered();
    }
    void measured(Time roundTrip);
    void backOff() { timeout_ = std::min(most_, 2 * timeout_); }
    /// An answer came: no back-off any more.
    void answered();
    Time timeout() const { return timeout_; }
    Time roundTrip() const { return smoothed_; }
    Time shortest() const { return shortest_; }  ///< round trip; never: none was measured

  private:
    const Time least_, most_;
    Time smoothed_ = 0, deviation_ = 0, shortest_ = never, timeout_ = 0;
    bool isMeasured_ = false;
};

}  // namespace arqlink::gateway
