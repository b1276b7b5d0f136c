// SPDX-License-Identifier: Apache-2.0
package arqlink.arq

import spinal.core._
import spinal.lib._

import arqlink.config.LinkConfig
import arqlink.lib.{BlockRam, Invariant, TableClear}

object FrameState {
  def empty: Bits = B"00"
  def complete: Bits = B"01"

  /** On its way out, out of sequence. */
  def taken: Bits = B"10"

  /** Never to be complete. */
  def dead: Bits = B"11"
}

/** The state of each frame in the window, in block RAM with one write port: what the receiver has decided goes first, then what the walk claims,
  * then what is freed. Reads take `FrameStates.latency` clocks.
  */
class FrameStates(link: LinkConfig) extends Area {
  private val slotBits = link.window.slotBits
  private def Slot = UInt(slotBits bits)

  // What a read in the clock of a write to the same slot shows is not used.
  private val ram = BlockRam(Bits(2 bits), link.window.windowFrames)

  val clear = new TableClear(slotBits)

  /** Becomes complete, or dead. */
  val decided = Flow(Slot)
  val isDead = Bool()

  /** Is claimed; is freed. */
  val take, free = Stream(Slot)
  take.ready := !decided.valid && clear.done
  free.ready := take.ready && !take.valid
  Invariant.when(decided.valid)(clear.done, "a frame is decided, and the table is being cleared")

  private val write = new Area {
    private val slot = decided.valid ? decided.payload | (take.valid ? take.payload | free.payload)
    private val state = decided.valid ? (isDead ? FrameState.dead | FrameState.complete) | (take.valid ? FrameState.taken | FrameState.empty)

    // Written a clock later, as the choice is late.
    val now = RegNext(!clear.done || decided.valid || take.valid || free.valid) init False
    val place = RegNext(clear.done ? slot | clear.address)
    ram.write(place, RegNext(clear.done ? state | FrameState.empty), now)
    val before = RegNext(now) init False
    val placeBefore = RegNext(place)
  }

  /** The array and its output register. */
  def read(slot: UInt): Bits = RegNext(ram.readSync(slot))

  /** With what was read of `slot`: the read met a write, or came in the clock before one. Then what it shows may be old. */
  def isMet(slot: UInt): Bool = {
    val asked = RegNext(slot)
    RegNext(write.now && write.place === asked || write.before && write.placeBefore === asked) init False
  }
}

object FrameStates {

  /** From a slot to its state. */
  val latency = 2
}
