// SPDX-License-Identifier: Apache-2.0
// Both ends and the channel between them, in real time, with the TAP devices that they serve.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <thread>

#include "cpu.h"
#include "link_reader.h"
#include "live_end.h"
#include "pacer.h"
#include "soft_system.h"
#include "tap.h"
#include "tap_gateway.h"

namespace arqlink::live {

struct LiveSettings {
    LinkDescription link;    ///< its model is always `rtl`
    double clockHz = 410e3;  ///< clocks of a second
    double late = 0.01;      ///< seconds after which a deadline is missed
    int taps[2] = {-1, -1};  ///< open files
    size_t buffer = 4;       ///< packets that may wait for their first frame to be sent; others stay in the device
    CaptureFiles captures;
    std::optional<gateway::Settings> gateway;  ///< before end A
    job::FileName control;                     ///< library of the soft system; empty: the driver alone steers the ends
    int consoles[2] = {-1, -1};                ///< of the soft systems: open terminals
    uint64_t seed = 1;
};

/// Each millisecond of the link, or less where its delay is shorter, is a deadline. Both ends are clocked at the same time, in two threads:
/// what one sends does not reach the other before the next one.
class LiveLink {
  public:
    explicit LiveLink(const LiveSettings& settings);
    ~LiveLink();

    /// Resets both ends, and lets the driver set them up.
    void bringUp();
    /// Lives until the next deadline. Where there is nothing to do, waits for frames, for `wake` to become readable, or for `most` seconds.
    void live(int wake, double most);

    /// From the next deadline on. Throw std::invalid_argument.
    void setErasures(End from, const ErasureSettings& process);
    void setDelay(Clock there, Clock back);

    /// The end has it now; any thread may say so.
    void setPollTimeout(End end, Clock clocks) { pollTimeout_[end] = clocks; }
    void setState(End end, arqlink_state state) { waits_[end] = state != ARQLINK_UP && state != ARQLINK_DOWN; }

    Cpu& cpu() { return *cpu_; }
    Pacer& pacer() { return pacer_; }
    Clock now() const { return now_; }
    /// The ends have been clocked before this one, and not since.
    Clock clocked() const { return clocked_; }
    /// No packet or unit has moved for so long that only keep-alives are to come, and no end waits for its peer.
    bool rests() const;
    const Tap::Count& frames(End end) const { return taps_[end].count(); }
    /// nullptr: there is none.
    const TapGateway* gateway() const { return gateway_ ? &*gateway_ : nullptr; }
    size_t backlog(End end) const { return ends_[end]->backlog(); }
    uint64_t cut(End end) const { return ends_[end]->cut(); }
    /// nullptr: there is none.
    const SoftSystem* softSystem(End end) const { return soft_[end].get(); }

  private:
    void run(Clock until);
    void setUpByDriver(Cpu& cpu);
    void setUpByFirmware();
    void grantClocks(Clock clocks);
    void rest(int wake, double longest);
    void moveFrames();
    std::optional<Tap::Frame> fromSystem(End end);
    void toSystem(End end, const Tap::Frame& frame);
    void serveGateway();
    gateway::Time time() const;
    void companion();
    static Clock quantumOf(const LiveSettings& settings, Clock delay);

    const LiveSettings settings_;
    Captures captures_;
    std::unique_ptr<LiveEnd> ends_[2];
    Tap taps_[2];
    std::optional<TapGateway> gateway_;
    std::unique_ptr<SoftSystem> soft_[2];
    std::unique_ptr<Cpu> cpu_;
    double softClocks_ = 0;  // that are not yet granted
    Pacer pacer_;
    Clock now_ = 0, clocked_ = 0, quantum_;
    std::atomic<Clock> pollTimeout_[2];
    std::atomic<bool> waits_[2] = {true, true};  // for its peer: it starts, or is in an outage
    Clock begin_ = 0;                            // of the run that is under way
    unsigned processes_ = 0;                     // erasure processes made, each with its own random numbers

    // The thread of end B runs to `goal_` each time it grows, and says so in `reached_`.
    std::atomic<Clock> goal_ = 0, reached_ = 0;
    std::atomic<bool> isOver_ = false;
    std::exception_ptr failure_;
    std::thread companion_;
};

}  // namespace arqlink::live
