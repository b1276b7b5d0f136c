// SPDX-License-Identifier: Apache-2.0
package arqlink.csr

/** A 64-bit event counter. `increment` is the width of what may be added in one clock; `everyClock`: the event often lasts. */
case class Counter(name: String, doc: String, increment: Int = 1, everyClock: Boolean = false)

/** All counters of a link end, in the order of their addresses. */
object Counters {
  val all: Seq[Counter] = Seq(
    Counter("tx_packets", "packets accepted from s_axis"),
    Counter("tx_bytes", "bytes of packets accepted from s_axis", 14),
    Counter("tx_drop_zero", "packets dropped at s_axis: no bytes"),
    Counter("tx_drop_oversize", "packets dropped at s_axis: longer than the built maximum"),
    Counter("tx_drop_abort", "packets dropped at s_axis: tuser set"),
    Counter("tx_drop_keep", "packets dropped at s_axis: tkeep not contiguous"),
    Counter("tx_packets_lost", "packets with at least one abandoned frame, counted when the window passes their last frame"),
    Counter("tx_frames", "frames sent for the first time"),
    Counter("tx_retx", "retransmissions of frames"),
    Counter("tx_frames_acked", "frames acknowledged"),
    Counter("tx_frames_abandoned", "frames given up after delta + 1 failed transmissions"),
    Counter("tx_frames_flushed", "frames dropped by a restart of the link", 20),
    Counter("tx_outcomes_ok", "transmissions reported as received"),
    Counter("tx_outcomes_failed", "transmissions reported as failed, those of an outage included"),
    Counter("tx_outcomes_outage", "failed transmissions not counted towards delta because of an outage"),
    Counter("tx_units", "data units of first transmissions sent"),
    Counter("tx_retx_units", "data units of retransmissions sent"),
    Counter("tx_control_units", "control units sent"),
    Counter("tx_polls", "control units sent with the poll flag"),
    Counter("tx_phy_idle", "clocks in which the PHY was ready and no beat was offered", everyClock = true),
    Counter("rx_packets", "packets delivered on m_axis"),
    Counter("rx_bytes", "bytes delivered on m_axis", 5),
    Counter("rx_packets_dropped", "packets dropped of which at least one frame had come and at least one was skipped"),
    Counter("rx_packets_corrupt", "packets dropped because their CRC did not match; only with packetCrc"),
    Counter("rx_frames_clean", "frames complete without decoding: all K data units came"),
    Counter("rx_frames_repaired", "frames complete that need decoding"),
    Counter("rx_frames_skipped", "frames skipped because the sender abandoned them"),
    Counter("rx_duplicates", "transmissions closed of frames that were complete already or behind rxBase"),
    Counter("rx_outcomes_ok", "transmissions closed as received"),
    Counter("rx_outcomes_failed", "transmissions closed as failed", 20),
    Counter("rx_units", "data units accepted into a frame"),
    Counter("rx_units_surplus", "data units of a transmission that was complete already or of a frame that was"),
    Counter("rx_units_late", "data units whose TSN was closed already"),
    Counter("rx_units_invalid", "data units beyond the window or with an FSN that cannot be"),
    Counter("rx_units_epoch", "units of another epoch, or that came while the link was not up or restarted; hellos that do not fit", 2),
    Counter("rx_control_units", "control units accepted"),
    Counter("rx_control_invalid", "control units ignored because a field cannot be"),
    Counter("rx_erased_crc", "units with a bad CRC"),
    Counter("rx_erased_flag", "units flagged as erased by the PHY"),
    Counter("rx_erased_length", "units of a wrong length"),
    Counter("rx_bad_header", "units with a good CRC and a header that cannot be"),
    Counter("rx_units_other_link", "units with a good CRC and the number of another link"),
    Counter("rx_overflow", "units with a good CRC that found no room, because the receiver did not keep up"),
    Counter("link_restarts", "restarts of the link, the first start included"),
    Counter("link_outages", "outages begun")
  ) ++ (0 to 15).map(i =>
    Counter(
      s"tx_acked_$i",
      if (i == 0) "frames acknowledged at attempt 0: their first transmission was received, or one behind failures that an outage has forgiven"
      else if (i == 15) "frames acknowledged at attempt 15 or later"
      else s"frames acknowledged at attempt $i: retransmission $i was received, those not counted that an outage has forgiven"
    )
  )
}
