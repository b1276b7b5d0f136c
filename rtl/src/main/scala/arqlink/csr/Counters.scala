// SPDX-License-Identifier: Apache-2.0
package arqlink.csr

import arqlink.config.LinkConfig

/** A 64-bit event counter. `increment` is the width of what may be added in one clock; `everyClock`: the event often lasts. `pace`: the most
  * that it counts in a time. `isBuilt`: the configuration has what it counts.
  */
case class Counter(
    name: String,
    doc: String,
    increment: Int = 1,
    everyClock: Boolean = false,
    pace: Pace = Pace.Unit,
    isBuilt: LinkConfig => Boolean = _ => true
)

/** How fast a counter may count, whatever comes from outside; [[CompactCounterBank]] has room for that and no more. */
sealed trait Pace
object Pace {

  /** One for each unit on the PHY, and a few from queues: a unit is taken no faster than it comes without its CRC. */
  case object Unit extends Pace

  /** One for the payload of each unit at one beat a clock. */
  case object Payload extends Pace

  /** Three for each control unit: as many judge it. */
  case object Judges extends Pace

  /** One for each frame whose outcome is reported: of those in the window, and of those sent meanwhile. */
  case object Outcome extends Pace

  /** One in each clock. */
  case object Clock extends Pace

  /** Bytes at one beat a clock, a packet's all at its end. */
  case object Bytes extends Pace

  /** As many as the window has frames, once. */
  case object Window extends Pace

  /** A window for each unit's payload at one beat a clock. */
  case object Closes extends Pace
}

/** All counters of a link end, in the order of their addresses. */
object Counters {
  val all: Seq[Counter] = Seq(
    Counter("tx_packets", "packets accepted from s_axis", pace = Pace.Payload),
    Counter("tx_bytes", "bytes of packets accepted from s_axis", 14, pace = Pace.Bytes),
    Counter("tx_drop_zero", "packets dropped at s_axis: no bytes", pace = Pace.Clock),
    Counter("tx_drop_oversize", "packets dropped at s_axis: longer than the built maximum", pace = Pace.Clock),
    Counter("tx_drop_abort", "packets dropped at s_axis: tuser set", pace = Pace.Clock),
    Counter("tx_drop_keep", "packets dropped at s_axis: tkeep not contiguous", pace = Pace.Clock),
    Counter("tx_packets_lost", "packets with at least one abandoned frame, counted when the window passes their last frame", pace = Pace.Outcome),
    Counter("tx_frames", "frames sent for the first time"),
    Counter("tx_retx", "retransmissions of frames"),
    Counter("tx_frames_acked", "frames acknowledged", pace = Pace.Outcome),
    Counter("tx_frames_abandoned", "frames given up after delta + 1 failed transmissions", pace = Pace.Outcome),
    Counter("tx_frames_flushed", "frames dropped by a restart of the link", 20, pace = Pace.Window),
    Counter("tx_outcomes_ok", "transmissions reported as received", pace = Pace.Outcome),
    Counter("tx_outcomes_failed", "transmissions reported as failed, those of an outage included", pace = Pace.Outcome),
    Counter("tx_outcomes_outage", "failed transmissions not counted towards delta because of an outage", pace = Pace.Outcome),
    Counter("tx_units", "data units of first transmissions sent"),
    Counter("tx_retx_units", "data units of retransmissions sent"),
    Counter("tx_control_units", "control units sent"),
    Counter("tx_polls", "control units sent with the poll flag"),
    Counter("tx_phy_idle", "clocks in which the PHY was ready and no beat was offered", everyClock = true, pace = Pace.Clock),
    Counter("rx_packets", "packets delivered on m_axis", pace = Pace.Payload),
    Counter("rx_bytes", "bytes delivered on m_axis", 5, pace = Pace.Bytes),
    Counter("rx_packets_dropped", "packets dropped of which at least one frame had come and at least one was skipped", pace = Pace.Clock),
    Counter("rx_packets_corrupt", "packets dropped because their CRC did not match; only with packetCrc", pace = Pace.Payload, isBuilt = _.packetCrc),
    Counter("rx_frames_clean", "frames complete without decoding: all K data units came"),
    Counter("rx_frames_repaired", "frames complete that need decoding"),
    Counter("rx_frames_skipped", "frames skipped because the sender abandoned them", pace = Pace.Clock),
    Counter("rx_duplicates", "transmissions closed of frames that were complete already or behind rxBase"),
    Counter("rx_outcomes_ok", "transmissions closed as received"),
    Counter("rx_outcomes_failed", "transmissions closed as failed", 6, pace = Pace.Closes),
    Counter("rx_units", "data units accepted into a frame"),
    Counter("rx_units_surplus", "data units of a transmission that was complete already or of a frame that was"),
    Counter("rx_units_late", "data units whose TSN was closed already"),
    Counter("rx_units_invalid", "data units beyond the window or with an FSN that cannot be"),
    Counter("rx_units_epoch", "units of another epoch, or that came while the link was not up; hellos that do not fit"),
    Counter("rx_control_units", "control units accepted"),
    Counter("rx_control_invalid", "control units ignored because a field cannot be", pace = Pace.Judges),
    Counter("rx_erased_crc", "units with a bad CRC"),
    Counter("rx_erased_flag", "units flagged as erased by the PHY", pace = Pace.Clock),
    Counter("rx_erased_length", "units of a wrong length", pace = Pace.Clock),
    Counter("rx_bad_header", "units with a good CRC and a header that cannot be"),
    Counter("rx_overflow", "units with a good CRC that found no room, because the receiver did not keep up"),
    Counter("link_restarts", "restarts of the link, the first start included"),
    Counter("link_outages", "outages begun")
  ) ++ (0 to 15).map(i =>
    Counter(
      s"rx_attempt_$i",
      if (i == 0) "frames completed by their first transmission"
      else if (i == 15) "frames completed by their 15th or a later retransmission"
      else s"frames completed by retransmission $i"
    )
  )
}
