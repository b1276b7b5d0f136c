// SPDX-License-Identifier: Apache-2.0
package arqlink.gen

import spinal.core.Component

import arqlink.config.{LinkConfig, NamedConfigs}
import arqlink.csr.Version

/** Parameters of a configuration by name: as JSON of all named ones, for software that has to know a build's limits before it is
  * built, and as the header comment of generated Verilog.
  */
object Describe extends Program {
  val usage = "Describe"

  /** Name, value, and what it is. */
  private def fields(config: LinkConfig): Seq[(String, Long, String)] = Seq(
    ("data_bytes", config.code.dataBytes.toLong, "width of every data stream, bytes"),
    ("unit_bytes", config.code.unitBytes.toLong, "payload of a unit, bytes"),
    ("max_k", config.code.maxK.toLong, "most data units in a frame"),
    ("max_parity", config.code.maxParity.toLong, "most parity units in a frame"),
    ("window_frames", config.window.windowFrames.toLong, "most frames in flight, or awaiting delivery"),
    ("max_packet_bytes", config.window.maxPacketBytes.toLong, "longest packet, bytes"),
    ("packet_crc", if (config.packetCrc) 1L else 0L, "1: a CRC-32C goes with each packet"),
    ("k", config.reset.k.toLong, "data units in a frame, after reset"),
    ("n_first", config.reset.nFirst.toLong, "units in a frame's first transmission, after reset"),
    ("n_retx", config.reset.nRetx.toLong, "units in a retransmission, after reset"),
    ("delta", config.reset.delta.toLong, "retransmissions of a frame at most, after reset; 15: without end")
  )

  private def version = { import Version._; s"$major.$minor.$patch" }

  /** What a Verilog file says about itself. */
  def header(block: String, config: LinkConfig): String =
    (Seq(
      "SPDX-License-Identifier: Apache-2.0",
      s"arqlink $version: $block, configuration ${config.name}",
      "Plain Verilog-2005 without dependencies. It is generated: change its parameters by their names.",
      ""
    ) ++ fields(config).map { case (name, value, meaning) =>
      s"${camelCase(name)} = $value ($meaning)"
    } ++
      (if (config.reset.roundTrip == 0) Seq() else Seq(s"roundTrip = ${config.reset.roundTrip} (of the line, clocks; timers after reset follow)")) ++
      (if (config.firstSn == 0) Seq() else Seq(s"firstSn = ${config.firstSn} (first FSN and TSN, for tests)"))).mkString("\n")

  private def camelCase(name: String): String = name.split('_').reduce(_ + _.capitalize)

  def json: String = NamedConfigs.all
    .map { config =>
      fields(config).map { case (name, value, _) => s"""    "$name": $value""" }.mkString(s"""  "${config.name}": {\n""", ",\n", "\n  }")
    }
    .mkString("{\n", ",\n", "\n}\n")

  private def text(value: String): String = s"\"$value\""

  private def list(entries: Seq[String], indent: String): String =
    if (entries.isEmpty) "[]" else entries.mkString(s"[\n$indent  ", s",\n$indent  ", s"\n$indent]")

  /** A module for programs that connect it or write about it, as JSON: version, block and configuration, its parameters, its ports in the order
    * of the declaration, its buses with the port of each signal, and its clocks with their resets.
    */
  def module(name: String, block: String, config: LinkConfig, top: Component): String = {
    val parameters = fields(config).map { case (field, value, _) => s"${text(field)}: $value" }
    val ports = BusInterface.ports(top).map { port =>
      val direction = if (port.isInput) "in" else "out"
      s"""{"name": ${text(port.getName())}, "direction": "$direction", "width": ${port.getBitsWidth}}"""
    }
    val buses = BusInterface.all(top).map { bus =>
      val signals = bus.signals.map { case (signal, port) => s"${text(signal)}: ${text(port.getName())}" }.mkString(", ")
      val mode = if (bus.isSlave) "slave" else "master"
      s"""{"name": ${text(bus.name)}, "kind": "${bus.kind.name}", "mode": "$mode", "clock": ${text(bus.clock)}, "signals": {$signals}}"""
    }
    val clocks = BusInterface.resets(top).toSeq.sorted.map { case (clock, reset) => s"""{"clock": ${text(clock)}, "reset": ${text(reset)}}""" }
    s"""{
       |  "module": ${text(name)},
       |  "version": ${text(version)},
       |  "block": ${text(block)},
       |  "configuration": ${text(config.name)},
       |  "parameters": {${parameters.mkString(", ")}},
       |  "clocks": ${list(clocks, "  ")},
       |  "buses": ${list(buses, "  ")},
       |  "ports": ${list(ports, "  ")}
       |}
       |""".stripMargin
  }

  protected val run: PartialFunction[Seq[String], Unit] = { case Seq() => print(json) }
}
