// SPDX-License-Identifier: Apache-2.0
#include "link_bridge.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "ns3/simulator.h"

namespace arqlink::tcp {

namespace {

// How often a buffer with copies is looked at for what has been acknowledged, which is no event of the model's user.
const ns3::Time look = ns3::MilliSeconds(1);

}  // namespace

LinkBridge::LinkBridge(std::unique_ptr<LinkModel> model, double clockHz, unsigned frameBytes, const Buffer& buffer,
                       size_t ackQueue)
    : model_(std::move(model)), clockHz_(clockHz), frameBytes_(frameBytes), buffer_(buffer), ackQueue_(ackQueue) {
    model_->delivered = [this](End end, uint64_t packet, Clock) { deliver(end, packet); };
    if (!buffer_.keepsCopies) return;
    model_->settled = [this](End end, uint64_t fsn) {
        if (end == A && copies_.settle(fsn) && freed) ns3::Simulator::ScheduleNow([this] { freed(); });
    };
}

// The first nanosecond in which the clock is over.
ns3::Time LinkBridge::timeOf(Clock clock) const {
    return ns3::NanoSeconds(static_cast<uint64_t>(std::ceil(static_cast<double>(clock) * 1e9 / clockHz_)));
}

Clock LinkBridge::clockOf(ns3::Time time) const {
    return static_cast<Clock>(std::floor(static_cast<double>(time.GetNanoSeconds()) * clockHz_ * 1e-9 + 1e-6));
}

void LinkBridge::follow() {
    const Clock now = clockOf(ns3::Simulator::Now());
    if (now > model_->now()) model_->runTo(now);
}

size_t LinkBridge::room() {
    follow();
    const size_t stored = buffer_.keepsCopies ? copies_.held() : model_->backlog(A);
    return stored < buffer_.packets ? buffer_.packets - stored : 0;
}

size_t LinkBridge::backlog(End end) {
    follow();
    return model_->backlog(end);
}

bool LinkBridge::hasRoom(End end) {
    if (end == A) return room() > 0;
    return backlog(B) < ackQueue_;
}

bool LinkBridge::send(End end, unsigned bytes, Delivery delivered) {
    if (!hasRoom(end)) {
        ++dropped_[end];
        return false;
    }
    if (end == A && buffer_.keepsCopies) copies_.add((bytes + frameBytes_ - 1) / frameBytes_);
    underWay_.emplace(nextName_, Packet{bytes, std::move(delivered)});
    model_->offer(end, nextName_++, bytes);
    plan();
    return true;
}

void LinkBridge::plan() {
    Clock clock = model_->nextDelivery();
    if (freed && copies_.held() > 0)
        clock = std::min(clock, std::max(clockOf(ns3::Simulator::Now() + look), model_->now() + 1));
    if (clock == planned_) return;
    next_.Cancel();
    planned_ = clock;
    if (clock == never) return;
    const ns3::Time delay = timeOf(clock) - ns3::Simulator::Now();
    next_ = ns3::Simulator::Schedule(std::max(delay, ns3::NanoSeconds(0)), &LinkBridge::wake, this);
}

void LinkBridge::wake() {
    planned_ = never;
    follow();
    plan();
}

void LinkBridge::deliver(End end, uint64_t packet) {
    const auto found = underWay_.find(packet);
    if (found == underWay_.end()) throw std::logic_error("The link delivered a packet that is not under way.");
    if (end == B) carriedBytes_ += found->second.bytes;
    const Delivery delivered = std::move(found->second.delivered);
    underWay_.erase(found);
    // The receiver may send, which the model cannot take while it runs.
    ns3::Simulator::ScheduleNow([delivered] { delivered(); });
}

}  // namespace arqlink::tcp
