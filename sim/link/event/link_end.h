// SPDX-License-Identifier: Apache-2.0
// One end of the event model: its blocks, the state of the link, and when each has something to do.
#pragma once

#include <deque>

#include "composer.h"
#include "line.h"
#include "receiver.h"
#include "segmenter.h"

namespace arqlink::event {

class LinkEnd {
  public:
    LinkEnd(End self, const LinkSettings& settings, Wire& out, LinkModel& model);

    void offer(uint64_t packet, uint32_t bytes, Clock now);

    /// A data unit of the peer arrived. True if more than a count has changed.
    bool unit(const Transmission& t, unsigned index, Clock now);
    void control(const Control& message, Clock now);

    /// When `step` has something to do.
    Clock next() const { return next_; }
    void step(Clock now);

    bool lastTryOpen() const { return receiver_.lastTryOpen(); }
    bool isUp() const { return situation_.state == LinkState::up && situation_.peerUp; }
    size_t backlog() { return segmenter_.backlog(); }
    Counters& counters() { return counters_; }
    /// The next packet leaves, of those that are complete.
    Clock nextDelivery() const { return resequencer_.nextDelivery(); }

  private:
    void plan(Clock now);
    void hear(Clock now);
    void goUp(Clock now, bool byHello);
    void judgeOutage();
    bool outcomesSince(uint64_t before, Clock now);
    void close(const Control& message, Clock now);
    void take(const Control& message, Clock now);
    void moveLine(Clock now);
    Clock mayIssue() const;

    const End self_;
    const Build& build_;
    const EndSettings& settings_;
    const Latencies latencies_;
    LinkModel& model_;
    Counters counters_;
    Sender sender_;
    Segmenter segmenter_;
    Resequencer resequencer_;
    Receiver receiver_;
    Composer composer_;
    Line line_;
    Situation situation_;
    struct Report {
        Clock when;
        Control message;
    };
    std::deque<Report> edges_;    // that the receiver takes …
    std::deque<Report> reports_;  // … and then the sender, after the line has moved
    uint64_t peerWindow_ = 0;
    bool peerDeaf_ = false;
    bool noticed_ = false;  // the control unit before had `abandons` …
    uint64_t notice_ = 0;   // … and this txBase
    Clock clear_;           // the tables are clear
    Clock heard_ = 0;       // the last unit of the peer arrived
    Clock chooseAt_ = never, decideAt_ = never, composeAt_ = never, next_ = 0;
};

}  // namespace arqlink::event
