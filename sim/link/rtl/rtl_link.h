// SPDX-License-Identifier: Apache-2.0
// The link as it is built: two Verilated ends, clock by clock, and a channel between them.
#pragma once

#include <deque>
#include <string>

#include "backlog.h"
#include "channel.h"
#include "rtl_end.h"

namespace arqlink::rtl {

/// Clock 0 is when both ends have been set up and enabled. Packets have 8 bytes or more.
///
/// Where both ends are up and no unit has been sent for two POLL_TIMEOUTs, they are not clocked until a packet is offered: then neither has
/// anything to send but keep-alives. Their timers stand still meanwhile.
class RtlLink final : public LinkModel {
  public:
    /// `library` is a shared library of the build in `settings`. Throws std::invalid_argument on settings that no link
    /// has, and std::runtime_error where the RTL does not do what the model relies on.
    RtlLink(const LinkSettings& settings, const std::string& library, std::unique_ptr<ErasureProcess> aToB,
            std::unique_ptr<ErasureProcess> bToA);

    void offer(End end, uint64_t packet, unsigned bytes) override;
    void runTo(Clock until) override;
    Clock now() const override { return now_ + skipped_; }
    /// A unit time from now: who follows it learns of a delivery up to so much late, and is not called in each clock.
    Clock nextDelivery() const override { return now() + settings_.build.dataBeats(); }
    size_t backlog(End end) override;
    /// Takes a snapshot, for which some hundred clocks pass.
    Counters counters(End end) override;
    bool isUp() const override { return sides_[A]->heard && sides_[B]->heard; }

    /// Whether clocks in which neither end has anything to do are left out; they are, unless this says no.
    void mayRest(bool may) { mayRest_ = may; }

  private:
    struct Side {
        Side(End self, const std::string& library, const LinkSettings& settings,
             std::unique_ptr<ErasureProcess> erasures)
            : end(library),
              channel(self, end.dataBytes(), settings.delay[self], std::move(erasures)),
              outcomes(settings.end[self].delta) {}
        RtlEnd end;
        Channel channel;
        std::deque<BeatOnAir> wire;    // from this end to its peer
        std::deque<uint64_t> offered;  // names of packets that have yet to be accepted
        Backlog backlog;
        bool heard = false;  // a unit without hello is on its way to it, or has arrived
        struct Report {
            Clock when;
            Feedback feedback;
        };
        std::deque<Report> reports;  // feedback on its way to this end
        OutcomeWatch outcomes;
    };
    void clock();
    void clockEnd(End end);
    void note(End end);
    void settle();
    void awaitSnapshot(End end);

    const LinkSettings settings_;
    std::unique_ptr<Side> sides_[2];
    bool resetn_ = false;
    bool counts_ = false;  // the setup is over
    Clock now_ = 0, skipped_ = 0;
    Clock active_ = 0;  // the last beat of a packet or unit, at either end
    bool mayRest_ = true;
};

}  // namespace arqlink::rtl
