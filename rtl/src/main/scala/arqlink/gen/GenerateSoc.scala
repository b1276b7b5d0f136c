// SPDX-License-Identifier: Apache-2.0
package arqlink.gen

import java.nio.file.{Files, Paths}

import spinal.core._

import arqlink.soc._

/** Writes the Verilog of a soft system.
  *
  * Files are raw bytes. A setting of `ramBytes`, `clockHz`, `uartDivider`, `bootWait` or `maxDelay` changes the system, any other the
  * link. The CPU's own Verilog is an extra source.
  */
object GenerateSoc extends Program {
  val usage = "GenerateSoc BLOCK CONFIG DIRECTORY rom=FILE [image=FILE] [module=MODULE] [NAME=VALUE …]"

  private val blocks: Map[String, SocConfig => Component] =
    Map(
      "ArqControl" -> (new ArqControl(_)),
      "ArqSoc" -> (new ArqSoc(_)),
      "ArqPairSoc" -> (new ArqPairSoc(_)),
      "Ulx3s" -> (new Ulx3s(_))
    )

  /** What is synthesized and never simulated. */
  private val boards = Set("Ulx3s")
  private val numbers = Set("ramBytes", "clockHz", "uartDivider", "bootWait", "maxDelay")

  private def config(name: String, settings: Seq[String]): SocConfig = {
    val pairs = settings.map(s => s.takeWhile(_ != '=') -> s.dropWhile(_ != '=').drop(1))
    val own = pairs.toMap
    def file(key: String): Seq[Byte] = own.get(key).fold(Seq.empty[Byte])(path => Files.readAllBytes(Paths.get(path)).toSeq)
    def number(key: String, old: Long, most: Long): Long = own.get(key).fold(old) { text =>
      require(text.nonEmpty && text.length < 11 && text.forall(_.isDigit) && text.toLong <= most, s"$key is '$text'; it must be a number from 0 to $most")
      text.toLong
    }
    val link = settings.filterNot(s => (numbers ++ Set("rom", "image"))(s.takeWhile(_ != '=')))
    val plain = SocConfig(Settings(name, link), file("rom"), file("image"))
    plain.copy(
      ramBytes = number("ramBytes", plain.ramBytes, Int.MaxValue).toInt,
      clockHz = number("clockHz", plain.clockHz, 0xffffffffL),
      uartDivider = number("uartDivider", plain.uartDivider, Int.MaxValue).toInt,
      bootWait = number("bootWait", plain.bootWait, Int.MaxValue).toInt,
      maxDelay = number("maxDelay", plain.maxDelay, Int.MaxValue).toInt
    )
  }

  protected val run: PartialFunction[Seq[String], Unit] = { case Seq(block, name, directory, settings @ _*) =>
    val build = Generate.named(blocks, block)
    val (module, values) = DropIn.split(settings)
    val built = config(name, values)
    val dropIn = module.map(DropIn(_, block, built.link))
    Generate.write(directory, Describe.header(block, built.link), oneFile = !boards(block), dropIn)(build(built))
  }
}
