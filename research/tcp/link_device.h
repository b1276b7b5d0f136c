// SPDX-License-Identifier: Apache-2.0
// The ends of the link as devices of ns-3, for TCP of ns-3.
#pragma once

#include "gateway_chain.h"
#include "link_bridge.h"
#include "ns3/channel.h"
#include "ns3/mac48-address.h"
#include "ns3/net-device.h"
#include "ns3/traced-callback.h"

namespace arqlink::tcp {

class LinkDevice;

/// Both directions of the link, or of two with a satellite between them; joins two LinkDevices.
class LinkChannel final : public ns3::Channel {
  public:
    static ns3::TypeId GetTypeId();
    /// With gateways, if the experiment has some.
    LinkChannel(const Experiment& experiment, Links bridges);

    LinkBridge& first() { return *bridges_.front(); }
    LinkBridge& last() { return *bridges_.back(); }
    /// nullptr: there are no gateways.
    GatewayChain* gateways() { return gateways_.get(); }
    /// Share of the places before the first link that packets to end B take now, 0 to 1.
    double occupancy();
    void attach(End end, ns3::Ptr<LinkDevice> device) { devices_[end] = device; }
    ns3::Ptr<LinkDevice> device(End end) const { return devices_[end]; }

    std::size_t GetNDevices() const override { return 2; }
    ns3::Ptr<ns3::NetDevice> GetDevice(std::size_t i) const override;

  private:
    void leave(gateway::Bytes packet, End end);

    const double places_;
    Links bridges_;
    std::unique_ptr<GatewayChain> gateways_;
    ns3::Ptr<LinkDevice> devices_[2];
};

/// One end: a point-to-point device without a header of its own. Its queue is that of the bridge: packets of which no frame has been sent.
class LinkDevice final : public ns3::NetDevice {
  public:
    static ns3::TypeId GetTypeId();
    LinkDevice(End end, ns3::Ptr<LinkChannel> channel)
        : end_(end), channel_(channel), address_(ns3::Mac48Address::Allocate()) {}

    bool Send(ns3::Ptr<ns3::Packet> packet, const ns3::Address& destination, uint16_t protocol) override;
    /// A packet arrives here, in the node's context.
    void arrive(ns3::Ptr<ns3::Packet> packet, uint16_t protocol);

    void SetIfIndex(const uint32_t index) override { index_ = index; }
    uint32_t GetIfIndex() const override { return index_; }
    ns3::Ptr<ns3::Channel> GetChannel() const override { return channel_; }
    void SetAddress(ns3::Address address) override { address_ = ns3::Mac48Address::ConvertFrom(address); }
    ns3::Address GetAddress() const override { return address_; }
    bool SetMtu(const uint16_t mtu) override {
        mtu_ = mtu;
        return true;
    }
    uint16_t GetMtu() const override { return mtu_; }
    bool IsLinkUp() const override { return true; }
    void AddLinkChangeCallback(ns3::Callback<void>) override {}
    bool IsBroadcast() const override { return true; }
    ns3::Address GetBroadcast() const override { return ns3::Mac48Address::GetBroadcast(); }
    bool IsMulticast() const override { return false; }
    ns3::Address GetMulticast(ns3::Ipv4Address) const override { return ns3::Mac48Address::GetBroadcast(); }
    ns3::Address GetMulticast(ns3::Ipv6Address) const override { return ns3::Mac48Address::GetBroadcast(); }
    bool IsBridge() const override { return false; }
    bool IsPointToPoint() const override { return true; }
    bool SendFrom(ns3::Ptr<ns3::Packet>, const ns3::Address&, const ns3::Address&, uint16_t) override { return false; }
    ns3::Ptr<ns3::Node> GetNode() const override { return node_; }
    void SetNode(ns3::Ptr<ns3::Node> node) override { node_ = node; }
    bool NeedsArp() const override { return false; }
    void SetReceiveCallback(NetDevice::ReceiveCallback callback) override { receive_ = callback; }
    void SetPromiscReceiveCallback(PromiscReceiveCallback) override {}
    bool SupportsSendFrom() const override { return false; }

  private:
    void receive(ns3::Ptr<ns3::Packet> packet, uint16_t protocol);

    const End end_;
    const ns3::Ptr<LinkChannel> channel_;
    ns3::Mac48Address address_;
    ns3::Ptr<ns3::Node> node_;
    uint32_t index_ = 0;
    uint16_t mtu_ = 1500;
    NetDevice::ReceiveCallback receive_;
    ns3::TracedCallback<ns3::Ptr<const ns3::Packet>> sent_;
};

}  // namespace arqlink::tcp
