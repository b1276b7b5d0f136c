// SPDX-License-Identifier: Apache-2.0
package arqlink

import spinal.core._

/** What is built for area instead of speed, each by itself. Interfaces, registers and units on the wire stay the same.
  *
  * @param counters few pending bits for each counter, visited in turn ([[csr.CompactCounterBank]]); a snapshot is of one pass, not of one clock
  * @param codec    encoder and decoder that work on one frame at a time, with the coefficients of all erasure patterns in a table
  *                 ([[rs.CompactEncoder]], [[rs.CompactDecoder]]): maxK + maxParity at most 8, units of four beats or more
  * @param deframer received units wait in one memory and leave byte by byte ([[link.CompactDeframer]]): dataBytes 1
  * @param relaxed  for a third of the clock rate: fewer registers between blocks and where registers are read, queues in block RAM, and a
  *                 control unit whose outcomes are being taken holds the next one up
  */
case class AreaConfig(counters: Boolean = false, codec: Boolean = false, deframer: Boolean = false, relaxed: Boolean = false)

object AreaConfig {
  val fast = AreaConfig()
  val small = AreaConfig(counters = true, codec = true, deframer = true, relaxed = true)
}

/** Erasure code build limits.
  *
  * @param dataBytes  width of every data stream, in bytes: 1, 2, 4, 8 or 16
  * @param unitBytes  payload of a unit, in bytes: two beats (2 · dataBytes) or more, a multiple of `dataBytes`, at most 4095 (12-bit pad field)
  * @param maxK       most data units in a frame: 1 to 128
  * @param maxParity  most parity units in a frame: 1 to 64; `maxK + maxParity` at most 255
  * @param area       blocks that are built small
  */
case class CodeConfig(dataBytes: Int, unitBytes: Int, maxK: Int, maxParity: Int, area: AreaConfig = AreaConfig.fast) {
  require(Set(1, 2, 4, 8, 16)(dataBytes), s"dataBytes is $dataBytes; it must be 1, 2, 4, 8 or 16")
  require(
    unitBytes <= 4095 && unitBytes % dataBytes == 0,
    s"unitBytes is $unitBytes; it must be a multiple of dataBytes ($dataBytes), at most 4095"
  )
  require(
    unitBeats >= 2,
    s"unitBytes is $unitBytes and dataBytes is $dataBytes; a unit must have two beats or more, so unitBytes must be ${2 * dataBytes} or more"
  )
  require(maxK >= 1 && maxK <= 128, s"maxK is $maxK; it must be 1 to 128")
  require(maxParity >= 1 && maxParity <= 64, s"maxParity is $maxParity; it must be 1 to 64")
  require(maxN <= 255, s"maxK ($maxK) + maxParity ($maxParity) is $maxN; GF(2^8) has room for 255 units")
  require(!area.codec || maxN <= 8, s"maxK ($maxK) + maxParity ($maxParity) is $maxN; the compact codec has tables for 8 units")
  require(!area.codec || unitBeats >= 4, s"unitBytes is $unitBytes; the compact codec needs units of four beats or more")
  require(!area.deframer || dataBytes == 1, s"dataBytes is $dataBytes; the compact deframer takes one byte a clock")

  def maxN: Int = maxK + maxParity
  def dataBits: Int = dataBytes * 8
  def unitBeats: Int = unitBytes / dataBytes

  /** Beats are so wide that blocks lie far apart: the longest ways between them have one more register. */
  def isWide: Boolean = dataBytes > 4

  /** Beats a frame's data units take in a frame store slot, rounded up to a power of two. */
  def slotBeats: Int = 1 << log2Up(maxK * unitBeats)

  def kBits: Int = log2Up(maxK + 1)
  def nBits: Int = log2Up(maxN + 1)

  /** Bits of the pad field that are kept; it is below unitBytes. */
  def padBits: Int = if (area.relaxed) log2Up(unitBytes) max 1 else 12
  def unitBeatBits: Int = log2Up(unitBeats)
  def slotBeatBits: Int = log2Up(slotBeats)
}

/** Selective-repeat window.
  *
  * @param windowFrames   frames in flight or awaiting delivery, at either end: a power of two, 32 to 2^18
  * @param maxPacketBytes longest packet accepted, in bytes: 1 to 9216, and a beat (`dataBytes`) at least
  */
case class WindowConfig(windowFrames: Int, maxPacketBytes: Int = 9216) {
  require(
    isPow2(windowFrames) && windowFrames >= 32 && windowFrames <= (1 << 18),
    s"windowFrames is $windowFrames; it must be a power of two from 32 to 262144, a quarter of the sequence space"
  )
  require(maxPacketBytes >= 1 && maxPacketBytes <= 9216, s"maxPacketBytes is $maxPacketBytes; it must be 1 to 9216")
  def slotBits: Int = log2Up(windowFrames)

  /** Outcomes that the peer may still want are all among the recent ones that each control unit shows: at least the last 32. */
  def isBlock: Boolean = windowFrames <= 32
}

/** Values that the registers hold after reset; all can be changed at run time.
  *
  * @param delta persistency: 0 to 14 retransmissions of a frame, 15 = never give up
  */
case class ResetValues(
    k: Int,
    nFirst: Int,
    nRetx: Int,
    delta: Int = 15,
    preset: Int = Preset.Zfec,
    inOrder: Boolean = true,
    pollTimeout: Long = 1L << 18,
    helloInterval: Long = 1L << 12,
    keepalive: Long = 1L << 16,
    outageTimeout: Long = 1L << 20,
    statusInterval: Long = 0
) {
  require(delta >= 0 && delta <= 15, s"delta is $delta; it must be 0 to 14, or 15 for infinite")
}

/** A link core: both halves of a full-duplex link end.
  *
  * @param packetCrc a CRC-32C goes with each packet and is checked before the packet leaves; both ends must agree
  */
case class LinkConfig(name: String, code: CodeConfig, window: WindowConfig, reset: ResetValues, packetCrc: Boolean = false) {
  require(
    window.maxPacketBytes >= code.dataBytes,
    s"maxPacketBytes is ${window.maxPacketBytes}; it must be dataBytes (${code.dataBytes}) or more"
  )
  require(
    window.windowFrames * code.unitBytes >= longestPacket,
    s"windowFrames (${window.windowFrames}) x unitBytes (${code.unitBytes}) is less than maxPacketBytes " +
      s"(${window.maxPacketBytes})${if (packetCrc) s" and ${link.Wire.crcBytes} bytes for packetCrc" else ""}; a packet must fit into the window at K = 1"
  )
  require(
    reset.k >= 1 && reset.k <= code.maxK,
    s"reset k is ${reset.k}; it must be 1 to maxK (${code.maxK})"
  )
  for ((label, n) <- Seq("nFirst" -> reset.nFirst, "nRetx" -> reset.nRetx))
    require(
      n >= reset.k && n - reset.k <= code.maxParity,
      s"reset $label is $n; it must be k (${reset.k}) to k + maxParity (${reset.k + code.maxParity})"
    )

  /** Bytes that the longest packet takes in its frames. */
  def longestPacket: Int = window.maxPacketBytes + (if (packetCrc) link.Wire.crcBytes else 0)

  /** This configuration with one value after the other replaced: `NAME=VALUE` with a parameter's name. */
  def withSettings(settings: Seq[String]): LinkConfig = if (settings.isEmpty) this
  else {
    val given = settings.map { setting =>
      setting.split("=", 2) match {
        case Array(key, value) if value.nonEmpty && value.forall(_.isDigit) && value.length < 10 => key -> value.toInt
        case _ => throw new IllegalArgumentException(s"'$setting' is not NAME=VALUE with a number")
      }
    }.toMap
    val names = Seq(
      "dataBytes", "unitBytes", "maxK", "maxParity", "windowFrames", "maxPacketBytes", "packetCrc", "k", "nFirst", "nRetx", "delta"
    )
    for (key <- given.keys if !names.contains(key))
      throw new IllegalArgumentException(s"no parameter named '$key'; there are ${names.mkString(", ")}")
    def pick(key: String, old: Int) = given.getOrElse(key, old)
    val crc = pick("packetCrc", packetCrc.toInt)
    require(crc <= 1, s"packetCrc is $crc; it must be 0 or 1")
    LinkConfig(
      name,
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

/** Evaluation-point presets, as the `preset` field of the wire format and of register CODE. */
object Preset {
  val Zfec = 0
  val Rfc5510 = 1
  val Cauchy = 2
  val all = Seq(Zfec, Rfc5510, Cauchy)
}

object LinkConfig {

  /** RR-4752's link: 25-byte units, K = 10, N to 18; 4096 frames hold delta = 5 at 2 Mb/s and 200 ms. */
  val paper = LinkConfig(
    "paper",
    CodeConfig(dataBytes = 1, unitBytes = 25, maxK = 10, maxParity = 8),
    WindowConfig(windowFrames = 4096),
    ResetValues(k = 10, nFirst = 11, nRetx = 11)
  )

  /** 32-bit datapath, 64-byte units, frames of up to 1 KiB. */
  val default = LinkConfig(
    "default",
    CodeConfig(dataBytes = 4, unitBytes = 64, maxK = 16, maxParity = 8),
    WindowConfig(windowFrames = 1024),
    ResetValues(k = 16, nFirst = 18, nRetx = 18)
  )

  /** Shortest practical units: the statistics benches draw the most frames a clock from it. */
  val montecarlo = LinkConfig(
    "montecarlo",
    CodeConfig(dataBytes = 4, unitBytes = 8, maxK = 16, maxParity = 8),
    WindowConfig(windowFrames = 2048),
    ResetValues(k = 10, nFirst = 12, nRetx = 12)
  )

  /** The command-line codec (`arqlink codec`): wide codes at 8 bytes a clock; the window is not used. */
  val codec = LinkConfig(
    "codec",
    CodeConfig(dataBytes = 8, unitBytes = 256, maxK = 32, maxParity = 16),
    WindowConfig(windowFrames = 64),
    ResetValues(k = 32, nFirst = 40, nRetx = 40)
  )

  /** 10 Gb/s from 156.25 MHz on, in one ECP5-85F: both frame stores are 128 block RAMs of 2 KiB. */
  val line10g = LinkConfig(
    "line10g",
    CodeConfig(dataBytes = 8, unitBytes = 64, maxK = 32, maxParity = 8),
    WindowConfig(windowFrames = 64, maxPacketBytes = 4096),
    ResetValues(k = 32, nFirst = 36, nRetx = 36)
  )

  /** `line10g` with twice the width. */
  val line20g = LinkConfig(
    "line20g",
    CodeConfig(dataBytes = 16, unitBytes = 64, maxK = 32, maxParity = 8),
    WindowConfig(windowFrames = 64, maxPacketBytes = 4096),
    ResetValues(k = 32, nFirst = 36, nRetx = 36)
  )

  /** The low end: one byte a clock, short frames, the smallest window, built for area. A whole link fits an iCE40-HX8K. */
  val tiny = LinkConfig(
    "tiny",
    CodeConfig(dataBytes = 1, unitBytes = 16, maxK = 4, maxParity = 2, area = AreaConfig.small),
    WindowConfig(windowFrames = 32, maxPacketBytes = 512),
    ResetValues(k = 4, nFirst = 5, nRetx = 5)
  )

  val all = Seq(paper, default, line10g, line20g, montecarlo, codec, tiny)

  def named(name: String): LinkConfig = (all ++ TestConfigs.all)
    .find(_.name == name)
    .getOrElse(
      throw new IllegalArgumentException(s"no configuration named '$name'; there are ${all.map(_.name).mkString(", ")}")
    )
}
