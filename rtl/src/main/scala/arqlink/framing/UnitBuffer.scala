// SPDX-License-Identifier: Apache-2.0
package arqlink.framing

import spinal.core._
import spinal.lib._

import arqlink.config.CodeConfig
import arqlink.lib.{BeatCounter, BlockRam, Invariant}
import arqlink.lib.queue.ReadQueue

/** Holds units until they have been judged and have left: a stream of headers in the order of arrival, and one of the beats of data units.
  *
  * Headers wait in a queue of eight entries and the payload of data units in eight slots; one of each is always being filled. A unit that is accepted when
  * there is no room is dropped. With a user that takes a header in no more clocks than the shortest unit has beats, and the payload of a unit in
  * unitBeats + 1 clocks, this does not happen.
  *
  * Both are block RAMs that are read in two clocks, array and output register.
  */
case class UnitBuffer(code: CodeConfig) extends Component {
  private val entryBits = 3
  private val slotBits = 3

  val io = new Bundle {
    val payload = slave(Flow(PayloadBeat(code)))
    val header = slave(Flow(RawHeader()))
    val accept = in(Bool())

    /** A header comes every second clock. */
    val unit = master(Stream(RawHeader()))

    /** Payload of the data units; it is there when the header has been taken. */
    val data = master(Stream(Fragment(Bits(code.dataBits bits))))
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

  // The array's latch and the output register of the block RAM move together when the output register is empty (`moves`). So no enable depends
  // on the output's `ready`.
  val header = new Area {
    val entry = Reg(UInt(entryBits bits)) init 0
    writer.readEntry := entry
    val arrayFull = RegInit(False)
    val moves = RegInit(True)
    val here = entry =/= writer.entry
    io.unit.payload := RegNextWhen(headers.readSync(entry, moves), moves)
    io.unit.valid := !moves
    when(moves) {
      arrayFull := here
      moves := !arrayFull
      when(here)(entry := entry + 1)
    }
    when(io.unit.fire)(moves := True)
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
    queue.io.pop >> io.data
  }
}
