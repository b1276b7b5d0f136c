// SPDX-License-Identifier: Apache-2.0
// RenoSender and RenoReceiver with packets as they are on the wire, for gateways that look into them.
#pragma once

#include <functional>

#include "experiment.h"
#include "gateway_chain.h"
#include "ns3/event-id.h"
#include "packet.h"
#include "reno.h"
#include "sequence.h"

namespace arqlink::tcp {

/// IPv4; segments are full, and begin with the byte after the SYN. Timestamps, where there are any, count 10 microseconds; windows are shifted as the
/// receiver's largest window needs it.
struct WireFlow {
    gateway::Endpoint sender, receiver;
    unsigned payload = 1448;  ///< bytes of a segment
    bool timestamps = true;

    static constexpr uint16_t firstPort = 5001;  ///< of the receiver of the first connection
    /// Of connection `i`.
    static WireFlow numbered(unsigned i, const Experiment& experiment);
};

class WireSender {
  public:
    WireSender(const RenoSettings& settings, const WireFlow& flow, TakePacket send);
    /// Opens the connection; the SYN is sent again each second until it is answered.
    void start();
    void receive(gateway::Bytes packet);
    RenoSender& reno() { return reno_; }

  private:
    void transmit(const Segment& segment);
    gateway::Header header() const;

    const WireFlow flow_;
    const TakePacket send_;
    RenoSender reno_;
    bool isOpen_ = false;
    unsigned windowScale_ = 0;  // of the receiver
    gateway::Position acked_;
    uint16_t window_ = 0;
    uint32_t tsRecent_ = 0;
    ns3::EventId again_;
};

class WireReceiver {
  public:
    WireReceiver(const RenoSettings& settings, const WireFlow& flow, TakePacket send);
    void receive(gateway::Bytes packet);
    const RenoReceiver& reno() const { return reno_; }

  private:
    void acknowledge(const Ack& ack);
    gateway::Header header() const;

    const WireFlow flow_;
    const TakePacket send_;
    const uint64_t largestWindow_;
    RenoReceiver reno_;
    gateway::Position next_;
};

}  // namespace arqlink::tcp
