// SPDX-License-Identifier: Apache-2.0
// The flows that a gateway knows: a fixed number of entries, found by addresses and ports.
#pragma once

#include <list>
#include <memory>
#include <unordered_map>
#include <vector>

#include "flow.h"

namespace arqlink::gateway {

class FlowTable {
  public:
    explicit FlowTable(size_t entries) : entries_(entries) {}

    /// The flow, which becomes the one used last; nullptr: none.
    Flow* find(const FlowKey& key, Time now);

    bool isFull() const { return byKey_.size() >= entries_; }
    /// A new entry, for which there is room, of a flow that has none.
    Flow& add(std::shared_ptr<Flow> flow, Time now);

    void remove(Flow& flow);

    /// The entry that was not used for longest of those that owe nothing, if it was not used since `until`, nor since `promised` where a source was
    /// promised a window; else nullptr.
    Flow* oldest(Time until, Time promised) const;

    size_t size() const { return byKey_.size(); }

  private:
    using List = std::list<std::shared_ptr<Flow>>;
    const size_t entries_;
    List order_;          // the one used last is the first
    uint64_t added_ = 0;  // entries, ever
    std::unordered_map<FlowKey, List::iterator, FlowKeyHash> byKey_;
};

}  // namespace arqlink::gateway
