// SPDX-License-Identifier: Apache-2.0
package arqlink.channel

import spinal.core._
import spinal.lib._

import arqlink.axi.PhyBeat
import arqlink.lib.{Invariant, Xorshift128}
import arqlink.wire.Wire

/** How units are erased; see "Registers" in docs/channel_emulator.md. Probabilities are multiples of 2^-32. */
case class ErasureSetting() extends Bundle {
  val enable = Bool()
  val outage = Bool()
  val gilbertElliott = Bool()
  val spareControl = Bool()
  val mode = UInt(2 bits)
  val good = UInt(32 bits)
  val bad = UInt(32 bits)
  val goodToBad = UInt(32 bits)
  val badToGood = UInt(32 bits)
  val pace = UInt(32 bits)
}

/** Pulses in the clock of a unit's first beat. */
case class ErasureEvents() extends Bundle {
  val unit = Bool()
  val control = Bool()
  val erased = Bool()
}

/** Beat within the channel; `first`: of its unit. */
case class ChannelBeat(dataBytes: Int) extends Bundle {
  val beat = PhyBeat(dataBytes)
  val first = Bool()
}

/** Erases units: decides once per unit, at its first beat, with random numbers that belong to this unit alone.
  *
  * The Gilbert-Elliott state (good after reset and after seeding) decides about the unit and then moves on by one step.
  * Control units, spared or not, move it too. A beat leaves one clock after it came.
  */
class Eraser(config: ChannelConfig) extends Component {
  val io = new Bundle {
    val setting = in(ErasureSetting())
    val seed = slave(Flow(Bits(32 bits)))
    val input = slave(Stream(PhyBeat(config.dataBytes)))

    /** Erases the unit whose first beat is accepted in this clock, where a random number might. */
    val erase = in Bool ()
    val output = master(Flow(ChannelBeat(config.dataBytes)))
    val events = out(ErasureEvents())
  }
  import io.setting

  private val first = RegNextWhen(io.input.last, io.input.fire) init True
  private val starts = io.input.fire && first

  private val random = new Xorshift128(3, config.seed)
  random.io.seed << io.seed
  random.io.next := starts

  private val pace = new Area {
    val left = RegInit(U(0, 32 bits))
    when(left =/= 0)(left := left - 1)
    when(io.input.fire)(left := setting.pace)
  }
  io.input.ready := pace.left === 0 && random.io.ready

  /** True with the given probability; the largest value means always. */
  private def happens(word: Bits, probability: UInt): Bool = word.asUInt < probability || probability.andR

  private val decision = new Area {
    val bad = RegInit(False)
    val isControl = io.input.data(5 downto 4).asUInt === Wire.typeControl
    val hit = io.erase || happens(random.io.words(0), Mux(bad, setting.bad, setting.good))
    val moves = happens(random.io.words(1), Mux(bad, setting.badToGood, setting.goodToBad))
    val spared = isControl && setting.spareControl
    val erased = setting.outage || (setting.enable && hit && !spared)

    when(starts)(bad := setting.gilbertElliott && (bad ^ moves))
    when(io.seed.valid || !setting.gilbertElliott)(bad := False)
  }

  private val manner = new Area {
    val detail = random.io.words(2)
    // A third each, but for 1/256.
    val anyOf = (detail(7 downto 0).asUInt * U(3, 2 bits))(9 downto 8)
    val mode = Mux(setting.mode === ErasureMode.any, anyOf, setting.mode)
    val vanish = decision.erased && (setting.outage || mode === ErasureMode.vanish)
    val flip = decision.erased && !setting.outage && mode === ErasureMode.flip
    val flag = decision.erased && !setting.outage && mode === ErasureMode.flag
  }

  /** The decision, held for the later beats of the unit. */
  private def forUnit(fresh: Bool): Bool = Mux(first, fresh, RegNextWhen(fresh, starts) init False)
  private val vanish = forUnit(manner.vanish)
  private val flag = forUnit(manner.flag)

  /** One bit is flipped, in one of the first eight beats or in the last one if the unit is shorter. */
  private val flip = new Area {
    val armed = RegInit(False)
    val remaining = Reg(UInt(3 bits))
    val bit = Reg(UInt(log2Up(config.dataBytes * 8) bits))

    val isArmed = Mux(first, manner.flip, armed)
    val beatsLeft = Mux(first, manner.detail(10 downto 8).asUInt, remaining)
    val position = Mux(first, manner.detail(31 downto 32 - widthOf(bit)).asUInt, bit)
    val now = isArmed && (beatsLeft === 0 || io.input.last)
    when(io.input.fire) {
      armed := isArmed && !now
      remaining := beatsLeft - 1
      bit := position
    }
    Invariant.when(first)(!armed, "a unit has ended, and its bit has not been flipped")
  }

  io.output.valid := RegNext(io.input.fire && !vanish) init False
  private val result = Reg(ChannelBeat(config.dataBytes))
  io.output.payload := result
  when(io.input.fire) {
    result.beat := io.input.payload
    result.first := first
    when(flag)(result.beat.erased := True)
    when(flip.now)(result.beat.data(flip.position) := !io.input.data(flip.position))
  }

  io.events.unit := RegNext(starts) init False
  io.events.control := RegNextWhen(decision.isControl, starts)
  io.events.erased := RegNextWhen(decision.erased, starts)
}

/** Register MODE. */
object ErasureMode {
  val vanish = 0
  val flip = 1
  val flag = 2
  val any = 3
}
