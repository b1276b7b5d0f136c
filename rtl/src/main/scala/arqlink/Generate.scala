// SPDX-License-Identifier: Apache-2.0
package arqlink

import java.io.File

import spinal.core._

/** Writes the Verilog of one block in one configuration: `Generate BLOCK CONFIG DIRECTORY [NAME=VALUE …]`.
  *
  * A setting changes one value of the configuration. What cannot be built is refused with one sentence and exit code 2.
  */
object Generate {
  val blocks: Map[String, LinkConfig => Component] =
    rs.RsBlocks.all ++ link.LinkBlocks.all ++ arq.ArqBlocks.all ++ csr.CsrBlocks.all ++
      channel.ChannelBlocks.all ++ top.TopBlocks.all

  def spinalConfig(directory: String): SpinalConfig = SpinalConfig(
    targetDirectory = directory,
    nameWhenByFile = false,
    headerWithDate = false,
    headerWithRepoHash = false,
    defaultConfigForClockDomains = ClockDomainConfig(resetKind = SYNC, resetActiveLevel = LOW),
    oneFilePerComponent = false,
    inlineRom = true
  )

  def apply(block: String, config: LinkConfig, directory: String): Unit = {
    val build = blocks.getOrElse(
      block,
      throw new IllegalArgumentException(s"no block named '$block'; there are ${blocks.keys.toSeq.sorted.mkString(", ")}")
    )
    new File(directory).mkdirs()
    spinalConfig(directory).copy(rtlHeader = Describe.header(block, config)).generateVerilog {
      val top = build(config)
      top.clockDomain.clock.setName("aclk")
      top.clockDomain.reset.setName("aresetn")
      top
    }
  }

  def main(args: Array[String]): Unit = args match {
    case Array(block, config, directory, settings @ _*) =>
      try apply(block, LinkConfig.named(config).withSettings(settings), directory)
      catch {
        case e: IllegalArgumentException =>
          System.err.println(e.getMessage.stripPrefix("requirement failed: "))
          sys.exit(2)
      }
    case _ =>
      System.err.println("usage: Generate BLOCK CONFIG DIRECTORY [NAME=VALUE …]")
      sys.exit(2)
  }
}
