// SPDX-License-Identifier: Apache-2.0
// Scripts that the tests play: lines of a time in seconds, what is done then, and its values.
#pragma once

#include <functional>
#include <istream>
#include <sstream>
#include <string>

#include "ns3/nstime.h"
#include "ns3/simulator.h"

namespace arqlink::tcp {

/// Plans `act` for each line, in the time of ns-3. The time of the last one, in seconds.
inline double planScript(std::istream& in,
                         const std::function<void(const std::string& what, std::istream& values)>& act) {
    double time = 0;
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line);
        std::string what, rest;
        words >> time >> what >> std::ws;
        std::getline(words, rest);
        ns3::Simulator::Schedule(ns3::Seconds(time), [act, what, rest] {
            std::istringstream values(rest);
            act(what, values);
        });
    }
    return time;
}

}  // namespace arqlink::tcp
