// SPDX-License-Identifier: Apache-2.0
// What crosses the link beside the connections that are measured, in an experiment with TCP of ns-3.
#pragma once

#include "experiment.h"
#include "ns3/ipv4-address.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/ptr.h"
#include "splitmix.h"
#include "statistics.h"

namespace arqlink::tcp {

/// A server on the senders' side and a client on the receivers', each with ns-3's stack.
///
/// web   users as 3GPP's model of HTTP has them (ThreeGppHttpClient): a page of several objects, then a time of reading
/// ftp   files of `fileBytes` on average, exponential; each has a connection of its own, and they begin at random (Poisson)
/// voice calls from server to client: 160 bytes of speech each 20 ms (G.711 in RTP)
/// udp   datagrams in bursts: on and off for a second on average, exponential, twice as fast while it is on
class Background {
  public:
    /// `serverAt`, `clientAt`: their addresses.
    Background(const Experiment& experiment, double start, ns3::Ptr<ns3::Node> server, ns3::Ipv4Address serverAt,
               ns3::Ptr<ns3::Node> client, ns3::Ipv4Address clientAt);

    /// What was received in the time that is measured.
    Measured::Background measured() const;

  private:
    static constexpr double fileBytes = 200e3;

    /// A way of its packets: server to client, or back.
    struct Way {
        ns3::Ptr<ns3::Node> from, to;
        ns3::Ipv4Address destination;
        uint64_t received = 0;  // bytes of IP packets, in the time that is measured
    };
    void browse(unsigned users);
    void transferFiles(Way& way, double bitsPerSecond, Random random);
    void sendDatagrams(Way& way, double bitsPerSecond);
    void call(unsigned calls);
    void count(Way& way);
    bool counts() const;
    bool countsVoice(double sent) const { return sent >= begin_ && sent < end_ - voiceTail_; }
    void page(ns3::Time took);

    const Experiment& experiment_;
    const double begin_, end_;  // of the measurement
    const double from_;         // all begins here or later
    const double voiceTail_;    // seconds before the end in which datagrams of calls may not arrive any more
    Way ways_[2];               // by the end of the link that they begin at
    uint64_t pages_ = 0;
    Mean pageTime_;
    uint64_t spoken_ = 0;              // datagrams of calls
    std::vector<double> voiceDelays_;  // of those that arrived, in seconds
};

}  // namespace arqlink::tcp
