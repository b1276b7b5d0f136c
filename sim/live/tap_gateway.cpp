// SPDX-License-Identifier: Apache-2.0
#include "tap_gateway.h"

#include <algorithm>
#include <utility>

namespace arqlink::live {

using gateway::Port;
using gateway::Time;

namespace {

constexpr size_t macBytes = 6, mostHeaders = 1024;

bool isIp(const TapGateway::Frame& frame) {
    const unsigned type = frame[12] << 8 | frame[13];
    return type == 0x0800 || type == 0x86dd;
}

}  // namespace

std::optional<TapGateway::Address> TapGateway::addressOf(const uint8_t* packet, size_t size, bool source) {
    Address address{};
    if (size == 0) return std::nullopt;
    address[0] = packet[0] >> 4;
    const bool isV6 = address[0] == 6;
    const size_t bytes = isV6 ? 16 : 4, at = isV6 ? (source ? 8 : 24) : (source ? 12 : 16);
    if (size < at + bytes || (!isV6 && address[0] != 4)) return std::nullopt;
    std::copy_n(packet + at, bytes, address.begin() + 1);
    return address;
}

void TapGateway::learn(const Address& to, const Header& header) {
    if (headers_.size() >= mostHeaders && !headers_.contains(to)) headers_.clear();
    headers_[to] = header;
}

void TapGateway::receive(Port port, Frame frame, Time now) {
    if (frame.size() <= headerBytes || !isIp(frame)) {
        beside_[index(other(port))].push_back(std::move(frame));
        return;
    }
    const uint8_t* packet = frame.data() + headerBytes;
    const size_t size = frame.size() - headerBytes;
    const auto to = addressOf(packet, size, false), from = addressOf(packet, size, true);
    if (!to || !from) {
        beside_[index(other(port))].push_back(std::move(frame));
        return;
    }
    Header header;
    std::copy_n(frame.begin(), headerBytes, header.begin());
    learn(*to, header);
    std::swap_ranges(header.begin(), header.begin() + macBytes, header.begin() + macBytes);
    if (!headers_.contains(*from)) learn(*from, header);
    gateway_.receive(port, gateway::Bytes(frame.begin() + headerBytes, frame.end()), now);
}

std::optional<TapGateway::Frame> TapGateway::take(Port port, Time now) {
    auto& beside = beside_[index(port)];
    if (!beside.empty()) {
        Frame frame = std::move(beside.front());
        beside.pop_front();
        return frame;
    }
    while (const auto packet = gateway_.take(port, now)) {
        const auto to = addressOf(packet->data(), packet->size(), false);
        const auto header = to ? headers_.find(*to) : headers_.end();
        if (header == headers_.end()) continue;  // nobody knows the way
        Frame frame(header->second.begin(), header->second.end());
        frame.insert(frame.end(), packet->begin(), packet->end());
        return frame;
    }
    return std::nullopt;
}

}  // namespace arqlink::live
