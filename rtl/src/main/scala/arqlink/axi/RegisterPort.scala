// SPDX-License-Identifier: Apache-2.0
package arqlink.axi

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axilite.AxiLite4
import spinal.lib.bus.localbus.{MinBus, MinBusConfig}
import spinal.lib.bus.misc.SizeMapping
import spinal.lib.bus.regif.{AccessType, ClassName => ModuleName, RegInst, SymbolName}
import spinal.lib.bus.regif.BusIfAdapter.MinBusInterface

/** Registers behind an AXI4-Lite port, with SLVERR for every access that no register answers.
  *
  * A converter from a bus of 64 bits also accesses the other word of the 8 bytes. So that word reads as 0 where it has no register, and
  * a write without byte strobes is none.
  *
  * regif holds the description; the logic is here. One clock decodes the address, the next writes. A read chooses among four
  * registers in the first clock, and among these choices in the second. The fields of a register that can be written are one
  * register of flip-flops, and nothing is assigned in clocks without an access or an event, which is what simulators spend
  * their time with.
  *
  * @param axi the slave port of the component that holds the registers; they are within its first 128 bytes
  */
class RegisterPort(axi: AxiLite4) extends Area {
  import RegisterPort._

  val front = new AxiLiteFront(axi.config.addressWidth)
  front.io.axi << axi
  private val access = front.io.access
  private val early = front.io.early
  val accessError: Bool = front.io.accessError

  // The clock of an access, and the two clocks after it: a word is chosen; registers are written; they have changed.
  private val now = access.valid
  private val turn = RegNext(now) init False
  private val changes = access.write && access.strobe.orR
  val changed: Bool = RegNext(turn) init False

  /** One bit per register, for one clock: it is written. */
  private val written = Reg(Bits(1 << (fileBits - 2) bits)) init 0
  private val inFile = RegNext(early.valid && early.payload.dropLow(fileBits - 2) === 0) init False
  private val index = access.word.resize(fileBits - 2)
  when(now || turn) {
    written := 0
    when(inFile && changes)(written := UIntToOh(index))
  }

  // A read may follow a write in the next clock; it does not see what is written.
  private val writes = now && access.write
  private val data = RegNextWhen(access.data, writes)
  private val strobe = RegNextWhen(access.strobe, writes)

  val regs = MinBusInterface(nobody(), SizeMapping(0, 4096))(ModuleName("registers"))
  private val registers = scala.collection.mutable.ListBuffer[Register]()

  // Runs when all registers are known.
  Component.current.addPrePopTask { () =>
    registers.foreach(_.build())
    choose()
  }

  def register(address: BigInt, name: String, doc: String): Register = {
    require(address < (1 << fileBits), s"register $name is at $address; registers are below ${1 << fileBits}")
    regs.regPtrReAnchorAt(address)
    registers += new Register(regs.newReg(doc)(SymbolName(name)))
    registers.last
  }

  /** A register and its fields; regif takes a field's name from a `val`, which would clash where registers share names. */
  class Register private[RegisterPort] (slice: RegInst) {
    private case class Part(signal: BaseType, position: Int, reset: BigInt, event: Bool) {
      def width: Int = signal.getBitsWidth
    }
    private val stored, pulses, flags = scala.collection.mutable.ListBuffer[Part]()
    private[RegisterPort] val number: Int = (slice.getAddr() >> 2).toInt

    /** High in the clock in which a write changes the register. */
    val writing: Bool = written(number)

    /** High in the clock after, when the new value is there. */
    def event: Bool = RegNext(writing) init False

    private def describe[T <: BaseType](pos: Int, signal: T, access: AccessType, reset: BigInt, name: String, doc: String): T = {
      signal.setName(name, weak = true)
      slice.registerAtOnlyReadLogic(pos, signal, access, reset, doc)
      slice.getFields().last.setName(name)
      signal
    }

    def readWrite[T <: BaseType](pos: Int, hardType: HardType[T], reset: BigInt, name: String, doc: String): T = {
      val field = describe(pos, hardType(), AccessType.RW, reset, name, doc)
      stored += Part(field, pos, reset, null)
      field
    }

    /** High for one clock after a 1 has been written; reads as 0. */
    def pulse(pos: Int, name: String, doc: String): Bool = {
      val field = describe(pos, Bool(), AccessType.W1P, 0, name, doc)
      pulses += Part(field, pos, 0, null)
      field
    }

    /** Set a clock after `event`, cleared by writing 1; an event that comes with the clearing write is kept. */
    def sticky(pos: Int, event: Bool, name: String, doc: String): Bool = {
      val field = describe(pos, Bool(), AccessType.W1C, 0, name, doc)
      flags += Part(field, pos, 0, event)
      field
    }

    /** `reset`: value after reset where it is fixed, else `live`. */
    def readOnly[T <: BaseType](pos: Int, value: T, name: String, doc: String, reset: BigInt = live): Unit =
      describe(pos, cloneOf(value), AccessType.RO, reset, name, doc).assignFrom(value)

    def constant(pos: Int, width: Int, value: BigInt, name: String, doc: String): Unit =
      readOnly(pos, B(value, width bits), name, doc, value)

    /** Flip-flops for parts, next to each other; their places among them. */
    private def hold(parts: Seq[Part], suffix: String): (Bits, Seq[(Part, Int)]) = {
      val places = parts.zip(parts.scanLeft(0)(_ + _.width))
      val held = Reg(Bits(parts.map(_.width).sum bits)) init places.map { case (part, at) => part.reset << at }.sum
      held.setCompositeName(RegisterPort.this, slice.getName().toLowerCase + suffix)
      for ((part, at) <- places) part.signal.assignFromBits(held(at, part.width bits))
      (held, places)
    }

    /** What is written as 1. */
    private def ones(parts: Seq[Part]): Bits = Cat(parts.map(part => data(part.position) && strobe(part.position / 8)))

    private[RegisterPort] def build(): Unit = {
      if (stored.nonEmpty) {
        val (held, places) = hold(stored.toSeq, "")
        when(writing) {
          for (byte <- 0 to 3; (part, at) <- places) {
            val from = part.position max 8 * byte
            val to = (part.position + part.width - 1) min 8 * byte + 7
            val shift = at - part.position
            if (from <= to) when(strobe(byte))(held(to + shift downto from + shift) := data(to downto from))
          }
        }
      }
      if (pulses.nonEmpty) {
        val (held, _) = hold(pulses.toSeq, "_pulses")
        when(turn || changed) {
          held := 0
          when(writing)(held := ones(pulses.toSeq))
        }
      }
      if (flags.nonEmpty) {
        val (held, _) = hold(flags.toSeq, "_flags")
        val arriving = Cat(flags.map(_.event))
        val events = RegNext(arriving) init 0
        when(writing || RegNext(arriving.orR, init = False))(held := held & ~(ones(flags.toSeq).andMask(writing)) | events)
      }
    }

    private[RegisterPort] def writable: Boolean = Seq(stored, pulses, flags).exists(_.nonEmpty)

    /** The word; a pulse reads as 0. */
    private[RegisterPort] def word: Bits = slice
      .getFields()
      .filterNot(f => f.getAccessType() == AccessType.W1P || f.getAccessType() == AccessType.NA)
      .map(f => f.hardbit.asBits.resize(32) |<< f.getSection().min)
      .fold(B(0, 32 bits))(_ | _)
  }

  private case class Window(address: BigInt, size: BigInt, data: Bits, valid: Bool)
  private val windows = scala.collection.mutable.ListBuffer[Window]()

  /** Words that can only be read, `size` bytes from `address` on; no holes are beside them.
    *
    * @param data  the word two clocks after `comes` with its address
    * @param valid with `comes`: there is data; 0 is read otherwise
    */
  def window(address: BigInt, size: BigInt, data: Bits, valid: Bool): Unit = windows += Window(address, size, data, valid)

  /** The clock before an access, of word `word` if it is of a window: what is read should not change before the next one. */
  def comes: Bool = early.valid
  def word: UInt = early.payload

  private def choose(): Unit = {
    // `granted` in the clock after an access; the words to be read then are zero but the one.
    val change = RegNextWhen(changes, now)
    val fileData = registers.groupBy(_.number / groupSize).toSeq.sortBy(_._1).map { case (group, members) =>
      val words = Vec.tabulate(groupSize)(i => members.find(_.number % groupSize == i).fold(B(0, 32 bits))(_.word))
      val chosen = words(index.resize(log2Up(groupSize)))
      val isHere = inFile && index.dropLow(log2Up(groupSize)) === group
      RegNextWhen(chosen, now).andMask(RegNext(isHere) init False)
    }
    def among(numbers: Seq[Int]): Bool = B(numbers.map(BigInt(1) << _).sum, written.getWidth bits)(index)
    val (writable, all) = (registers.toSeq.filter(_.writable).map(_.number), registers.toSeq.map(_.number))
    val legal = Mux(changes, among(writable), among((all ++ all.map(_ ^ 1)).distinct))
    val granted = RegNext(inFile && legal) init False
    val (hits, views) = windows.toSeq.map { window =>
      val bits = log2Up(window.size) - 2
      val first = window.address >> 2
      require(window.address % 8 == 0 && window.size % 8 == 0, s"a window of ${window.size} bytes at ${window.address} cuts 8 bytes")
      require(window.address + window.size <= (4 << early.payload.getWidth), s"a window of ${window.size} bytes at ${window.address} is beyond all addresses")
      // Counted from its first block of words; a window that does not begin with one is counted from itself.
      val base = if ((first & ((1 << bits) - 1)) == 0) 0 else first.toInt
      def from(word: UInt): UInt = if (base == 0) word else word - base
      val above = RegNext(from(early.payload).dropLow(bits) === ((first - base) >> bits).toInt) init False
      val begun = if (isPow2(window.size)) True else from(access.word).resize(bits) < (window.size >> 2).toInt
      val hit = RegNext(above && begun) init False
      val shown = RegNext(above && begun && RegNext(window.valid)) init False
      (hit && !change, window.data.andMask(shown))
    }.unzip
    front.io.data := (fileData ++ views).reduceBalancedTree(_ | _)
    front.io.refused := !(granted +: hits).reduceBalancedTree(_ || _)
  }
}

object RegisterPort {

  /** Byte address bits of the registers. */
  private val fileBits = 7

  /** Registers among which a read chooses first. */
  private val groupSize = 4

  /** In place of the reset value of a field that shows what happens in the core. */
  val live = BigInt(-1)

  /** regif's own bus, over which nothing comes. */
  private def nobody(): MinBus = {
    val bus = MinBus(MinBusConfig(12, 32))
    bus.ce := False
    bus.wr := False
    bus.addr := 0
    bus.wdat := 0
    bus.prot := 0
    bus
  }
}
