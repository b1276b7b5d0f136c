// SPDX-License-Identifier: Apache-2.0
#include "job.h"

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "packet_format.h"

namespace arqlink {

std::vector<const char*> namesOf(Mode) { return {"send", "stats"}; }

void fields(job::Object& o, Job& j) {
    o.need("mode", j.mode, "setup", j.setup, "start", j.start, "registers", j.registers, "counters", j.counters);
    o.need("frames", j.frames, "window", j.window, "check_clocks", j.checkClocks, "idle_clocks", j.idleClocks);
    o.need("max_clocks", j.maxClocks);
    o.take("packets", j.packets, "deliveries", j.deliveries, "traces", j.traces, "waves", j.waves);
    o.take("phy_capture", j.phyCapture, "clock_hz", j.clockHz, "report_s", j.reportSeconds);
}

namespace {

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

Job readJob(std::istream& in) { return job::parse<Job>(job::textOf(in)); }

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
