// SPDX-License-Identifier: Apache-2.0
#include "link_bridge.h"

#include <cmath>
#include <utility>

#include "ns3/simulator.h"

namespace arqlink::tcp {

LinkBridge::LinkBridge(std::unique_ptr<LinkModel> model, double clockHz, size_t queuePackets)
    : model_(std::move(model)), clockHz_(clockHz), queuePackets_(queuePackets) {
    model_->delivered = [this](End, uint64_t packet, Clock) { deliver(packet); };
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

bool LinkBridge::send(End end, unsigned bytes, Delivery delivered) {
    follow();
    if (model_->backlog(end) >= queuePackets_) {
        ++dropped_[end];
        return false;
    }
    underWay_.emplace(nextName_, std::move(delivered));
    model_->offer(end, nextName_++, bytes);
    plan();
    return true;
}

void LinkBridge::plan() {
    const Clock clock = model_->nextDelivery();
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

void LinkBridge::deliver(uint64_t packet) {
    const auto found = underWay_.find(packet);
    const Delivery delivered = std::move(found->second);
    underWay_.erase(found);
    // The receiver may send, which the model cannot take while it runs.
    ns3::Simulator::ScheduleNow([delivered] { delivered(); });
}

}  // namespace arqlink::tcp
