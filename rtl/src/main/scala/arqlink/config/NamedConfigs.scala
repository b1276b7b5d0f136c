// SPDX-License-Identifier: Apache-2.0
package arqlink.config

/** The configurations of the product. */
object NamedConfigs {

  /** RR-4752's link: 25-byte units, K = 10, N to 18; 4096 frames hold delta = 5 at 2 Mb/s and 200 ms. */
  val paper = LinkConfig(
    "paper",
    CodeConfig(dataBytes = 1, unitBytes = 25, maxK = 10, maxParity = 8),
    WindowConfig(windowFrames = 4096),
    ResetValues(k = 10, nFirst = 11, nRetx = 11)
  )

  /** `paper` at 8 bytes a clock, with units of 24 bytes: an eighth of the clocks in a second of the line, for simulations of TCP over the RTL. */
  val paper8 = LinkConfig(
    "paper8",
    CodeConfig(dataBytes = 8, unitBytes = 24, maxK = 10, maxParity = 8),
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

  /** 10 Gb/s from 156.25 MHz on, in one ECP5-85F, where not each placement reaches it: both frame stores are 128 block RAMs of 2 KiB. */
  val line10g = LinkConfig(
    "line10g",
    CodeConfig(dataBytes = 8, unitBytes = 64, maxK = 32, maxParity = 8),
    WindowConfig(windowFrames = 64, maxPacketBytes = 4096),
    ResetValues(k = 32, nFirst = 36, nRetx = 36)
  )

  /** The low end: one byte a clock, short frames, the smallest window. */
  val tiny = LinkConfig(
    "tiny",
    CodeConfig(dataBytes = 1, unitBytes = 16, maxK = 4, maxParity = 2),
    WindowConfig(windowFrames = 32, maxPacketBytes = 512),
    ResetValues(k = 4, nFirst = 5, nRetx = 5)
  )

  val all = Seq(paper, paper8, default, line10g, montecarlo, codec, tiny)
}
