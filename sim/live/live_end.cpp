// SPDX-License-Identifier: Apache-2.0
#include "live_end.h"

#include <stdexcept>
#include <utility>

namespace arqlink::live {

std::optional<uint32_t> Mailbox::access(bool write, uint32_t address, uint32_t value) {
    const std::lock_guard mine(callers_);
    std::unique_lock lock(mutex_);
    write_ = write;
    address_ = address;
    value_ = value;
    state_ = State::asked;
    isWaiting_ = true;
    changed_.wait(lock, [this] { return state_ == State::done || state_ == State::refused || isClosed_; });
    if (isClosed_) throw std::runtime_error("The link has ended.");
    const bool isRefused = std::exchange(state_, State::none) == State::refused;
    return isRefused ? std::nullopt : std::optional(value_);
}

void Mailbox::answer(State state, uint32_t value) {
    const std::lock_guard lock(mutex_);
    value_ = value;
    state_ = state;
    isWaiting_ = false;
    changed_.notify_one();
}

void Mailbox::serve(verilated_end::AxiMaster& registers) {
    const std::lock_guard lock(mutex_);
    if (state_ != State::asked) return;
    state_ = State::underWay;
    const auto done = [this](uint32_t value) { answer(State::done, value); };
    const auto refused = [this] { answer(State::refused, 0); };
    if (write_)
        registers.write(address_, value_, done, refused);
    else
        registers.read(address_, done, refused);
}

void Mailbox::close() {
    const std::lock_guard lock(mutex_);
    isClosed_ = true;
    changed_.notify_one();
}

void LiveEnd::run(Clock from, Clock until) {
    for (Clock now = from; now < until; ++now) {
        verilated_end::Beat in;
        if (!incoming_.empty() && incoming_.front().arrives < now) {
            in = incoming_.front().beat;
            incoming_.pop_front();
        }
        if (mailbox_.isWaiting() && end_.registers().idle()) mailbox_.serve(end_.registers());
        end_.clock(in, resetn_, true, out_);
        if (end_.irq() != irq()) irq_.store(end_.irq(), std::memory_order_relaxed);
        if (out_.accepted) backlog_.accepted();
        if (out_.unit) {
            outgoing_.push_back(channel_.send(out_.beat, now));
            if (captures_) note(out_.beat, now);
            if (channel_.endsUnit()) backlog_.sent(channel_.watch().unit());
        }
        if (out_.delivered) {
            if (out_.isCut)
                ++cut_;
            else
                delivered_.push_back(std::move(out_.packet));
        }
        if (in.valid || out_.unit || out_.delivered || end_.waiting()) active_ = now;
    }
}

void LiveEnd::note(const verilated_end::Beat& beat, Clock now) {
    if (unit_.empty()) start_ = now;
    unit_.insert(unit_.end(), beat.data, beat.data + end_.dataBytes());
    if (!channel_.endsUnit()) return;
    captures_->add(self_, {start_, channel_.isErased(), std::move(unit_)});
    unit_.clear();
}

void LiveEnd::exchange(LiveEnd& peer) {
    peer.incoming_.insert(peer.incoming_.end(), outgoing_.begin(), outgoing_.end());
    outgoing_.clear();
}

}  // namespace arqlink::live
