// SPDX-License-Identifier: Apache-2.0
package arqlink.packet

import spinal.core._
import spinal.lib._

import arqlink.axi.PacketBeat
import arqlink.config.CodeConfig
import arqlink.lib.Invariant

/** A beat whose `tkeep` has been judged: `data` beyond the kept bytes is zero, `bytes` is how many are kept
  * (0 to dataBytes; 0 only in a packet's single beat, or with `keepBad`), and `last` is on the last beat that holds bytes.
  */
case class JudgedBeat(dataBytes: Int) extends Bundle {
  val data = Bits(dataBytes * 8 bits)
  val bytes = UInt(log2Up(dataBytes + 1) bits)
  val last = Bool()
  val keepBad = Bool()
  val abort = Bool()

  /** `bytes` is 0. */
  val empty = Bool()

  /** It holds nothing and ends its packet, of which there was a beat before. */
  val joins = Bool()
}

/** First stage of the segmenter: judges `tkeep` and moves the end of a packet that ends with an empty beat onto the beat
  * before it. For that a beat waits until the next one of its packet is there; a packet's last beat does not wait.
  */
case class PacketFront(code: CodeConfig) extends Component {
  private val dataBytes = code.dataBytes
  val io = new Bundle {
    val packet = slave(Stream(PacketBeat(dataBytes)))
    val beat = master(Stream(JudgedBeat(dataBytes)))
  }

  val arriving = Stream(JudgedBeat(dataBytes))
  arriving.arbitrationFrom(io.packet)
  val keep = io.packet.keep

  /** The beat before was not its packet's last one. */
  val inside = RegInit(False)
  when(io.packet.fire)(inside := !io.packet.last)
  val contiguous = (keep & (keep.asUInt +^ 1).asBits.resize(dataBytes)) === 0
  for (i <- 0 until dataBytes)
    arriving.data(8 * i, 8 bits) := keep(i) ? io.packet.data(8 * i, 8 bits) | B(0, 8 bits)
  arriving.bytes := CountOne(keep).resized
  arriving.last := io.packet.last
  arriving.keepBad := !contiguous || (!keep.andR && !io.packet.last)
  arriving.abort := io.packet.error
  arriving.empty := !keep.orR
  arriving.joins := !keep.orR && io.packet.last && inside
  val input = arriving.m2sPipe()

  val holding = RegInit(False)
  val held = Reg(JudgedBeat(dataBytes))

  // What joins comes while the beat before it is held.
  Invariant.when(input.valid && input.joins)(holding && !held.last, "a packet's end comes alone, and the beat before it has left")
  io.beat.valid := holding && (held.last || (input.valid && !input.joins))
  io.beat.payload := held
  input.ready := !holding || input.joins || io.beat.ready

  holding clearWhen io.beat.fire
  when(input.fire && input.joins) {
    held.last := True
    held.abort setWhen input.abort
  }
  when(input.fire && !input.joins) {
    holding := True
    held := input.payload
  }
}
