// SPDX-License-Identifier: Apache-2.0
#include "pair_reports.h"

#include <sys/wait.h>
#include <unistd.h>

#include <exception>
#include <nlohmann/json.hpp>
#include <string>

#include "json_job.h"

namespace arqlink {

namespace {

void writeAll(int file, const std::string& text) {
    for (size_t at = 0; at < text.size();) {
        const ssize_t wrote = ::write(file, text.data() + at, text.size() - at);
        if (wrote < 0) return;  // nobody reads any more
        at += size_t(wrote);
    }
}

}  // namespace

PairReports::~PairReports() {
    if (writer_) waitpid(writer_, nullptr, 0);
}

bool PairReports::isWriting() {
    if (writer_ && waitpid(writer_, nullptr, WNOHANG) != 0) writer_ = 0;
    return writer_;
}

void PairReports::tick() {
    const auto now = std::chrono::steady_clock::now();
    if (std::chrono::duration<double>(now - last_).count() < job_.reportSeconds || isWriting()) return;
    last_ = now;
    const pid_t child = fork();
    if (child == 0) write();
    if (child > 0) writer_ = child;  // with neither there is no memory for a copy; the next one may find some
}

// In the copy. It leaves all files as they are, and ends without the destructors and buffers of the original.
void PairReports::write() {
    try {
        pair_.leaveFiles();
        const uint64_t now = pair_.now();
        const size_t waiting = pair_.offered(ArqPairSim::A);
        PairRegisters registers(pair_, job_);
        registers.snapshot("a");
        registers.snapshot("b");
        const auto report =
            nlohmann::json{{"clock", now - start_}, {"waiting", waiting}, {"registers", registers.all()}};
        writeAll(STDERR_FILENO, "report " + job::lineOf(report) + "\n");
    } catch (const std::exception&) {
        _exit(1);  // the original comes to the same, and says it
    }
    _exit(0);
}

}  // namespace arqlink
