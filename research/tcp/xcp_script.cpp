// SPDX-License-Identifier: Apache-2.0
// XcpRouter by a script on standard input, for the tests of its formulas. The first line is `BITS`, its capacity in bits a second. Then each line
// is a packet: time in seconds, bytes, bytes in the queue before it, and of its congestion header window in bytes, round trip in seconds, and the
// feedback that it asks for, in bytes. Prints the feedback that it gets.
#include <iostream>
#include <string>

#include "ns3/packet.h"
#include "ns3/simulator.h"
#include "variants/xcp_router.h"

int main() {
    using namespace ns3;
    double bits = 0, time = 0, end = 0, queue = 0;
    uint32_t bytes = 0;
    std::cin >> bits;
    const Ptr<arqlink::tcp::XcpRouter> router = CreateObject<arqlink::tcp::XcpRouter>();
    router->SetAttribute("Capacity", DataRateValue(DataRate(static_cast<uint64_t>(bits))));
    double waiting = 0;
    router->start([&waiting] { return waiting; });
    std::cout.precision(17);
    arqlink::tcp::XcpHeader header;
    while (std::cin >> time >> bytes >> queue >> header.window >> header.roundTrip >> header.feedback) {
        end = time;
        Simulator::Schedule(Seconds(time), [&router, &waiting, bytes, queue, header] {
            const Ptr<Packet> packet = Create<Packet>(bytes);
            packet->AddPacketTag(header);
            waiting = queue;
            router->arrive(packet);
            arqlink::tcp::XcpHeader changed;
            packet->PeekPacketTag(changed);
            std::cout << changed.feedback << '\n';
        });
    }
    Simulator::Stop(Seconds(end) + NanoSeconds(1));
    Simulator::Run();
    router->Dispose();
    Simulator::Destroy();
}
