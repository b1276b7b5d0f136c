// SPDX-License-Identifier: Apache-2.0
#include "outcome_watch.h"

#include <algorithm>

namespace arqlink::rtl {

void OutcomeWatch::report(const Feedback& feedback, const std::function<void(uint64_t)>& settled) {
    const int64_t edge = firstTsn_ + static_cast<int64_t>(open_.size());
    const int64_t end = std::min({feedback.bitmapBase + 64, feedback.rxNext, edge});
    for (int64_t tsn = std::max(feedback.bitmapBase, firstTsn_); tsn < end; ++tsn) {
        Sent& sent = open_[static_cast<size_t>(tsn - firstTsn_)];
        const bool received = feedback.bitmap >> (tsn - feedback.bitmapBase) & 1;
        const bool last = delta_ < 15 && sent.attempt >= delta_;
        if (!sent.known && (received || last) && sent.fsn >= settledBelow_ && settled_.insert(sent.fsn).second)
            settled(sent.fsn);
        sent.known = true;
    }
    for (; !open_.empty() && open_.front().known; open_.pop_front()) ++firstTsn_;
    for (; !settled_.empty() && *settled_.begin() == settledBelow_; settled_.erase(settled_.begin())) ++settledBelow_;
}

}  // namespace arqlink::rtl
