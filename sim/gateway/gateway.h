// SPDX-License-Identifier: Apache-2.0
// The gateway between a LAN and the packet port of the link: README.md says what it does with which packets.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "flow.h"
#include "flow_table.h"
#include "services.h"

namespace arqlink::gateway {

/// Packets come by `receive`; what they cause waits at the ports until it is taken, so a port that stalls needs nothing else. Time never
/// goes back.
class Gateway final : private Services {
  public:
    /// Throws std::invalid_argument.
    explicit Gateway(Settings settings);
    ~Gateway() override;

    /// An IP packet comes in at a port.
    void receive(Port port, Bytes packet, Time now);

    /// The next packet that goes out at a port; empty: none waits.
    std::optional<Bytes> take(Port port, Time now);
    /// Packets that wait there, of which some may be gone when they are taken.
    size_t waiting(Port port) const { return queues_[index(port)].size(); }

    /// When `advance` has something to do; never: without a packet, nothing.
    Time deadline() const { return timers_.empty() ? never : timers_.begin()->first.first; }
    /// Timers run out.
    void advance(Time now);

    const Counters& counts() const { return counters_; }
    size_t flows() const { return table_.size(); }
    size_t cacheUsed() const { return slots_.used(); }

  private:
    struct Waiting {
        Bytes packet;  // or else
        std::weak_ptr<Flow> flow;
        Port from = Port::lan;
        Position begin = 0;
    };

    const Settings& settings() const override { return settings_; }
    Counters& counters() override { return counters_; }
    Slots& slots() override { return slots_; }
    bool emit(Port port, Bytes packet) override;
    void offer(Flow& flow, Port from, Position begin) override;
    void offerFirst(Flow& flow, Port from, const std::vector<Position>& begins) override;
    void waitForRoom(Flow& flow, Port from) override;

    void pass(Port port, Bytes packet);
    void count(NotTreated why);
    void heedTooBig(Port port, const Bytes& packet, Time now);
    static bool isPlausible(const Flow& flow, Port port, const Segment& segment);
    static bool isOld(const Flow& flow, Port port, const Segment& segment);
    static bool isOutdated(const Flow& flow, Port port, const Segment& segment, Time now);
    static bool hasHeardElsewhere(const Flow& flow, Port port, const Segment& segment);
    void considerHandBack(Flow& flow, Port port, const Segment& segment, Time now);
    void hears(Flow& flow, Port port, const Segment& segment, Time now);
    void treat(Flow& flow, Port port, Segment segment, Time now);
    void synchronize(Flow* flow, const FlowKey& key, Port port, Segment& segment, Time now);
    void answerSyn(Flow& flow, Port port, Segment& segment, Time now);
    void bound(const Treatment& treatment, Port port, Segment& syn) const;
    static void heedEarly(Flow& flow, Port port, Segment& segment);
    void open(const FlowKey& key, Port port, Segment& syn, Time now);
    bool establish(Flow& flow, const Segment& ack, Time now);
    static void shakeHands(Flow& flow, Port port, Time now);
    void reset(Flow& flow, Port port, Segment segment, Time now);
    void fail(Flow& flow, Time now);
    void sendResets(Flow& flow, Time now);
    void refuse(const Flow& flow, Port port, const Segment& segment);
    void remove(Flow& flow, Time now);
    void settle(Flow& flow, size_t usedBefore, Time now);
    void plan(Flow& flow);
    void schedule(Flow& flow, Time next);
    void serveRoom(Time now);
    const Treatment& treatmentFor(const FlowKey& key, const Segment& syn);

    const Settings settings_;
    Counters counters_;
    Slots slots_;
    FlowTable table_;
    std::deque<Waiting> queues_[2];
    size_t packets_[2] = {0, 0};                         // of them, that are not in the cache
    std::map<std::pair<Time, uint64_t>, Flow*> timers_;  // by the numbers of flows where they run out together
    std::vector<std::pair<std::weak_ptr<Flow>, Port>> waitingForRoom_;
    Time aged_ = 0;
};

}  // namespace arqlink::gateway
