// SPDX-License-Identifier: Apache-2.0
// One direction of a connection: data from one host, and the other host's acknowledgements of them.
#pragma once

#include <cstdint>
#include <optional>

#include "gateway_settings.h"
#include "packet.h"
#include "sequence.h"

namespace arqlink::gateway {

struct Flow;

/// What a packet to the source must say, in the receiver's name, of what has arrived.
struct Acknowledgement {
    uint32_t ack;
    uint16_t window;  ///< shifted, as it is in the header
    uint32_t tsEcho;
};

/// The treatment of a direction. Packets come parsed, with checksums that are right.
class Half {
  public:
    virtual ~Half() = default;

    /// A segment with data or FIN came from the source.
    virtual void data(Segment segment, Time now) = 0;

    /// A segment of the receiver acknowledges. It may be changed. True: if it carries nothing else, it ends here.
    virtual bool acknowledged(Segment& segment, Time now) = 0;

    /// The source waits for an answer of the receiver's own: the next ACK of it goes on, whatever it says.
    virtual void asked() {}

    /// A segment without data comes from the source and goes on; it may be changed.
    virtual void passes(Segment&, Time) {}

    /// Set where the gateway acknowledges in the receiver's name.
    virtual std::optional<Acknowledgement> told() const { return std::nullopt; }

    /// The sequence number after what has left for the receiver or waits at the port, where the gateway decides what leaves.
    virtual std::optional<uint32_t> left() const { return std::nullopt; }
    /// The one after what has left.
    virtual std::optional<uint32_t> sent() const { return std::nullopt; }

    /// The stored segment that begins at `begin` leaves now, or is gone.
    virtual std::optional<Bytes> leave(Position begin, Time now) { return (void)begin, (void)now, std::nullopt; }

    virtual Time deadline() const { return never; }
    virtual void timeOut(Time) {}

    /// The cache has more room, or less is in use.
    virtual void roomGrew(Time) {}
    virtual void linkReturned(Time) {}

    /// The source has been told of data that the receiver has not acknowledged.
    virtual bool owes() const { return false; }
    virtual bool hasFailed() const { return false; }
    /// All is acknowledged, and so is the FIN.
    virtual bool isClosed() const = 0;
};

}  // namespace arqlink::gateway
