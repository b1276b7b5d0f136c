// SPDX-License-Identifier: Apache-2.0
package arqlink.packet

import spinal.core._
import spinal.lib._

import arqlink.config.LinkConfig
import arqlink.lib.Invariant

/** A judged beat with all that is known of its packet then. */
case class CheckedBeat(dataBytes: Int) extends Bundle {
  val beat = JudgedBeat(dataBytes)
  val keep, abort, oversize = Bool()

  /** There is a beat, and it is to be stored; never so without one, so that an empty stage does not seem to wait for a slot. */
  val store = Bool()

  /** Bytes of the packet with this beat, as the user gave them. */
  val total = UInt(14 bits)
}

/** Second stage of the segmenter: adds to each beat whether its packet is still good, and how long it is. */
class PacketJudge(link: LinkConfig) extends Component {
  private val dataBytes = link.code.dataBytes
  val io = new Bundle {
    val beat = slave(Stream(JudgedBeat(dataBytes)))
    val checked = master(Stream(CheckedBeat(dataBytes)))
  }

  // All beats but a packet's last one are full, or it is dropped for its keep: counting beats is enough.
  private val fullBeats = link.window.maxPacketBytes / dataBytes
  private val restBytes = link.window.maxPacketBytes % dataBytes
  private val byteBits = log2Up(dataBytes)
  private val count = Reg(UInt(14 - byteBits bits)) init 0

  /** `count` is fullBeats: at most restBytes may come. */
  private val tight = RegInit(Bool(fullBeats == 0))
  private val badKeep, badAbort, badOversize = RegInit(False)

  private val (input, checked) = (io.beat, io.checked)
  checked.arbitrationFrom(input)
  checked.beat := input.payload
  checked.keep := badKeep || input.keepBad
  checked.abort := badAbort || input.abort
  checked.oversize := badOversize || (tight && input.bytes > restBytes)
  checked.store := input.valid && !(checked.keep || checked.abort || checked.oversize || input.empty)
  checked.total := ((count << byteBits) + input.bytes).resize(14 bits)

  Invariant.when(checked.store)(Invariant.atMost(checked.total, link.window.maxPacketBytes), "a packet that is too long is stored")

  when(input.fire) {
    badKeep := checked.keep
    badAbort := checked.abort
    badOversize := checked.oversize || tight
    count := count + 1
    tight := count === fullBeats - 1
    when(input.last) {
      badKeep := False
      badAbort := False
      badOversize := False
      count := 0
      tight := Bool(fullBeats == 0)
    }
  }
}
