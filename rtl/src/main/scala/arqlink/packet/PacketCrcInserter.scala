// SPDX-License-Identifier: Apache-2.0
package arqlink.packet

import spinal.core._
import spinal.lib._

import arqlink.lib.{Crc32c, Invariant}

/** Puts the CRC-32C of each packet that is to be stored behind its last byte. Other packets pass unchanged.
  *
  * It sits within the segmenter, behind the judgement: what is counted is what the user gave. `total` and the flags of a packet's last beat go with
  * the beats that are added, one at most from four bytes a beat on.
  */
case class PacketCrcInserter(dataBytes: Int) extends Component {
  val io = new Bundle {
    val input = slave(Stream(CheckedBeat(dataBytes)))
    val output = master(Stream(CheckedBeat(dataBytes)))
  }
  noIoPrefix()
  private val byteBits = log2Up(dataBytes)

  /** All stages move together, or none does. */
  val moves = Bool()
  io.input.ready := moves

  private val entering = Flow(CrcBeat(dataBytes))
  entering.valid := io.input.valid
  entering.data := io.input.beat.data
  entering.last := io.input.beat.last
  val crc = new PacketCrc(dataBytes, entering, moves)

  private def stage[T <: Data](x: T): T = RegNextWhen(x, moves)
  private def stage(x: Bool): Bool = RegNextWhen(x, moves, init = False)

  /** A beat and the CRC's state behind it. */
  case class Sum() extends Bundle {
    val of = CheckedBeat(dataBytes)
    val state = Bits(32 bits)
  }
  private val summed = Sum()
  summed.of := stage(stage(stage(io.input.payload)))
  summed.state := stage(Crc32c.state(crc.value, 8 * dataBytes))

  // The zeros behind the packet's last byte are taken back: eight of them, four, two and one, a clock each.
  val (valid, sum) = (0 until byteBits).reverse.foldLeft((stage(crc.valid), summed)) { case ((valid, sum), bit) =>
    val next = Sum()
    val zeros = (U(dataBytes) - sum.of.beat.bytes).resize(byteBits)
    next.of := sum.of
    next.state := zeros(bit) ? Crc32c.before(sum.state, 8 << bit) | sum.state
    (stage(valid), stage(next))
  }

  val filled = Stream(CheckedBeat(dataBytes))
  val rest = new Area {

    /** Bytes of the CRC that have not left, at the bottom of `bytes`, and what goes with them. */
    val pending = RegInit(False)
    val left = Reg(UInt(3 bits))
    val bytes = Reg(Bits(32 bits))
    val of = Reg(CheckedBeat(dataBytes))

    private val adds = sum.of.beat.last && sum.of.store
    private val placed = Crc32c.sent(sum.state).resize(8 * (dataBytes + 4)) |<< (sum.of.beat.bytes @@ U(0, 3 bits))
    private val end = sum.of.beat.bytes +^ U(4, 3 bits)
    private val fits = end <= dataBytes
    private val isEnd = if (dataBytes < 4) left <= dataBytes else True

    Invariant.when(pending)(left =/= 0 && left <= 4, "a packet's CRC has left, and more of it is to come")
    filled.valid := pending || valid
    filled.payload := pending ? of | sum.of
    when(pending) {
      filled.beat.data := bytes.resize(8 * dataBytes)
      filled.beat.bytes := isEnd ? left.resize(byteBits + 1) | U(dataBytes, byteBits + 1 bits)
      filled.beat.last := isEnd
    } elsewhen (adds) {
      filled.beat.data := sum.of.beat.data | placed.resize(8 * dataBytes)
      filled.beat.bytes := fits ? end.resize(byteBits + 1) | U(dataBytes, byteBits + 1 bits)
      filled.beat.last := fits
    }
    when(filled.fire) {
      when(pending) {
        pending := !isEnd
        left := (left - dataBytes).resized
        bytes := (bytes >> (8 * dataBytes min 32)).resized
      } otherwise {
        pending := valid && adds && !fits
        left := (end - dataBytes).resized
        bytes := placed.takeHigh(32)
        of := sum.of
      }
    }
  }
  moves := !valid || (filled.ready && !rest.pending)
  private val leaving = filled.s2mPipe().m2sPipe()
  io.output.arbitrationFrom(leaving)
  io.output.payload := leaving.payload
  when(!leaving.valid)(io.output.store := False)
}
