// SPDX-License-Identifier: Apache-2.0
#include "interface.h"

#include <algorithm>
#include <cstdio>
#include <exception>

#include "gateway.h"
#include "settings_reader.h"

using namespace arqlink::gateway;

struct arqlink_gateway {
    Gateway gateway;
};

namespace {

Port portOf(int port) { return port ? Port::link : Port::lan; }

}  // namespace

arqlink_gateway* arqlink_gateway_new(const char* description, char* error, size_t size) {
    try {
        return new arqlink_gateway{Gateway(readSettings(description))};
    } catch (const std::exception& e) {
        std::snprintf(error, size, "%s", e.what());
        return nullptr;
    }
}

void arqlink_gateway_delete(arqlink_gateway* g) { delete g; }

void arqlink_gateway_receive(arqlink_gateway* g, int port, const uint8_t* packet, size_t bytes, uint64_t now) {
    g->gateway.receive(portOf(port), Bytes(packet, packet + bytes), now);
}

size_t arqlink_gateway_take(arqlink_gateway* g, int port, uint8_t* packet, uint64_t now) {
    const auto taken = g->gateway.take(portOf(port), now);
    if (!taken) return 0;
    std::copy(taken->begin(), taken->end(), packet);
    return taken->size();
}

size_t arqlink_gateway_waiting(const arqlink_gateway* g, int port) { return g->gateway.waiting(portOf(port)); }
uint64_t arqlink_gateway_deadline(const arqlink_gateway* g) { return g->gateway.deadline(); }
void arqlink_gateway_advance(arqlink_gateway* g, uint64_t now) { g->gateway.advance(now); }

const char* arqlink_gateway_counter(const arqlink_gateway* g, size_t i, uint64_t* value) {
#define ARQLINK_NAME(name, what) #name,
#define ARQLINK_VALUE(name, what) counters.name,
    static const char* const names[] = {ARQLINK_GATEWAY_COUNTERS(ARQLINK_NAME)};
    const Counters& counters = g->gateway.counts();
    const uint64_t values[] = {ARQLINK_GATEWAY_COUNTERS(ARQLINK_VALUE)};
#undef ARQLINK_NAME
#undef ARQLINK_VALUE
    if (i >= std::size(names)) return nullptr;
    *value = values[i];
    return names[i];
}

size_t arqlink_gateway_flows(const arqlink_gateway* g) { return g->gateway.flows(); }
size_t arqlink_gateway_cache_used(const arqlink_gateway* g) { return g->gateway.cacheUsed(); }
