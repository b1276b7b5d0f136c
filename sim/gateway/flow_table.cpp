// SPDX-License-Identifier: Apache-2.0
#include "flow_table.h"

#include <cassert>

namespace arqlink::gateway {

Flow* FlowTable::find(const FlowKey& key, Time now) {
    const auto found = byKey_.find(key);
    if (found == byKey_.end()) return nullptr;
    order_.splice(order_.begin(), order_, found->second);
    Flow& flow = **found->second;
    flow.lastUse = now;
    return &flow;
}

Flow& FlowTable::add(std::shared_ptr<Flow> flow, Time now) {
    assert(!isFull());
    flow->number = added_++;
    flow->lastUse = now;
    order_.push_front(std::move(flow));
    byKey_.emplace(order_.front()->key, order_.begin());
    return *order_.front();
}

void FlowTable::remove(Flow& flow) {
    const auto found = byKey_.find(flow.key);
    assert(found != byKey_.end() && found->second->get() == &flow);
    const List::iterator place = found->second;
    byKey_.erase(found);
    order_.erase(place);
}

Flow* FlowTable::oldest(Time until, Time promised) const {
    for (auto it = order_.rbegin(); it != order_.rend() && (*it)->lastUse <= until; ++it)
        if (!(*it)->owes() && ((*it)->lastUse <= promised || !(*it)->promises())) return it->get();
    return nullptr;
}

}  // namespace arqlink::gateway
