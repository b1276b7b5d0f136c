// SPDX-License-Identifier: Apache-2.0
package arqlink.csr

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axilite.AxiLite4
import spinal.lib.bus.regif._

/** A regif register description behind an AXI4-Lite port, with SLVERR for every access that no register answers.
  *
  * regif describes the registers and writes them; their multiplexer is here. One clock decodes the address to one bit per
  * register, the next writes or chooses with these bits.
  *
  * @param axi the slave port of the component that holds the registers; they are within its first 128 bytes
  */
class RegisterPort(axi: AxiLite4) extends Area {
  import RegisterPort._

  val front = new AxiLiteFront(axi.config.addressWidth)
  front.io.axi << axi
  private val access = front.io.access
  val accessError: Bool = front.io.accessError

  /** One bit per register, for one clock: it is accessed; it is written. Whole words, and held when idle, for simulators. */
  private val accessed, written = Reg(Bits(1 << (fileBits - 2) bits)) init 0
  accessed := 0
  written := 0
  when(access.valid && access.word.dropLow(fileBits - 2) === 0) {
    val decoded = UIntToOh(access.word.resize(fileBits - 2))
    accessed := decoded
    when(access.write)(written := decoded)
  }

  // A read may follow a write in the next clock.
  private val writes = access.valid && access.write
  val regs = new DecodedBus(RegNextWhen(access.data, writes), RegNextWhen(access.strobe, writes))

  // Runs when all registers are known.
  Component.current.addPrePopTask(() => choose())

  def register(address: BigInt, name: String, doc: String): RegInst = {
    require(address < (1 << fileBits), s"register $name is at $address; registers are below ${1 << fileBits}")
    regs.regPtrReAnchorAt(address)
    regs.written = written((address >> 2).toInt)
    regs.newReg(doc)(SymbolName(name))
  }

  private case class Window(address: BigInt, size: BigInt, data: Bits)
  private val windows = scala.collection.mutable.ListBuffer[Window]()

  /** Words that can only be read, from `address` on, which is a multiple of `size` rounded up to a power of two.
    *
    * @param data the word two clocks after `early` with its address
    */
  def window(address: BigInt, size: BigInt, data: Bits): Unit = windows += Window(address, size, data)

  /** A read comes in the next clock, of word `earlyAddress` if of a window. */
  def early: Bool = front.io.early
  def earlyAddress: UInt = front.io.earlyAddress

  private def choose(): Unit = {
    val write = RegNextWhen(access.write, access.valid)
    val words = regs.RegInsts.toSeq.map { slice =>
      val hit = accessed((slice.getAddr() >> 2).toInt)
      (hit, if (writable(slice)) hit else hit && !write, readBits(slice))
    } ++ windows.map { window =>
      val bits = log2Up(window.size) - 2
      val first = window.address >> 2
      require((first & ((1 << bits) - 1)) == 0, s"a window of ${window.size} bytes is at ${window.address}")
      val begun = if (isPow2(window.size)) True else access.word.resize(bits) < (window.size >> 2).toInt
      val hit = RegNext(access.valid && access.word.dropLow(bits).asUInt === (first >> bits).toInt && begun) init False
      (hit, hit && !write, window.data)
    }
    front.io.data := words.map { case (hit, _, word) => Mux(hit, word, B(0, 32 bits)) }.reduceBalancedTree(_ | _)
    front.io.refused := !words.map(_._2).reduceBalancedTree(_ || _)
  }
}

object RegisterPort {

  /** Byte address bits of the registers. */
  private val fileBits = 7

  /** In place of the reset value of a field that shows what happens in the core. */
  val live = BigInt(-1)

  def writable(slice: RegSlice): Boolean =
    slice.getFields().exists(f => !Set[AccessType](AccessType.RO, AccessType.ROV, AccessType.NA)(f.getAccessType()))

  /** The word of a register; a pulse reads as 0. */
  private def readBits(slice: RegInst): Bits = slice
    .getFields()
    .filterNot(f => f.getAccessType() == AccessType.W1P || f.getAccessType() == AccessType.NA)
    .map(f => f.hardbit.asBits.resize(32) |<< f.getSection().min)
    .fold(B(0, 32 bits))(_ | _)

  /** Named fields: regif takes a field's name from a `val`, which would clash where registers share names. */
  implicit class NamedFields(reg: RegInst) {
    def readWrite[T <: BaseType](pos: Int, hardType: HardType[T], reset: BigInt, name: String, doc: String): T =
      reg.fieldAt(pos, hardType, AccessType.RW, reset, doc)(SymbolName(name))

    /** High for one clock after a 1 has been written; reads as 0. */
    def pulse(pos: Int, name: String, doc: String): Bool =
      reg.fieldAt(pos, Bool(), AccessType.W1P, 0, doc)(SymbolName(name))

    /** Set by `event`, cleared by writing 1; an event in the clock of the clearing write is kept. */
    def sticky(pos: Int, event: Bool, name: String, doc: String): Bool = {
      val bit = reg.fieldAt(pos, Bool(), AccessType.W1C, 0, doc)(SymbolName(name))
      when(event)(bit := True)
      bit
    }

    /** `reset`: value after reset where it is fixed, else `live`. */
    def readOnly[T <: BaseType](pos: Int, value: T, name: String, doc: String, reset: BigInt = live): Unit = {
      val field = reg.fieldAt(pos, cloneOf(value), AccessType.RO, reset, doc)(SymbolName(name))
      field.assignFrom(value)
    }

    def constant(pos: Int, width: Int, value: BigInt, name: String, doc: String): Unit =
      readOnly(pos, B(value, width bits), name, doc, value)
  }
}
