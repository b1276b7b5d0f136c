// SPDX-License-Identifier: Apache-2.0
package arqlink.link

import spinal.core._
import spinal.lib._

import arqlink._

/** A beat of a data unit, or a whole control unit (`header.control`, one beat); the header is constant over a unit. */
case class BufferedBeat(code: CodeConfig) extends Bundle {
  val header = RawHeader()
  val data = Bits(code.dataBits bits)
  val last = Bool()
}

/** Holds units until they have been judged and taken.
  *
  * Headers wait in a queue of `entries`, of which one is always being filled, and the payload of data units in eight slots, of
  * which one is always being filled. A unit that is accepted when there is no room is dropped. With an output that takes a
  * data unit in unitBeats + 1 clocks, and a control unit in two, this does not happen: no unit is shorter on the PHY.
  */
case class UnitBuffer(code: CodeConfig) extends Component {
  private val slotBits = 3
  private val shortestUnit = UnitFormat.controlBeats(code.dataBytes) min UnitFormat.dataBeats(code)
  private val entryBits = log2Up((code.unitBeats + 3) / shortestUnit + 8)

  val io = new Bundle {
    val payload = slave(Flow(PayloadBeat(code)))
    val header = slave(Flow(RawHeader()))
    val accept = in(Bool())
    val output = master(Stream(BufferedBeat(code)))
    val overflow = out(Bool())
  }

  val data = Mem(Bits(code.dataBits bits), 1 << (slotBits + code.unitBeatBits))
  val headers = Mem(Bits(RawHeader().bytes.getWidth bits), 1 << entryBits)
  data.addAttribute("no_rw_check")
  headers.addAttribute("no_rw_check")

  val writer = new Area {
    val entry, freedEntry = Reg(UInt(entryBits bits)) init 0
    val slot, freedSlot = Reg(UInt(slotBits bits)) init 0
    val control = Vec.fill(1 << entryBits)(Reg(Bool()))

    /** Of the unit that `accept` is about. */
    val isControl = RegNextWhen(io.header.control, io.header.valid)
    val full = entry + 1 === freedEntry || (!isControl && slot + 1 === freedSlot)

    data.write(slot @@ io.payload.beat, io.payload.data, io.payload.valid)
    headers.write(entry, io.header.bytes, io.header.valid)
    when(io.header.valid) { control(entry) := io.header.control }
    when(io.accept && !full) {
      entry := entry + 1
      when(!isControl) { slot := slot + 1 }
    }
    io.overflow := io.accept && full
  }

  /** A beat on its way through the memory. */
  case class Step() extends Bundle {
    val control = Bool()
    val first = Bool()
    val last = Bool()
  }

  case class StagedBeat() extends Bundle {
    val control = Bool()
    val last = Bool()
    val data = Bits(code.dataBits bits)
  }

  // Two clocks in the memory: array, then output register. Entry and slot are free once all of the unit is in the latter.
  val reader = new Area {
    val entry = Reg(UInt(entryBits bits)) init 0
    val slot = Reg(UInt(slotBits bits)) init 0
    val beat = Reg(UInt(code.unitBeatBits bits)) init 0

    val address = Stream(Step())
    address.valid := entry =/= writer.entry
    address.control := writer.control(entry)
    address.first := beat === 0
    address.last := address.control || beat === code.unitBeats - 1
    when(address.fire) {
      beat := beat + 1
      when(address.last) {
        beat := 0
        entry := entry + 1
        when(!address.control) { slot := slot + 1 }
      }
    }

    val array = address.m2sPipe()
    val arrayData = data.readSync(slot @@ beat, address.fire)
    val arrayHeader = headers.readSync(entry, address.ready) // stands while its unit waits in `array`
    when(array.fire && array.last) {
      writer.freedEntry := writer.freedEntry + 1
      when(!array.control) { writer.freedSlot := writer.freedSlot + 1 }
    }

    val staged = Stream(StagedBeat())
    staged.arbitrationFrom(array)
    staged.control := array.control
    staged.data := arrayData
    staged.last := array.last

    val output = staged.m2sPipe()
    io.output.arbitrationFrom(output)
    io.output.data := output.data
    io.output.last := output.last
    io.output.header.control := output.control
    io.output.header.bytes := RegNextWhen(arrayHeader, array.fire && array.first)
  }
}
