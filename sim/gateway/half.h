// SPDX-License-Identifier: Apache-2.0
// One direction of a connection: data from one host, and the other host's acknowledgements of them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

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
    /// The receiver may challenge a SYN or a RST that came from the source's side (RFC 5961): an ACK of it that says nothing new goes on, as it
    /// is.
    virtual void mayBeChallenged() { asked(); }

    /// A segment without data comes from the source and goes on; it may be changed.
    virtual void passes(Segment&, Time) {}

    /// Set where the gateway acknowledges in the receiver's name.
    virtual std::optional<Acknowledgement> told() const { return std::nullopt; }

    /// The sequence number after what has left for the receiver or waits at the port, where the gateway decides what leaves.
    virtual std::optional<uint32_t> left() const { return std::nullopt; }
    /// The one after what has left.
    virtual std::optional<uint32_t> sent() const { return std::nullopt; }

    /// Where the receiver may stand: sequence numbers of the edges of what has left and is still stored.
    virtual std::vector<uint32_t> edges() const { return {}; }

    /// The stored segment that begins at `begin` leaves now, or is gone. It may be longer than a packet on its way can be: then it leaves in
    /// several.
    virtual std::vector<Bytes> leave(Position begin, Time now) { return (void)begin, (void)now, std::vector<Bytes>(); }

    /// Whether a segment that begins with this sequence number has left, and is not known to have arrived.
    virtual bool isUnderWay(uint32_t) const { return false; }
    /// Packets longer than `Flow::pathBytes` do not arrive.
    virtual void pathShrank(Time) {}

    /// A segment of the source that does not count, as it is older than what has come: the source may wait for an answer.
    virtual void outdated() {}
    /// The source has heard what has not come this way: so the receiver's ACKs may not either.
    virtual void returnPathMoved(Time) {}
    /// Looks at what the source sends, or what passes as it is too far ahead. True: nothing is owed any more, as the receiver has told the source by
    /// another way that all has arrived which it was told of here. They have only each other until the receiver's ACKs come this way again.
    virtual bool handsBack(const Segment&, Time) { return false; }

    virtual Time deadline() const { return never; }
    virtual void timeOut(Time) {}

    /// The cache has more room, or less is in use.
    virtual void roomGrew(Time) {}

    /// The source is told of other windows than the receiver's.
    virtual bool promises() const { return false; }

    /// The source has been told of data that the receiver has not acknowledged.
    virtual bool owes() const { return false; }
    virtual bool hasFailed() const { return false; }
    /// All is acknowledged, and so is the FIN.
    virtual bool isClosed() const = 0;
};

}  // namespace arqlink::gateway
