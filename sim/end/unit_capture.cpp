// SPDX-License-Identifier: Apache-2.0
#include "unit_capture.h"

namespace arqlink::wire {

UnitCapture::UnitCapture(const std::string& path) : file_(path, "arqlink") {
    file_.addInterface(linkTypeUser0, "A to B", "Units that end A sends");
    file_.addInterface(linkTypeUser0, "B to A", "Units that end B sends");
    file_.flush();
}

void UnitCapture::unit(Way way, uint64_t nanoseconds, const uint8_t* bytes, size_t length, Fate fate) {
    record_ = {pseudoHeaderVersion, static_cast<uint8_t>(way), static_cast<uint8_t>(fate), 0};
    record_.insert(record_.end(), bytes, bytes + length);
    const bool erased = fate == Fate::erased;
    const uint32_t direction = way == Way::aToB ? outbound : inbound;
    const uint32_t flags = erased ? direction | crcError : direction;
    file_.packet(static_cast<uint32_t>(way), nanoseconds, record_.data(), record_.size(), flags,
                 erased ? "erased" : "");
}

}  // namespace arqlink::wire
