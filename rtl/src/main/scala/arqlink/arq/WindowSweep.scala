// SPDX-License-Identifier: Apache-2.0
package arqlink.arq

import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._

import arqlink.config.LinkConfig
import arqlink.lib.Invariant
import arqlink.wire.{Sn, Wire}

/** What the sender knows of a frame in its window. */
object SentState {
  def open: Bits = B"00"
  def acked: Bits = B"01"
  def abandoned: Bits = B"10"
}

/** Moves txBase over the frames that are resolved, and reports what has been abandoned: packets, and frames that the peer is still to skip.
  *
  * The frame at txBase is looked up in every clock; an answer is used three clocks later. When txBase moves, the look-ups behind are discarded.
  *
  * @param states   state of each slot; read in two clocks
  * @param eops     whether a slot's frame is its packet's last; read in two clocks
  * @param resolves a frame is resolved: its state is going to be written, and txBase waits
  * @param isWriting `states` is written; what is read in this clock is not used
  */
class WindowSweep(link: LinkConfig, states: Mem[Bits], eops: Mem[Bool], nextFsn: UInt, peerRxBase: UInt, resolves: Bool, isWriting: Bool) extends Area {
  private def slotOf(sn: UInt) = sn.resize(link.window.slotBits)
  val txBase = Reg(Wire.sn) init link.firstSn

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

  ask.up.valid := WindowSn.of(link, txBase) =/= WindowSn.of(link, nextFsn) && !isWriting
  private val state = read.insert(states.readSync(slotOf(txBase)))
  private val isEop = read.insert(eops.readSync(slotOf(txBase)))

  /** The peer is still to pass it. */
  private val isAwaited = read.insert(!Sn.behind(txBase, peerRxBase))
  private val isResolved = compare.insert(compare(state) =/= SentState.open)
  private val isAbandoned = compare.insert(compare(state) === SentState.abandoned)

  act.down.ready := True
  val move = act.isValid && act(isResolved) && !resolves
  ask.terminateWhen(move)
  for (at <- readAt until actAt) stages.ctrl(at).throwWhen(move)

  private val (lost, eop) = (act(isAbandoned), act(isEop))
  private val owes = move && lost && act(isAwaited)

  /** A frame of the packet that txBase is in was abandoned. */
  private val isPacketLost = RegInit(False)
  when(move) {
    txBase := txBase + 1
    isPacketLost := (isPacketLost || lost) && !eop
  }
  val packetLost = RegNext(move && eop && (isPacketLost || lost)) init False

  /** Pulse: txBase has passed an abandoned frame that the peer has not; `unconfirmed` until it has. */
  val gaveUp = RegNext(owes) init False
  val unconfirmed = RegInit(False)
  private val lastAbandoned = RegNextWhen(txBase, owes)
  private val isConfirmed = RegNext(Sn.behind(lastAbandoned, peerRxBase))
  when(isConfirmed && !gaveUp)(unconfirmed := False) // `isConfirmed` is of a clock ago
  when(owes)(unconfirmed := True)
  Invariant.when(gaveUp)(unconfirmed, "a frame is abandoned, and its notice is not owed")

  stages.build()
}
