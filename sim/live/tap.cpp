// SPDX-License-Identifier: Apache-2.0
#include "tap.h"

#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace arqlink::live {

std::optional<Tap::Frame> Tap::read() {
    for (;;) {
        const ssize_t size = ::read(file_, buffer_.data(), buffer_.size());
        if (size < 0) {
            if (errno == EINTR) continue;
            if (errno == EAGAIN) return std::nullopt;
            throw std::system_error(errno, std::generic_category(), "A TAP device cannot be read");
        }
        if (size == 0) return std::nullopt;
        if (static_cast<size_t>(size) > most_) {
            ++count_.tooLong;
            continue;
        }
        ++count_.in;
        count_.inBytes += static_cast<uint64_t>(size);
        return Frame(buffer_.begin(), buffer_.begin() + size);
    }
}

void Tap::write(const Frame& frame) {
    ssize_t size = 0;
    do size = ::write(file_, frame.data(), frame.size());
    while (size < 0 && errno == EINTR);
    if (size < 0) {
        ++count_.refused;
        return;
    }
    ++count_.out;
    count_.outBytes += frame.size();
}

}  // namespace arqlink::live
