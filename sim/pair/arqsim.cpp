// SPDX-License-Identifier: Apache-2.0
// Runs one job on the Verilated pair: reads it from standard input, and writes its result to standard output, both as JSON, and lines
// "progress DONE TOTAL" and "report {…}" to standard error. `arqsim --registers` does accesses from standard input.
// Exit code 1 with one sentence on an error.

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cinttypes>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "job.h"
#include "json_job.h"
#include "pair_capture.h"
#include "pair_registers.h"
#include "pair_reports.h"
#include "register_console.h"

using namespace arqlink;

namespace {

using Time = std::chrono::steady_clock;

double seconds(Time::duration d) { return std::chrono::duration<double>(d).count(); }

/// Processor time that this program has used: what other programs take from the machine does not count.
double cpuSeconds() { return double(std::clock()) / CLOCKS_PER_SEC; }

class Runner {
  public:
    explicit Runner(const Job& job) : job_(job), pair_(job.waves), registers_(pair_, job) {}

    void run() {
        const bool sends = job_.mode == Mode::send;
        pair_.watchFirstTransmissions(sends);
        bringUp();
        if (sends)
            for (auto& packet : readPackets(job_.packets, start_)) pair_.send(ArqPairSim::A, std::move(packet));
        const char* end = drain();
        if (sends) {
            auto& delivered = pair_.delivered(ArqPairSim::B);
            writeDeliveries(job_.deliveries, pair_,
                            {std::make_move_iterator(delivered.begin()), std::make_move_iterator(delivered.end())});
        }
        finish(end);
    }

  private:
    // The links are up when both say so. They are disabled while their registers are written.
    void bringUp() {
        constexpr uint32_t up = 3;
        for (const auto way : {ArqPairSim::A, ArqPairSim::B})
            if (!job_.traces[way].empty()) pair_.setErasures(way, readTrace(job_.traces[way]));
        pair_.reset();
        for (auto [address, value] : job_.setup) pair_.write(address, value);
        if (!job_.phyCapture.empty()) capture();
        const uint64_t limit = pair_.now() + job_.idleClocks;
        while ((pair_.read(job_.reg("a.STATUS")) & 7) != up || (pair_.read(job_.reg("b.STATUS")) & 7) != up) {
            if (pair_.now() > limit) throw std::runtime_error("The link did not come up; is all of its feedback lost?");
            pair_.run(100);
        }
        for (auto [address, value] : job_.start) pair_.write(address, value);
        start_ = pair_.now();
        if (job_.reportSeconds > 0) reports_.emplace(pair_, job_, start_);
        wallStart_ = Time::now();
        cpuStart_ = cpuSeconds();
    }

    // Both ends have just been enabled, and clear their tables before they send.
    void capture() {
        if (!(job_.clockHz > 0)) throw std::runtime_error("A capture needs the clocks of a second.");
        constexpr uint64_t least = 4;  // the channel's shortest delay
        const auto delay = [&](const char* name) { return std::max<uint64_t>(pair_.read(job_.reg(name)), least); };
        const uint64_t delays[] = {delay("ab.DELAY"), delay("ba.DELAY")};
        capture_.emplace(job_.phyCapture, job_.clockHz, delays);
        pair_.observe(&*capture_);
    }

    // In slices where somebody wants to hear how far it is.
    void run(uint64_t clocks) {
        constexpr uint64_t slice = 1024;
        for (; reports_ && clocks > slice; clocks -= slice) {
            pair_.run(slice);
            reports_->tick();
        }
        pair_.run(clocks);
    }

    // Runs until every packet is delivered or known to be lost, and both ends know it. Returns why it ended.
    const char* drain() {
        uint64_t sent = 0, last = 0, lastChange = pair_.now();
        for (;;) {
            run(untilNextLook(sent));
            registers_.snapshot("a");
            sent = registers_.counter("a.tx_frames");
            const uint64_t resolved = registers_.counter("a.tx_frames_acked") +
                                      registers_.counter("a.tx_frames_abandoned") +
                                      registers_.counter("a.tx_frames_flushed");
            measure(sent);
            report(std::min(resolved, job_.frames));

            uint64_t progress = sent + resolved + pair_.accepted(ArqPairSim::A).size();
            if (resolved >= job_.frames && pair_.pending(ArqPairSim::A) == 0) {
                const uint64_t packets = registers_.counter("a.tx_packets"),
                               lost = registers_.counter("a.tx_packets_lost");
                registers_.snapshot("b");
                const uint64_t delivered = registers_.counter("b.rx_packets");
                if (delivered + lost >= packets && bothKnow()) {
                    reported_ = {};  // the end is reported, however soon after the last report
                    report(job_.frames);
                    return "done";
                }
                progress += delivered + lost + registers_.counter("b.rx_frames_skipped");
            }
            if (progress != last) lastChange = pair_.now();
            last = progress;
            if (pair_.now() - lastChange > job_.idleClocks) return "idle";
            if (pair_.now() - start_ > job_.maxClocks) return "limit";
        }
    }

    // A notice of abandoned frames, and a report of the last outcomes, may still be under way. After a restart the ends have no common books.
    bool bothKnow() {
        const auto equal = [&](const char* a, const char* b) { return registers_.counter(a) == registers_.counter(b); };
        return registers_.counter("a.tx_frames_flushed") > 0 ||
               (equal("a.tx_frames_abandoned", "b.rx_frames_skipped") &&
                equal("a.tx_outcomes_ok", "b.rx_outcomes_ok") && equal("a.tx_outcomes_failed", "b.rx_outcomes_failed"));
    }

    // Clocks to run before the counters are looked at again. Looks come closer together towards the end of the measuring window, or it
    // would take in clocks in which there is nothing more to send.
    uint64_t untilNextLook(uint64_t sent) const {
        if (sent == 0 || windowClosed_) return job_.checkClocks;
        constexpr uint64_t least = 256;
        const double left = double(pair_.now() - start_) / double(sent) * double(job_.frames - sent);
        return std::min(std::max(uint64_t(left / 2), least), std::max(job_.checkClocks, least));
    }

    // The measuring window lies between two numbers of first transmissions, so that neither the filling nor the draining of
    // the link counts.
    void measure(uint64_t sent) {
        const bool opens = !windowOpen_ && sent >= job_.window;
        const bool closes = windowOpen_ && !windowClosed_ && sent >= job_.frames;
        if (!opens && !closes) return;
        windowClosed_ = closes;
        windowOpen_ = true;
        registers_.snapshot("b");
        auto& edge = window_[closes];
        edge = {pair_.now(), registers_.counter("a.tx_units") + registers_.counter("a.tx_retx_units"),
                registers_.counter("a.tx_phy_idle"), registers_.counter("b.rx_bytes")};
    }

    void report(uint64_t done) {
        const auto now = Time::now();
        if (seconds(now - reported_) < 0.1 || (reports_ && reports_->isWriting())) return;
        reported_ = now;
        const int written = std::fprintf(stderr, "progress %" PRIu64 " %" PRIu64 "\n", done, job_.frames);
        if (written < 0 && errno == EPIPE) throw std::runtime_error("The program that began this run is gone.");
    }

    void finish(const char* end) {
        const double wall = seconds(Time::now() - wallStart_), cpu = cpuSeconds() - cpuStart_;
        const uint64_t clocks = pair_.now() - start_;
        reports_.reset();
        registers_.snapshot("a");
        registers_.snapshot("b");
        pair_.observe(nullptr);
        if (capture_) capture_->close();
        nlohmann::json window = nlohmann::json::array();
        for (const Edge& e : window_)
            if (windowClosed_)
                window.push_back(
                    nlohmann::json{{"clock", e.clock}, {"units", e.units}, {"idle", e.idle}, {"bytes", e.bytes}});
        const nlohmann::json result = {{"end", end},       {"start", start_},
                                       {"clocks", clocks}, {"wall_s", wall},
                                       {"cpu_s", cpu},     {"data_bytes", ArqPairSim::dataBytes},
                                       {"window", window}, {"registers", registers_.all()}};
        std::cout << job::lineOf(result) << std::endl;
    }

    struct Edge {
        uint64_t clock = 0, units = 0, idle = 0, bytes = 0;
    };

    const Job& job_;
    ArqPairSim pair_;
    PairRegisters registers_;
    std::optional<PairCapture> capture_;
    std::optional<PairReports> reports_;
    uint64_t start_ = 0;
    Time::time_point wallStart_, reported_;
    double cpuStart_ = 0;
    bool windowOpen_ = false, windowClosed_ = false;
    Edge window_[2];
};

}  // namespace

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN);  // a capture's reader that goes away is an error like others
    try {
        if (argc == 2 && std::string(argv[1]) == "--registers") return steer(std::cin, std::cout), 0;
        if (argc != 1) throw std::runtime_error("arqsim reads its job from standard input.");
        const Job job = readJob(std::cin);
        Runner(job).run();
    } catch (const std::exception& e) {
        std::cerr << e.what() << std::endl;
        return 1;
    }
    return 0;
}
