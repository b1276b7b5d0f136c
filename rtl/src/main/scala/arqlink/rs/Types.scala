// SPDX-License-Identifier: Apache-2.0
package arqlink.rs

import spinal.core._
import spinal.lib._

import arqlink._

/** A frame to encode: `k` data units follow on the input, `n` units leave (k <= n <= k + maxParity). */
case class EncodeJob(code: CodeConfig) extends Bundle {
  val preset = UInt(2 bits)
  val k = UInt(code.kBits bits)
  val n = UInt(code.nBits bits)

  /** What every codec relies on. */
  def isSound: Bool = k =/= 0 && Invariant.atMost(k, code.maxK) && n >= k && Invariant.atMost(n - k, code.maxParity)
}

/** A frame to decode: the `k` units whose bits are set in `received` (exactly k of them) follow on the input in
  * ascending order of unit index; the `k` data units leave in order.
  */
case class DecodeJob(code: CodeConfig) extends Bundle {
  val preset = UInt(2 bits)
  val k = UInt(code.kBits bits)
  val received = Bits(code.maxN bits)

  /** What the decoder relies on, which looks at no unit after the K-th. */
  def isSound: Bool = k =/= 0 && Invariant.atMost(k, code.maxK) && CountOne(received) >= k

  /** The compact one relies on more: it knows a frame's code by the number of its units. */
  def isExact: Bool = isSound && CountOne(received) <= k
}

/** Lanes of the multiply-accumulate array. */
object Lanes {

  /** Number of a lane, 0 to maxParity - 1. */
  def bits(code: CodeConfig): Int = log2Up(code.maxParity) max 1

  /** The beat of lane `lane` in a word that holds those of all lanes, lane 0 in the low bits. */
  def beatOf(code: CodeConfig, word: Bits, lane: UInt): Bits =
    if (code.maxParity == 1) word else word.subdivideIn(code.dataBits bits)(lane)
}

/** Ports of an encoder or decoder; `job` says what the frame is whose units come at `input`. */
case class CodecPort[J <: Data](jobType: HardType[J], code: CodeConfig) extends Bundle {
  val job = slave(Stream(jobType()))
  val input = slave(Stream(Fragment(Bits(code.dataBits bits))))
  val output = master(Stream(Fragment(Bits(code.dataBits bits))))
}

/** A component that encodes or decodes, built for speed or for area; the core uses nothing but `io`. */
trait ErasureCodec[J <: Data] extends Component {
  def io: CodecPort[J]
}
