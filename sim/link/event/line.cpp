// SPDX-License-Identifier: Apache-2.0
#include "line.h"

#include <algorithm>

namespace arqlink::event {

void Line::offer(const Control& message, Clock ready) {
    message_ = message;
    messageReady_ = ready;
    cut(ready);
}

// The encoder makes parity of the payload, which it takes in ahead of the line: a beat a clock, without headers and CRCs.
void Line::choose(const Transmission& next, Clock now) {
    chosen_.push_back({next, now + latencies_.choose, now + latencies_.payload});
    ahead_ += next.n;
    mayChoose_ = now + latencies_.interval;
}

// From this clock on the next data unit may begin, as its payload is there; or never.
Clock Line::dataReady() const {
    if (current_) return unit_ < current_->frame.k ? payload_ : parity_;
    return chosen_.empty() ? never : chosen_.front().payload;
}

// A run ends at the first unit boundary at which the message is ready, but after its first unit.
void Line::cut(Clock ready) {
    if (!run_ || free_ <= ready) return;
    const Clock beats = clocks_.data;
    const Clock begun = ready <= begin_ ? 0 : (ready - begin_ + beats - 1) / beats;
    const auto least = static_cast<unsigned>(std::max<Clock>(begun, 1));
    if (least >= run_) return;
    const unsigned surplus = run_ - least;
    run_ = least;
    out_.back().count = least;
    unit_ -= surplus;
    free_ -= surplus * beats;
}

Clock Line::wanted() const {
    if (ahead_ >= leadUnits_) return never;
    if (!current_) return mayChoose_;
    const unsigned most = leadUnits_ - ahead_;
    const unsigned last = current_->n > most ? current_->n - most : 0;  // chosen as this unit begins
    const unsigned first = unit_ - run_;
    if (last >= unit_) return never;  // decided anew when that unit begins
    return std::max(mayChoose_, (last > first ? begin_ + Clock{last - first} * clocks_.data : begin_) + 1);
}

Clock Line::next() const {
    Clock when = never;
    if (run_ || control_) return free_;
    if (message_) when = std::max(messageReady_, free_);
    return std::min(when, std::max(dataReady(), free_));
}

Line::Step Line::step(Clock now) {
    Step step;
    if (free_ > now) return step;
    if (run_) {
        (current_->again ? counters_.tx_retx_units : counters_.tx_units) += run_;
        dataFirst_ = false;
        run_ = 0;
        step.frame = unit_ == current_->n;
        if (step.frame) current_.reset();
    }
    control_ = false;
    const bool dataWaits = dataReady() <= now;
    if (message_ && messageReady_ <= now && !(dataFirst_ && dataWaits)) {
        out_.push_back({now, true, 0, 1, {}, *message_});
        ++counters_.tx_control_units;
        counters_.tx_polls += message_->poll;
        message_.reset();
        control_ = true;
        dataFirst_ = true;
        begin_ = now;
        free_ = now + clocks_.control;
        open_ = free_ - std::min(free_, latencies_.message);
    } else if (dataWaits) {
        if (!current_) {
            current_ = chosen_.front().transmission;
            payload_ = chosen_.front().payload;
            parity_ = payload_ + latencies_.parity + Clock{current_->frame.k} * payloadBeats_;
            ahead_ -= current_->n;
            chosen_.pop_front();
            unit_ = 0;
            step.begins = true;
        }
        const unsigned k = current_->frame.k;
        begin_ = now;
        const bool waits = unit_ < k && begin_ + (k - unit_) * clocks_.data < parity_;
        run_ = (waits ? k : current_->n) - unit_;
        out_.push_back({begin_, false, unit_, run_, *current_, {}});
        unit_ += run_;
        step.unit = begin_ + clocks_.data - std::min(clocks_.data, latencies_.message);
        free_ = begin_ + Clock{run_} * clocks_.data;
        if (message_) cut(messageReady_);
    }
    return step;
}

}  // namespace arqlink::event
