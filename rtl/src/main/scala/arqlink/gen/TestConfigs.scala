// SPDX-License-Identifier: Apache-2.0
package arqlink.gen

import arqlink.config._

/** Corners of the parameter space that the tests build. */
object TestConfigs {

  /** `montecarlo` with the smallest window: credit and window stalls come all the time. */
  val small = LinkConfig(
    "small",
    CodeConfig(dataBytes = 4, unitBytes = 8, maxK = 16, maxParity = 8),
    WindowConfig(windowFrames = 64, maxPacketBytes = 512),
    ResetValues(k = 4, nFirst = 6, nRetx = 6)
  )

  /** `small` with sequence numbers that wrap behind the second window. */
  val wraps = small.copy(name = "wraps", firstSn = (1 << 20) - 128)

  /** Queues between the blocks: nothing may rely on the latency of a neighbour. */
  val queued = small.copy(name = "queued", queued = true)

  /** 64-bit datapath; units of an odd number of beats. */
  val wide8 = LinkConfig(
    "wide8",
    CodeConfig(dataBytes = 8, unitBytes = 72, maxK = 8, maxParity = 4),
    WindowConfig(windowFrames = 128),
    ResetValues(k = 8, nFirst = 10, nRetx = 10)
  )

  /** 64-bit datapath, quick to build: units of two beats, and a small codec. */
  val short8 = LinkConfig(
    "short8",
    CodeConfig(dataBytes = 8, unitBytes = 16, maxK = 4, maxParity = 2),
    WindowConfig(windowFrames = 64, maxPacketBytes = 512),
    ResetValues(k = 4, nFirst = 6, nRetx = 6)
  )

  /** 128-bit datapath, which is for the codec alone: `line10g` with twice the width. */
  val codec16 = LinkConfig(
    "codec16",
    CodeConfig(dataBytes = 16, unitBytes = 64, maxK = 32, maxParity = 8),
    WindowConfig(windowFrames = 64, maxPacketBytes = 4096),
    ResetValues(k = 32, nFirst = 36, nRetx = 36)
  )

  /** Corner for tests of the codec: the widest datapath, with units of two beats, the fewest. */
  val wide = LinkConfig(
    "wide",
    CodeConfig(dataBytes = 16, unitBytes = 32, maxK = 5, maxParity = 3),
    WindowConfig(windowFrames = 1024),
    ResetValues(k = 4, nFirst = 5, nRetx = 5)
  )

  /** Corner for tests: units of more than 64 beats and a single parity unit. */
  val long = LinkConfig(
    "long",
    CodeConfig(dataBytes = 2, unitBytes = 200, maxK = 3, maxParity = 1),
    WindowConfig(windowFrames = 64),
    ResetValues(k = 2, nFirst = 3, nRetx = 3)
  )

  /** The same, with a slot of eight beats: for tests of the codec's counters at their ends. */
  val corner = LinkConfig(
    "corner",
    CodeConfig(dataBytes = 16, unitBytes = 32, maxK = 4, maxParity = 4),
    WindowConfig(windowFrames = 64, maxPacketBytes = 1000),
    ResetValues(k = 4, nFirst = 6, nRetx = 6)
  )

  /** The shortest window in which outcomes are reported four times. */
  val deep = LinkConfig(
    "deep",
    CodeConfig(dataBytes = 4, unitBytes = 8, maxK = 1, maxParity = 1),
    WindowConfig(windowFrames = 32768, maxPacketBytes = 512),
    ResetValues(k = 1, nFirst = 2, nRetx = 2)
  )

  /** Corner for tests: a byte a beat, units of four beats, and a single parity unit. */
  val short1 = LinkConfig(
    "short1",
    CodeConfig(dataBytes = 1, unitBytes = 4, maxK = 7, maxParity = 1),
    WindowConfig(windowFrames = 32, maxPacketBytes = 100),
    ResetValues(k = 4, nFirst = 5, nRetx = 5)
  )

  /** Units of more than two full pieces of COBS, a byte a beat. */
  val unit500 = LinkConfig(
    "unit500",
    CodeConfig(dataBytes = 1, unitBytes = 500, maxK = 4, maxParity = 2),
    WindowConfig(windowFrames = 32),
    ResetValues(k = 4, nFirst = 6, nRetx = 6)
  )

  /** With a CRC-32C behind each packet, and a window that the longest packet fills to the byte at K = 1. */
  private def crc(code: CodeConfig, windowFrames: Int) = LinkConfig(
    s"crc${code.dataBytes}",
    code,
    WindowConfig(windowFrames, maxPacketBytes = windowFrames * code.unitBytes - LinkConfig.packetCrcBytes),
    ResetValues(k = 4, nFirst = 6, nRetx = 6),
    packetCrc = true
  )

  /** Corners for tests: a CRC with each packet, at every width. */
  val crcs = Seq(
    crc(CodeConfig(dataBytes = 1, unitBytes = 16, maxK = 4, maxParity = 2), windowFrames = 32),
    crc(CodeConfig(dataBytes = 2, unitBytes = 20, maxK = 4, maxParity = 2), windowFrames = 32),
    crc(small.code, windowFrames = 64),
    crc(CodeConfig(dataBytes = 8, unitBytes = 72, maxK = 8, maxParity = 4), windowFrames = 32)
  )

  val all = Seq(small, wraps, queued, short8, wide8, codec16, wide, long, deep, corner, short1, unit500) ++ crcs
}
