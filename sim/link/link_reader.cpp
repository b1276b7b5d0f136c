// SPDX-License-Identifier: Apache-2.0
#include "link_reader.h"

#include <iomanip>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "event/event_link.h"
#include "rtl/rtl_link.h"

namespace arqlink {

End endNamed(const std::string& name) {
    if (name != "A" && name != "B") throw std::invalid_argument("'" + name + "' is not an end; it must be A or B.");
    return name == "A" ? A : B;
}

void readLines(std::istream& in, const std::function<bool(const std::string&, std::istream&)>& take) {
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line);
        std::string key;
        if (!(words >> key)) continue;
        if (!take(key, words)) throw std::invalid_argument("'" + key + "' is not a key of a run.");
        if (!words) throw std::invalid_argument("The line '" + line + "' is not complete.");
        if (std::string rest; words >> rest)
            throw std::invalid_argument("The line '" + line + "' has '" + rest + "' too much.");
    }
}

bool LinkDescription::take(const std::string& key, std::istream& words) {
    if (key == "model") {
        words >> model;
    } else if (key == "library") {
        words >> library;
    } else if (key == "build") {
        Build& b = settings.build;
        words >> b.dataBytes >> b.unitBytes >> b.windowFrames >> b.maxPacketBytes >> b.maxK >> b.maxParity;
    } else if (key == "delay") {
        Clock there = 0, back = 0;
        words >> there >> back;
        settings.delay[A] = Delays(there);
        settings.delay[B] = Delays(back);
    } else if (key == "delays") {
        std::string file;
        if (words >> std::quoted(file)) settings.delay[A] = settings.delay[B] = Delays::read(file);
    } else if (key == "beats") {
        words >> settings.clocksPerBeat[A] >> settings.clocksPerBeat[B];
    } else if (key == "end") {
        std::string name;
        words >> name;
        EndSettings& e = settings.end[endNamed(name)];
        words >> e.k >> e.nFirst >> e.nRetx >> e.delta >> e.inOrder >> e.outageFreeze;
        words >> e.pollTimeout >> e.helloInterval >> e.keepalive >> e.outageTimeout >> e.statusInterval;
    } else if (key == "erasures") {
        std::string end;
        words >> end >> std::ws;
        std::getline(words, erasures[endNamed(end)]);
    } else {
        return false;
    }
    return true;
}

std::unique_ptr<LinkModel> LinkDescription::make(std::unique_ptr<ErasureProcess> aToB,
                                                 std::unique_ptr<ErasureProcess> bToA, bool rests) const {
    if (model == "event") return std::make_unique<event::EventLink>(settings, std::move(aToB), std::move(bToA));
    if (model != "rtl") throw std::invalid_argument("'" + model + "' is not a model; it must be event or rtl.");
    auto link = std::make_unique<rtl::RtlLink>(settings, library, std::move(aToB), std::move(bToA));
    link->mayRest(rests);
    return link;
}

}  // namespace arqlink
