// SPDX-License-Identifier: Apache-2.0
package arqlink.gen

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}

import spinal.core._
import spinal.core.internals.PhaseVerilog

import arqlink.config.LinkConfig

/** What makes a top fit for a design of others: names of its own for all of its modules, attributes for AMD's tools, and pragmas for lints.
  *
  * @param name of the module; those of all modules within begin with it and an underscore
  */
case class DropIn(name: String, block: String, config: LinkConfig) {
  require(
    DropIn.identifier.matches(name),
    s"'$name' cannot be the name of a module: letters, digits and underscores make one, and it does not begin with a digit"
  )

  /** `config` for the Verilog of such a top. */
  def settings(config: SpinalConfig): SpinalConfig = {
    val own = config.copy(privateNamespace = true, withTimescale = false)
    own.phasesInserters += (phases => phases.insert(phases.indexWhere(_.isInstanceOf[PhaseVerilog]), BusInterface.Annotate))
    own
  }

  /** Completes the Verilog of `top` in `folder`, and describes the module beside it. */
  def complete(top: Component, folder: Path): Unit = {
    val verilog = folder.resolve(s"$name.v")
    val text = new String(Files.readAllBytes(verilog), UTF_8)
    Files.write(verilog, DropIn.withPragmas(text).getBytes(UTF_8))
    Files.write(folder.resolve(s"$name.json"), Describe.module(name, block, config, top).getBytes(UTF_8))
  }
}

object DropIn {
  private val key = "module="
  private val identifier = "[A-Za-z_][A-Za-z0-9_]*".r

  /** Takes `module=NAME` out of a list of settings: the name, if there is one, and the other settings. */
  def split(settings: Seq[String]): (Option[String], Seq[String]) = {
    val (own, others) = settings.partition(_.startsWith(key))
    (own.lastOption.map(_.stripPrefix(key)), others)
  }

  /** What a lint warns of, and why it may. */
  private val pragmas = Seq(
    "DECLFILENAME" -> "one file holds all modules",
    "TIMESCALEMOD" -> "nothing here takes time, so there is no timescale",
    "UNUSEDPARAM" -> "each module names all values of an enumeration",
    "UNUSEDSIGNAL" -> "a build does not use all bits and signals that its blocks have for others",
    "SYNCASYNCNET" -> "a FIFO between two clocks takes a reset up without its clock, all else with it"
  )

  private def withPragmas(text: String): String = {
    val (head, modules) = text.splitAt(text.indexOf("\n\n") + 2)
    val off = pragmas.map { case (rule, reason) => s"/* verilator lint_off $rule */ // $reason" }
    head + ("/* verilator lint_save */" +: off).mkString("", "\n", "\n\n") + modules.stripLeading + "/* verilator lint_restore */\n"
  }
}
