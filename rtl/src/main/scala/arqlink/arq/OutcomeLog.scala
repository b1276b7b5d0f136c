// SPDX-License-Identifier: Apache-2.0
package arqlink.arq

import spinal.core._
import spinal.lib._

import arqlink._
import arqlink.link._

/** Outcomes to report: the recent ones, or two older blocks, `block` and the next, both complete; `report` shows them from the
  * fourth clock after `block` has settled.
  */
case class OutcomePort(link: LinkConfig) extends Bundle with IMasterSlave {

  /** Block number of TSN rxNext: TSN / 32. */
  val current = UInt(Wire.snBits - 5 bits)

  /** The block in progress and the one before. */
  val recent = OutcomeReport()
  val block = UInt(Wire.snBits - 5 bits)
  val report = OutcomeReport()
  override def asMaster(): Unit = {
    out(current, recent, report)
    in(block)
  }
}

/** Outcomes of the last window of TSNs, one bit each, in blocks of 32; the newest block is in a register. */
class OutcomeLog(link: LinkConfig) extends Component {
  private val blocks = link.window.windowFrames / Wire.blockBits max 4
  private val blockBits = Wire.snBits - 5
  val io = new Bundle {

    /** One outcome, or as many `failures`, if not 0, of one block. */
    val push = slave Stream new Bundle {
      val received = Bool()
      val failures = UInt(6 bits)
    }
    val next = out(Wire.sn)
    val port = master(OutcomePort(link))
  }

  val next = Reg(Wire.sn) init 0
  val current = Reg(Bits(Wire.blockBits bits)) init 0
  val previous = Reg(Bits(Wire.blockBits bits)) init 0
  val ram = Mem(Bits(Wire.blockBits bits), blocks)
  io.next := next
  io.push.ready := True

  val bit = next(4 downto 0)
  val block = next(Wire.snBits - 1 downto 5)
  val added = Mux(io.push.failures =/= 0, io.push.failures, U(1, 6 bits))
  val updated = CombInit(current) // what is ahead of `bit` is 0
  updated(bit) := io.push.received && io.push.failures === 0
  val full = io.push.fire && (bit +^ added)(5)
  when(io.push.fire) {
    current := updated
    next := next + added
  }
  when(full) {
    current := 0
    previous := updated
  }
  ram.write(block.resize(log2Up(blocks)), updated, full)

  io.port.current := block
  io.port.recent.base := ((block - 1) @@ U(0, 5 bits))
  io.port.recent.bitmap := current ## previous

  // The two blocks are read in turn.
  val second = RegInit(False)
  second := !second
  val address = io.port.block + second.asUInt.resized
  val word = ram.readSync(address.resize(log2Up(blocks)))
  val wordIsSecond = RegNext(second)
  val low, high = Reg(Bits(Wire.blockBits bits))
  when(wordIsSecond)(high := word) otherwise (low := word)
  io.port.report.base := io.port.block @@ U(0, 5 bits)
  io.port.report.bitmap := high ## low
}
