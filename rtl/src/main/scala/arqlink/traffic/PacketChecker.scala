// SPDX-License-Identifier: Apache-2.0
package arqlink.traffic

import spinal.core._
import spinal.lib._

import arqlink.axi.PacketBeat
import arqlink.lib.{Invariant, Xorshift128}

/** Counts of a checker. `received`: packets without tuser, corrupt ones included. */
case class CheckerCounts() extends Bundle {
  val received = UInt(32 bits)
  val receivedBytes = UInt(32 bits)
  val lost = UInt(32 bits)
  val disordered = UInt(32 bits)
  val corrupt = UInt(32 bits)
  val aborted = UInt(32 bits)
}

/** Checks packets of a `PacketGenerator`.
  *
  * Aborted and corrupt packets do not move the expected number, so they show in `lost` as well. A packet that comes late counts in
  * `lost` when it is missed and in `disordered` when it comes; hence lost - disordered never came if none came twice.
  *
  * @param seed seed of the random back-pressure, 32 bits
  */
class PacketChecker(dataBytes: Int, seed: BigInt) extends Component {
  val io = new Bundle {
    val enable = in Bool ()
    val clear = in Bool ()

    /** Probability times 2^32 of `input.ready` in a clock; 0xFFFFFFFF = always. */
    val sinkReady = in UInt (32 bits)
    val input = slave(Stream(PacketBeat(dataBytes)))
    val counts = out(CheckerCounts())
  }

  private val sink = new Area {
    val random = new Xorshift128(1, seed)
    random.io.seed.valid := False
    random.io.seed.payload := 0
    val always = io.sinkReady.andR
    random.io.next := io.enable && !always
    val ready = RegNext(io.enable && (always || random.io.words(0).asUInt < io.sinkReady)) init False
  }
  io.input.ready := sink.ready

  // Stage 1: the beat and the packet's header so far.
  private val arrived = new Area {
    val valid = RegNext(io.input.fire) init False
    val beat = RegNextWhen(io.input.payload, io.input.fire)
    val position = Reg(UInt(16 bits))
    val header = Reg(Bits(TrafficPattern.headerBytes * 8 bits))

    val offset = RegInit(U(0, 16 bits))
    when(io.input.fire) {
      position := offset
      offset := offset + dataBytes
      when(io.input.last)(offset := 0)
      if (dataBytes >= TrafficPattern.headerBytes) {
        when(offset === 0)(header := io.input.data.resized)
      } else {
        when(offset < TrafficPattern.headerBytes) {
          header.subdivideIn(dataBytes * 8 bits)(
            offset(log2Up(TrafficPattern.headerBytes) - 1 downto log2Up(dataBytes))
          ) := io.input.data
        }
      }
    }
    Invariant.when(valid && !beat.last)(beat.keep.andR, "a beat within a packet has holes")
    val number = header(31 downto 0).asUInt
    val length = header(47 downto 32).asUInt
    val zero = header(63 downto 48)
  }

  // Stage 2: its bytes against what they ought to be; the verdict after the last beat.
  private val verdict = new Area {
    val valid = RegNext(arrived.valid && arrived.beat.last) init False
    val corrupt, aborted = Reg(Bool())
    val number = Reg(UInt(32 bits))
    val bytes = Reg(UInt(16 bits))
    val differs = RegInit(False)
    when(arrived.valid) {
      val wrong = (0 until dataBytes).map { lane =>
        val at = arrived.position + lane
        arrived.beat.keep(lane) && at >= TrafficPattern.headerBytes &&
        arrived.beat.data(lane * 8, 8 bits) =/= TrafficPattern(arrived.number, at)
      }.orR
      val total = arrived.position + CountOne(arrived.beat.keep).resize(16)
      differs := !arrived.beat.last && (differs || wrong)
      corrupt := differs || wrong || total =/= arrived.length || total < TrafficPattern.headerBytes || arrived.zero.orR
      aborted := arrived.beat.error
      number := arrived.number
      bytes := total
    }
  }

  // Stage 3: the counters.
  private val counters = new Area {
    val counts = Reg(CheckerCounts())
    counts.flatten.foreach { case c: UInt => c init 0 }
    val expected = RegInit(U(0, 32 bits))
    val ahead = verdict.number - expected
    when(verdict.valid) {
      when(verdict.aborted) {
        counts.aborted := counts.aborted + 1
      } otherwise {
        counts.received := counts.received + 1
        counts.receivedBytes := counts.receivedBytes + verdict.bytes
        when(verdict.corrupt) {
          counts.corrupt := counts.corrupt + 1
        } elsewhen (ahead.msb) {
          counts.disordered := counts.disordered + 1
        } otherwise {
          counts.lost := counts.lost + ahead
          expected := verdict.number + 1
        }
      }
    }
    when(io.clear) {
      expected := 0
      counts.flatten.foreach { case c: UInt => c := 0 }
    }
  }
  io.counts := counters.counts
}
