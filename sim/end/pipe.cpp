// SPDX-License-Identifier: Apache-2.0
#include "pipe.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace arqlink {

namespace {

[[noreturn]] void refused(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

bool wouldWait() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

// A pseudo-terminal says EIO when its other side has been closed.
bool isClosed() { return errno == EIO || errno == EPIPE; }

}  // namespace

Pipe::Pipe(int descriptor) : descriptor_(descriptor) {
    if (descriptor_ < 0) return;
    const int flags = fcntl(descriptor_, F_GETFL);
    if (flags < 0 || fcntl(descriptor_, F_SETFL, flags | O_NONBLOCK) < 0) refused("a file descriptor cannot be used");
}

bool Pipe::read(std::string& to, size_t most) {
    if (descriptor_ < 0) return true;
    const size_t had = to.size();
    to.resize(had + most);
    const ssize_t count = ::read(descriptor_, &to[had], most);
    to.resize(had + (count > 0 ? count : 0));
    if (count > 0) return true;
    if (count == 0 || isClosed()) return false;
    if (wouldWait()) return true;
    refused("reading failed");
}

bool Pipe::write(const std::string& bytes) {
    if (descriptor_ < 0) return true;
    queue_ += bytes;
    while (!queue_.empty()) {
        const ssize_t count = ::write(descriptor_, queue_.data(), queue_.size());
        if (count >= 0)
            queue_.erase(0, count);
        else if (isClosed())
            return false;
        else if (wouldWait())
            return true;
        else
            refused("writing failed");
    }
    return true;
}

}  // namespace arqlink
