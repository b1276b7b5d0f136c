// SPDX-License-Identifier: Apache-2.0
package arqlink.gen

import java.io.IOException

/** What cannot be built, in one sentence. */
final class Refused(sentence: String) extends Exception(sentence)

/** A program of this package: alone it ends with exit code 2 where it refuses its arguments; [[Service]] runs one after the other. */
trait Program {

  /** The words of its command line, as a reminder. */
  def usage: String

  /** Does the work. What `require` rejects, and files that cannot be read, are refused; so are arguments for which this has no case. */
  protected def run: PartialFunction[Seq[String], Unit]

  /** Runs the program, or throws [[Refused]]. */
  final def apply(args: Seq[String]): Unit =
    try run.applyOrElse(args, (_: Seq[String]) => throw new Refused(s"usage: $usage"))
    catch {
      case e: IllegalArgumentException => throw new Refused(e.getMessage.stripPrefix("requirement failed: "))
      case e: IOException              => throw new Refused(s"cannot read ${e.getMessage}")
    }

  def main(args: Array[String]): Unit =
    try apply(args.toSeq)
    catch {
      case e: Refused =>
        System.err.println(e.getMessage)
        sys.exit(2)
    }
}
