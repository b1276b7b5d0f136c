// SPDX-License-Identifier: Apache-2.0
// RenoSender or RenoReceiver by a script on standard input, for the tests of their rules: each line is a time in seconds and what happens then.
//   TIME ack NEXT [WINDOW]      the sender gets an ACK; WINDOW: of a window update that is no duplicate
//   TIME segment NUMBER         the receiver gets a segment
//   TIME room SEGMENTS          the receiver's user has so much room from then on
//   TIME state                  prints cwnd and ssthresh
// Prints `send TIME NUMBER` and `ack TIME NEXT WINDOW ECHO WINDOWONLY` for what they send. The first line is `sender WINDOW`, `classic WINDOW`, `karn WINDOW` (`sender` without timestamps) or `receiver ACKEVERY`.
#include <iostream>
#include <limits>
#include <memory>
#include <string>

#include "ns3/simulator.h"
#include "reno.h"
#include "script.h"

namespace {

using namespace arqlink::tcp;

double now() { return ns3::Simulator::Now().GetSeconds(); }

/// The script's actors; times in it are absolute.
struct Stage {
    RenoSettings settings;
    std::unique_ptr<RenoSender> sender;
    std::unique_ptr<RenoReceiver> receiver;
    size_t room = std::numeric_limits<size_t>::max();

    void open(const std::string& who, double value) {
        if (who != "receiver") {
            settings.classic = who == "classic";
            settings.timestamps = who != "karn";
            settings.initialWindow = value;
            sender = std::make_unique<RenoSender>(
                settings, [](const Segment& s) { std::cout << "send " << now() << ' ' << s.number << '\n'; });
            ns3::Simulator::ScheduleNow([this] { sender->start(); });
            return;
        }
        settings.ackEvery = static_cast<unsigned>(value);
        receiver = std::make_unique<RenoReceiver>(settings, [](const Ack& a) {
            std::cout << "ack " << now() << ' ' << a.next << ' '
                      << (a.window > 1000000 ? -1 : static_cast<int>(a.window)) << ' ' << a.echo.GetSeconds() << ' '
                      << a.windowOnly << '\n';
        });
        receiver->serve({[this] { return room; }, [this] { --room; }});
    }

    void act(const std::string& what, std::istream& words) {
        uint64_t number = 0;
        words >> number;
        if (what == "ack") {
            Ack ack{number, ns3::Simulator::Now() - ns3::MilliSeconds(100)};
            if (uint64_t window = 0; words >> window) {
                ack.window = window;
                ack.windowOnly = true;
            }
            sender->acknowledge(ack);
        } else if (what == "segment") {
            receiver->receive({number, ns3::Simulator::Now() - ns3::MilliSeconds(50)});
        } else if (what == "room") {
            room = number;
            receiver->roomGrew();
        } else {
            std::cout << "state " << now() << ' ' << sender->cwnd() << ' ' << sender->ssthresh() << '\n';
        }
    }
};

}  // namespace

int main() {
    Stage stage;
    std::string who;
    double value = 0;
    std::cin >> who >> value >> std::ws;
    stage.open(who, value);
    const double end = arqlink::tcp::planScript(
        std::cin, [&stage](const std::string& what, std::istream& values) { stage.act(what, values); });
    ns3::Simulator::Stop(ns3::Seconds(end) + ns3::NanoSeconds(1));
    ns3::Simulator::Run();
    ns3::Simulator::Destroy();
}
