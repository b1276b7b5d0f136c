// SPDX-License-Identifier: Apache-2.0
package arqlink.rs

import spinal.core._
import spinal.lib._

import arqlink.config.CodeConfig
import arqlink.lib.{BlockReset, Invariant}
import arqlink.lib.queue.{CreditQueue, DeepQueue}

/** A frame to decode: the `k` units whose bits are set in `received` (exactly k of them) follow on the input in
  * ascending order of unit index; the `k` data units leave in order.
  */
case class DecodeJob(code: CodeConfig) extends Bundle {
  val preset = UInt(2 bits)
  val k = UInt(code.kBits bits)
  val received = Bits(code.maxN bits)

  /** What the decoder relies on, which looks at no unit after the K-th. */
  def isSound: Bool = k =/= 0 && Invariant.atMost(k, code.maxK) && CountOne(received) >= k
}

/** Reed-Solomon erasure decoder: takes K units of a frame in ascending order of index and gives its K data units.
  *
  * Received data units pass through a buffer; missing ones are the sums of all received units weighted with
  * interpolation coefficients, and are complete with the last received unit. The next frame is taken in
  * meanwhile. Data units ahead of the first missing one do not wait.
  *
  * Every job is checked by its source: 1 <= k <= maxK, exactly k bits of `received` set, preset <= 2. `last` on the input is
  * not looked at, units are counted. A frame's last beat leaves at most (K - 1) unitBeats + 13 clocks after its last one came in
  * (docs/rs_decoder.md); the codes are those of [[RsEncoder]].
  *
  * @param lateResets each part has a register for its reset, which ends a clock later inside; nothing may come in that clock
  */
case class RsDecoder(code: CodeConfig, lateResets: Boolean = false) extends ErasureCodec[DecodeJob] {
  val io = CodecPort(DecodeJob(code), code)
  Invariant.when(io.job.valid)(io.job.isSound, "a frame has fewer units than K")
  val shape = GeneratorShape(code)

  private def part[T](block: => T): T = if (lateResets) BlockReset.late(block) else block
  val front = part(new DecodeFront(code))
  val generators = part(new CoefficientGenerators(code))
  val sequencer = part(new DecodeSequencer(code))
  val mac = part(new MacArray(code, 1))
  val store = part(new RecoveredStore(code))
  val merge = part(new DecodeMerge(code))

  private def queued[T <: Data](flow: Flow[T], name: String): Stream[T] = {
    val queue = part(new CreditQueue(flow.payloadType, shape.frames)).setName(name)
    queue.io.push << flow.m2sPipe(holdPayload = true)
    queue.io.pop
  }
  front.io.job << io.job
  front.io.done := merge.io.done
  generators.io.job << front.io.repair
  sequencer.io.frame << queued(front.io.frame, "frames")
  merge.io.frame << queued(front.io.merge, "mergeFrames")

  sequencer.io.input << io.input.map(_.fragment)
  sequencer.io.coefficients << generators.io.coefficients
  mac.io.input << sequencer.io.add
  mac.io.coefficients := sequencer.io.vector

  // Room for two frames, so that one is taken in while the other one leaves; at least one always fits.
  val margin = 4
  val buffer = part(new DeepQueue(code.dataBits, 1 << log2Up(2 * code.maxK * code.unitBeats + margin), margin, RecoveredStore.latency))
  buffer.io.push << sequencer.io.data.m2sPipe()
  sequencer.io.room := RegNext(buffer.io.room && store.io.room) init False

  store.io.sums := mac.io.sums
  store.io.comes := mac.io.comes
  store.io.read << merge.io.takeRecovered
  buffer.io.take := merge.io.takeReceived
  merge.io.received := buffer.io.some
  merge.io.recovered := store.io.fresh
  merge.io.word := buffer.io.item
  merge.io.products := store.io.products
  io.output << merge.io.output
}
