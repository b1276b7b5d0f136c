// SPDX-License-Identifier: Apache-2.0
#include "settings.h"

#include <sstream>
#include <stdexcept>

namespace arqlink {

namespace {

template <class... Parts>
void require(bool holds, const Parts&... parts) {
    if (holds) return;
    std::ostringstream sentence;
    (sentence << ... << parts);
    throw std::invalid_argument(sentence.str());
}

}  // namespace

void check(const LinkSettings& settings) {
    const Build& b = settings.build;
    require(b.dataBytes && b.dataBytes <= 8 && (b.dataBytes & (b.dataBytes - 1)) == 0, "dataBytes is ", b.dataBytes,
            "; it must be 1, 2, 4 or 8.");
    require(b.unitBytes && b.unitBytes % b.dataBytes == 0, "unitBytes is ", b.unitBytes,
            "; it must be a multiple of dataBytes, ", b.dataBytes, ".");
    require(b.windowFrames >= 32 && b.windowFrames <= 1u << 18 && (b.windowFrames & (b.windowFrames - 1)) == 0,
            "windowFrames is ", b.windowFrames, "; it must be a power of two from 32 to 262144.");
    require((b.maxPacketBytes + b.unitBytes - 1) / b.unitBytes <= b.windowFrames, "A packet of ", b.maxPacketBytes,
            " bytes has more frames at K = 1 than the window, ", b.windowFrames, ".");
    for (const End end : {A, B}) {
        const EndSettings& e = settings.end[end];
        require(e.k >= 1 && e.k <= b.maxK, "K is ", e.k, "; the build allows 1 to ", b.maxK, ".");
        for (const unsigned n : {e.nFirst, e.nRetx})
            require(n >= e.k && n <= e.k + b.maxParity, "N is ", n, "; with K = ", e.k, " the build allows ", e.k,
                    " to ", e.k + b.maxParity, ".");
        require(e.pollTimeout && e.helloInterval && e.keepalive,
                "POLL_TIMEOUT, HELLO_INTERVAL and KEEPALIVE must be a clock or more.");
        require(e.delta <= 15, "The persistency is ", e.delta, "; it must be 0 to 15.");
        require(settings.delay[end].least() >= 1, "A channel must have a delay of one clock or more.");
        require(settings.clocksPerBeat[end] >= 1 && settings.clocksPerBeat[end] <= 1000,
                "A line has a beat in 1 to 1000 clocks.");
    }
}

}  // namespace arqlink
