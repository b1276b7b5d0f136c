// SPDX-License-Identifier: Apache-2.0
package arqlink.gen

import java.io.File
import java.nio.file.Paths

import spinal.core._

/** Writes the Verilog of one block in one configuration. A setting changes one value of the configuration. */
object Generate extends Program {
  val usage = s"Generate BLOCK CONFIG DIRECTORY [module=MODULE] [${NoisyRam.word}] [NAME=VALUE …]"

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
    * @param dropIn  what makes it fit for a design of others; without it modules have the names of their classes
    * @param noisyRam for tests: see [[NoisyRam]]
    */
  def write(directory: String, header: String, oneFile: Boolean = true, dropIn: Option[DropIn] = None, noisyRam: Boolean = false)(
      build: => Component
  ): Unit = {
    new File(directory).mkdirs()
    val plain = spinalConfig(directory).copy(rtlHeader = header, inlineRom = oneFile)
    if (noisyRam) NoisyRam.in(plain)
    val report = dropIn.fold(plain)(_.settings(plain)).generateVerilog {
      val top = build
      top.clockDomain.clock.setName("aclk")
      top.clockDomain.reset.setName("aresetn")
      dropIn.foreach(module => top.setDefinitionName(module.name))
      top
    }
    if (noisyRam) NoisyRam.complete(Paths.get(directory, s"${report.toplevel.definitionName}.v"))
    dropIn.foreach(_.complete(report.toplevel, Paths.get(directory)))
  }

  protected val run: PartialFunction[Seq[String], Unit] = { case Seq(block, name, directory, settings @ _*) =>
    val (noisy, others) = settings.partition(_ == NoisyRam.word)
    val (module, values) = DropIn.split(others)
    val config = Settings(name, values)
    val build = named(Blocks.all, block)
    write(directory, Describe.header(block, config), dropIn = module.map(DropIn(_, block, config)), noisyRam = noisy.nonEmpty)(build(config))
  }
}
