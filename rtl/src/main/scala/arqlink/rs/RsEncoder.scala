// SPDX-License-Identifier: Apache-2.0
package arqlink.rs

import spinal.core._
import spinal.lib._

import arqlink._

/** What becomes of a beat at the encoder's output. */
case class EncodeTag(code: CodeConfig) extends Bundle {
  val parity = Bool()
  val lane = UInt(Lanes.bits(code) bits)
  val last = Bool()
}

/** Orders the beats of a frame: K units from the input, then N - K units that read the sums. */
class EncodeSequencer(code: CodeConfig) extends Component {
  val io = new Bundle {
    val job = slave(Stream(EncodeJob(code)))
    val input = slave(Stream(Bits(code.dataBits bits)))
    val output = master(Stream(MacBeat(code, EncodeTag(code))))
  }

  val job = io.job.payload
  val beat = Reg(UInt(code.unitBeatBits bits)) init 0
  val unit = Reg(UInt(code.nBits bits)) init 0
  val lane = Reg(UInt(Lanes.bits(code) bits)) init 0
  val parity = RegInit(False)
  val lastBeat = beat === code.unitBeats - 1
  val lastUnit = unit === job.n - 1
  val repair = job.n =/= job.k.resized

  io.output.valid := io.job.valid && (parity || io.input.valid)
  io.input.ready := io.job.valid && !parity && io.output.ready
  io.job.ready := io.output.fire && lastBeat && lastUnit
  io.output.data := io.input.payload
  io.output.beat := beat
  io.output.first := unit === 0
  io.output.load := !parity && repair && beat === 0
  io.output.add := !parity && repair
  io.output.tag.parity := parity
  io.output.tag.lane := lane
  io.output.tag.last := lastBeat

  when(io.output.fire) {
    beat := beat + 1
    when(lastBeat) {
      beat := 0
      unit := unit + 1
      lane := parity ? (lane + 1) | U(0)
      when(unit === (job.k - 1).resized)(parity := True)
      when(lastUnit) {
        unit := 0
        parity := False
      }
    }
  }
}

/** Systematic Reed-Solomon encoder: passes the K data units of a frame on and appends its N - K parity units, without a
  * bubble within or between frames as long as jobs are offered ahead of the data.
  *
  * Every job is checked by its source: 1 <= k <= maxK, k <= n <= k + maxParity, preset <= 2. `last` on the input is
  * not looked at, units are counted.
  */
class RsEncoder(code: CodeConfig) extends Component {
  val io = new Bundle {
    val job = slave(Stream(EncodeJob(code)))
    val input = slave(Stream(Fragment(Bits(code.dataBits bits))))
    val output = master(Stream(Fragment(Bits(code.dataBits bits))))
  }

  val scanner = new EncodeScanner(code)
  val generator = new CoefficientGenerator(code)
  val sequencer = new EncodeSequencer(code)
  val mac = new MacArray(code, EncodeTag(code))

  val jobs = StreamFork(io.job, 2)
  scanner.io.job << jobs(0).m2sPipe()
  sequencer.io.job << jobs(1).queue(4)
  generator.io.unit << scanner.io.unit

  sequencer.io.input << io.input.map(_.fragment).s2mPipe()
  mac.io.input << sequencer.io.output
  mac.io.coefficients << generator.io.coefficients

  io.output << mac.io.output
    .map { sum =>
      val beat = Fragment(Bits(code.dataBits bits))
      beat.fragment := sum.tag.parity ? sum.unit(sum.tag.lane) | sum.data
      beat.last := sum.tag.last
      beat
    }
    .m2sPipe()
    .s2mPipe()
}
