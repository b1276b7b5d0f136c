// SPDX-License-Identifier: Apache-2.0
// A gateway (sim/gateway) between a TAP device and the link.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "gateway.h"

namespace arqlink::live {

/// IP packets of Ethernet frames go through the gateway, and get a header again behind it; other frames pass beside it. A header is that of the
/// last frame to the same address or, where there was none, of the last one from it, turned round.
class TapGateway {
  public:
    using Frame = std::vector<uint8_t>;

    explicit TapGateway(const gateway::Settings& settings) : gateway_(settings) {}

    /// A frame comes from the system (Port::lan), or out of the link.
    void receive(gateway::Port port, Frame frame, gateway::Time now);
    /// The next frame for the system, or for the link.
    std::optional<Frame> take(gateway::Port port, gateway::Time now);
    /// Frames that wait for it; of some the gateway may yet think better.
    size_t waiting(gateway::Port port) const { return gateway_.waiting(port) + beside_[gateway::index(port)].size(); }

    const gateway::Gateway& gateway() const { return gateway_; }
    gateway::Time deadline() const { return gateway_.deadline(); }
    void advance(gateway::Time now) { gateway_.advance(now); }

  private:
    static constexpr size_t headerBytes = 14;
    using Header = std::array<uint8_t, headerBytes>;
    using Address = std::array<uint8_t, 17>;  // the IP version, then its bytes

    static std::optional<Address> addressOf(const uint8_t* packet, size_t size, bool source);
    void learn(const Address& to, const Header& header);

    gateway::Gateway gateway_;
    std::deque<Frame> beside_[2];        // by the port where they go out
    std::map<Address, Header> headers_;  // of frames to an address
};

}  // namespace arqlink::live
