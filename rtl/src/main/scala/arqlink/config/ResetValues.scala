// SPDX-License-Identifier: Apache-2.0
package arqlink.config

/** Values that the registers hold after reset; all can be changed at run time.
  *
  * @param delta     persistency: 0 to 14 retransmissions of a frame, 15 = never give up
  * @param roundTrip of the line, a frame's time included, in clocks: the timers follow from it, as `arqlink size` has them; 0: they are for two ends on a desk
  */
case class ResetValues(
    k: Int,
    nFirst: Int,
    nRetx: Int,
    delta: Int = 15,
    preset: Int = Preset.Zfec,
    inOrder: Boolean = true,
    roundTrip: Int = 0
) {
  require(delta >= 0 && delta <= 15, s"delta is $delta; it must be 0 to 14, or 15 for infinite")
  require(roundTrip >= 0 && roundTrip <= (1 << 30), s"roundTrip is $roundTrip; it must be 0 to ${1 << 30}")

  /** A timer of so many clocks, as far as its register goes; on a desk, of 2^`deskLog2` clocks. */
  private def timer(clocks: Long, deskLog2: Int): Long = if (roundTrip == 0) 1L << deskLog2 else clocks min 0xffffffffL
  private val poll = 5L * roundTrip / 4

  val pollTimeout: Long = timer(poll, 18)
  val helloInterval: Long = timer(roundTrip / 8 max 1000, 12)
  val keepalive: Long = timer(4 * poll, 16)
  val outageTimeout: Long = timer(256 * poll, 20)
  val statusInterval: Long = 0
}
