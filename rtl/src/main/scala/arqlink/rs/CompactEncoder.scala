// SPDX-License-Identifier: Apache-2.0
package arqlink.rs

import spinal.core._
import spinal.lib._

import arqlink.config.CodeConfig
import arqlink.lib.{BlockRam, Invariant}

/** [[RsEncoder]] for area: one frame at a time, and a few clocks between two frames.
  *
  * A data beat leaves a clock after it has come, and its products are added to the sums at its position, which are in block RAM.
  * Parity units are these sums.
  */
class CompactEncoder(code: CodeConfig) extends ErasureCodec[EncodeJob] {
  val io = CodecPort(EncodeJob(code), code)
  Invariant.when(io.job.valid)(io.job.isSound, "a frame's K and N are not possible")

  /** A beat on its way to the output. */
  case class Step() extends Bundle {
    val data = Bits(code.dataBits bits)
    val beat = UInt(code.unitBeatBits bits)
    val parity = Bool()
    val lane = UInt(Lanes.bits(code) bits)

    /** Of the frame's first unit. */
    val first = Bool()
    val last = Bool()
  }
  private val laneBits = code.maxParity * code.dataBits

  val table = new EncodeCoefficients(code)
  table.io.preset := io.job.preset
  table.io.k := io.job.k

  val frame = new Area {
    val active = RegInit(False)
    val address = Reg(UInt(table.io.address.getWidth bits))
    val dataLeft = Reg(UInt(code.kBits bits))
    val parityLeft = Reg(UInt(log2Up(code.maxParity + 1) bits))
    val beat = Reg(UInt(code.unitBeatBits bits))
    val lane = Reg(UInt(Lanes.bits(code) bits))
    val first = Reg(Bool())
    table.io.address := address

    /** The coefficients of the unit to come are there three clocks after their address. */
    val ready = History(active, 0 to 3, init = False).reduce(_ && _)
    val isParity = dataLeft === 0
    val endsUnit = beat === code.unitBeats - 1
  }

  val step = Stream(Step())
  step.valid := frame.ready && (frame.isParity || io.input.valid)
  step.data := io.input.fragment
  step.beat := frame.beat
  step.parity := frame.isParity
  step.lane := frame.lane
  step.first := frame.first
  step.last := frame.endsUnit
  io.input.ready := frame.ready && !frame.isParity && step.ready
  io.job.ready := !frame.active

  private val coefficients = RegNextWhen(table.io.coefficients.asBits, step.fire && frame.beat === 0)
  when(step.fire) {
    import frame._
    beat := beat + 1
    when(beat === 0)(address := address + 1)
    when(endsUnit) {
      beat := 0
      first := False
      when(isParity) {
        lane := lane + 1
        parityLeft := parityLeft - 1
      } otherwise (dataLeft := dataLeft - 1)
      active clearWhen (isParity ? (parityLeft === 1) | (dataLeft === 1 && parityLeft === 0))
    }
  }
  when(io.job.fire) {
    import frame._
    active := True
    address := table.io.offset + table.io.row
    dataLeft := io.job.k
    parityLeft := (io.job.n - io.job.k.resized).resized
    beat := 0
    lane := 0
    first := True
  }

  val held = step.m2sPipe()
  val sums = BlockRam(Bits(laneBits bits), 1 << code.unitBeatBits) // a position comes again after a unit
  private val before = sums.readSync(frame.beat, step.ready)
  private val products = LaneProducts.ofBeat(held.data, coefficients)
  sums.write(held.beat, (held.first ? B(0, laneBits bits) | before) ^ products, held.fire && !held.parity)
  io.output.arbitrationFrom(held)
  io.output.fragment := held.parity ? Lanes.beatOf(code, before, held.lane) | held.data
  io.output.last := held.last
}
