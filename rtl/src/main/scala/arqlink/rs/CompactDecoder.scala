// SPDX-License-Identifier: Apache-2.0
package arqlink.rs

import spinal.core._
import spinal.lib._

import arqlink.config.CodeConfig
import arqlink.lib.{BlockRam, Invariant}

/** [[RsDecoder]] for area: one frame at a time. A frame of which no data unit is missing passes through; any other one is taken in
  * whole, with the sums for its missing units, and then given.
  */
class CompactDecoder(code: CodeConfig) extends ErasureCodec[DecodeJob] {
  val io = CodecPort(DecodeJob(code), code)
  Invariant.when(io.job.valid)(io.job.isExact, "a frame has other than K units")
  Invariant.when(io.job.valid)(io.job.preset =/= 3, "a frame's coefficients are in no table")

  /** A beat that comes in or leaves. */
  case class Step() extends Bundle {
    val data = Bits(code.dataBits bits)
    val beat = UInt(code.unitBeatBits bits)
    val adds, gives, stored, recovered = Bool()
    val lane = UInt(Lanes.bits(code) bits)

    /** Of the frame's first unit. */
    val first = Bool()
    val last = Bool()
  }
  private val laneBits = code.maxParity * code.dataBits
  private val table = new DecodeTable(code)
  private val unitBits = log2Up(code.maxK) max 1

  val frame = new Area {
    val active = RegInit(False)
    val preset = Reg(UInt(2 bits))
    val received = Reg(Bits(code.maxN bits))
    val k = Reg(UInt(code.kBits bits))
    val units = Reg(UInt(code.kBits bits))
    val repair = Reg(Bool())

    /** All units have been taken in. */
    val giving = Reg(Bool())

    /** Unit of the received ones, in the order they came in. */
    val unit = Reg(UInt(unitBits bits))
    val beat = Reg(UInt(code.unitBeatBits bits))
    val lane = Reg(UInt(Lanes.bits(code) bits))
    val ready = History(active, 0 to 3, init = False).reduce(_ && _)
    val endsUnit = beat === code.unitBeats - 1
    table.io.preset := preset
    table.io.received := received

    /** Unit whose coefficients are next: those of a frame's first one are there three clocks after its job. */
    val next = Reg(UInt(unitBits bits))
    table.io.unit := next

    /** The unit to be given is one that came: bit 0 of what is left of the mask. */
    val given = Reg(Bits(code.maxK bits))
    val isHere = given.lsb
  }
  import frame._

  val step = Stream(Step())
  step.valid := ready && (giving || io.input.valid)
  step.data := io.input.fragment
  step.beat := beat
  step.adds := repair && !giving
  step.gives := giving || !repair
  step.stored := giving && isHere
  step.recovered := giving && !isHere
  step.lane := lane
  step.first := unit === 0
  step.last := endsUnit
  io.input.ready := ready && !giving && step.ready
  io.job.ready := !active

  private val coefficients = RegNextWhen(table.io.coefficients, step.fire && beat === 0)
  private val ends = units === 1
  when(step.fire) {
    beat := beat + 1
    when(beat === 0)(next := next + 1)
    when(endsUnit) {
      beat := 0
      units := units - 1
      when(giving) {
        given := given |>> 1
        when(isHere)(unit := unit + 1) otherwise (lane := lane + 1)
      } otherwise (unit := unit + 1)
      when(ends) {
        unit := 0
        units := k
        giving := True
        active clearWhen (giving || !repair)
      }
    }
  }
  when(io.job.fire) {
    active := True
    preset := io.job.preset
    received := io.job.received
    given := io.job.received.resized
    k := io.job.k
    units := io.job.k
    // With all data units there, the mask ends in k ones.
    repair := !Vec((0 until 1 << code.kBits).map(n => io.job.received.resize(n min code.maxK).andR))(io.job.k)
    giving := False
    unit := 0
    next := 0
    beat := 0
    lane := 0
  }

  val held = step.m2sPipe()
  // A position comes again after a unit.
  val store = BlockRam(Bits(code.dataBits bits), 1 << (unitBits + code.unitBeatBits))
  val sums = BlockRam(Bits(laneBits bits), 1 << code.unitBeatBits)
  store.write(unit @@ beat, io.input.fragment, io.input.fire)
  private val kept = store.readSync(unit @@ beat, step.ready)
  private val before = sums.readSync(beat, step.ready)
  private val products = LaneProducts.ofBeat(held.data, coefficients)
  sums.write(held.beat, (held.first ? B(0, laneBits bits) | before) ^ products, held.valid && held.adds)

  io.output.valid := held.valid && held.gives
  held.ready := !held.gives || io.output.ready
  io.output.fragment := held.data
  when(held.stored)(io.output.fragment := kept)
  when(held.recovered)(io.output.fragment := Lanes.beatOf(code, before, held.lane))
  io.output.last := held.last
}
