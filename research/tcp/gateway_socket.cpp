// SPDX-License-Identifier: Apache-2.0
#include "gateway_socket.h"

#include <algorithm>

#include "ns3/inet-socket-address.h"
#include "ns3/packet.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/uinteger.h"

namespace arqlink::tcp {

using namespace ns3;

GatewaySocket::GatewaySocket(Ptr<Node> node, uint16_t port, const Experiment& e, unsigned segment, LinkBridge& link,
                             Pipe& line)
    : packet_(e.packetBytes),
      segment_(segment),
      link_(link),
      line_(line),
      listening_(Socket::CreateSocket(node, TcpSocketFactory::GetTypeId())),
      advertised_(e.windowPackets * segment) {
    listening_->Bind(InetSocketAddress(Ipv4Address::GetAny(), port));
    listening_->Listen();
    listening_->SetAcceptCallback(
        MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
        Callback<void, Ptr<Socket>, const Address&>([this](Ptr<Socket> socket, const Address&) { accept(socket); }));
}

void GatewaySocket::accept(Ptr<Socket> socket) {
    socket_ = socket;
    socket_->SetRecvCallback(Callback<void, Ptr<Socket>>([this](Ptr<Socket>) { serve(true); }));
    serve(true);
}

// Callers that bring no segment change the window only if it was closed: an increase is an ACK of its own.
void GatewaySocket::serve(bool arrival) {
    if (!socket_) return;
    while (link_.room() > 0 && socket_->GetRxAvailable() >= segment_) {
        socket_->Recv(segment_, 0);
        link_.send(A, packet_, [this] { line_.send(packet_, [this] { ++received_; }); });
    }
    // The socket's buffer must not be smaller than what is in it.
    const auto room = static_cast<uint32_t>(link_.room() * segment_);
    const uint32_t size = std::max(room, socket_->GetRxAvailable());
    if (size == advertised_ || !(arrival || advertised_ < segment_)) return;
    advertised_ = size;
    socket_->SetAttribute("RcvBufSize", UintegerValue(size));
}

}  // namespace arqlink::tcp
