// SPDX-License-Identifier: Apache-2.0
// Runs the soft system as fast as it can: `socsim [PACKETS DELIVERIES]`. Standard input and output are the UART. PACKETS
// and DELIVERIES are numbers of open file descriptors: packets that come from the first enter at A, and what leaves at B
// goes to the second (packet_format.h). It ends, with exit code 0, when standard input or output is closed, and on SIGTERM
// and SIGINT; a line `clocks N cpu_s S` on standard error says how far it came. On an error there is one sentence there,
// and the exit code is 1.

#include <unistd.h>

#include <charconv>
#include <cinttypes>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <exception>
#include <stdexcept>
#include <string>

#include "packet_format.h"
#include "pipe.h"
#include "soc_sim.h"

using namespace arqlink;

namespace {

constexpr unsigned bitClocks = SOC_BIT_CLOCKS;
constexpr unsigned lookClocks = 400;  // clocks between two looks at the descriptors

volatile std::sig_atomic_t stop = 0;

class Board {
  public:
    Board(int packets, int deliveries)
        : soc_(bitClocks, firmwareByteClocks),
          in_(STDIN_FILENO),
          out_(STDOUT_FILENO),
          packets_(packets),
          deliveries_(deliveries) {}

    void run() {
        while (!stop && exchangeUart()) {
            exchangePackets();
            soc_.run(lookClocks);
        }
    }
    uint64_t now() const { return soc_.now(); }

  private:
    // What waits for the UART is left with the sender, so that it sees how far it is.
    bool exchangeUart() {
        std::string bytes;
        const bool open = soc_.uart().pending() > 0 || in_.read(bytes, 64);
        soc_.uart().send(bytes.data(), bytes.size());
        const bool heard = out_.write(soc_.uart().received());
        soc_.uart().received().clear();
        return open && heard;
    }

    // The end of the packets is not the end of the run: what they are followed by at B is still wanted.
    void exchangePackets() {
        packets_.read(waiting_, 65536);
        size_t taken = 0;
        while (auto packet = takePacket(waiting_, taken)) soc_.packets().send(A, std::move(*packet));
        waiting_.erase(0, taken);

        std::string records;
        for (const auto& packet : soc_.packets().delivered(B)) putDelivery(records, packet);
        soc_.packets().delivered(A).clear();
        soc_.packets().delivered(B).clear();
        deliveries_.write(records);
    }

    SocSim soc_;
    Pipe in_, out_, packets_, deliveries_;
    std::string waiting_;
};

int descriptor(const char* text) {
    int value;
    const char* end = text + std::strlen(text);
    const auto [used, error] = std::from_chars(text, end, value);
    if (error != std::errc() || used != end)
        throw std::runtime_error(std::string("This is not a file descriptor: ") + text);
    return value;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        if (argc != 1 && argc != 3) throw std::runtime_error("usage: socsim [PACKETS DELIVERIES]");
        std::signal(SIGPIPE, SIG_IGN);
        for (int signal : {SIGTERM, SIGINT}) std::signal(signal, [](int) { stop = 1; });
        Board board(argc == 3 ? descriptor(argv[1]) : -1, argc == 3 ? descriptor(argv[2]) : -1);
        board.run();
        std::fprintf(stderr, "clocks %" PRIu64 " cpu_s %.3f\n", board.now(), double(std::clock()) / CLOCKS_PER_SEC);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
    return 0;
}
