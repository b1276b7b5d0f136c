// SPDX-License-Identifier: Apache-2.0
// The firmware's shell and background on the Verilated ArqPair, in place of the soft CPU: typed lines on standard input, the UART's
// output on standard output.
//   firmware_on_pair IDLE [single] [broken OFFSET [TIMES]]
// IDLE: clocks that pass between two lines. single: only link A is in the window, as in ArqSoc. broken: after the start the register at
// this offset, in bytes, answers every access with an error, or so many of them.

#include <cstdio>
#include <cstdlib>
#include <string>

#include "arq_pair_sim.h"

extern "C" {
#include "commands.h"
#include "machine.h"
}

using arqlink::AccessError;
using arqlink::ArqPairSim;

namespace {

constexpr uint32_t NOWHERE = 1;  // no register has an odd offset

struct Window {
    ArqPairSim sim;
    uint32_t size = 0x10000;
    uint32_t broken = NOWHERE;
    uint32_t times = UINT32_MAX;  // that it is broken

    bool isBroken(uint32_t offset) {
        if (offset != broken || times == 0) return false;
        if (times != UINT32_MAX) --times;
        return true;
    }

    template <typename Access>
    int access(uint32_t offset, Access access) {
        if (offset % 4) return -ARQLINK_EINVAL;
        if (offset >= size || isBroken(offset)) return -ARQLINK_EIO;
        try {
            access();
            return 0;
        } catch (const AccessError&) {
            return -ARQLINK_EIO;
        }
    }
};

int busRead(void* context, uint32_t offset, uint32_t* value) {
    Window& window = *static_cast<Window*>(context);
    return window.access(offset, [&] { *value = window.sim.read(offset); });
}

int busWrite(void* context, uint32_t offset, uint32_t value) {
    Window& window = *static_cast<Window*>(context);
    return window.access(offset, [&] { window.sim.write(offset, value); });
}

constexpr uint32_t CLOCK_HZ = 100000000;

uint32_t microseconds(void* context) {
    return static_cast<uint32_t>(static_cast<Window*>(context)->sim.now() / (CLOCK_HZ / 1000000));
}

// Ctrl-C at once after the line that began a command.
int cancelled(void*) {
    const int next = std::getchar();
    if (next == 0x03) return 1;
    std::ungetc(next, stdin);
    return 0;
}

uint32_t listenedTo = 0;

void listen(uint32_t ends) { listenedTo = ends; }

void put(void*, const char* text) { std::fputs(text, stdout); }

struct Board {
    Window window;
    ::machine machine{};
    ::shell console{};

    // The line is what the handler of the soft CPU is called by.
    bool interrupts(uint32_t end) {
        const uint32_t base = machine.ends[end].link.at.base;
        return window.sim.read(base + ARQLINK_ERROR_OFFSET) & window.sim.read(base + ARQLINK_IRQ_ENABLE_OFFSET);
    }

    void pass(uint64_t clocks) {
        for (const uint64_t end = window.sim.now() + clocks; window.sim.now() < end;) {
            for (uint32_t end = 0; end < machine.end_count; ++end) {
                if (listenedTo >> end & 1 && interrupts(end)) machine_latch(&machine, end);
            }
            machine_background(&console, window.sim.now());
            window.sim.run(100);
        }
    }

    int run(uint64_t idle, uint32_t broken) {
        window.sim.reset();
        machine.bus = {busRead, busWrite, microseconds, nullptr, &window};
        machine.clock_hz = CLOCK_HZ;
        machine.listen = listen;
        if (machine_find(&machine)) return 1;
        listen(3);
        commands_install(&console);
        console.put = put;
        console.cancelled = cancelled;
        console.context = &machine;
        window.broken = broken;
        shell_start(&console);
        pass(idle);
        for (int byte = std::getchar(); byte != EOF; byte = std::getchar()) {
            shell_take(&console, static_cast<uint8_t>(byte));
            if (byte == '\r') pass(idle);
        }
        std::fputs("\r\n", stdout);
        return 0;
    }
};

}  // namespace

int main(int count, char** words) {
    Board board;
    uint32_t broken = NOWHERE;
    for (int i = 2; i < count; ++i) {
        const std::string word = words[i];
        if (word == "single") board.window.size = 0x1000;
        if (word == "broken" && i + 1 < count)
            broken = (uint32_t)std::strtoul(words[++i], nullptr, 0);
        else if (i > 2 && word[0] >= '0' && word[0] <= '9')
            board.window.times = (uint32_t)std::strtoul(words[i], nullptr, 0);
    }
    return board.run(count > 1 ? std::strtoull(words[1], nullptr, 0) : 0, broken);
}
