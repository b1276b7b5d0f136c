// SPDX-License-Identifier: Apache-2.0
package arqlink.csr

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axilite.AxiLite4
import spinal.lib.bus.misc.SizeMapping
import spinal.lib.bus.regif._
import spinal.lib.bus.regif.BusIfAdapter.MinBusInterface

/** A regif register description behind an AXI4-Lite port, with SLVERR for every access that no register answers.
  *
  * @param axi the slave port of the component that holds the registers
  */
class RegisterPort(axi: AxiLite4) extends Area {
  val front = new AxiLiteFront(axi.config.addressWidth)
  front.io.axi << axi

  val regs = MinBusInterface(front.io.bus, SizeMapping(0, BigInt(1) << axi.config.addressWidth))(spinal.lib.bus.regif.ClassName("registers"))
  val accessError: Bool = front.io.accessError

  private val refused = RegInit(False)
  front.io.refused := refused
  // Runs when all registers are known.
  Component.current.addPrePopTask(() => decode())

  def register(address: BigInt, name: String, doc: String): RegInst = {
    regs.regPtrReAnchorAt(address)
    regs.newReg(doc)(SymbolName(name))
  }

  def window(address: BigInt, size: BigInt, name: String, doc: String): RamInst =
    regs.newRAMAt(address, size, doc)(SymbolName(name))

  private def decode(): Unit = when(front.io.bus.ce) {
    refused := True
    switch(front.io.bus.addr) {
      for (slice <- regs.RegInsts) is(U(slice.getAddr(), axi.config.addressWidth bits)) {
        refused := (if (RegisterPort.writable(slice)) False else front.io.bus.wr)
      }
    }
    for (ram <- regs.RamInsts)
      when(front.io.bus.addr >= U(ram.getAddr()) && front.io.bus.addr <= U(ram.endaddr)) {
        refused := front.io.bus.wr
      }
  }
}

object RegisterPort {

  /** In place of the reset value of a field that shows what happens in the core. */
  val live = BigInt(-1)

  def writable(slice: RegSlice): Boolean =
    slice.getFields().exists(f => !Set[AccessType](AccessType.RO, AccessType.ROV, AccessType.NA)(f.getAccessType()))

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
