// SPDX-License-Identifier: Apache-2.0
package arqlink.arq

import spinal.core._
import spinal.lib._

import arqlink.config.LinkConfig
import arqlink.store.StoreWrite
import arqlink.wire.{UnitBeat, Wire}

/** What becomes of a data unit's beats: they are written behind those that the slot of their frame has, or dropped. */
case class UnitOrder(link: LinkConfig) extends Bundle {
  val unit = UInt(Wire.slotBits bits)
  val frame = UInt(link.window.slotBits bits)

  /** The first one of its transmission; written; with it the frame is complete. */
  val begins, writes, completes = Bool()
}

/** Copies the beats of data units to the frame store, or drops them: a beat a clock, and a clock between two units. */
class UnitMover(link: LinkConfig) extends Component {
  val io = new Bundle {
    val order = slave Stream UnitOrder(link)
    val payload = slave Stream Fragment(UnitBeat(link.code))
    val write = master Stream StoreWrite(link)

    /** Pulse: the last beat of a frame leaves. */
    val completes = out Bool ()
  }
  val isIdle = RegInit(True)
  val order = RegNextWhen(io.order.payload, isIdle)
  val beat = Reg(UInt(link.code.slotBeatBits bits))
  io.order.ready := isIdle
  when(io.order.fire) {
    isIdle := False
    when(io.order.begins)(beat := 0)
  }

  // What a restart has left of other units goes before.
  private val beats = io.payload.throwWhen(!isIdle && io.payload.slot =/= order.unit)
  io.write.valid := !isIdle && order.writes && beats.valid
  io.write.slot := order.frame
  io.write.beat := beat
  io.write.data := beats.data
  beats.ready := !isIdle && (io.write.ready || !order.writes)
  when(io.write.fire)(beat := beat + 1)
  private val isDone = beats.fire && beats.last
  isIdle setWhen isDone
  io.completes := isDone && order.completes
}
