// SPDX-License-Identifier: Apache-2.0
package arqlink.phy

import spinal.core._
import spinal.lib._

import arqlink.axi.PhyBeat
import arqlink.lib.{BlockRam, Invariant}
import arqlink.lib.queue.ReadQueue

/** Units to the bytes of a line: COBS, a delimiter behind each unit, and one ahead of a unit that follows a pause.
  *
  * While units wait, a byte leaves in each clock in which the line is ready. A unit leaves as a whole and without a pause: within it `line.valid` does not
  * fall. While it is low, `line.payload` is the delimiter. A unit of more than `maxUnitBytes`, or with `erased`, is taken and not sent.
  *
  * @param maxUnitBytes longest unit, in bytes
  */
case class CobsEncoder(maxUnitBytes: Int) extends Component {
  require(maxUnitBytes >= 1, s"maxUnitBytes is $maxUnitBytes; a unit has a byte or more")

  /** The writer stops while no more places than these are free, as it learns two clocks late how many there are. */
  private val margin = 8

  /** The longest unit fits beside what is on its way out, so that the line need not wait for it. */
  private val ringBits = log2Up(Cobs.wireBytes(maxUnitBytes) + 2 * margin)

  val io = new Bundle {
    val unit = slave(Stream(PhyBeat(1)))
    val line = master(Stream(Bits(8 bits)))

    /** A unit has been taken that is not sent. */
    val dropped = out(Bool())
  }

  val ring = BlockRam(Bits(8 bits), 1 << ringBits)
  val readAt = Reg(UInt(ringBits bits)) init 0

  // One byte of the line is written in each step: a byte of the unit behind those before, or a code in the place that has been left for it. The zero that
  // ends a piece is not sent, so its clock is that of the code; a full piece, the unit's end and the delimiter have a clock of their own.
  val writer = new Area {
    val input = io.unit.m2sPipe()
    private val isZero = input.data === 0

    val begin = Reg(UInt(ringBits bits)) init 0 // of the unit
    val codeAt = Reg(UInt(ringBits bits)) init 0
    val writeAt = Reg(UInt(ringBits bits)) init 1

    /** Length of the piece so far, with its code. */
    val code = Reg(UInt(8 bits)) init 1
    val length = Reg(UInt(log2Up(maxUnitBytes + 1) bits)) init 0
    val spoiled = RegInit(False)

    /** What is to be written before the next byte is taken: the code of the piece, the delimiter. */
    val closing, ending = RegInit(False)
    val closesUnit = Reg(Bool())

    /** Places that are not free, in margins. */
    val used = RegNext((writeAt - readAt).dropLow(log2Up(margin))) init 0
    val room = RegNext(!used.andR) init True

    private val taking = !closing && !ending
    input.ready := room && taking
    private val isBad = spoiled || input.erased || length === maxUnitBytes
    private val fills = input.fire && !isBad
    private val steps = fills || (room && !taking)
    private val endsPiece = !taking || isZero

    private val delimiter = B(Cobs.delimiter, 8 bits)
    val word = Flow(MemWriteCmd(ring))
    word.valid := steps
    word.address := endsPiece ? codeAt | writeAt
    word.data := taking ? (isZero ? code.asBits | input.data) | (closing ? code.asBits | delimiter)
    ring.writePort() << word.stage()

    Invariant.when(steps)(writeAt =/= readAt, "the ring is full")
    when(steps) {
      writeAt := writeAt + 1
      code := code + 1
      when(endsPiece) {
        codeAt := writeAt
        code := 1
      }
    }
    when(input.fire) {
      length := length + 1
      spoiled := isBad
      when(input.last) {
        length := 0
        spoiled := False
      }
    }
    when(fills) {
      closing := input.last || (!isZero && code === Cobs.fullPiece)
      closesUnit := input.last
    }
    when(room && closing) {
      closing := False
      ending := closesUnit
    }
    when(room && ending) {
      ending := False
      begin := writeAt
    }

    private val drops = input.fire && input.last && isBad
    when(drops) {
      codeAt := begin
      writeAt := begin + 1
      code := 1
    }
    io.dropped := RegNext(drops) init False

    /** Ahead of it are whole units, and they have been written. */
    val edge = RegNext(begin) init 0
  }

  val reader = new Area {
    val queue = new ReadQueue(Bits(8 bits))
    val waits = readAt =/= writer.edge
    val issue = waits && queue.io.room
    when(issue)(readAt := readAt + 1)
    queue.io.issue := issue
    queue.io.word := RegNext(ring.readSync(readAt, waits))

    private val inside = RegNextWhen(queue.io.pop.payload =/= Cobs.delimiter, queue.io.pop.fire) init False
    Invariant.when(inside)(queue.io.pop.valid, "a unit pauses")
  }

  // A delimiter instead of nothing, and once more ahead of the unit behind.
  val output = new Area {
    private val source = reader.queue.io.pop
    val bytes = Stream(Bits(8 bits))
    val rested = RegNextWhen(!source.valid, bytes.ready) init True
    bytes.valid := source.valid
    bytes.payload := (source.valid && !rested) ? source.payload | B(Cobs.delimiter, 8 bits)
    source.ready := bytes.ready && !rested
    io.line << bytes.m2sPipe(initPayload = B(Cobs.delimiter, 8 bits))
  }
}
