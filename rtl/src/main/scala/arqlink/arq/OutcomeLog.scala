// SPDX-License-Identifier: Apache-2.0
package arqlink.arq

import spinal.core._
import spinal.lib._

import arqlink._
import arqlink.link._

/** Outcomes to report: the recent ones at all times, and older ones when they are looked up. */
case class OutcomePort(link: LinkConfig) extends Bundle with IMasterSlave {

  /** Block number of TSN rxNext: TSN / 32. */
  val current = OutcomeLog.blockNumber

  /** The block in progress and the one before. */
  val recent = OutcomeReport()

  /** First one of two blocks that are complete; one look-up at a time, until its `report` has been taken. */
  val lookup = Stream(OutcomeLog.blockNumber)

  /** What was looked up: the outcomes belong to the base that comes with them. */
  val report = Stream(OutcomeReport())
  override def asMaster(): Unit = {
    out(current, recent)
    slave(lookup)
    master(report)
  }
}

object OutcomeLog {
  def blockNumber: UInt = UInt(Wire.snBits - log2Up(Wire.blockBits) bits)
}

/** Outcomes of the last window of TSNs, one bit each, in blocks of 32; the newest two blocks are in registers, and older ones in block RAM
  * where the window is more than a block.
  */
class OutcomeLog(link: LinkConfig) extends Component {
  private val blocks = link.window.windowFrames / Wire.blockBits max 4
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
  val block = Reg(OutcomeLog.blockNumber) init 0
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
  val before = Reg(OutcomeLog.blockNumber) init (BigInt(1) << Wire.snBits - log2Up(Wire.blockBits)) - 1
  when(full)(before := block)
  io.port.recent.base := before @@ U(0, 5 bits)
  io.port.recent.bitmap := current ## previous

  if (link.window.isBlock) { // no memory: the recent blocks are all that anybody may ask for
    io.port.lookup.ready := True
    io.port.report.valid := False
    io.port.report.payload.assignDontCare()
  } else {
    val older = new Area {
      val ram = Mem(Bits(Wire.blockBits bits), blocks)
      ram.addAttribute("no_rw_check") // what is overwritten while it is read is thrown away
      ram.addAttribute("ram_style", "block")
      ram.write(before.resize(log2Up(blocks)), previous, RegNext(full) init False)

      // The two blocks are read one after the other; each passes the memory's output register.
      val lookup = io.port.lookup
      val first = RegNextWhen(lookup.payload, lookup.fire)
      private def after(clocks: Int) = Delay(lookup.fire, clocks, init = False)
      val address = after(1) ? first | first + 1
      val word = RegNext(ram.readSync(address.resize(log2Up(blocks))))
      val low = RegNextWhen(word, after(3))
      val high = RegNextWhen(word, after(4))

      // A block is overwritten when the one `blocks` later is complete. Nobody waits for outcomes as old as that any more.
      val overwritten = RegNext(block - first > blocks)
      val judged = after(6)
      val busy, valid = RegInit(False)
      when(lookup.fire)(busy := True)
      when(judged)(valid := !overwritten)
      when(judged && overwritten || io.port.report.fire)(busy := False)
      when(io.port.report.fire)(valid := False)
      lookup.ready := !busy
      io.port.report.valid := valid
      io.port.report.base := first @@ U(0, 5 bits)
      io.port.report.bitmap := high ## low
    }
  }
}
