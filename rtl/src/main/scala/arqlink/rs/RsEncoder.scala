// SPDX-License-Identifier: Apache-2.0
package arqlink.rs

import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._

import arqlink.config.CodeConfig
import arqlink.lib.{Invariant, Tally}
import arqlink.lib.queue.CreditQueue

/** A frame to encode: `k` data units follow on the input, `n` units leave (k <= n <= k + maxParity). */
case class EncodeJob(code: CodeConfig) extends Bundle {
  val preset = UInt(2 bits)
  val k = UInt(code.kBits bits)
  val n = UInt(code.nBits bits)

  /** What every codec relies on. */
  def isSound: Bool = k =/= 0 && Invariant.atMost(k, code.maxK) && n >= k && Invariant.atMost(n - k, code.maxParity)
}

/** A beat in the order of the output; a parity beat's data comes later by itself. */
case class EncodeOrder(code: CodeConfig) extends Bundle {
  val data = Bits(code.dataBits bits)
  val parity, last = Bool()

  /** `parity` again, for the bytes' multiplexers: they are far from the handshake. */
  val takesParity = Bool()
}

object RsEncoder {

  /** Most clocks from a job and its first data beat to that beat at the output, and to its first parity beat where it has one unit of two beats. */
  private val latency = 5
  val parityLatency = latency + 10
}

/** Systematic Reed-Solomon encoder: passes the K data units of a frame on and appends its N - K parity units, without a
  * bubble within or between frames. Data beats do not wait for the array; the parity beats come behind it.
  *
  * Every job is checked by its source: 1 <= k <= maxK, k <= n <= k + maxParity, preset <= 2. `last` on the input is
  * not looked at, units are counted. A data beat leaves two clocks after it came in, the first parity beat twelve clocks after the last
  * data beat (docs/rs_encoder.md). The code: L. Rizzo, RFC 5510, and ISA-L's Cauchy matrix, by `preset`.
  */
case class RsEncoder(code: CodeConfig) extends ErasureCodec[EncodeJob] {
  val io = CodecPort(EncodeJob(code), code)
  Invariant.when(io.job.valid)(io.job.isSound, "a frame's K and N are not possible")

  /** Steps that may be on their way: their beats all have a place in the queues. */
  val depth = 16

  val sequencer = new EncodeSequencer(code)
  val table = new EncodeCoefficients(code)
  val mac = new MacArray(code, code.maxParity)

  table.io.preset := io.job.preset
  table.io.k := io.job.k
  val frame = io.job.map { job =>
    val f = EncodeFrame(code)
    f.data := (job.k.intoSInt - 2).resized
    f.parity := (job.n.resize(f.parity.getWidth) + ~job.k.resize(f.parity.getWidth)).asSInt
    f.offset := table.io.offset
    f.row := table.io.row
    f
  }
  sequencer.io.frame << frame
  sequencer.io.input << io.input.map(_.fragment)
  val step = sequencer.io.step

  // The stage of each task, from the step on. The address of the unit's coefficients is there a clock later; a word leaves its block RAM after a clock,
  // and then goes through two registers.
  private val lookUpAt = 1
  private val arrayAt = lookUpAt + 3 - MacArray.expandAt
  private val mergeAt = arrayAt + MacArray.latency
  private val reduceAt = mergeAt + 1
  private val queueAt = reduceAt + 1
  private val stages = new StagePipeline
  private val (lookUp, reduce, made) = (stages(lookUpAt), stages(reduceAt), stages(queueAt))
  stages(0).valid := step.valid && step.repair
  val STEP = stages(0).insert(step.payload)

  table.io.address := sequencer.io.address
  Invariant
    .when(lookUp.valid && !lookUp(STEP).parity)(Invariant.atMost(table.io.address, table.size - 1), "a data unit has no coefficients in the table")
  val WORD = stages(lookUpAt + 1).insert(table.io.coefficients)
  mac.io.coefficients := stages(arrayAt + MacArray.expandAt)(WORD)

  private val beat = stages(arrayAt)(STEP)
  mac.io.input.valid := stages(arrayAt).valid
  mac.io.input.data := beat.data
  mac.io.input.position := beat.position
  for ((hide, i) <- mac.io.input.hide.asBools.zipWithIndex) hide := beat.parity ? (beat.lane =/= i) | beat.first
  mac.io.input.load := beat.start && !beat.parity
  mac.io.input.add := !beat.parity
  mac.io.input.give := beat.parity

  // A parity beat is what its lane's sums are; the other lanes are hidden.
  val PARTS = stages(mergeAt).insert(mac.io.sums.merged)
  val BYTES = reduce.insert(MacSums.reduce(reduce(PARTS)))

  val order = new CreditQueue(EncodeOrder(code), depth)
  order.io.push.valid := step.valid
  order.io.push.data := step.data
  order.io.push.parity := step.parity
  order.io.push.takesParity := step.parity
  order.io.push.last := step.last
  val parity = new CreditQueue(Bits(code.dataBits bits), depth)
  parity.io.push.valid := made.valid && made(STEP).parity
  parity.io.push.payload := made(BYTES)
  stages.build()

  // Both heads are registers.
  val (head, parityHead) = (order.io.pop, parity.io.pop)
  io.output.valid := head.valid && (!head.parity || parityHead.valid)
  io.output.fragment := head.takesParity ? parityHead.payload | head.data
  io.output.last := head.last
  head.ready := io.output.ready && (!head.parity || parityHead.valid)
  parityHead.ready := io.output.ready && head.valid && head.parity

  // A beat's place is reserved a clock late, and given back a clock after it left.
  val left = RegNext(io.output.fire) init False
  val stepped = RegNext(step.valid) init False
  val places = new Tally(depth - 1, depth, up = left, down = stepped)
  sequencer.io.room := places.some
}
