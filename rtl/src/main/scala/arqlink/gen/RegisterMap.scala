// SPDX-License-Identifier: Apache-2.0
package arqlink.gen

import java.nio.file.Files

import spinal.core._
import spinal.lib.bus.regif._

import arqlink.axi.RegisterPort
import arqlink.channel.{ChannelConfig, ChannelRegisters}
import arqlink.config.NamedConfigs
import arqlink.csr.LinkRegisters
import arqlink.soc._
import arqlink.traffic.TrafficRegisters

/** A register field; `reset` is empty where it follows from the build configuration, and for a `live` field, which
  * shows what happens in the core.
  */
case class FieldEntry(name: String, shift: Int, width: Int, access: String, reset: Option[BigInt], live: Boolean, doc: String) {
  def mask: BigInt = ((BigInt(1) << width) - 1) << shift
  def isWord: Boolean = width == 32
}

/** A register; `offset` is its byte address within the slave. */
case class RegisterEntry(name: String, offset: BigInt, doc: String, fields: Seq[FieldEntry]) {

  /** Value after reset, where no field's depends on the build. */
  def reset: Option[BigInt] =
    if (fields.forall(_.reset.isDefined)) Some(fields.map(f => f.reset.get << f.shift).sum) else None
}

/** The registers of one kind of slave. `prefix`: of the names in C and Python; `slave`: its name in SystemRDL, after `arqlink_`. */
case class RegisterMap(prefix: String, slave: String, title: String, registers: Seq[RegisterEntry])

object RegisterMap {

  /** Reads the register map off an elaborated regif description. */
  private def read(regs: BusIf): Seq[RegisterEntry] = regs.RegInsts.toSeq.sortBy(_.getAddr()).map { reg =>
    RegisterEntry(
      reg.getName(),
      reg.getAddr(),
      reg.getDoc(),
      reg.getFields().filter(_.getAccessType() != AccessType.NA).map { f =>
        val reset = Some(f.getResetValue()).filter(_ != RegisterPort.live)
        FieldEntry(f.getName(), f.getSection().min, f.getSection().size, f.getAccessType().toString, reset, reset.isEmpty, f.getDoc())
      }
    )
  }

  /** Keeps the reset values that all builds agree on. */
  private def agree(builds: Seq[Seq[RegisterEntry]]): Seq[RegisterEntry] = builds.head.zipWithIndex.map { case (reg, i) =>
    reg.copy(fields = reg.fields.zipWithIndex.map { case (field, j) =>
      if (builds.forall(_(i).fields(j).reset == field.reset)) field else field.copy(reset = None)
    })
  }

  private def elaborate[T <: Component](component: => T)(port: T => RegisterPort): Seq[RegisterEntry] = {
    val folder = Files.createTempDirectory("arqlink-contracts")
    val registers = read(port(Generate.spinalConfig(folder.toString).generateVerilog(component).toplevel).regs)
    folder.toFile.listFiles.foreach(_.delete())
    folder.toFile.delete()
    registers
  }

  /** Two soft systems that differ in all that a build can choose. */
  private def systems: Seq[SocConfig] = {
    val one = SocConfig(NamedConfigs.default, rom = Seq(0))
    Seq(one, one.copy(ramBytes = one.ramBytes / 2, clockHz = 1, uartDivider = 0, bootWait = 1))
  }

  def all: Seq[RegisterMap] = Seq(
    RegisterMap("ARQLINK", "link", "Link end", agree(NamedConfigs.all.map(link => elaborate(new LinkRegisters(link))(_.port)))),
    RegisterMap(
      "ARQCHAN",
      "channel",
      "Channel emulator",
      agree(Seq(1, 2).map(i => elaborate(new ChannelRegisters(ChannelConfig(4, 1 << 24, seed = i)))(_.port)))
    ),
    RegisterMap("ARQTRAF", "traffic", "Packet generator and checker", elaborate(new TrafficRegisters)(_.port)),
    RegisterMap("ARQUART", "uart", "UART of the soft system", agree(systems.map(soc => elaborate(new UartDevice(soc))(_.port)))),
    RegisterMap("ARQTIMER", "timer", "Machine timer of the soft system", elaborate(new TimerDevice)(_.port)),
    RegisterMap("ARQSYS", "system", "The soft system", agree(systems.map(soc => elaborate(new SystemDevice(soc))(_.port))))
  )
}
