// SPDX-License-Identifier: Apache-2.0
package arqlink.gen

import java.io.File

import spinal.core._

/** Writes the Verilog of one block in one configuration: `Generate BLOCK CONFIG DIRECTORY [NAME=VALUE …]`.
  *
  * A setting changes one value of the configuration. What cannot be built is refused with one sentence and exit code 2.
  */
object Generate {
  def spinalConfig(directory: String): SpinalConfig = SpinalConfig(
    targetDirectory = directory,
    nameWhenByFile = false,
    headerWithDate = false,
    headerWithRepoHash = false,
    defaultConfigForClockDomains = ClockDomainConfig(resetKind = SYNC, resetActiveLevel = LOW),
    oneFilePerComponent = false,
    inlineRom = true,
    removePruned = true // what nothing reads is not for the eyes of who reads the Verilog
  )

  /** The entry of that name; an unknown one is refused with the names that there are. */
  def named[T](entries: Map[String, T], name: String): T = entries.getOrElse(
    name,
    throw new IllegalArgumentException(s"no block named '$name'; there are ${entries.keys.toSeq.sorted.mkString(", ")}")
  )

  /** Writes the Verilog of a top, whose clock and reset are `aclk` and `aresetn`, with `header` as its first comment.
    *
    * @param oneFile initial contents of memories are in the text; else they are files next to it, which Yosys reads in a
    *                second where a large memory in the text takes it many minutes
    */
  def write(directory: String, header: String, oneFile: Boolean = true)(build: => Component): Unit = {
    new File(directory).mkdirs()
    spinalConfig(directory).copy(rtlHeader = header, inlineRom = oneFile).generateVerilog {
      val top = build
      top.clockDomain.clock.setName("aclk")
      top.clockDomain.reset.setName("aresetn")
      top
    }
  }

  /** Ends the program with one sentence and exit code 2. */
  def refuse(message: String): Nothing = {
    System.err.println(message)
    sys.exit(2)
  }

  /** Refuses what cannot be built. */
  def orRefuse(body: => Unit): Unit =
    try body
    catch { case e: IllegalArgumentException => refuse(e.getMessage.stripPrefix("requirement failed: ")) }

  def main(args: Array[String]): Unit = args match {
    case Array(block, name, directory, settings @ _*) =>
      orRefuse {
        val config = Settings(name, settings)
        val build = named(Blocks.all, block)
        write(directory, Describe.header(block, config))(build(config))
      }
    case _ => refuse("usage: Generate BLOCK CONFIG DIRECTORY [NAME=VALUE …]")
  }
}
