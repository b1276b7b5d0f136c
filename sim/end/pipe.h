// SPDX-License-Identifier: Apache-2.0
// A file descriptor that is read and written without waiting.
#pragma once

#include <cstddef>
#include <string>

namespace arqlink {

/// Throws std::system_error where the system refuses an operation.
class Pipe {
  public:
    /// Takes no ownership. -1: nothing ever comes, and what is written is lost.
    explicit Pipe(int descriptor);

    /// Appends at most `most` bytes of what has come; false when the other side has closed, and on end of file.
    bool read(std::string& to, size_t most);
    /// Queues bytes, and writes what can be written now; false when the other side has closed.
    bool write(const std::string& bytes);
    /// Whether bytes are queued still.
    bool pending() const { return !queue_.empty(); }

  private:
    int descriptor_;
    std::string queue_;
};

}  // namespace arqlink
