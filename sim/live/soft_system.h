// SPDX-License-Identifier: Apache-2.0
// The soft CPU of a link end with its firmware, Verilated, in a thread of its own: `ArqControl`, whose register window is the end's.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "live_end.h"
#include "pipe.h"
#include "soc/control.h"
#include "uart_line.h"

namespace arqlink::live {

class SoftSystem {
  public:
    static constexpr uint64_t clockHz = 250'000;  ///< as arqlink.live.builds has it: clocks of a second of the link

    /// `library`: of arqlink.live.builds.control; `console`: an open terminal, the other side of the UART. Comes out of reset, and boots
    /// as fast as it can. Throws std::runtime_error where the library cannot be loaded.
    SoftSystem(const std::string& library, LiveEnd& end, int console);
    ~SoftSystem();
    /// Ends its thread's work, and what waits for it.
    void stop();

    /// A command of the firmware; waits for its answer. Throws std::runtime_error where that is not OK. For a thread that does not clock
    /// the end, and before the console is anybody else's.
    void command(const std::string& line);
    /// From now on it runs as the link's time goes on.
    void keepPace() { hurries_ = false; }

    /// It may run so many clocks more. It falls behind by a second at most: what is more is skipped, and counted.
    void grant(uint64_t clocks);
    /// Something has come or gone on the UART within the last second, or has been announced.
    bool isAwake() const { return clocks_ < activeAt_ + clockHz; }
    void wake() { activeAt_ = clocks_.load(); }

    int console() const { return console_; }
    uint64_t clocks() const { return clocks_; }
    uint64_t skipped() const { return skipped_; }
    /// Throws what has ended its thread.
    void check() const {
        if (hasFailed_) std::rethrow_exception(failure_);
    }

  private:
    void work();
    void run(uint64_t clocks);
    void clock();
    void serveRegisters();
    std::optional<uint32_t> access(bool write, uint32_t address, uint32_t value);
    void exchange();
    std::string heard(size_t from);

    LiveEnd& end_;
    const int console_;
    Pipe terminal_;
    const std::unique_ptr<Control> control_;
    ControlIn in_;
    ControlOut out_;
    UartLine uart_;
    bool hasAddress_ = false, hasData_ = false;  // of a write that is under way
    uint32_t address_ = 0, data_ = 0;

    std::atomic<uint64_t> clocks_ = 0, activeAt_ = 0, skipped_ = 0;
    std::atomic<uint64_t> granted_ = 0;
    std::atomic<bool> hurries_ = true, isOver_ = false;

    std::mutex mutex_;
    std::condition_variable changed_;
    std::string said_, line_;  // while it hurries: what the firmware has said, what is to be typed
    std::exception_ptr failure_;
    std::atomic<bool> hasFailed_ = false;
    std::thread thread_;
};

}  // namespace arqlink::live
