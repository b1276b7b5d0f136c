// SPDX-License-Identifier: Apache-2.0
#include "soft_system.h"

#include <dlfcn.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>

namespace arqlink::live {

namespace {

constexpr unsigned bitClocks = 8;     // uartDivider = 0
constexpr uint64_t lookClocks = 400;  // between two looks at the console
constexpr unsigned resetClocks = 16;
constexpr int niceness = 10;               // the link goes first
constexpr uint64_t patience = 50'000'000;  // clocks in which the firmware has to answer
constexpr uint32_t windowBytes = 0x1000;   // of a link end

std::unique_ptr<Control> load(const std::string& library) {
    void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) throw std::runtime_error(std::string("The model of the soft system cannot be loaded: ") + dlerror());
    const auto make = reinterpret_cast<MakeControl>(dlsym(handle, "makeControl"));
    if (!make) throw std::runtime_error(library + " is not the model of a soft system.");
    return std::unique_ptr<Control>(make());
}

}  // namespace

SoftSystem::SoftSystem(const std::string& library, LiveEnd& end, int console)
    : end_(end), console_(console), terminal_(console), control_(load(library)), uart_(bitClocks, firmwareByteClocks) {
    in_.resetn = false;
    for (unsigned i = 0; i < resetClocks; ++i) control_->clock(in_, out_);
    in_.resetn = true;
    thread_ = std::thread([this] { work(); });
}

SoftSystem::~SoftSystem() {
    stop();
    thread_.join();
}

void SoftSystem::stop() {
    isOver_ = true;
    end_.mailbox().close();
    granted_ += lookClocks;
    granted_.notify_one();
}

// What the firmware has said since `from`, up to its prompt.
std::string SoftSystem::heard(size_t from) {
    std::unique_lock lock(mutex_);
    const uint64_t begin = clocks_;
    while (said_.size() <= from || !said_.ends_with("\n> ")) {
        check();
        if (isOver_) throw std::runtime_error("The link has ended.");
        if (clocks_ > begin + patience) throw std::runtime_error("The firmware does not answer. It said: " + said_);
        changed_.wait_for(lock, std::chrono::milliseconds(100));
    }
    return said_.substr(from);
}

void SoftSystem::command(const std::string& line) {
    const size_t before = heard(0).size();
    {
        const std::lock_guard lock(mutex_);
        line_ = line + '\r';
    }
    const std::string answer = heard(before);
    if (answer.find("\nOK\r") == std::string::npos)
        throw std::runtime_error("The firmware answers '" + line + "' with: " + answer);
}

void SoftSystem::grant(uint64_t clocks) {
    const uint64_t before = granted_.fetch_add(clocks);
    if (before == 0) granted_.notify_one();
    if (before + clocks <= clockHz) return;
    const uint64_t excess = before + clocks - clockHz;
    granted_ -= excess;
    skipped_ += excess;
}

void SoftSystem::work() {
    setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), niceness);
    try {
        while (!isOver_) {
            if (hurries_) {
                run(lookClocks);
            } else if (const uint64_t count = std::min<uint64_t>(granted_, lookClocks)) {
                run(count);
                granted_ -= count;
            } else {
                granted_.wait(0);
            }
        }
    } catch (...) {
        if (isOver_) return;  // by the mailbox, which is closed
        failure_ = std::current_exception();
        hasFailed_ = true;
    }
}

void SoftSystem::run(uint64_t clocks) {
    exchange();
    for (uint64_t i = 0; i < clocks; ++i) clock();
    clocks_ += clocks;
}

void SoftSystem::clock() {
    in_.linkIrq = end_.irq();
    control_->clock(in_, out_);
    if (control_->stopped()) throw std::runtime_error(std::string("The soft system stopped: ") + control_->stopped());
    in_.uartRx = uart_.clock(out_.uartTx);
    serveRegisters();
}

// The CPU's clock stands still during an access.
void SoftSystem::serveRegisters() {
    if (out_.rready) in_.rvalid = false;
    if (out_.bready) in_.bvalid = false;
    if (out_.arvalid) {
        const auto value = access(false, out_.araddr, 0);
        in_.rvalid = true;
        in_.rdata = value.value_or(0);
        in_.isRefused = !value;
    }
    if (out_.awvalid) {
        hasAddress_ = true;
        address_ = out_.awaddr;
    }
    if (out_.wvalid) {
        hasData_ = true;
        data_ = out_.wdata;
    }
    if (hasAddress_ && hasData_) {
        in_.bvalid = true;
        in_.isRefused = !access(true, address_, data_);
        hasAddress_ = hasData_ = false;
    }
}

std::optional<uint32_t> SoftSystem::access(bool write, uint32_t address, uint32_t value) {
    if (address >= windowBytes) return std::nullopt;
    return end_.mailbox().access(write, address, value);
}

void SoftSystem::exchange() {
    if (uart_.pending() == 0) {
        std::string bytes;
        if (hurries_) {
            const std::lock_guard lock(mutex_);
            bytes.swap(line_);
        } else {
            terminal_.read(bytes, 64);
        }
        if (!bytes.empty()) activeAt_ = clocks_.load();
        uart_.send(bytes.data(), bytes.size());
    }
    std::string& received = uart_.received();
    if (received.empty()) return;
    activeAt_ = clocks_.load();
    if (hurries_) {
        const std::lock_guard lock(mutex_);
        said_ += received;
        changed_.notify_one();
    }
    if (!terminal_.pending()) terminal_.write(received);  // what nobody reads is lost
    received.clear();
}

}  // namespace arqlink::live
