// SPDX-License-Identifier: Apache-2.0
// A live link between two TAP devices: reads what it is, and then commands, from standard input; answers each with a line of JSON (README.md).
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <exception>
#include <iomanip>
#include <iostream>
#include <map>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

#include "link_reader.h"
#include "live_link.h"
#include "report.h"
#include "settings_reader.h"

namespace arqlink::live {
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

struct Job {
    LinkDescription link;
    LiveSettings settings;

    bool take(const std::string& key, std::istream& words) {
        if (link.take(key, words)) return true;
        if (key == "clock") {
            words >> settings.clockHz;
        } else if (key == "late") {
            words >> settings.late;
        } else if (key == "seed") {
            words >> settings.seed;
        } else if (key == "buffer") {
            words >> settings.buffer;
        } else if (key == "gateway") {
            std::string of;
            words >> of;
            if (!settings.gateway) settings.gateway.emplace();
            return gateway::take(*settings.gateway, of, words);
        } else if (key == "pcap") {
            std::string what;
            words >> what;
            std::string& file = what == "phy" ? settings.captures.phy : settings.captures.taps[endNamed(what)];
            words >> std::quoted(file);
        } else if (key == "control") {
            words >> std::quoted(settings.control);
        } else if (key == "console") {
            std::string end;
            words >> end;
            words >> settings.consoles[endNamed(end)];
        } else if (key == "tap") {
            std::string end;
            words >> end;
            words >> settings.taps[endNamed(end)];
        } else {
            return false;
        }
        return true;
    }

    LiveSettings complete() {
        settings.link = link.settings;
        settings.library = link.library;
        for (const End end : {A, B}) settings.erasures[end] = link.erasures[end];
        if (settings.gateway) gateway::check(*settings.gateway);
        return settings;
    }
};

class Session {
  public:
    explicit Session(const LiveSettings& settings) : clockHz_(settings.clockHz), link_(settings) { link_.bringUp(); }

    void run(Lines& lines) {
        answer("0", "null");
        std::string line;
        while (!isOver_ && !lines.isOver()) {
            link_.live(STDIN_FILENO, 1);
            finishReports();
            while (lines.next(line, 0)) command(line);
        }
    }

  private:
    // Answers come from the driver's thread, too.
    void answer(const std::string& id, const std::string& error, const std::string& more = "") {
        const std::lock_guard lock(output_);
        std::cout << "{\"id\": " << id << ", \"error\": " << error << more << "}" << std::endl;
    }
    void answer(const std::string& id, int error) { answer(id, error ? quoted(sentence(error)) : "null"); }

    void command(const std::string& line) {
        std::istringstream words(line);
        std::string id, name;
        words >> id >> name;
        if (id.empty() || id.find_first_not_of("0123456789") != std::string::npos) id = "null";
        try {
            if (name == "report") return report(id);
            if (name == "set") return set(id, words);
            if (name == "timers") return setTimers(id, words);
            if (name == "restart") return restart(id, words);
            if (name == "erasures") {
                const End end = takeEnd(words);
                std::string process;
                std::getline(words >> std::ws, process);
                link_.setErasures(end, process);
            } else if (name == "delay") {
                Clock there = 0, back = 0;
                if (!(words >> there >> back)) throw std::invalid_argument("'delay' has two numbers of clocks.");
                link_.setDelay(there, back);
            } else if (name == "quit") {
                isOver_ = true;
            } else {
                throw std::invalid_argument("'" + name + "' is not a command.");
            }
            answer(id, "null");
        } catch (const std::invalid_argument& error) {
            answer(id, quoted(error.what()));
        }
    }

    static End takeEnd(std::istream& words) {
        std::string end;
        words >> end;
        return endNamed(end);
    }

    void post(Cpu::Job job) {
        ++jobs_;
        link_.cpu().post(std::move(job));
    }

    void report(const std::string& id) {
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
    void finish(const std::string& id) {
        const Pacer::Count pace = link_.pacer().count();
        answer(id, "null", ", \"report\": " + live::report(link_, pace, link_.pacer().lag(), clockHz_, states_));
        for (EndState& state : states_) state.events = 0;  // each is reported once
    }

    void set(const std::string& id, std::istream& words) {
        const End end = takeEnd(words);
        std::map<std::string, unsigned> values;
        for (std::string word; words >> word;) {
            const size_t equals = word.find('=');
            const std::string digits = equals == std::string::npos ? "" : word.substr(equals + 1);
            if (digits.empty() || digits.size() > 3 || digits.find_first_not_of("0123456789") != std::string::npos)
                throw std::invalid_argument("'" + word + "' is not a setting: write NAME=NUMBER.");
            const std::string name = word.substr(0, equals);
            if (name != "k" && name != "n" && name != "nr" && name != "delta" && name != "ord")
                throw std::invalid_argument("'" + name + "' is not a setting; there are k, n, nr, delta and ord.");
            values[name] = static_cast<unsigned>(std::stoul(digits));
        }
        post([this, id, end, values](Cpu& cpu) {
            arqlink_config config;
            int error = arqlink_get_config(&cpu.device(end), &config);
            const std::map<std::string, uint8_t*> fields = {
                {"k", &config.k}, {"n", &config.n_first}, {"nr", &config.n_retx}, {"delta", &config.delta}};
            for (const auto& [name, value] : values) {
                if (value > 255) error = -ARQLINK_EINVAL;
                if (name == "ord")
                    config.ordered = value != 0;
                else
                    *fields.at(name) = static_cast<uint8_t>(value);
            }
            if (!error) error = arqlink_set_config(&cpu.device(end), &config);
            answer(id, error);
        });
    }

    void setTimers(const std::string& id, std::istream& words) {
        const End end = takeEnd(words);
        arqlink_timers timers;
        if (!(words >> timers.poll >> timers.hello >> timers.keepalive >> timers.outage_timeout >>
              timers.status_interval))
            throw std::invalid_argument("'timers' has five numbers of clocks.");
        post([this, id, end, timers](Cpu& cpu) {
            const int error = arqlink_set_timers(&cpu.device(end), &timers);
            if (!error) link_.setPollTimeout(end, timers.poll);
            answer(id, error);
        });
    }

    void restart(const std::string& id, std::istream& words) {
        const End end = takeEnd(words);
        post([this, id, end](Cpu& cpu) { answer(id, arqlink_restart(&cpu.device(end))); });
    }

    const double clockHz_;
    struct Read {
        std::string id;
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
        Job job;
        std::string line, description;
        while (lines.next(line, -1) && line != "run") description += line + '\n';
        std::istringstream text(description);
        arqlink::readLines(text, [&](const std::string& key, std::istream& words) { return job.take(key, words); });
        Session(job.complete()).run(lines);
        return 0;
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
