// SPDX-License-Identifier: Apache-2.0
package arqlink

/** Prints all named configurations as JSON, for software that has to know a build's limits before it is built. */
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

  def json: String = LinkConfig.all
    .map { config =>
      fields(config).map { case (name, value) => s"""    "$name": $value""" }.mkString(s"""  "${config.name}": {\n""", ",\n", "\n  }")
    }
    .mkString("{\n", ",\n", "\n}\n")

  def main(args: Array[String]): Unit = print(json)
}
