// SPDX-License-Identifier: Apache-2.0
// Units with a good CRC and the right epochs that nobody sent: each field is true, near, a window away, or anything.
#pragma once

#include <string>

#include "monitor.h"
#include "random.h"

namespace campaign {

class Forger {
  public:
    Forger(Random random, const Scenario& scenario) : random_(random), s_(scenario) {}

    /// A unit that end `end` has to take for one of its peer; empty while either has not spoken.
    Bytes unit(const Monitor& monitor, unsigned end);
    /// What was forged, in words.
    const std::string& text() const { return text_; }
    /// Data units among them.
    unsigned dataUnits() const { return dataUnits_; }

  private:
    uint32_t number(int64_t truth, unsigned window);
    Bytes hello(const Life& self, const Life& peer);
    Bytes control(const Life& self, const Life& peer);
    Bytes data(const Life& self, unsigned end);

    Random random_;
    const Scenario& s_;
    std::string text_;
    unsigned dataUnits_ = 0;
};

}  // namespace campaign
