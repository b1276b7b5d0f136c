// SPDX-License-Identifier: Apache-2.0
// Only the window that a source sees is bounded (mode `clamp`).
#pragma once

#include "half.h"
#include "services.h"

namespace arqlink::gateway {

/// Nothing is stored. What is under way counts as if the cache held it, and what is free bounds the window.
class Clamp final : public Half {
  public:
    Clamp(Flow& flow, Port from, Position first, Services& services);
    ~Clamp() override { count(acked_); }

    void data(Segment segment, Time now) override;
    bool acknowledged(Segment& segment, Time now) override;
    bool isClosed() const override { return fin_ && acked_ > *fin_; }

  private:
    void count(Position sent);

    Flow& flow_;
    const Port from_;
    Services& services_;
    Position acked_, sent_, advertised_;
    std::optional<Position> fin_;
    size_t counted_ = 0;  // packets
};

}  // namespace arqlink::gateway
