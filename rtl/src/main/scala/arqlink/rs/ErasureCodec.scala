// SPDX-License-Identifier: Apache-2.0
package arqlink.rs

import spinal.core._
import spinal.lib._

import arqlink.config.CodeConfig

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
