// SPDX-License-Identifier: Apache-2.0
package arqlink.gen

import spinal.core._
import spinal.core.internals.{PhaseContext, PhaseMisc}

/** A bus of a top, found by the names of its ports: `s_axis_tdata` belongs to `s_axis`, and is its TDATA.
  *
  * @param signals port by the bus's own name of it, such as TDATA; upper case
  * @param clock   port of the clock that it belongs to
  */
case class BusInterface(name: String, kind: BusInterface.Kind, isSlave: Boolean, signals: Seq[(String, BaseType)], clock: String)

object BusInterface {

  /** A kind of bus.
    *
    * @param name      as in the description of a module
    * @param vlnv      AMD's identifier
    * @param request   its signal that only a master drives
    * @param pattern   ports' names: the bus, and the signal
    */
  case class Kind(name: String, vlnv: String, request: String, pattern: scala.util.matching.Regex)

  private val kinds = Seq(
    Kind("axi4-stream", "xilinx.com:interface:axis:1.0", "TVALID", "(.*axis.*)_(tdata|tkeep|tvalid|tready|tlast|tuser)".r),
    Kind("axi4-lite", "xilinx.com:interface:aximm:1.0", "AWVALID", "(.*axil)_((?:aw|w|b|ar|r)(?:valid|ready|addr|prot|data|strb|resp))".r)
  )

  private val clockVlnv = "xilinx.com:signal:clock:1.0"
  private val resetVlnv = "xilinx.com:signal:reset:1.0"
  private val interruptVlnv = "xilinx.com:signal:interrupt:1.0"

  /** Ports in the order of the module's declaration. */
  def ports(top: Component): Seq[BaseType] = top.getOrdredNodeIo.toSeq

  /** The reset of each clock of a top. */
  def resets(top: Component): Map[String, String] = {
    val names = ports(top).map(_.getName()).toSet
    names.filter(_.endsWith("aclk")).map(clock => clock -> (clock.stripSuffix("aclk") + "aresetn")).filter { case (_, reset) => names(reset) }.toMap
  }

  /** All buses of a top. Those of the PHY belong to `phy_aclk` where there is one. */
  def all(top: Component): Seq[BusInterface] = {
    val clocks = resets(top).keySet
    for {
      kind <- kinds
      found = ports(top).collect {
        case port if kind.pattern.matches(port.getName()) =>
          val kind.pattern(bus, signal) = port.getName(): @unchecked
          (bus, signal.toUpperCase, port)
      }
      bus <- found.map(_._1).distinct
      signals = found.collect { case (`bus`, signal, port) => signal -> port }
      isSlave = signals.exists { case (signal, port) => signal == kind.request && port.isInput }
    } yield BusInterface(bus, kind, isSlave, signals, if (bus.endsWith("_phy") && clocks("phy_aclk")) "phy_aclk" else "aclk")
  }

  /** Tells AMD's tools which port belongs to which bus, by attributes (Vivado user guide UG994, "inferring interfaces"). Clock and reset are ports
    * when the netlist is complete.
    */
  object Annotate extends PhaseMisc {
    override def impl(context: PhaseContext): Unit = annotate(context.topLevel)
  }

  private def annotate(top: Component): Unit = {
    val buses = all(top)
    def info(port: BaseType, vlnv: String, bus: String, signal: String): Unit = port.addAttribute("X_INTERFACE_INFO", s"$vlnv $bus $signal")
    def parameters(port: BaseType, values: (String, String)*): Unit =
      port.addAttribute("X_INTERFACE_PARAMETER", values.map { case (name, value) => s"$name $value" }.mkString(", "))
    for (bus <- buses; (signal, port) <- bus.signals) info(port, bus.kind.vlnv, bus.name, signal)
    val byName = ports(top).map(port => port.getName() -> port).toMap
    for ((clock, reset) <- resets(top)) {
      info(byName(clock), clockVlnv, clock, "CLK")
      parameters(byName(clock), "ASSOCIATED_BUSIF" -> buses.filter(_.clock == clock).map(_.name).mkString(":"), "ASSOCIATED_RESET" -> reset)
      info(byName(reset), resetVlnv, reset, "RST")
      parameters(byName(reset), "POLARITY" -> "ACTIVE_LOW")
    }
    for (irq <- ports(top) if irq.getName().endsWith("irq")) {
      info(irq, interruptVlnv, irq.getName(), "INTERRUPT")
      parameters(irq, "SENSITIVITY" -> "LEVEL_HIGH")
    }
  }
}
