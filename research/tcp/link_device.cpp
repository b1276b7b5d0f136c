// SPDX-License-Identifier: Apache-2.0
#include "link_device.h"

#include "ns3/node.h"
#include "ns3/simulator.h"

namespace arqlink::tcp {

namespace {

constexpr uint16_t ipv4 = 0x0800, ipv6 = 0x86dd;  // EtherTypes

}  // namespace

ns3::TypeId LinkChannel::GetTypeId() {
    static const ns3::TypeId id = ns3::TypeId("arqlink::LinkChannel").SetParent<ns3::Channel>();
    return id;
}

LinkChannel::LinkChannel(const Experiment& experiment, Links bridges)
    : places_(static_cast<double>(experiment.buffer.packets)), bridges_(std::move(bridges)) {
    if (experiment.gateways.empty()) return;
    gateways_ = std::make_unique<GatewayChain>(
        experiment, bridges_, [this](gateway::Bytes packet) { leave(std::move(packet), A); },
        [this](gateway::Bytes packet) { leave(std::move(packet), B); });
}

double LinkChannel::occupancy() {
    return gateways_ ? gateways_->occupancy() : 1 - static_cast<double>(first().room()) / places_;
}

// A packet comes out of the gateway at `end`.
void LinkChannel::leave(gateway::Bytes packet, End end) {
    const bool isV6 = packet[0] >> 4 == 6;
    devices_[end]->arrive(ns3::Create<ns3::Packet>(packet.data(), static_cast<uint32_t>(packet.size())),
                          isV6 ? ipv6 : ipv4);
}

ns3::Ptr<ns3::NetDevice> LinkChannel::GetDevice(std::size_t i) const { return devices_[i]; }

ns3::TypeId LinkDevice::GetTypeId() {
    static const ns3::TypeId id =
        ns3::TypeId("arqlink::LinkDevice")
            .SetParent<ns3::NetDevice>()
            .AddTraceSource("MacTx", "A packet comes to be sent, whether there is room for it or not.",
                            ns3::MakeTraceSourceAccessor(&LinkDevice::sent_), "ns3::Packet::TracedCallback");
    return id;
}

bool LinkDevice::Send(ns3::Ptr<ns3::Packet> packet, const ns3::Address&, uint16_t protocol) {
    sent_(packet);
    if (GatewayChain* gateways = channel_->gateways()) {
        gateway::Bytes bytes(packet->GetSize());
        packet->CopyData(bytes.data(), packet->GetSize());
        if (end_ == A)
            gateways->fromSenders(std::move(bytes));
        else
            gateways->fromReceivers(std::move(bytes));
        return true;
    }
    const ns3::Ptr<LinkDevice> peer = channel_->device(peerOf(end_));
    return channel_->first().send(end_, packet->GetSize(),
                                  [peer, packet, protocol] { peer->arrive(packet, protocol); });
}

// What a node does belongs to its context, or its logs and its random streams have another node's.
void LinkDevice::arrive(ns3::Ptr<ns3::Packet> packet, uint16_t protocol) {
    const ns3::Ptr<LinkDevice> self(this);
    ns3::Simulator::ScheduleWithContext(node_->GetId(), ns3::NanoSeconds(0),
                                        [self, packet, protocol] { self->receive(packet, protocol); });
}

void LinkDevice::receive(ns3::Ptr<ns3::Packet> packet, uint16_t protocol) {
    if (!receive_.IsNull()) receive_(this, packet, protocol, channel_->device(peerOf(end_))->address_);
}

}  // namespace arqlink::tcp
