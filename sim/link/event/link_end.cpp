// SPDX-License-Identifier: Apache-2.0
#include "link_end.h"

#include <algorithm>

namespace arqlink::event {

LinkEnd::LinkEnd(End self, const LinkSettings& settings, Wire& out, LinkModel& model)
    : self_(self),
      build_(settings.build),
      settings_(settings.end[self]),
      latencies_(Latencies::of(build_)),
      model_(model),
      sender_(build_, settings_, counters_),
      segmenter_(build_, settings_, counters_, sender_),
      resequencer_(build_, settings_, counters_),
      receiver_(build_, counters_, resequencer_),
      composer_(build_, settings_, sender_, receiver_, resequencer_),
      line_(build_, settings.unitClocks(self), counters_, out),
      clear_(latencies_.clearing + build_.windowFrames) {
    sender_.settled = [this](uint64_t fsn) {
        if (model_.settled) model_.settled(self_, fsn);
    };
    ++counters_.link_restarts;
    next_ = clear_;
}

void LinkEnd::offer(uint64_t packet, uint32_t bytes, Clock now) {
    segmenter_.offer({packet, bytes}, now);
    plan(now);
}

// Arrivals -----------------------------------------------------------------------------------------------------------

void LinkEnd::hear(Clock now) {
    heard_ = now;
    if (situation_.peerUp) return;
    situation_.peerUp = true;
    composer_.peerCameUp(now);
}

void LinkEnd::goUp(Clock now, bool byHello) {
    situation_.state = LinkState::up;
    heard_ = now;
    composer_.cameUp(now, std::min<uint64_t>(peerWindow_, build_.windowFrames));
    if (byHello) {
        composer_.answerDue();
        composer_.pollDue();
    }
}

void LinkEnd::judgeOutage() {
    const bool lost = situation_.deaf || peerDeaf_;
    if (situation_.state == LinkState::up && lost) {
        situation_.state = LinkState::outage;
        ++counters_.link_outages;
    } else if (situation_.state == LinkState::outage && !lost) {
        situation_.state = LinkState::up;
        sender_.freeze();
        composer_.pollDue();
    }
}

// Tells the composer of outcomes that were added since rxNext was `before`; false if there are none.
bool LinkEnd::outcomesSince(uint64_t before, Clock now) {
    if (receiver_.rxNext() == before) return false;
    composer_.outcomesAdded(now);
    return true;
}

bool LinkEnd::unit(const Transmission& t, unsigned index, Clock now) {
    if (situation_.state < LinkState::up) {
        ++counters_.rx_units_epoch;
        return false;
    }
    const bool first = !situation_.peerUp || situation_.deaf;
    hear(now);
    if (situation_.deaf) {
        situation_.deaf = false;
        judgeOutage();
    }
    const Clock delivery = resequencer_.next();
    const uint64_t before = receiver_.rxNext();
    receiver_.unit(t, index, now);
    const bool decided = outcomesSince(before, now);
    if (!decided && !first && resequencer_.next() == delivery) return false;
    plan(now);
    return true;
}

void LinkEnd::control(const Control& message, Clock now) {
    const bool isUp = situation_.state >= LinkState::up;
    if (message.hello) {
        ++counters_.rx_control_units;
        if (isUp) {
            composer_.answerDue();
        } else if (situation_.state == LinkState::hello) {
            situation_.peerKnown = true;
            peerWindow_ = message.window;
            sender_.peerWindow(message.window);
            composer_.helloDue();
            if (message.peerKnown) goUp(now, true);
        }
        heard_ = now;
        plan(now);
        return;
    }
    if (!situation_.peerKnown || !message.peerKnown) {
        ++counters_.rx_units_epoch;
        return;
    }
    ++counters_.rx_control_units;
    if (!isUp) goUp(now, false);
    hear(now);
    situation_.deaf = false;
    peerDeaf_ = message.deaf;
    judgeOutage();
    if (message.abandons && noticed_) resequencer_.abandon(std::min(notice_, message.txBase), now);
    noticed_ = message.abandons;
    notice_ = message.txBase;
    edges_.push_back({now + latencies_.edge, message});
    plan(now);
}

// A poll is answered when what it closes has been closed.
void LinkEnd::close(const Control& message, Clock now) {
    const uint64_t before = receiver_.rxNext();
    receiver_.close(message.txEdge, now);
    outcomesSince(before, now);
    composer_.heard(message.poll, message.ackTsn);
    reports_.push_back({now + latencies_.feedback, message});
}

void LinkEnd::take(const Control& message, Clock now) {
    if (sender_.feedback(message, now)) composer_.noticeDue();
}

// Time ---------------------------------------------------------------------------------------------------------------

// A frame may be chosen from this clock on, or never.
Clock LinkEnd::mayIssue() const { return isUp() ? sender_.mayIssue() : never; }

void LinkEnd::moveLine(Clock now) {
    const Line::Step moved = line_.step(now);
    if (moved.frame) sender_.sent();
    if (moved.unit != never && !line_.hasMessage()) composer_.dataLeaves(moved.unit);
    if (moved.begins && model_.transmitted)
        model_.transmitted(self_, line_.current().fsn, line_.current().attempt, now);
}

void LinkEnd::step(Clock now) {
    if (situation_.state == LinkState::clearing && clear_ <= now) {
        situation_.state = LinkState::hello;
        composer_.greet(now);
    }
    if (line_.next() <= now) moveLine(now);
    for (; !edges_.empty() && edges_.front().when <= now; edges_.pop_front()) close(edges_.front().message, now);
    for (; !reports_.empty() && reports_.front().when <= now; reports_.pop_front()) {
        take(reports_.front().message, now);
        segmenter_.freed(now);
    }
    while (segmenter_.next() <= now) {
        const Clock when = segmenter_.next();
        const uint64_t packet = segmenter_.complete();
        if (model_.accepted) model_.accepted(self_, packet, when);
    }
    segmenter_.releaseUntil(now);
    resequencer_.free(now);
    while (resequencer_.leaves(now)) {
        if (model_.delivered) model_.delivered(self_, resequencer_.leaving().packet, resequencer_.leaving().when);
        resequencer_.left();
    }
    if (settings_.outageTimeout && situation_.state >= LinkState::up && heard_ + settings_.outageTimeout <= now) {
        situation_.deaf = true;
        judgeOutage();
    }
    if (composer_.pollTimeout(situation_) <= now) composer_.pollTimedOut(situation_, now);
    if (chooseAt_ <= now) {
        chooseAt_ = never;
        if (mayIssue() <= now && line_.wanted() <= now) line_.choose(sender_.issue(now), now);
    }
    if (decideAt_ <= now) {
        decideAt_ = never;
        composer_.decide(situation_, now);
        composeAt_ = now + latencies_.compose;
    }
    if (composeAt_ <= now) {
        composeAt_ = never;
        line_.offer(composer_.compose(situation_, now), now + latencies_.message);
    }
    plan(now);
}

// What is due next.
void LinkEnd::plan(Clock now) {
    situation_.quiet = line_.free();
    situation_.sending = line_.sending(now);
    composer_.follow(situation_, now);
    const Clock may = mayIssue();
    const bool waits = may != never || segmenter_.release() <= now + latencies_.unrest;
    situation_.idle = line_.idle() && !waits && edges_.empty() && reports_.empty();
    chooseAt_ = may != never && line_.wanted() != never ? std::max({now, may, line_.wanted()}) : never;
    decideAt_ = composeAt_ != never ? never : std::max(line_.open(), composer_.due(situation_, now));
    next_ = std::min({line_.next(), chooseAt_, decideAt_, composeAt_, segmenter_.next(), segmenter_.release(),
                      resequencer_.next(), composer_.pollTimeout(situation_)});
    if (!edges_.empty()) next_ = std::min(next_, edges_.front().when);
    if (!reports_.empty()) next_ = std::min(next_, reports_.front().when);
    if (situation_.state == LinkState::clearing) next_ = std::min(next_, clear_);
    if (settings_.outageTimeout && situation_.state == LinkState::up)
        next_ = std::min(next_, heard_ + settings_.outageTimeout);
}

}  // namespace arqlink::event
