// SPDX-License-Identifier: Apache-2.0
package arqlink.gen

import arqlink.config._

/** A configuration as the command line gives it: its name, and values of its own in place of some. */
object Settings {

  /** Configuration `name` with one value after the other replaced: `NAME=VALUE` with a parameter's name. VALUE is a whole number, or `inf`. */
  def apply(name: String, settings: Seq[String]): LinkConfig = {
    val given = settings.map { setting =>
      setting.split("=", 2) match {
        case Array(key, text) if text.matches("-?[0-9]+|inf") => (key, text, number(key, text))
        case _                                                => throw new IllegalArgumentException(s"'$setting' is not NAME=VALUE with a number")
      }
    }
    try replaced(named(name), given.map { case (key, _, value) => key -> value }.toMap)
    catch {
      case e: IllegalArgumentException =>
        throw new IllegalArgumentException(given.foldLeft(e.getMessage) { case (reason, (key, text, value)) =>
          reason.replaceAll(s"\\b$key is $value\\b", s"$key is $text")
        })
    }
  }

  /** The nearest number there is: no parameter takes the greatest and the least, so they are refused where the user's number is beyond them. */
  private def number(key: String, text: String): Int = text match {
    case "inf" if key == "delta" => infiniteDelta
    case "inf"                   => Int.MaxValue
    case digits                  => BigInt(digits).max(Int.MinValue).min(Int.MaxValue).toInt
  }

  private val infiniteDelta = 15

  private def named(name: String): LinkConfig = (NamedConfigs.all ++ TestConfigs.all)
    .find(_.name == name)
    .getOrElse(
      throw new IllegalArgumentException(s"no configuration named '$name'; there are ${NamedConfigs.all.map(_.name).mkString(", ")}")
    )

  private def replaced(config: LinkConfig, given: Map[String, Int]): LinkConfig = if (given.isEmpty) config
  else {
    import config.{code, packetCrc, reset, window}
    val names = Seq(
      "dataBytes",
      "unitBytes",
      "maxK",
      "maxParity",
      "windowFrames",
      "maxPacketBytes",
      "packetCrc",
      "k",
      "nFirst",
      "nRetx",
      "delta",
      "roundTrip"
    )
    for (key <- given.keys if !names.contains(key))
      throw new IllegalArgumentException(s"no parameter named '$key'; there are ${names.mkString(", ")}")
    def pick(key: String, old: Int) = given.getOrElse(key, old)
    val crc = pick("packetCrc", if (packetCrc) 1 else 0)
    require(crc == 0 || crc == 1, s"packetCrc is $crc; it must be 0 or 1")
    LinkConfig(
      config.name,
      CodeConfig(
        pick("dataBytes", code.dataBytes),
        pick("unitBytes", code.unitBytes),
        pick("maxK", code.maxK),
        pick("maxParity", code.maxParity)
      ),
      WindowConfig(pick("windowFrames", window.windowFrames), pick("maxPacketBytes", window.maxPacketBytes)),
      reset.copy(
        k = pick("k", reset.k),
        nFirst = pick("nFirst", reset.nFirst),
        nRetx = pick("nRetx", reset.nRetx),
        delta = pick("delta", reset.delta),
        roundTrip = pick("roundTrip", reset.roundTrip)
      ),
      crc == 1
    )
  }
}
