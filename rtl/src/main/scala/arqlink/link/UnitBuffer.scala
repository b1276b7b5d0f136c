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

/** Holds units until they have been judged and taken: four slots, of which one is always being filled.
  *
  * A unit that is accepted while the other three are taken is dropped. With an output that is always ready this does
  * not happen, as a unit has more beats on the wire than here.
  */
case class UnitBuffer(code: CodeConfig) extends Component {
  private val slotBits = 2

  val io = new Bundle {
    val payload = slave(Flow(PayloadBeat(code)))
    val header = slave(Flow(RawHeader()))
    val accept = in(Bool())
    val output = master(Stream(BufferedBeat(code)))
    val overflow = out(Bool())
  }

  val data = Mem(Bits(code.dataBits bits), 1 << (slotBits + code.unitBeatBits))
  val headers = Mem(Bits(RawHeader().bytes.getWidth bits), 1 << slotBits)
  data.addAttribute("no_rw_check")

  val writer = new Area {
    val slot = Reg(UInt(slotBits bits)) init 0
    val freed = Reg(UInt(slotBits bits)) init 0
    val control = Vec.fill(1 << slotBits)(Reg(Bool()))
    val full = slot + 1 === freed

    data.write(slot @@ io.payload.beat, io.payload.data, io.payload.valid)
    headers.write(slot, io.header.bytes, io.header.valid)
    when(io.header.valid) { control(slot) := io.header.control }
    when(io.accept && !full) { slot := slot + 1 }
    io.overflow := io.accept && full
  }

  case class Position() extends Bundle {
    val slot = UInt(slotBits bits)
    val control = Bool()
    val first = Bool()
    val last = Bool()
  }

  case class StagedBeat() extends Bundle {
    val control = Bool()
    val last = Bool()
    val data = Bits(code.dataBits bits)
  }

  // Two clocks in the memory: array, then output register. A slot is free once all of it is in the output register.
  val reader = new Area {
    val slot = Reg(UInt(slotBits bits)) init 0
    val beat = Reg(UInt(code.unitBeatBits bits)) init 0

    val address = Stream(Position())
    address.valid := slot =/= writer.slot
    address.slot := slot
    address.control := writer.control(slot)
    address.first := beat === 0
    address.last := address.control || beat === code.unitBeats - 1
    when(address.fire) {
      beat := beat + 1
      when(address.last) {
        beat := 0
        slot := slot + 1
      }
    }

    val array = address.m2sPipe()
    val arrayData = data.readSync(address.slot @@ beat, address.fire)

    val staged = Stream(StagedBeat())
    staged.arbitrationFrom(array)
    staged.control := array.control
    staged.data := arrayData
    staged.last := array.last
    when(array.fire && array.last) { writer.freed := writer.freed + 1 }

    val output = staged.m2sPipe()
    io.output.arbitrationFrom(output)
    io.output.data := output.data
    io.output.last := output.last
    io.output.header.control := output.control
    io.output.header.bytes := RegNextWhen(headers.readAsync(array.slot), array.fire && array.first)
  }
}
