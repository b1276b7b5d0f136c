// SPDX-License-Identifier: Apache-2.0
package arqlink.gen

import arqlink.config._

/** A configuration as the command line gives it: its name, and values of its own in place of some. */
object Settings {

  /** Configuration `name` with one value after the other replaced: `NAME=VALUE` with a parameter's name. */
  def apply(name: String, settings: Seq[String]): LinkConfig = replaced(named(name), settings)

  private def named(name: String): LinkConfig = (NamedConfigs.all ++ TestConfigs.all)
    .find(_.name == name)
    .getOrElse(
      throw new IllegalArgumentException(s"no configuration named '$name'; there are ${NamedConfigs.all.map(_.name).mkString(", ")}")
    )

  private def replaced(config: LinkConfig, settings: Seq[String]): LinkConfig = if (settings.isEmpty) config
  else {
    import config.{code, packetCrc, reset, window}
    val given = settings.map { setting =>
      setting.split("=", 2) match {
        case Array(key, value) if value.nonEmpty && value.forall(_.isDigit) && value.length < 10 => key -> value.toInt
        case _ => throw new IllegalArgumentException(s"'$setting' is not NAME=VALUE with a number")
      }
    }.toMap
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
      "delta"
    )
    for (key <- given.keys if !names.contains(key))
      throw new IllegalArgumentException(s"no parameter named '$key'; there are ${names.mkString(", ")}")
    def pick(key: String, old: Int) = given.getOrElse(key, old)
    val crc = pick("packetCrc", if (packetCrc) 1 else 0)
    require(crc <= 1, s"packetCrc is $crc; it must be 0 or 1")
    LinkConfig(
      config.name,
      CodeConfig(
        pick("dataBytes", code.dataBytes),
        pick("unitBytes", code.unitBytes),
        pick("maxK", code.maxK),
        pick("maxParity", code.maxParity),
        code.area
      ),
      WindowConfig(pick("windowFrames", window.windowFrames), pick("maxPacketBytes", window.maxPacketBytes)),
      reset.copy(
        k = pick("k", reset.k),
        nFirst = pick("nFirst", reset.nFirst),
        nRetx = pick("nRetx", reset.nRetx),
        delta = pick("delta", reset.delta)
      ),
      crc == 1
    )
  }
}
