// SPDX-License-Identifier: Apache-2.0
package arqlink.csr

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axilite.AxiLite4
import spinal.lib.bus.localbus.{MinBus, MinBusConfig}
import spinal.lib.bus.misc.SizeMapping
import spinal.lib.bus.regif._

/** A regif register description behind an AXI4-Lite port, with SLVERR for every access that no register answers.
  *
  * regif describes the registers and writes them. Reads do not pass its multiplexer: in one clock the address is decoded to
  * one bit per register, in the next these bits choose the word.
  *
  * @param axi the slave port of the component that holds the registers; they are within its first 128 bytes
  */
class RegisterPort(axi: AxiLite4) extends Area {
  import RegisterPort._

  private val addressWidth = axi.config.addressWidth
  val front = new AxiLiteFront(addressWidth)
  front.io.axi << axi
  private val access = front.io.access

  // The bus starts at registers; the address bits beyond the registers are in `ce`.
  private val bus = MinBus(MinBusConfig(addressWidth, 32, withStrb = true))
  bus.ce := RegNext(access.valid && access.word >> (fileBits - 2) === 0) init False
  bus.wr := RegNextWhen(access.write, access.valid)
  bus.addr := (RegNextWhen(access.word.resize(fileBits - 2), access.valid) << 2).resized
  bus.wdat := RegNextWhen(access.data, access.valid)
  bus.strb := RegNextWhen(access.strobe, access.valid)
  bus.prot := 0

  val regs = new StrobedBus(bus, SizeMapping(0, BigInt(1) << addressWidth))
  val accessError: Bool = front.io.accessError

  // Runs when all registers are known.
  Component.current.addPrePopTask(() => decode())

  def register(address: BigInt, name: String, doc: String): RegInst = {
    require(address < (1 << fileBits), s"register $name is at $address; registers are below ${1 << fileBits}")
    regs.regPtrReAnchorAt(address)
    regs.newReg(doc)(SymbolName(name))
  }

  private case class Window(address: BigInt, size: BigInt, data: Bits)
  private val windows = scala.collection.mutable.ListBuffer[Window]()

  /** Words that can only be read, from `address` on, which is a multiple of `size` rounded up to a power of two.
    *
    * @param data the word three clocks after `early` with its address
    */
  def window(address: BigInt, size: BigInt, data: Bits): Unit = windows += Window(address, size, data)

  /** A read comes in the next clock, of word `earlyAddress` if of a window. */
  def early: Bool = front.io.early
  def earlyAddress: UInt = front.io.earlyAddress

  private def decode(): Unit = {
    val write = RegNext(bus.wr)
    val words = regs.RegInsts.toSeq.map { slice =>
      val hit = RegNext(bus.ce && bus.addr === U(slice.getAddr(), addressWidth bits)) init False
      (hit, writable(slice), readBits(slice))
    } ++ windows.map { window =>
      val bits = log2Up(window.size) - 2
      val first = window.address >> 2
      require((first & ((1 << bits) - 1)) == 0, s"a window of ${window.size} bytes is at ${window.address}")
      val begun = if (isPow2(window.size)) True else access.word.resize(bits) < (window.size >> 2).toInt
      val within = RegNext(access.valid && (access.word >> bits) === (first >> bits).toInt && begun) init False
      (RegNext(within) init False, false, window.data)
    }
    front.io.data := words.map { case (hit, _, word) => Mux(hit, word, B(0, 32 bits)) }.reduceBalancedTree(_ | _)
    val answered = words.map { case (hit, canWrite, _) => if (canWrite) hit else hit && !write }
    front.io.refused := !answered.reduceBalancedTree(_ || _)
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
