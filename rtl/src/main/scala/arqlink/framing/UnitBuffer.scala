// SPDX-License-Identifier: Apache-2.0
package arqlink.framing

import spinal.core._
import spinal.lib._

import arqlink.config.CodeConfig
import arqlink.lib.{BeatCounter, BlockRam, Invariant}
import arqlink.lib.queue.ReadQueue
import arqlink.wire.UnitFormat

/** A beat of a data unit, or a whole control unit (`header.control`, one beat); the header is constant over a unit. */
case class BufferedBeat(code: CodeConfig) extends Bundle {
  val header = RawHeader()
  val data = Bits(code.dataBits bits)
  val last = Bool()
}

/** Holds units until they have been judged and have left.
  *
  * Headers wait in a queue of `entries`, of which one is always being filled, and the payload of data units in eight slots, of
  * which one is always being filled. A unit that is accepted when there is no room is dropped. With an output that takes a
  * data unit in unitBeats + 1 clocks, and a control unit in two, this does not happen: no unit is shorter on the PHY.
  *
  * Both are block RAMs that are read in two clocks, array and output register. The header at the output says
  * what it is: a control unit, or the next data unit's beats.
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

  // What is read of an entry or a slot that is still being written is not used.
  val data = BlockRam(Bits(code.dataBits bits), 1 << (slotBits + code.unitBeatBits))
  val headers = BlockRam(RawHeader(), 1 << entryBits)

  val writer = new Area {
    val entry = Reg(UInt(entryBits bits)) init 0
    val slot = Reg(UInt(slotBits bits)) init 0
    val readEntry = UInt(entryBits bits)
    val readSlot = UInt(slotBits bits)

    /** Of the unit that `accept` is about. */
    val isControl = RegNextWhen(io.header.control, io.header.valid)
    // A clock late; units end two clocks apart or more.
    val full = RegNext(entry + 1 === readEntry) || (!isControl && RegNext(slot + 1 === readSlot))

    data.write(slot @@ io.payload.address, io.payload.data, io.payload.valid)
    headers.write(entry, io.header.payload, io.header.valid)
    when(io.accept && !full) {
      entry := entry + 1
      when(!isControl) { slot := slot + 1 }
    }
    io.overflow := io.accept && full
    Invariant
      .when(io.accept && !full)(entry + 1 =/= readEntry && (isControl || slot + 1 =/= readSlot), "a unit is accepted, and there is no room for the next one")
  }

  // A header passes three registers:
  //   1. the array's latch and 2. the output register of the block RAM, which move together when the output register is empty (`moves`);
  //   3. `current`, at the output, which is loaded from the output register when it is empty (`loads`).
  // So a header comes every second clock, and no enable depends on the output's `ready`.
  val header = new Area {
    val entry = Reg(UInt(entryBits bits)) init 0
    writer.readEntry := entry
    val arrayFull, full = RegInit(False)

    /** The output register is empty. */
    val moves = RegInit(True)
    val here = entry =/= writer.entry
    private val read = RegNextWhen(headers.readSync(entry, moves), moves)
    when(moves) {
      arrayFull := here
      moves := !arrayFull
      when(here)(entry := entry + 1)
    }
    val leaves = Bool()
    val loads = !moves && !full
    when(loads)(moves := True)
    full := loads || full && !leaves
    val current = RegNextWhen(read, loads)
  }

  // A slot is free once its last beat is being read.
  val reader = new Area {
    val slot = Reg(UInt(slotBits bits)) init 0
    val beat = new BeatCounter(code.unitBeats)
    writer.readSlot := slot

    val queue = new ReadQueue(Fragment(Bits(code.dataBits bits)))
    val waits = slot =/= writer.slot
    val issue = waits && queue.io.room
    when(issue) {
      beat.step()
      when(beat.last)(slot := slot + 1)
    }
    queue.io.issue := issue
    queue.io.word.fragment := RegNext(data.readSync(slot @@ beat.address, waits))
    queue.io.word.last := Delay(beat.last, 2)
  }

  val beat = reader.queue.io.pop.s2mPipe()
  io.output.valid := header.full && (header.current.control || beat.valid)
  io.output.header := header.current
  io.output.data := beat.fragment
  io.output.last := header.current.control || beat.last
  beat.ready := header.full && !header.current.control && io.output.ready
  header.leaves := io.output.fire && io.output.last
}
