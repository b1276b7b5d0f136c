// SPDX-License-Identifier: Apache-2.0
package arqlink.gen

import java.io.{ByteArrayOutputStream, PrintStream, PrintWriter, StringWriter}
import java.net.{URLDecoder, URLEncoder}
import java.nio.charset.StandardCharsets.UTF_8

import scala.io.StdIn

/** Runs the other programs of this package in one JVM, one after the other: starting a JVM, and compiling SpinalHDL to machine code, takes
  * longer than most of what they do.
  *
  * A request is a line of words on standard input, the program's name and its arguments. The answer is a line of three words: exit code, what
  * the program printed, and the reason where it failed. Words are URL-encoded and separated by blanks. It ends with standard input.
  */
object Service {
  private val programs: Map[String, Program] =
    Map("Generate" -> Generate, "GenerateSoc" -> GenerateSoc, "GenerateShell" -> GenerateShell, "Contracts" -> Contracts, "Describe" -> Describe)

  private def trace(e: Throwable): String = {
    val text = new StringWriter
    e.printStackTrace(new PrintWriter(text, true))
    text.toString
  }

  private def answer(words: Seq[String]): Seq[String] = {
    val printed = new ByteArrayOutputStream
    val (code, reason) = Console.withOut(new PrintStream(printed, true, UTF_8)) {
      try {
        Generate.named(programs, words.head)(words.tail)
        (0, "")
      } catch {
        case e: Refused   => (2, e.getMessage)
        case e: Throwable => (1, trace(e))
      }
    }
    Seq(code.toString, printed.toString(UTF_8), reason)
  }

  def main(args: Array[String]): Unit =
    for (line <- Iterator.continually(StdIn.readLine()).takeWhile(_ != null)) {
      val words = line.split(" ", -1).toSeq.map(URLDecoder.decode(_, UTF_8))
      println(answer(words).map(URLEncoder.encode(_, UTF_8)).mkString(" "))
    }
}
