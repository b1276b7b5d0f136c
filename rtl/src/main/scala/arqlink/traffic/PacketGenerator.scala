// SPDX-License-Identifier: Apache-2.0
package arqlink.traffic

import spinal.core._
import spinal.lib._

import arqlink.axi.PacketBeat
import arqlink.lib.{Invariant, Xorshift128}

/** What the generator sends. Lengths in bytes, `gap` in clocks, `count` in packets, 0 = without end. */
case class TrafficSetting() extends Bundle {
  val randomLength = Bool()
  val lengthMin = UInt(16 bits)
  val lengthMax = UInt(16 bits)
  val gap = UInt(32 bits)
  val count = UInt(32 bits)
}

/** Sends numbered packets; see `TrafficPattern` for their bytes.
  *
  * A packet that has begun is always ended. The next length is drawn while a packet leaves, so packets of three
  * beats or more follow each other without a gap.
  *
  * @param seed seed of the random lengths, 32 bits
  */
class PacketGenerator(dataBytes: Int, seed: BigInt) extends Component {
  val io = new Bundle {
    val enable = in Bool ()
    val clear = in Bool ()
    val setting = in(TrafficSetting())
    val output = master(Stream(PacketBeat(dataBytes)))
    val sent = out UInt (32 bits)
    val sentBytes = out UInt (32 bits)

    /** No packet is under way. */
    val idle = out Bool ()
  }

  private val sent, sentBytes = RegInit(U(0, 32 bits))
  io.sent := sent
  io.sentBytes := sentBytes

  private val draw = new Area {
    val random = new Xorshift128(1, seed)
    random.io.seed.valid := False
    random.io.seed.payload := 0

    // word, product, length: one clock each
    val stage = RegInit(U(0, 2 bits))
    val ready = stage === 2
    val take = Bool()
    val product = Reg(UInt(33 bits))
    val length = Reg(UInt(16 bits))

    // Two clocks from the setting to the span, for which the first draw waits; the product is of registers.
    private val low = RegNext(io.setting.lengthMin max TrafficPattern.headerBytes)
    private val span = RegNext(Mux(io.setting.lengthMax > low, io.setting.lengthMax - low, U(0)) +^ U(1))
    private val settled = History(io.enable, 0 to 2, init = False).reduce(_ && _)
    random.io.next := stage === 0 && settled && random.io.ready
    when(!settled || take) {
      // A length drawn under an older setting is forgotten.
      stage := 0
    } elsewhen (stage === 0 && random.io.ready) {
      product := span * random.io.words(0)(31 downto 16).asUInt
      stage := 1
    } elsewhen (stage === 1) {
      length := low + Mux(io.setting.randomLength, product(31 downto 16), U(0))
      stage := 2
    }
  }

  private val packet = new Area {
    val active = RegInit(False)
    val number = Reg(UInt(32 bits))
    val length, position, left = Reg(UInt(16 bits))
    val gap = RegInit(U(0, 32 bits))
    val beat = Stream(PacketBeat(dataBytes))

    val last = left <= dataBytes
    val ends = beat.fire && last
    val following = Mux(ends, sent + 1, sent)
    val more = io.setting.count === 0 || following < io.setting.count
    val free = Mux(active, ends && io.setting.gap === 0, gap === 0)
    val begins = free && io.enable && more && draw.ready
    draw.take := begins

    beat.valid := active
    Invariant.when(active)(left =/= 0, "a packet is sent of which no byte is left")
    beat.last := last
    beat.error := False
    for (lane <- 0 until dataBytes) {
      val at = position + lane
      val inHeader = at < TrafficPattern.headerBytes
      val header = TrafficPattern.header(number, length).subdivideIn(8 bits)(at.resize(3))
      beat.keep(lane) := U(lane) < left
      beat.data(lane * 8, 8 bits) := Mux(inHeader, header, TrafficPattern(number, at))
    }
    when(beat.fire) {
      position := position + dataBytes
      left := left - dataBytes
    }
    when(!active && gap =/= 0)(gap := gap - 1)
    when(ends) {
      active := False
      gap := io.setting.gap
      sent := following
      sentBytes := sentBytes + length
    }
    when(begins) {
      active := True
      number := following
      length := draw.length
      left := draw.length
      position := 0
    }
  }
  when(io.clear) {
    sent := 0
    sentBytes := 0
  }

  io.output << packet.beat.m2sPipe()
  io.idle := !packet.active && !io.output.valid
}
