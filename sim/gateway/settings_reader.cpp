// SPDX-License-Identifier: Apache-2.0
#include "settings_reader.h"

#include <arpa/inet.h>

#include <nlohmann/json.hpp>
#include <tuple>
#include <vector>

namespace arqlink::gateway {

std::vector<const char*> namesOf(Mode) { return {"pass", "clamp", "snoop", "split", "proxy"}; }
std::vector<const char*> namesOf(Advertise) { return {"room", "open", "third", "receiver"}; }
std::vector<const char*> namesOf(Sender) { return {"window", "newreno", "westwood"}; }

namespace {

void takeSeconds(job::Object& keys, const char* key, Time& time) {
    if (!keys.has(key)) return;
    const job::Value value = keys.find(key);
    const double given = value.number();
    if (!(given >= 0 && given <= 1e9)) value.refuse("0 to 1e9 seconds");
    time = static_cast<Time>(given * seconds);
}

}  // namespace

// ADDRESS, or ADDRESS/BITS.
void read(const job::Value& value, FlowClass::Prefix& p) {
    const std::string text = value.text(), address = text.substr(0, text.find('/'));
    p.isV6 = address.find(':') != std::string::npos;
    if (inet_pton(p.isV6 ? AF_INET6 : AF_INET, address.c_str(), p.address.data()) != 1)
        value.refuse("an address, or the begin of addresses such as 10.0.0.0/8");
    const unsigned all = p.isV6 ? 128 : 32;
    p.bits = all;
    if (address.size() == text.size()) return;
    const std::string bits = text.substr(address.size() + 1);
    if (bits.empty() || bits.size() > 3 || bits.find_first_not_of("0123456789") != std::string::npos)
        value.refuse("ADDRESS/BITS");
    p.bits = static_cast<unsigned>(std::stoul(bits));
    if (p.bits > all) value.refuse("of at most " + std::to_string(all) + " bits");
}

void fields(job::Object& keys, FlowClass& c) {
    Treatment& t = c.treatment;
    keys.need("mode", t.mode);
    t = treatmentOf(t.mode);
    std::pair<uint16_t, uint16_t> ports{c.firstPort, c.lastPort};
    keys.take("local", c.local, "remote", c.remote, "ports", ports, "dscp", c.dscp, "both", t.bothWays);
    keys.take("advertise", t.advertise, "sender", t.sender);
    keys.take("reserve", t.reserveAbove, "dupacks", t.dupAcks);
    takeSeconds(keys, "min_rto", t.minRto);
    takeSeconds(keys, "max_rto", t.maxRto);
    takeSeconds(keys, "give_up", t.giveUp);
    std::tie(c.firstPort, c.lastPort) = ports;
}

void fields(job::Object& keys, Settings& s) {
    keys.take("flows", s.flows, "cache", s.cachePackets, "slot", s.slotBytes, "queue", s.queuePackets, "mtu", s.mtu);
    takeSeconds(keys, "idle", s.idle);
    keys.take("classes", s.classes);
    check(s);
}

Settings readSettings(const std::string& json) { return job::parse<Settings>(json); }

void to_json(nlohmann::json& json, const Counters& counters) {
#define ARQLINK_SHOW(counter, what) json[#counter] = counters.counter;
    ARQLINK_GATEWAY_COUNTERS(ARQLINK_SHOW)
#undef ARQLINK_SHOW
}

}  // namespace arqlink::gateway
