// SPDX-License-Identifier: Apache-2.0
// Packets that the gateway makes in a host's name, or sends again.
#pragma once

#include "flow.h"
#include "packet.h"

namespace arqlink::gateway {

/// Bytes of payload of a full segment from the host at `from`.
size_t segmentBytes(const Flow& flow, Port from);

/// What packets from the host at `from` say of what it has received.
Acknowledgement acknowledgementOf(const Flow& flow, Port from);

/// A header from the host at `from`, with what it has said last.
Header headerOf(const Flow& flow, Port from);

/// Makes a stored segment of the host at `from` say what the host has said last: of old timestamps a receiver might refuse
/// the segment (RFC 7323, PAWS), and old blocks of SACK would say that data have come twice (RFC 2883).
void refresh(Segment& segment, const Flow& flow, Port from);

/// A segment of the host at `from` in pieces that are no longer than its way allows, and as packets.
std::vector<Segment> piecesOf(Segment segment, const Flow& flow, Port from);
std::vector<Bytes> packetsOf(Segment segment, const Flow& flow, Port from);

}  // namespace arqlink::gateway
