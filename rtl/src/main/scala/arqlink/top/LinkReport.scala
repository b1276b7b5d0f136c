// SPDX-License-Identifier: Apache-2.0
package arqlink.top

import spinal.core._
import spinal.lib.OHToUInt

import arqlink.arq.LinkState

/** What the registers show of a link end: its status, the bits of ERROR, and the counters of docs/counter_bank.md. */
private[top] class LinkReport(link: ArqLink) extends Area {
  import link._

  val status = csr.io.status
  status.state := OHToUInt(control.io.view.state.asBits).resized
  status.peerKnown := control.io.view.peerKnown
  status.stalled := RegNext(sender.io.view.stalled || segmenter.io.full) init False
  status.outage := control.io.view.state === LinkState.outage
  status.ownEpoch := control.io.view.ownEpoch
  status.peerEpoch := control.io.view.peerEpoch

  val errors = csr.io.errors
  errors.dropZero := segmenter.io.dropZero
  errors.dropOversize := segmenter.io.dropOversize
  errors.dropAbort := segmenter.io.dropAbort
  errors.dropKeep := segmenter.io.dropKeep
  errors.phyLength := deframer.io.erasedLength
  errors.badHeader := deframer.io.badHeader
  private val controlInvalid = sender.io.judged.rejected || receiver.io.event.closeInvalid || peerEdges.io.judged.rejected
  errors.controlInvalid := RegNext(controlInvalid, init = False)
  errors.unitInvalid := receiver.io.event.invalid
  errors.peerMismatch := control.io.event.peerMismatch || deframer.io.otherVersion
  errors.peerRestart := control.io.event.peerRestart
  errors.outage := control.io.event.outage
  errors.linkUp := control.io.view.peerUp.rise(initAt = False)
  errors.linkDown := isUp.fall(initAt = False)
  errors.rxOverflow := deframer.io.overflow
  errors.packetCorrupt := receive.corrupt
  errors.resync := control.io.event.resync
  errors.frameFailing := sender.io.event.failing

  val c = csr.io.events

  /** An event that comes late in its clock gets a register on its way to the counters. */
  private def late(event: Bool): Bool = RegNext(event) init False
  c.count("tx_packets", segmenter.io.txPackets)
  c.add("tx_bytes", segmenter.io.txBytes)
  c.count("tx_drop_zero", segmenter.io.dropZero)
  c.count("tx_drop_oversize", segmenter.io.dropOversize)
  c.count("tx_drop_abort", segmenter.io.dropAbort)
  c.count("tx_drop_keep", segmenter.io.dropKeep)
  c.count("tx_packets_lost", sender.io.event.packetLost)
  c.count("tx_frames", sender.io.event.frames)
  c.count("tx_retx", sender.io.event.retx)
  c.count("tx_frames_acked", sender.io.event.outcomeOk)
  c.count("tx_frames_abandoned", sender.io.event.abandoned)
  // Frames as they were before the flush, a register more as their sum is late.
  private val flushed = RegNext(control.io.flush.rise(initAt = True)) init False
  private val dropped = RegNext(flushed ? RegNext(sender.io.open) | U(0)) init 0
  c.add("tx_frames_flushed", dropped.resize(20))
  c.count("tx_outcomes_ok", sender.io.event.outcomeOk)
  c.count("tx_outcomes_failed", sender.io.event.outcomeFailed)
  c.count("tx_outcomes_outage", sender.io.event.outcomeOutage)
  c.count("tx_units", framer.io.txUnits)
  c.count("tx_retx_units", framer.io.txRetxUnits)
  c.count("tx_control_units", framer.io.txControlUnits)
  c.count("tx_polls", framer.io.txPolls)
  c.count("tx_phy_idle", framer.io.idle)
  c.count("rx_packets", receive.packets)
  c.add("rx_bytes", receive.bytes)
  c.count("rx_packets_dropped", late(resequencer.io.event.packetDropped))
  c.count("rx_packets_corrupt", receive.corrupt)
  c.count("rx_frames_clean", receiver.io.event.clean)
  c.count("rx_frames_repaired", receiver.io.event.repaired)
  c.count("rx_frames_skipped", late(resequencer.io.event.skipped))
  c.count("rx_duplicates", late(receiver.io.event.duplicate))
  c.count("rx_outcomes_ok", late(receiver.io.event.outcomeOk))
  c.add("rx_outcomes_failed", receiver.io.event.outcomeFailed)
  c.count("rx_units", receiver.io.event.units)
  c.count("rx_units_surplus", receiver.io.event.surplus)
  c.count("rx_units_late", receiver.io.event.late)
  c.count("rx_units_invalid", receiver.io.event.invalid)
  // What has been forgotten is dropped before another unit is judged; a control unit may come in any clock.
  c.add("rx_units_epoch", RegNext((receiver.io.event.epoch || receiver.io.event.forgotten).asUInt +^ control.io.event.epoch.asUInt) init 0)
  c.count("rx_control_units", late(control.io.event.control))
  c.count("rx_control_invalid", errors.controlInvalid)
  c.count("rx_erased_crc", deframer.io.erasedCrc)
  c.count("rx_erased_flag", deframer.io.erasedFlag)
  c.count("rx_erased_length", deframer.io.erasedLength)
  c.count("rx_bad_header", deframer.io.badHeader)
  c.count("rx_units_other_link", deframer.io.otherLink)
  c.count("rx_overflow", deframer.io.overflow)
  c.count("link_restarts", control.io.event.restart)
  c.count("link_outages", control.io.event.outage)
  for (i <- 0 to 15) c.count(s"tx_acked_$i", sender.io.event.acked(i))
}
