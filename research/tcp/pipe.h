// SPDX-License-Identifier: Apache-2.0
// A wired link without losses: packets are sent one after the other at a rate, and arrive after a delay.
#pragma once

#include <algorithm>
#include <functional>
#include <utility>

#include "ns3/simulator.h"

namespace arqlink::tcp {

class Pipe {
  public:
    Pipe(double bitsPerSecond, ns3::Time delay) : secondsPerByte_(8 / bitsPerSecond), delay_(delay) {}

    void send(unsigned bytes, std::function<void()> arrived) {
        free_ = std::max(free_, ns3::Simulator::Now()) + ns3::Seconds(bytes * secondsPerByte_);
        ns3::Simulator::Schedule(free_ + delay_ - ns3::Simulator::Now(), std::move(arrived));
    }

  private:
    const double secondsPerByte_;
    const ns3::Time delay_;
    ns3::Time free_;
};

}  // namespace arqlink::tcp
