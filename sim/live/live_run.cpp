// SPDX-License-Identifier: Apache-2.0
// A live link between two TAP devices: reads what it is, and then commands, lines of JSON, from standard input; answers each with one (README.md).
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <exception>
#include <iostream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "json_job.h"
#include "link_reader.h"
#include "live_link.h"
#include "report.h"
#include "settings_reader.h"

// Of the driver, which is C.
void fields(arqlink::job::Object& keys, arqlink_timers& t) {
    keys.need("poll_timeout", t.poll, "hello_interval", t.hello, "keepalive", t.keepalive);
    keys.need("outage_timeout", t.outage_timeout, "status_interval", t.status_interval);
}

namespace arqlink::live {

void fields(job::Object& keys, CaptureFiles& files) { keys.need("phy", files.phy, "taps", files.taps); }

void fields(job::Object& keys, LiveSettings& s) {
    keys.need("link", s.link, "clock_hz", s.clockHz, "taps", s.taps, "buffer", s.buffer, "seed", s.seed);
    keys.take("late", s.late, "captures", s.captures, "gateway", s.gateway);
    keys.take("control", s.control, "consoles", s.consoles);
}

namespace {

/// Standard input, line by line, without waiting.
class Lines {
  public:
    Lines() { fcntl(STDIN_FILENO, F_SETFL, fcntl(STDIN_FILENO, F_GETFL) | O_NONBLOCK); }
    /// Waits for the next one at most `milliseconds`, for ever if that is negative. False: there is none yet.
    bool next(std::string& line, int milliseconds) {
        for (;;) {
            if (const size_t end = text_.find('\n'); end != std::string::npos) {
                line = text_.substr(0, end);
                text_.erase(0, end + 1);
                return true;
            }
            if (isOver_) return false;
            if (milliseconds) {
                pollfd file{STDIN_FILENO, POLLIN, 0};
                poll(&file, 1, milliseconds);
            }
            char buffer[4096];
            const ssize_t size = read(STDIN_FILENO, buffer, sizeof buffer);
            isOver_ = size == 0;
            if (size > 0)
                text_.append(buffer, static_cast<size_t>(size));
            else if (milliseconds >= 0)
                return false;
        }
    }
    bool isOver() const { return isOver_; }

  private:
    std::string text_;
    bool isOver_ = false;
};

enum class Verb { report, set, timers, restart, erasures, delay, quit };
std::vector<const char*> namesOf(Verb) { return {"report", "set", "timers", "restart", "erasures", "delay", "quit"}; }

/// Of an end's settings those that are given.
struct Changes {
    std::optional<uint8_t> k, n, nr, delta, ord;
};

void fields(job::Object& keys, Changes& c) {
    keys.take("k", c.k, "n", c.n, "nr", c.nr, "delta", c.delta, "ord", c.ord);
}

class Session {
  public:
    explicit Session(const LiveSettings& settings) : clockHz_(settings.clockHz), link_(settings) { link_.bringUp(); }

    void run(Lines& lines) {
        answer(0, nullptr);
        std::string line;
        while (!isOver_ && !lines.isOver()) {
            link_.live(STDIN_FILENO, 1);
            finishReports();
            while (lines.next(line, 0)) command(line);
        }
    }

  private:
    using Id = std::optional<uint64_t>;

    // Answers come from the driver's thread, too.
    void answer(Id id, const char* error, nlohmann::json more = nlohmann::json::object()) {
        more["id"] = id ? nlohmann::json(*id) : nullptr;
        more["error"] = error ? nlohmann::json(error) : nullptr;
        const std::lock_guard lock(output_);
        std::cout << job::lineOf(more) << std::endl;
    }
    void answer(Id id, int error) { answer(id, error ? sentence(error) : nullptr); }

    void command(const std::string& line) {
        Id id;
        try {
            const job::Document document(line);
            const job::Value value = document.root();
            job::Object keys(value);
            keys.need("id", id);
            obey(id, keys);
        } catch (const std::invalid_argument& error) {
            answer(id, error.what());
        }
    }

    void obey(Id id, job::Object& keys) {
        Verb verb;
        keys.need("command", verb);
        const auto take = [&keys](const char* key, auto& into) {
            keys.need(key, into);
            keys.finish();
        };
        if (verb == Verb::report || verb == Verb::quit) keys.finish();
        if (verb == Verb::report) return report(id);
        if (verb == Verb::quit) {
            isOver_ = true;
        } else if (verb == Verb::delay) {
            Clock delay[2];
            take("delay", delay);
            link_.setDelay(delay[A], delay[B]);
        } else {
            End end;
            keys.need("end", end);
            if (verb == Verb::restart) {
                keys.finish();
                return restart(id, end);
            }
            if (verb == Verb::set) {
                Changes changes;
                take("values", changes);
                return set(id, end, changes);
            }
            if (verb == Verb::timers) {
                arqlink_timers timers;
                take("timers", timers);
                return setTimers(id, end, timers);
            }
            ErasureSettings process;
            take("process", process);
            link_.setErasures(end, process);
        }
        answer(id, nullptr);
    }

    void post(Cpu::Job job) {
        ++jobs_;
        link_.cpu().post(std::move(job));
    }

    void report(Id id) {
        // Where nothing has been clocked since the last report, the registers are as they were.
        if (link_.rests() && readBy_ == jobs_ && readAt_ == link_.clocked()) return finish(id);
        post([this, id, number = jobs_ + 1](Cpu& cpu) {
            Read read{id, number, {}};
            for (const End end : {A, B}) {
                EndState& state = read.states[end];
                if (const int error = readEnd(cpu.device(end), state)) return answer(id, error);
                link_.setPollTimeout(end, state.timers.poll);  // a firmware may have changed it
                link_.setState(end, state.status.state);
            }
            const std::lock_guard lock(output_);
            reads_.push_back(std::move(read));
        });
    }
    /// Of those whose registers have been read. What else is in them is of the threads that clock the ends, which rest now.
    void finishReports() {
        std::vector<Read> reads;
        {
            const std::lock_guard lock(output_);
            reads.swap(reads_);
        }
        for (const Read& read : reads) {
            std::copy_n(read.states, 2, states_);
            readBy_ = read.job;
            readAt_ = link_.clocked();
            finish(read.id);
        }
    }
    void finish(Id id) {
        const Pacer::Count pace = link_.pacer().count();
        answer(id, nullptr,
               nlohmann::json{{"report", live::report(link_, pace, link_.pacer().lag(), clockHz_, states_)}});
        for (EndState& state : states_) state.events = 0;  // each is reported once
    }

    void set(Id id, End end, const Changes& changes) {
        post([this, id, end, changes](Cpu& cpu) {
            arqlink_config config{};
            int error = arqlink_get_config(&cpu.device(end), &config);
            config.k = changes.k.value_or(config.k);
            config.n_first = changes.n.value_or(config.n_first);
            config.n_retx = changes.nr.value_or(config.n_retx);
            config.delta = changes.delta.value_or(config.delta);
            config.ordered = changes.ord.value_or(config.ordered) != 0;
            if (!error) error = arqlink_set_config(&cpu.device(end), &config);
            answer(id, error);
        });
    }

    void setTimers(Id id, End end, const arqlink_timers& timers) {
        post([this, id, end, timers](Cpu& cpu) {
            const int error = arqlink_set_timers(&cpu.device(end), &timers);
            if (!error) link_.setPollTimeout(end, timers.poll);
            answer(id, error);
        });
    }

    void restart(Id id, End end) {
        post([this, id, end](Cpu& cpu) { answer(id, arqlink_restart(&cpu.device(end))); });
    }

    const double clockHz_;
    struct Read {
        Id id;
        uint64_t job;
        EndState states[2];
    };
    EndState states_[2];              // as they were read last …
    uint64_t readBy_ = 0, jobs_ = 0;  // … by this one of so many jobs …
    Clock readAt_ = 0;                // … before this clock
    std::mutex output_;               // for the driver's thread, too: standard output, and
    std::vector<Read> reads_;         // reports to be finished
    bool isOver_ = false;
    LiveLink link_;  // its threads end before the rest
};

}  // namespace
}  // namespace arqlink::live

int main() {
    using namespace arqlink::live;
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // whoever began it, ends it
    try {
        Lines lines;
        std::string description;
        lines.next(description, -1);
        Session(arqlink::job::parse<LiveSettings>(description)).run(lines);
        return 0;
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
