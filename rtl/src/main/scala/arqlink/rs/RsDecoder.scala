// SPDX-License-Identifier: Apache-2.0
package arqlink.rs

import spinal.core._
import spinal.lib._

import arqlink._

/** What is to be done with a received unit. */
case class ReceivedUnit() extends Bundle {
  val isData, first, last, repair = Bool()
}

/** Where a beat goes behind the array: a data unit to the output, the sums of a frame's last unit to the store. */
case class DecodeTag() extends Bundle {
  val keep, finish = Bool()
}

/** Pairs the beats of received units with what is to be done with them. */
class DecodeSequencer(code: CodeConfig) extends Component {
  val io = new Bundle {
    val unit = slave(Stream(ReceivedUnit()))
    val input = slave(Stream(Bits(code.dataBits bits)))
    val output = master(Stream(MacBeat(code, DecodeTag())))
  }

  val beat = Reg(UInt(code.unitBeatBits bits)) init 0
  val lastBeat = beat === code.unitBeats - 1

  io.output.valid := io.unit.valid && io.input.valid
  io.input.ready := io.unit.valid && io.output.ready
  io.unit.ready := io.output.fire && lastBeat
  when(io.output.fire)(beat := lastBeat ? U(0) | beat + 1)

  io.output.data := io.input.payload
  io.output.beat := beat
  io.output.first := io.unit.first
  io.output.load := io.unit.repair && beat === 0
  io.output.add := io.unit.repair
  io.output.tag.keep := io.unit.isData
  io.output.tag.finish := io.unit.repair && io.unit.last
}

/** Puts received and recovered data units in order. */
class DecodeMerge(code: CodeConfig) extends Component {
  val io = new Bundle {

    /** One per data unit: it is to be recovered. */
    val missing = slave(Stream(Bool()))
    val received = slave(Stream(Bits(code.dataBits bits)))
    val recovered = slave(Stream(Bits(code.dataBits bits)))
    val output = master(Stream(Fragment(Bits(code.dataBits bits))))
  }

  val beat = Reg(UInt(code.unitBeatBits bits)) init 0
  val merged = Stream(Fragment(Bits(code.dataBits bits)))
  val take = io.missing.valid && merged.ready
  merged.valid := io.missing.valid && (io.missing.payload ? io.recovered.valid | io.received.valid)
  merged.fragment := io.missing.payload ? io.recovered.payload | io.received.payload
  merged.last := beat === code.unitBeats - 1
  io.recovered.ready := take && io.missing.payload
  io.received.ready := take && !io.missing.payload
  io.missing.ready := merged.fire && merged.last
  when(merged.fire)(beat := merged.last ? U(0) | beat + 1)
  io.output << merged.m2sPipe()
}

/** Reed-Solomon erasure decoder: takes K units of a frame in ascending order of index and gives its K data units.
  *
  * Received data units pass through a buffer; missing ones are the sums of all received units weighted with
  * interpolation coefficients, and are complete with the last received unit. The next frame is taken in
  * meanwhile. Data units ahead of the first missing one do not wait.
  *
  * Every job is checked by its source: 1 <= k <= maxK, exactly k bits of `received` set, preset <= 2. With fewer bits
  * set the decoder waits for units until it is reset. `last` on the input is not looked at, units are counted.
  */
class RsDecoder(code: CodeConfig) extends Component {
  val io = new Bundle {
    val job = slave(Stream(DecodeJob(code)))
    val input = slave(Stream(Fragment(Bits(code.dataBits bits))))
    val output = master(Stream(Fragment(Bits(code.dataBits bits))))
  }

  val scanner = new DecodeScanner(code)
  val generator = new CoefficientGenerator(code)
  val sequencer = new DecodeSequencer(code)
  val mac = new MacArray(code, DecodeTag())
  val store = new RecoveredStore(code)
  val merge = new DecodeMerge(code)

  // The walk over a job is a frame or more ahead of the data, and the queues that hold its result are deep enough for that.
  scanner.io.job << io.job
  val walks = StreamFork(scanner.io.unit, 4)
  generator.io.unit << walks(0)

  sequencer.io.unit << walks(1)
    .takeWhen(walks(1).received)
    .map { unit =>
      val r = ReceivedUnit()
      r.isData := unit.isData
      r.first := unit.first
      r.last := unit.last
      r.repair := unit.repair
      r
    }
    .queue(1 << log2Up(2 * code.maxK max 16))

  merge.io.missing << walks(2).takeWhen(walks(2).isData).map(!_.received).queue(1 << log2Up(4 * code.maxK max 16))

  val targets = Reg(UInt(Lanes.bits(code) bits)) init 0
  when(walks(3).fire)(targets := walks(3).last ? U(0) | targets + walks(3).target.asUInt)
  store.io.lastTarget << walks(3).takeWhen(walks(3).last && walks(3).repair).translateWith(targets - 1).queue(8)

  sequencer.io.input << io.input.map(_.fragment).s2mPipe()
  mac.io.input << sequencer.io.output
  mac.io.coefficients << generator.io.coefficients

  // Room for two frames, so that one is taken in while the other one leaves; at least one always fits.
  val margin = 8
  val buffer = StreamFifo(Bits(code.dataBits bits), 1 << log2Up(2 * code.maxK * code.unitBeats + margin))
  val full = RegNext(buffer.io.availability < margin || store.io.almostFull) init False
  val result = mac.io.output.haltWhen(full).toFlow
  buffer.io.push.valid := result.valid && result.tag.keep
  buffer.io.push.payload := result.data
  store.io.push.valid := result.valid && result.tag.finish
  store.io.push.payload := result.sums

  merge.io.received << buffer.io.pop.m2sPipe()
  merge.io.recovered << store.io.output
  io.output << merge.io.output
}
