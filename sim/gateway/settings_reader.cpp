// SPDX-License-Identifier: Apache-2.0
#include "settings_reader.h"

#include <arpa/inet.h>

#include <map>
#include <sstream>
#include <stdexcept>

namespace arqlink::gateway {

namespace {

template <typename Value>
Value choose(const std::map<std::string, Value>& choices, const std::string& name, const std::string& what) {
    if (const auto found = choices.find(name); found != choices.end()) return found->second;
    std::string names;
    for (const auto& [choice, value] : choices) names += (names.empty() ? "" : ", ") + choice;
    throw std::invalid_argument(what + " is '" + name + "'; it must be one of " + names + ".");
}

const std::map<std::string, Mode> modes = {{"pass", Mode::pass},
                                           {"clamp", Mode::clamp},
                                           {"snoop", Mode::snoop},
                                           {"split", Mode::split},
                                           {"proxy", Mode::proxy}};

double number(const std::string& text) {
    size_t used = 0;
    double value = 0;
    try {
        value = std::stod(text, &used);
    } catch (const std::exception&) {
        used = 0;
    }
    if (used == 0 || used != text.size() || !(value >= 0))
        throw std::invalid_argument("'" + text + "' is not a number of 0 or more.");
    return value;
}

template <typename Unsigned>
Unsigned whole(const std::string& text, Unsigned most = std::numeric_limits<Unsigned>::max()) {
    const double value = number(text);
    if (value > static_cast<double>(most) || value != static_cast<double>(static_cast<uint64_t>(value)))
        throw std::invalid_argument("'" + text + "' is not a whole number of at most " + std::to_string(most) + ".");
    return static_cast<Unsigned>(value);
}

Time duration(const std::string& text) {
    const double value = number(text);
    if (value > 1e9) throw std::invalid_argument("'" + text + "' is longer than 1e9 seconds.");
    return static_cast<Time>(value * seconds);
}

FlowClass::Prefix prefix(const std::string& text) {
    FlowClass::Prefix p;
    const size_t slash = text.find('/');
    const std::string address = text.substr(0, slash);
    p.isV6 = address.find(':') != std::string::npos;
    if (inet_pton(p.isV6 ? AF_INET6 : AF_INET, address.c_str(), p.address.data()) != 1)
        throw std::invalid_argument("'" + address + "' is not an address.");
    const unsigned all = p.isV6 ? 128 : 32;
    p.bits = slash == std::string::npos ? all : whole<unsigned>(text.substr(slash + 1), all);
    return p;
}

void takeWord(FlowClass& c, const std::string& word) {
    const size_t equals = word.find('=');
    if (word == "both") {
        c.treatment.bothWays = true;
        return;
    }
    const std::string key = word.substr(0, equals), value = equals == std::string::npos ? "" : word.substr(equals + 1);
    Treatment& t = c.treatment;
    if (key == "advertise")
        t.advertise = choose<Advertise>({{"room", Advertise::room},
                                         {"open", Advertise::open},
                                         {"third", Advertise::third},
                                         {"receiver", Advertise::receiver}},
                                        value, "The window");
    else if (key == "sender")
        t.sender =
            choose<Sender>({{"window", Sender::window}, {"newreno", Sender::newReno}, {"westwood", Sender::westwood}},
                           value, "The sender");
    else if (key == "ack")
        t.ackWhenSent = choose<bool>({{"stored", false}, {"sent", true}}, value, "The time of an ACK");
    else if (key == "reserve")
        t.reserveAbove = number(value);
    else if (key == "dupacks")
        t.dupAcks = whole<unsigned>(value);
    else if (key == "min_rto")
        t.minRto = duration(value);
    else if (key == "max_rto")
        t.maxRto = duration(value);
    else if (key == "give_up")
        t.giveUp = duration(value);
    else if (key == "local")
        c.local = prefix(value);
    else if (key == "remote")
        c.remote = prefix(value);
    else if (key == "dscp")
        c.dscp = whole<uint8_t>(value, 63);
    else if (key == "ports") {
        const size_t dash = value.find('-');
        c.firstPort = whole<uint16_t>(value.substr(0, dash));
        c.lastPort = dash == std::string::npos ? c.firstPort : whole<uint16_t>(value.substr(dash + 1));
    } else {
        throw std::invalid_argument("'" + key + "' is nothing that a class of flows has.");
    }
}

}  // namespace

bool take(Settings& settings, const std::string& key, std::istream& words) {
    std::vector<std::string> given;
    for (std::string word; words >> word;) given.push_back(word);
    words.clear();  // read to its end, which is no error
    const auto atMost = [&](size_t count) {
        if (given.size() > count) throw std::invalid_argument("'" + key + "' has too many values.");
    };
    const auto value = [&](size_t i) {
        if (i >= given.size()) throw std::invalid_argument("'" + key + "' needs more values.");
        return given[i];
    };
    if (key == "flows") {
        atMost(1);
        settings.flows = whole<size_t>(value(0), 1u << 24);
    } else if (key == "cache") {
        atMost(2);
        settings.cachePackets = whole<size_t>(value(0), 1u << 24);
        if (given.size() > 1) settings.slotBytes = whole<size_t>(value(1), 65535);
    } else if (key == "queue") {
        atMost(1);
        settings.queuePackets = whole<size_t>(value(0), 1u << 24);
    } else if (key == "idle") {
        atMost(1);
        settings.idle = duration(value(0));
    } else if (key == "class") {
        FlowClass c;
        c.treatment = treatmentOf(choose(modes, value(0), "The mode"));
        for (size_t i = 1; i < given.size(); ++i) takeWord(c, given[i]);
        settings.classes.push_back(c);
    } else {
        return false;
    }
    return true;
}

Settings readSettings(std::istream& lines) {
    Settings settings;
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string key;
        if (!(words >> key)) continue;
        if (!take(settings, key, words)) throw std::invalid_argument("'" + key + "' is nothing that a gateway has.");
    }
    check(settings);
    return settings;
}

}  // namespace arqlink::gateway
