// SPDX-License-Identifier: Apache-2.0
#include "live_link.h"

#include <poll.h>

#include <algorithm>
#include <stdexcept>

#include "erasures.h"
#include "splitmix.h"

namespace arqlink::live {

namespace {

constexpr double most = 1e-3;                               // seconds between two deadlines
constexpr double softPortion = 1e-2 * SoftSystem::clockHz;  // clocks that a soft system gets at once

}  // namespace

// What leaves in a quantum may not arrive in it.
Clock LiveLink::quantumOf(const LiveSettings& settings, Clock delay) {
    return std::clamp<Clock>(static_cast<Clock>(settings.clockHz * most), 1, delay);
}

LiveLink::LiveLink(const LiveSettings& settings)
    : settings_(settings),
      captures_(settings.captures, settings.clockHz),
      taps_{Tap(settings.taps[A], settings.link.settings.build.maxPacketBytes),
            Tap(settings.taps[B], settings.link.settings.build.maxPacketBytes)},
      pacer_(settings.clockHz, settings.late) {
    for (const End end : {A, B}) pollTimeout_[end] = settings_.link.settings.end[end].pollTimeout;
    for (const End end : {A, B})
        ends_[end] = std::make_unique<LiveEnd>(end, settings_.link.library, settings_.link.settings.delay[end],
                                               makeErasures(ErasureSettings(), 1));
    for (const End end : {A, B}) setErasures(end, settings_.link.erasures[end].value_or(ErasureSettings()));
    quantum_ = quantumOf(settings_,
                         std::min(settings_.link.settings.delay[A].least(), settings_.link.settings.delay[B].least()));
    if (settings_.gateway) gateway_.emplace(*settings_.gateway);
    if (!settings_.control.empty())
        for (const End end : {A, B})
            soft_[end] = std::make_unique<SoftSystem>(settings_.control, *ends_[end], settings_.consoles[end]);
    cpu_ = std::make_unique<Cpu>(*ends_[A], *ends_[B]);
    companion_ = std::thread([this] { companion(); });
}

LiveLink::~LiveLink() {
    for (const auto& soft : soft_)
        if (soft) soft->stop();
    cpu_.reset();
    isOver_ = true;
    goal_ = never;
    goal_.notify_one();
    companion_.join();
}

void LiveLink::companion() {
    for (Clock from = 0;;) {
        goal_.wait(from);
        if (isOver_) return;
        const Clock until = goal_;
        try {
            ends_[B]->run(begin_, until);
        } catch (...) {
            failure_ = std::current_exception();
        }
        from = until;
        reached_ = until;
        reached_.notify_one();
    }
}

// Both ends to clock `until` - 1.
void LiveLink::run(Clock until) {
    begin_ = now_;
    goal_ = until;
    goal_.notify_one();
    ends_[A]->run(now_, until);
    for (Clock reached = reached_; reached != until; reached = reached_) reached_.wait(reached);
    if (failure_) std::rethrow_exception(failure_);
    for (const End end : {A, B}) ends_[end]->exchange(*ends_[peerOf(end)]);
    now_ = clocked_ = until;
    grantClocks(now_ - begin_);
    if (captures_.hasUnits()) captures_.writeUnits(std::min(ends_[A]->leftBefore(now_), ends_[B]->leftBefore(now_)));
}

void LiveLink::setUpByDriver(Cpu& cpu) {
    int error = 0;
    for (const End end : {A, B}) {
        const EndSettings& s = settings_.link.settings.end[end];
        arqlink_device* device = &cpu.device(end);
        const arqlink_timers timers = {s.pollTimeout, s.helloInterval, s.keepalive, s.outageTimeout, s.statusInterval};
        const arqlink_config config = {static_cast<uint8_t>(s.k),
                                       static_cast<uint8_t>(s.nFirst),
                                       static_cast<uint8_t>(s.nRetx),
                                       0,
                                       static_cast<uint8_t>(s.delta),
                                       s.inOrder,
                                       s.outageFreeze};
        if (!error) error = arqlink_init(device);
        if (!error) error = arqlink_set_timers(device, &timers);
        if (!error) error = arqlink_set_config(device, &config);
        if (!error) error = arqlink_read_selected(device, true, nullptr, 0, nullptr);
    }
    for (const End end : {A, B})
        if (!error) error = arqlink_start(&cpu.device(end));
    if (error) throw std::runtime_error(sentence(error));
}

// The same as above, typed.
void LiveLink::setUpByFirmware() {
    for (const End end : {A, B}) {
        const EndSettings& s = settings_.link.settings.end[end];
        const auto words = [](std::string command, std::initializer_list<unsigned> values) {
            for (const unsigned value : values) command += ' ' + std::to_string(value);
            return command;
        };
        SoftSystem& soft = *soft_[end];
        soft.command("link down");
        soft.command(words("timers", {s.pollTimeout, s.helloInterval, s.keepalive, s.outageTimeout, s.statusInterval}));
        soft.command(words("code", {s.k, s.nFirst, s.nRetx}));
        soft.command(s.delta == ARQLINK_PERSISTENCY_INFINITE ? "delta inf" : words("delta", {s.delta}));
        soft.command(words("order", {s.inOrder}));
        soft.command(words("freeze", {s.outageFreeze}));
        soft.command("stats reset");
    }
    for (const End end : {A, B}) soft_[end]->command("link up");
    for (const End end : {A, B}) soft_[end]->keepPace();
}

void LiveLink::bringUp() {
    for (const End end : {A, B}) ends_[end]->reset(false);
    run(now_ + rtl::RtlEnd::resetClocks);
    for (const End end : {A, B}) ends_[end]->reset(true);
    cpu_->post([this](Cpu& cpu) {
        cpu.probe();
        if (soft_[A])
            setUpByFirmware();
        else
            setUpByDriver(cpu);
    });
    while (cpu_->isBusy()) run(now_ + quantum_);
    pacer_.begin(now_);
    captures_.begin(now_);
    for (const auto& end : ends_) end->capture(captures_.hasUnits() ? &captures_ : nullptr);
}

void LiveLink::setErasures(End from, const ErasureSettings& process) {
    const uint64_t seed =
        mix(seedOf(settings_.seed, from == A ? Purpose::erasuresA : Purpose::erasuresB) + processes_++);
    ends_[from]->channel().setErasures(makeErasures(process, seed));
}

void LiveLink::setDelay(Clock there, Clock back) {
    if (there < 1 || back < 1) throw std::invalid_argument("A channel must have a delay of one clock or more.");
    ends_[A]->channel().setDelay(Delays(there));
    ends_[B]->channel().setDelay(Delays(back));
    quantum_ = quantumOf(settings_, std::min(there, back));
}

bool LiveLink::rests() const {
    if (gateway_ && (gateway_->deadline() != gateway::never || gateway_->waiting(gateway::Port::link))) return false;
    for (const auto& soft : soft_)
        if (soft && soft->isAwake()) return false;
    if (waits_[A] || waits_[B]) return false;
    const Clock quiet = 2 * std::max(pollTimeout_[A].load(), pollTimeout_[B].load());
    return now_ > std::max(ends_[A]->active(), ends_[B]->active()) + quiet && !cpu_->isBusy() &&
           ends_[A]->isLineEmpty() && ends_[B]->isLineEmpty();
}

void LiveLink::grantClocks(Clock clocks) {
    if (!soft_[A]) return;
    softClocks_ += static_cast<double>(clocks) * SoftSystem::clockHz / settings_.clockHz;
    if (softClocks_ < softPortion) return;
    const auto whole = static_cast<uint64_t>(softClocks_);
    softClocks_ -= static_cast<double>(whole);
    for (const auto& soft : soft_) {
        soft->check();
        soft->grant(whole);
    }
}

gateway::Time LiveLink::time() const {
    return static_cast<gateway::Time>(static_cast<double>(now_) * 1e9 / settings_.clockHz);
}

std::optional<Tap::Frame> LiveLink::fromSystem(End end) {
    auto frame = taps_[end].read();
    if (frame) captures_.frame(end, true, *frame, now_);
    return frame;
}

void LiveLink::toSystem(End end, const Tap::Frame& frame) {
    taps_[end].write(frame);
    captures_.frame(end, false, frame, now_);
}

void LiveLink::serveGateway() {
    using gateway::Port;
    for (auto& packet : ends_[A]->delivered()) gateway_->receive(Port::link, std::move(packet), time());
    while (gateway_->waiting(Port::link) < settings_.buffer) {
        auto frame = fromSystem(A);
        if (!frame) break;
        gateway_->receive(Port::lan, std::move(*frame), time());
    }
    gateway_->advance(time());
    while (const auto frame = gateway_->take(Port::lan, time())) toSystem(A, *frame);
}

void LiveLink::moveFrames() {
    if (gateway_) serveGateway();
    for (const End end : {A, B}) {
        const bool isBehind = gateway_ && end == A;
        if (!isBehind)
            for (const auto& packet : ends_[end]->delivered()) toSystem(end, packet);
        ends_[end]->delivered().clear();
        while (ends_[end]->backlog() < settings_.buffer) {
            auto frame = isBehind ? gateway_->take(gateway::Port::link, time()) : fromSystem(end);
            if (!frame) break;
            ends_[end]->offer(std::move(*frame));
        }
    }
}

void LiveLink::rest(int wake, double longest) {
    captures_.flush();
    std::vector<pollfd> files = {{taps_[A].file(), POLLIN, 0}, {taps_[B].file(), POLLIN, 0}, {wake, POLLIN, 0}};
    for (const auto& soft : soft_)
        if (soft) files.push_back({soft->console(), POLLIN, 0});
    poll(files.data(), files.size(), static_cast<int>(longest * 1000));
    for (size_t i = 3; i < files.size(); ++i)
        if (files[i].revents & POLLIN) soft_[i - 3]->wake();
    now_ = std::max(now_, pacer_.due());
    moveFrames();
}

void LiveLink::live(int wake, double longest) {
    moveFrames();
    if (rests() && ends_[A]->backlog() + ends_[B]->backlog() == 0) return rest(wake, longest);
    run(now_ + quantum_);
    moveFrames();
    pacer_.keep(now_);
}

}  // namespace arqlink::live
