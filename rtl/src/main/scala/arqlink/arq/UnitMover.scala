// SPDX-License-Identifier: Apache-2.0
package arqlink.arq

import spinal.core._
import spinal.lib._

import arqlink.config.LinkConfig
import arqlink.lib.Invariant
import arqlink.store.StoreWrite

/** What becomes of a data unit's beats: they are written behind those that the slot of their frame has, or dropped. */
case class UnitOrder(link: LinkConfig) extends Bundle {
  val slot = UInt(link.window.slotBits bits)

  /** The first one of its transmission; written; with it the frame is complete. */
  val begins, writes, completes = Bool()
}

/** Copies the beats of data units to the frame store, or drops them: a beat a clock, and a clock between two units.
  *
  * It outlives a restart, as the beats do: units that the receiver has forgotten are dropped before the next order.
  */
class UnitMover(link: LinkConfig) extends Component {
  val io = new Bundle {

    /** The receiver is being emptied. */
    val flush = in Bool ()

    /** Pulse: the receiver takes the header of a unit, for which there is an order later. */
    val taken = in Bool ()
    val order = slave Stream UnitOrder(link)
    val payload = slave Stream Fragment(Bits(link.code.dataBits bits))
    val write = master Stream StoreWrite(link)

    /** Pulses: the last beat of a frame leaves; a unit is dropped that the receiver had forgotten. */
    val completes, drops = out Bool ()
  }
  val isIdle = RegInit(True)
  val order = Reg(UnitOrder(link))
  val beat = Reg(UInt(link.code.slotBeatBits bits))

  /** Units without an order: the receiver has their headers, or had them before a restart. */
  val held, forgotten = Reg(UInt(4 bits)) init 0
  private val drops = isIdle && forgotten =/= 0

  // Counted a clock later: an order comes later than that after its header.
  private val (taken, flushed) = (RegNext(io.taken) init False, RegNext(io.flush) init False)

  /** A register, as whole stages wait for it. What it lets through in the first clock of a flush is forgotten too. */
  private val isFree = RegNext(isIdle.getAheadValue() && forgotten === 0 && !io.flush && !flushed) init False
  private val begins = io.order.valid && isFree && !io.flush
  io.order.ready := isFree
  held := flushed ? U(0) | held + taken.asUInt - begins.asUInt
  forgotten := forgotten - drops.asUInt + (flushed ? (held + taken.asUInt) | U(0))
  Invariant(!(held +^ forgotten).msb, "the receiver has more headers than there are units")

  when(isIdle)(order := io.order.payload)
  when(drops || io.flush) {
    order.writes := False
    order.completes := False
  }
  when(begins && io.order.begins)(beat := 0)
  io.write.valid := !isIdle && order.writes && io.payload.valid
  io.write.slot := order.slot
  io.write.beat := beat
  io.write.data := io.payload.fragment
  io.payload.ready := !isIdle && (io.write.ready || !order.writes)
  when(io.write.fire)(beat := beat + 1)
  private val isDone = io.payload.fire && io.payload.last
  isIdle clearWhen (drops || begins) setWhen isDone
  io.completes := isDone && order.completes
  io.drops := RegNext(drops) init False
}
