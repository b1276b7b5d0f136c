// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace arqlink::live {

/// A TAP device of Linux that is open, non-blocking, without packet information: Ethernet frames.
class Tap {
  public:
    using Frame = std::vector<uint8_t>;
    /// `most`: bytes of a frame; longer ones are counted and dropped.
    Tap(int file, size_t most) : file_(file), most_(most), buffer_(65536) {}

    int file() const { return file_; }
    /// The next frame that the system sends, or none. Throws std::system_error where the device is gone.
    std::optional<Frame> read();
    /// A frame for the system.
    void write(const Frame& frame);

    struct Count {
        uint64_t in = 0, inBytes = 0;    ///< from the system
        uint64_t out = 0, outBytes = 0;  ///< to it
        uint64_t tooLong = 0;            ///< from it, longer than the link takes
        uint64_t refused = 0;            ///< by it, as it does where the device is down
    };
    const Count& count() const { return count_; }

  private:
    const int file_;
    const size_t most_;
    std::vector<uint8_t> buffer_;
    Count count_;
};

}  // namespace arqlink::live
