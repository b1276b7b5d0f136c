// SPDX-License-Identifier: Apache-2.0
#include "cpu.h"

#include <stdexcept>
#include <utility>

namespace arqlink::live {

namespace {

int readRegister(void* end, uint32_t offset, uint32_t* value) {
    const auto read = static_cast<LiveEnd*>(end)->mailbox().access(false, offset, 0);
    *value = read.value_or(0);
    return read ? 0 : -ARQLINK_EIO;
}

int writeRegister(void* end, uint32_t offset, uint32_t value) {
    return static_cast<LiveEnd*>(end)->mailbox().access(true, offset, value) ? 0 : -ARQLINK_EIO;
}

}  // namespace

const char* sentence(int error) {
    switch (-error) {
    case ARQLINK_EIO: return "A register does not answer.";
    case ARQLINK_ENODEV: return "There is no link end.";
    case ARQLINK_EINVAL: return "A value is beyond what the link is built for.";
    case ARQLINK_EPROTO: return "The link has another version than the driver.";
    case ARQLINK_ENETDOWN: return "The link is down.";
    case ARQLINK_ETIMEDOUT: return "The hardware did not become ready.";
    case ARQLINK_EREMOTEIO: return "The hardware did not do as it must.";
    default: return "The driver failed.";
    }
}

Cpu::Cpu(LiveEnd& a, LiveEnd& b) : ends_{&a, &b}, thread_([this] { work(); }) {}

Cpu::~Cpu() {
    {
        const std::lock_guard lock(mutex_);
        isOver_ = true;
        changed_.notify_one();
    }
    for (LiveEnd* end : ends_) end->mailbox().close();
    thread_.join();
}

void Cpu::post(Job job) {
    const std::lock_guard lock(mutex_);
    ++jobs_;
    queue_.push_back(std::move(job));
    changed_.notify_one();
}

void Cpu::work() {
    for (;;) {
        Job job;
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [this] { return isOver_ || !queue_.empty(); });
            if (isOver_) return;
            job = std::move(queue_.front());
            queue_.pop_front();
        }
        try {
            job(*this);
        } catch (...) {
            failure_ = std::current_exception();
            hasFailed_ = true;
            return;
        }
        --jobs_;
    }
}

void Cpu::probe() {
    for (const End end : {A, B}) {
        const arqlink_bus bus = {readRegister, writeRegister, nullptr, nullptr, ends_[end]};
        if (const int error = arqlink_probe(&devices_[end], &bus, 0)) throw std::runtime_error(sentence(error));
    }
}

}  // namespace arqlink::live
