// SPDX-License-Identifier: Apache-2.0
package arqlink.synth

import java.io.File

import arqlink._

/** Writes the Verilog of one block between registers ([[SynthShell]]): `GenerateShell BLOCK CONFIG DIRECTORY [NAME=VALUE …]`. */
object GenerateShell {
  def main(args: Array[String]): Unit = {
    val Array(block, config, directory, settings @ _*) = args
    val link = LinkConfig.named(config).withSettings(settings)
    new File(directory).mkdirs()
    Generate.spinalConfig(directory).generateVerilog {
      val top = new SynthShell(Generate.blocks(block)(link))
      top.clockDomain.clock.setName("aclk")
      top.clockDomain.reset.setName("aresetn")
      top
    }
  }
}
