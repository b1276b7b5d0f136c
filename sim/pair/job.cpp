// SPDX-License-Identifier: Apache-2.0
#include "job.h"

#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "packet_format.h"

namespace arqlink {

namespace {

uint64_t number(const std::string& text) {
    size_t used = 0;
    const uint64_t value = std::stoull(text, &used, 0);
    if (used != text.size()) throw std::invalid_argument(text);
    return value;
}

std::pair<std::string, std::string> twoWords(const std::string& text) {
    const size_t space = text.find(' ');
    if (space == std::string::npos) throw std::invalid_argument(text);
    return {text.substr(0, space), text.substr(space + 1)};
}

std::pair<uint32_t, uint32_t> access(const std::string& text) {
    const auto [address, value] = twoWords(text);
    return {number(address), number(value)};
}

uint32_t find(const std::map<std::string, uint32_t>& where, const std::string& name) {
    const auto found = where.find(name);
    if (found == where.end()) throw std::runtime_error("The job does not give the address of " + name + ".");
    return found->second;
}

std::string readFile(const char* what, const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) throw std::runtime_error("The " + std::string(what) + " file " + path + " cannot be read.");
    return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

uint32_t Job::reg(const std::string& name) const { return find(registers, name); }
uint32_t Job::counter(const std::string& name) const { return find(counters, name); }

Job readJob(std::istream& in) {
    Job job;
    const auto named = [](std::map<std::string, uint32_t>& map) {
        return [&map](const std::string& v) {
            const auto [name, address] = twoWords(v);
            map[name] = number(address);
        };
    };
    const std::map<std::string, std::function<void(const std::string&)>> keys = {
        {"mode", [&](auto& v) { job.mode = v; }},
        {"setup", [&](auto& v) { job.setup.push_back(access(v)); }},
        {"start", [&](auto& v) { job.start.push_back(access(v)); }},
        {"register", named(job.registers)},
        {"counter", named(job.counters)},
        {"packets", [&](auto& v) { job.packets = v; }},
        {"deliveries", [&](auto& v) { job.deliveries = v; }},
        {"waves", [&](auto& v) { job.waves = v; }},
        {"trace_ab", [&](auto& v) { job.traceAB = v; }},
        {"trace_ba", [&](auto& v) { job.traceBA = v; }},
        {"phy_capture", [&](auto& v) { job.phyCapture = v; }},
        {"clock_hz", [&](auto& v) { job.clockHz = std::stod(v); }},
        {"report_s", [&](auto& v) { job.reportSeconds = std::stod(v); }},
        {"frames", [&](auto& v) { job.frames = number(v); }},
        {"window", [&](auto& v) { job.window = number(v); }},
        {"check_clocks", [&](auto& v) { job.checkClocks = number(v); }},
        {"idle_clocks", [&](auto& v) { job.idleClocks = number(v); }},
        {"max_clocks", [&](auto& v) { job.maxClocks = number(v); }},
    };
    std::string line;
    while (std::getline(in, line)) {
        if (line.empty() || line[0] == '#') continue;
        const size_t equals = line.find('=');
        const auto key = keys.find(line.substr(0, equals));
        if (equals == std::string::npos || key == keys.end())
            throw std::runtime_error("The job has a line that is not understood: " + line);
        try {
            key->second(line.substr(equals + 1));
        } catch (const std::logic_error&) {
            throw std::runtime_error("The job has a value that is not understood: " + line);
        }
    }
    return job;
}

std::vector<OutgoingPacket> readPackets(const std::string& path, uint64_t origin) {
    const std::string text = readFile("packet", path);
    std::vector<OutgoingPacket> packets;
    size_t offset = 0;
    while (auto packet = takePacket(text, offset)) {
        packet->notBefore += origin;
        packets.push_back(std::move(*packet));
    }
    if (offset != text.size()) throw std::runtime_error("The packet file " + path + " ends within a packet.");
    return packets;
}

std::vector<uint8_t> readTrace(const std::string& path) {
    const std::string text = readFile("trace", path);
    if (text.empty()) throw std::runtime_error("The trace file " + path + " is empty.");
    return {text.begin(), text.end()};
}

void writeDeliveries(const std::string& path, const ArqPairSim& pair, const std::vector<DeliveredPacket>& packets) {
    std::ofstream out(path, std::ios::binary);
    std::string text = "ARQD";
    const auto& accepted = pair.accepted(ArqPairSim::A);
    const auto& first = pair.firstTransmissions();
    put<uint64_t>(text, accepted.size());
    for (size_t i = 0; i < accepted.size(); ++i) {
        put<uint64_t>(text, accepted[i]);
        put<uint64_t>(text, i < first.size() ? first[i] : UINT64_MAX);
    }
    for (const auto& packet : packets) putDelivery(text, packet);
    out << text;
    if (!out) throw std::runtime_error("The delivery file " + path + " cannot be written.");
}

}  // namespace arqlink
