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

/** Outcomes of the last window of TSNs, one bit each, in blocks of 32; the newest two blocks are in registers, and older ones in block RAM
  * where the window is more than a block.
  */
class OutcomeLog(link: LinkConfig) extends Component {
  private val blocks = link.window.windowFrames / Wire.blockBits max 4
  private val blockBits = Wire.snBits - 5
  private val relaxed = link.code.area.relaxed
  val io = new Bundle {

    /** `count` outcomes of one block; more than one only of failures. */
    val push = slave Flow new Bundle {
      val received = Bool()
      val count = UInt(6 bits)

      /** They fill the block. */
      val full = Bool()
    }
    val next = out(Wire.sn)
    val port = master(OutcomePort(link))
  }

  val current = Reg(Bits(Wire.blockBits bits)) init 0
  val previous = Reg(Bits(Wire.blockBits bits)) init 0
  val ram = Mem(Bits(Wire.blockBits bits), blocks)
  ram.addAttribute("no_rw_check") // a report is of blocks that were written clocks before
  ram.addAttribute("ram_style", "block")

  // Where the outcome goes, in one clock; then it is there, and `next` with it.
  val place = Reg(UInt(5 bits)) init 0
  when(io.push.valid)(place := place + io.push.count.resized)
  val told = new Area {
    val valid = RegNext(io.push.valid) init False
    val full = RegNext(io.push.valid && io.push.full) init False
    val received = relaxed generate RegNextWhen(io.push.received, io.push.valid)
    def marked(received: Bool, at: UInt) = received ? UIntToOh(at, Wire.blockBits) | B(0, Wire.blockBits bits)
    val mark = if (relaxed) Bits(Wire.blockBits bits) else RegNextWhen(marked(io.push.received, place), io.push.valid)
  }

  // In two parts: an outcome moves `block` only when the block is full.
  val bit = Reg(UInt(5 bits)) init 0
  val block = Reg(UInt(blockBits bits)) init 0
  io.next := block @@ bit
  if (relaxed) told.mark := told.marked(told.received, bit)

  val updated = current | told.mark // what is ahead of `bit` is 0
  val full = told.full
  when(told.valid) {
    current := updated
    bit := place
  }
  when(full) {
    current := 0
    previous := updated
    block := block + 1
  }

  io.port.current := block
  // The block in progress follows the one before.
  val before = Reg(UInt(blockBits bits)) init ((BigInt(1) << blockBits) - 1)
  when(full)(before := block)
  ram.write(before.resize(log2Up(blocks)), previous, RegNext(full) init False)
  io.port.recent.base := before @@ U(0, 5 bits)
  io.port.recent.bitmap := current ## previous

  // The two blocks are read in turn.
  val second = RegInit(False)
  second := !second
  val address = io.port.block + second.asUInt.resized
  val word = RegNext(ram.readSync(address.resize(log2Up(blocks)))) // a block RAM's output register
  val wordIsSecond = Delay(second, 2)
  val low, high = Reg(Bits(Wire.blockBits bits))
  when(wordIsSecond)(high := word) otherwise (low := word)
  if (link.window.isBlock) io.port.report := io.port.recent // the memory is not read, and not built
  else {
    io.port.report.base := io.port.block @@ U(0, 5 bits)
    io.port.report.bitmap := high ## low
  }
}
