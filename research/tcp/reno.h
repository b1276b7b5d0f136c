// SPDX-License-Identifier: Apache-2.0
// A TCP connection with endless data as the papers had it: NewReno or Reno without SACK, and a receiver with delayed ACKs.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <set>

#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "statistics.h"

namespace arqlink::tcp {

/// Segments are numbered from 0; windows are in segments.
struct RenoSettings {
    bool classic =
        false;  ///< Reno of RFC 2001: the first ACK of new data ends fast recovery, each timeout halves; else NewReno
    bool timestamps =
        true;  ///< RFC 7323: each ACK of new data is a sample of the round trip. False: Karn's rule, one segment at a time
    double initialWindow = 2;
    double maxWindow = 2000;             ///< advertised by the receiver
    ns3::Time minRto = ns3::Seconds(1);  ///< RFC 6298
    ns3::Time maxRto = ns3::Seconds(60);
    unsigned ackEvery = 2;                          ///< segments that an ACK waits for: 1, or 2 …
    ns3::Time delayedAck = ns3::MilliSeconds(100);  ///< … and how long it waits at most
};

/// What a segment, or its acknowledgement, carries. `sent` comes back as in RFC 7323.
struct Segment {
    uint64_t number = 0;
    ns3::Time sent;
};
struct Ack {
    uint64_t next = 0;  ///< all segments below it have arrived
    ns3::Time echo;
    uint64_t window = std::numeric_limits<uint64_t>::max();  ///< segments from `next` on that the receiver has room for
    bool windowOnly = false;                                 ///< it is about the window, and no duplicate ACK
};

/// Congestion control of RFC 5681 with limited transmit (RFC 3042), fast recovery of RFC 6582, or RFC 5681 if `classic`, timeouts of RFC 6298.
class RenoSender {
  public:
    using Transmit = std::function<void(const Segment&)>;
    RenoSender(const RenoSettings& settings, Transmit transmit)
        : settings_(settings),
          transmit_(std::move(transmit)),
          cwnd_(settings.initialWindow),
          ssthresh_(settings.maxWindow) {}

    void start() { fill(); }
    void acknowledge(const Ack& ack);

    uint64_t segments() const { return segments_; }
    uint64_t retransmissions() const { return retransmissions_; }
    uint64_t timeouts() const { return timeouts_; }
    double cwnd() const { return cwnd_; }
    double ssthresh() const { return ssthresh_; }
    const Mean& roundTrip() const { return roundTrip_; }

  private:
    uint64_t flight() const { return sndNxt_ - sndUna_; }
    void fill();
    void send(uint64_t number);
    void time(uint64_t number);
    void measure(ns3::Time sample);
    void restartTimer();
    void timeOut();
    void advance(const Ack& ack);
    void duplicate();

    const RenoSettings settings_;
    const Transmit transmit_;
    double cwnd_, ssthresh_;
    uint64_t sndUna_ = 0, sndNxt_ = 0;                          // oldest segment without ACK; next one to send
    uint64_t sndMax_ = 0;                                       // segments below it have been sent
    uint64_t rwndEdge_ = std::numeric_limits<uint64_t>::max();  // the receiver has room for segments below it
    // NewReno's fast recovery ends when all below it are acknowledged; none begins before more is.
    int64_t recover_ = -1;
    bool inRecovery_ = false, partial_ = false;
    bool backedOff_ = false;  // sndUna_ has been sent again by a timeout
    unsigned dupAcks_ = 0;
    ns3::EventId timer_;
    ns3::Time srtt_, rttvar_, rto_ = ns3::Seconds(1);
    bool measured_ = false;
    // Without timestamps: the segment whose round trip is measured, and when it was sent.
    std::optional<uint64_t> timed_;
    ns3::Time timedAt_;
    uint64_t segments_ = 0, retransmissions_ = 0, timeouts_ = 0;
    Mean roundTrip_;
};

/// Acknowledges every second segment, at once whatever is out of sequence or fills a gap (RFC 5681, section 4.2).
class RenoReceiver {
  public:
    using Transmit = std::function<void(const Ack&)>;
    RenoReceiver(const RenoSettings& settings, Transmit transmit)
        : settings_(settings), transmit_(std::move(transmit)) {}

    /// Where segments go. Without `serve`, there is room for all, and nothing is done with them.
    struct User {
        std::function<size_t()> room;  ///< segments that there is room for
        std::function<void()> take;    ///< takes the next segment in sequence
        size_t reserve = 0;            ///< room that is left to segments in sequence
    };
    void serve(User user) { user_ = std::move(user); }

    void receive(const Segment& segment);
    /// The user has more room than before. Says so to a sender that was told of none (RFC 9293, section 3.8.6.2.2: by whole segments).
    void roomGrew();

    /// Segments received in sequence, each once.
    uint64_t inOrder() const { return rcvNxt_; }
    /// Segments that had been received before: their retransmission was spurious.
    uint64_t repeated() const { return repeated_; }
    /// Segments out of sequence that are stored.
    size_t ahead() const { return ahead_.size(); }
    /// Segments that there was no room for.
    uint64_t refused() const { return refused_; }

  private:
    void acknowledge(ns3::Time echo, bool windowOnly = false);
    void takeNext();

    const RenoSettings settings_;
    const Transmit transmit_;
    User user_;
    uint64_t rcvNxt_ = 0, repeated_ = 0, refused_ = 0;
    uint64_t advertised_ = std::numeric_limits<uint64_t>::max();  // window of the last ACK
    std::set<uint64_t> ahead_;
    bool waiting_ = false;  // one segment has no ACK yet …
    ns3::Time echo_;        // … and was sent then
    ns3::EventId timer_;
};

}  // namespace arqlink::tcp
