// SPDX-License-Identifier: Apache-2.0
package arqlink.arq

import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._

import arqlink.config.LinkConfig
import arqlink.lib.{Invariant, SeqNum}
import arqlink.wire.Wire

/** What the sender knows of a frame in its window. It is resolved where `turn` is unequal to the bit of its FSN above those of the slot, which alternates
  * from one round of the slots to the next: each frame is resolved once before its slot is used again, so states are cleared only once, at the start.
  */
case class SentState() extends Bundle {
  val turn, abandoned = Bool()
}

/** Moves txBase over the frames that are resolved, and reports what has been abandoned: packets, and frames that the peer is still to skip.
  *
  * Frames are looked up in sequence, one a clock. When one is not resolved the look-ups behind it are discarded, and it is looked up again.
  *
  * @param states    state of each slot; read in two clocks
  * @param eops      whether a slot's frame is its packet's last; read in two clocks
  * @param isAnnounced the newest frame says by its type that all incomplete ones before it are abandoned
  * @param isWriting `states` is written; what is read in this clock is not used
  */
class WindowSweep(link: LinkConfig, states: Mem[SentState], eops: Mem[Bool], nextFsn: UInt, isAnnounced: Bool, peerRxBase: UInt, isWriting: Bool) extends Area {
  private val slotBits = link.window.slotBits
  private def slotOf(sn: UInt) = sn.resize(slotBits)
  val txBase = Reg(Wire.sn) init link.firstSn

  /** The next frame to be looked up. */
  val at = Reg(Wire.sn) init link.firstSn

  // The stage of each task. The tables answer a clock after they are asked.
  private val askAt = 0
  private val readAt = askAt + 1
  private val compareAt = readAt + 1
  private val actAt = compareAt + 1
  private val stages = new StageCtrlPipeline
  val ask = stages.ctrl(askAt)
  val read = stages.ctrl(readAt)
  val compare = stages.ctrl(compareAt)
  val act = stages.ctrl(actAt)

  ask.up.valid := WindowSn.of(link, at) =/= WindowSn.of(link, nextFsn) && !isWriting
  private val frame = ask.insert(at)
  private val state = read.insert(states.readSync(slotOf(at)))
  private val isEop = read.insert(eops.readSync(slotOf(at)))

  /** The peer is still to pass it. */
  private val isAwaited = read.insert(!SeqNum.isBelow(read(frame), peerRxBase))
  private val isResolved = compare.insert(compare(state).turn =/= compare(frame)(slotBits))

  act.down.ready := True
  val move = act.isValid && act(isResolved)
  private val stops = act.isValid && !act(isResolved)
  when(ask.up.isValid)(at := at + 1)
  when(stops)(at := txBase)
  ask.terminateWhen(stops)
  for (stage <- readAt until actAt) stages.ctrl(stage).throwWhen(stops)
  Invariant.when(act.isValid)(act(frame) === txBase, "a frame is looked up out of sequence")

  private val (lost, eop) = (act(state).abandoned, act(isEop))
  private val owes = move && lost && act(isAwaited)

  /** A frame of the packet that txBase is in was abandoned. */
  private val isPacketLost = RegInit(False)
  when(move) {
    txBase := txBase + 1
    isPacketLost := (isPacketLost || lost) && !eop
  }
  val packetLost = RegNext(move && eop && (isPacketLost || lost)) init False

  /** txBase has passed an abandoned frame that the peer has not; `isDue`: and no notice of it has been given. */
  val unconfirmed = RegInit(False)
  private val isDue = RegInit(False)
  private val lastAbandoned = RegNextWhen(txBase, owes)
  private val isConfirmed = RegNext(SeqNum.isBelow(lastAbandoned, peerRxBase))

  /** A frame was sent that is not resolved. */
  private val isOpen = RegNext(WindowSn.of(link, txBase) =/= WindowSn.of(link, nextFsn)) init False

  /** A frame on its way says the same as the notice. */
  private val isSaid = RegNext(isAnnounced && isOpen) init False
  when(!isSaid)(isDue := False)
  when(isConfirmed && !RegNext(owes).init(False)) { // `isConfirmed` is of a clock ago
    unconfirmed := False
    isDue := False
  }
  when(owes) {
    unconfirmed := True
    isDue := True
  }

  /** Pulse: a notice is given. */
  val gaveUp = RegNext(isDue && !isSaid) init False
  Invariant.when(isDue)(unconfirmed, "a notice is due, and there is nothing to confirm")

  stages.build()
}
