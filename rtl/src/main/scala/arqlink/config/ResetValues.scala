// SPDX-License-Identifier: Apache-2.0
package arqlink.config

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
