// SPDX-License-Identifier: Apache-2.0
package arqlink.gen

/** Writes the Verilog of one block between registers ([[SynthShell]]): `GenerateShell BLOCK CONFIG DIRECTORY [NAME=VALUE …]`. */
object GenerateShell {
  def main(args: Array[String]): Unit = args match {
    case Array(block, name, directory, settings @ _*) =>
      Generate.orRefuse {
        val config = Settings(name, settings)
        val build = Generate.named(Blocks.all, block)
        Generate.write(directory, Describe.header(block, config))(new SynthShell(build(config)))
      }
    case _ => Generate.refuse("usage: GenerateShell BLOCK CONFIG DIRECTORY [NAME=VALUE …]")
  }
}
