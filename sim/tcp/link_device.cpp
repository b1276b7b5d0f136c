// SPDX-License-Identifier: Apache-2.0
#include "link_device.h"

#include "ns3/node.h"
#include "ns3/simulator.h"

namespace arqlink::tcp {

ns3::TypeId LinkChannel::GetTypeId() {
    static const ns3::TypeId id = ns3::TypeId("arqlink::LinkChannel").SetParent<ns3::Channel>();
    return id;
}

ns3::Ptr<ns3::NetDevice> LinkChannel::GetDevice(std::size_t i) const { return devices_[i]; }

ns3::TypeId LinkDevice::GetTypeId() {
    static const ns3::TypeId id = ns3::TypeId("arqlink::LinkDevice").SetParent<ns3::NetDevice>();
    return id;
}

bool LinkDevice::Send(ns3::Ptr<ns3::Packet> packet, const ns3::Address&, uint16_t protocol) {
    const ns3::Ptr<LinkDevice> peer = channel_->device(peerOf(end_));
    // What a node does belongs to its context, or its logs and its random streams have another node's.
    return channel_->bridge().send(end_, packet->GetSize(), [peer, packet, protocol] {
        ns3::Simulator::ScheduleWithContext(peer->node_->GetId(), ns3::NanoSeconds(0),
                                            [peer, packet, protocol] { peer->receive(packet, protocol); });
    });
}

void LinkDevice::receive(ns3::Ptr<ns3::Packet> packet, uint16_t protocol) {
    if (!receive_.IsNull()) receive_(this, packet, protocol, channel_->device(peerOf(end_))->address_);
}

}  // namespace arqlink::tcp
