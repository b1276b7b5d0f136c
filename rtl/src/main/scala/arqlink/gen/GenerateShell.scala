// SPDX-License-Identifier: Apache-2.0
package arqlink.gen

/** Writes the Verilog of one block between registers ([[SynthShell]]). */
object GenerateShell extends Program {
  val usage = "GenerateShell BLOCK CONFIG DIRECTORY [NAME=VALUE …]"

  protected val run: PartialFunction[Seq[String], Unit] = { case Seq(block, name, directory, settings @ _*) =>
    val config = Settings(name, settings)
    val build = Generate.named(Blocks.all, block)
    Generate.write(directory, Describe.header(block, config))(new SynthShell(build(config)))
  }
}
