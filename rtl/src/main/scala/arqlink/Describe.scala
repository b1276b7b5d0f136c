// SPDX-License-Identifier: Apache-2.0
package arqlink

/** Parameters of a configuration by name: as JSON of all named ones, for software that has to know a build's limits before it is
  * built, and as the header comment of generated Verilog.
  */
object Describe {
  private def fields(config: LinkConfig): Seq[(String, Long)] = Seq(
    "data_bytes" -> config.code.dataBytes.toLong,
    "unit_bytes" -> config.code.unitBytes.toLong,
    "max_k" -> config.code.maxK.toLong,
    "max_parity" -> config.code.maxParity.toLong,
    "window_frames" -> config.window.windowFrames.toLong,
    "max_packet_bytes" -> config.window.maxPacketBytes.toLong,
    "k" -> config.reset.k.toLong,
    "n_first" -> config.reset.nFirst.toLong,
    "n_retx" -> config.reset.nRetx.toLong,
    "delta" -> config.reset.delta.toLong
  )

  private def version = { import csr.Version._; s"$major.$minor.$patch" }

  /** What a Verilog file says about itself. */
  def header(block: String, config: LinkConfig): String =
    (Seq(
      "SPDX-License-Identifier: Apache-2.0",
      s"arqlink $version: $block, configuration ${config.name}",
      "Plain Verilog-2005 without dependencies. It is generated: change its parameters by their names.",
      ""
    ) ++ fields(config).map { case (name, value) => s"${camelCase(name)} = $value" }).mkString("\n")

  private def camelCase(name: String): String = name.split('_').reduce(_ + _.capitalize)

  def json: String = LinkConfig.all
    .map { config =>
      fields(config).map { case (name, value) => s"""    "$name": $value""" }.mkString(s"""  "${config.name}": {\n""", ",\n", "\n  }")
    }
    .mkString("{\n", ",\n", "\n}\n")

  def main(args: Array[String]): Unit = print(json)
}
