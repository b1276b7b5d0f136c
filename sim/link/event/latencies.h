// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "link_model.h"

namespace arqlink::event {

/// Clocks that the blocks of the core take, for a build. `event` has no pipelines; these stand for them. The lockstep
/// test compares what comes of them with the RTL.
///
/// A frame is chosen in `event` five clocks later than in the RTL: so long is its way from the framer's first stage to the PHY. So `commit`, `edge`,
/// `feedback` and `repeat` include them, and `choose` does not.
struct Latencies {
    Clock clearing;  ///< reset to the first hello, beside one clock for each frame of the window
    Clock slots;     ///< an outcome to the first beat in the slot that it frees
    Clock prefetch;  ///< beats that the segmenter takes while it waits for a slot
    Clock commit;    ///< last beat of a packet, or of its last unit's filling, to the choice of its frames
    Clock choose;    ///< a frame is chosen to its being at the framer …
    Clock payload;   ///< … and to its first payload being there; then all its data units can leave without a pause
    Clock interval;  ///< least distance of two choices
    Clock parity;    ///< the encoder has read a frame's data to its parity
    Clock edge;      ///< a control unit's effects on the state of the link, to those on the receiver …
    Clock feedback;  ///< … and from there to those on the sender
    Clock repeat;    ///< an outcome to the choice of the retransmission that comes of it
    Clock unrest;    ///< a frame that may be chosen within so many clocks keeps the end from being idle
    Clock lead;      ///< a frame is chosen so long before the end of the one before it, rounded up to whole units
    Clock unit;      ///< last beat of a data unit to what it changes: outcomes, rxNext, causes of a control unit
    Clock control;   ///< the same of a control unit
    Clock tail;      ///< last unit before the line rests, to the cause of the control unit that closes its transmission
    Clock turn;      ///< a turn of the ring that has nothing to report
    Clock lookup;    ///< the turn of an older pair of blocks, to the cause of its control unit
    Clock pace;      ///< the least distance of two reports, or hellos, is so much longer than set, beside `compose`
    Clock compose;   ///< cause of a control unit to the composed message
    Clock message;   ///< composed message to its first beat on the PHY
    Clock delivery;  ///< a packet's last needed unit to its first frame's job at the decoder
    Clock release;   ///< a skipped frame, or the last beat of a packet out of the store, to rxBase
    Clock scan;      ///< least distance of two frames that are found to be complete in sequence
    Clock walk;      ///< a frame of a packet that leaves out of sequence is looked up, and claimed
    Clock frame;     ///< least distance of two jobs (Resequencer::deliver)
    Clock store;     ///< the store's queue has room for a frame's last beats, to the job of the third frame behind it
    Clock read;      ///< a job to the frame's first beat at the decoder
    Clock decode;    ///< a frame's last beat into the decoder to its last beat on m_axis, if no unit is missing
    Clock restore;   ///< more, if the last one is
    unsigned queue;  ///< beats that wait between store and decoder
    unsigned generators;  ///< of coefficients, which take turns
    unsigned groups;      ///< the decoder has a coefficient in two clocks for each of them

    /// A job at the idle decoder to its coefficients being ready (docs/rs_decoder.md, "Timing").
    Clock coefficients(unsigned k, unsigned missing) const { return k + missing + 2 * groups * (missing + 1) + 31; }

    /// Until those of the next frame can begin.
    Clock generator(unsigned k, unsigned missing) const { return 2 * groups * (k + missing); }

    static Latencies of(const Build& build);
};

}  // namespace arqlink::event
