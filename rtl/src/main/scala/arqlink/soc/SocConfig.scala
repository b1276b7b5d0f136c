// SPDX-License-Identifier: Apache-2.0
package arqlink.soc

import spinal.core._

import arqlink.config.LinkConfig

/** A soft system around the link.
  *
  * @param link        the link, or both ends of the pair
  * @param rom         content of the boot ROM: 1 to 4096 bytes
  * @param image       content of RAM from its first byte on, after configuration of the device; empty: none
  * @param ramBytes    size of RAM: a power of two from 4096 to 1048576
  * @param clockHz     frequency of `aclk`, which software reads in SYSTEM.CLOCK_HZ: 1 to 2^32 - 1
  * @param uartDivider reset value of UART.DIVIDER: a bit takes 8 (uartDivider + 1) clocks; 0 to 2^20 - 1
  * @param maxDelay    depth of the pair's channels in clocks: a power of two from 16 to 2^24; `ArqSoc` has none
  * @param bootWait    clocks that the boot loader waits for a download, and at most for each of its bytes: 1 to 2^31 - 1
  */
case class SocConfig(
    link: LinkConfig,
    rom: Seq[Byte],
    image: Seq[Byte] = Nil,
    ramBytes: Int = 64 * 1024,
    clockHz: Long = 100000000L,
    uartDivider: Int = 107,
    bootWait: Int = 20000000,
    maxDelay: Int = 1 << 20
) {
  require(rom.nonEmpty && rom.size <= SocMap.romBytes, s"the boot ROM's content is ${rom.size} bytes; it must be 1 to ${SocMap.romBytes}")
  require(
    isPow2(ramBytes) && ramBytes >= 4096 && ramBytes <= (1 << 20),
    s"ramBytes is $ramBytes; it must be a power of two from 4096 to 1048576"
  )
  require(image.size <= ramBytes, s"the image is ${image.size} bytes; it must be at most ramBytes ($ramBytes)")
  require(clockHz >= 1 && clockHz < (1L << 32), s"clockHz is $clockHz; it must be 1 to 4294967295")
  require(uartDivider >= 0 && uartDivider < (1 << 20), s"uartDivider is $uartDivider; it must be 0 to 1048575")
  require(bootWait >= 1, s"bootWait is $bootWait; it must be 1 to 2147483647")
}

/** The memory map: byte addresses. */
object SocMap {
  val romBase = BigInt(0)
  val romBytes = 4096
  val ramBase = BigInt("10000000", 16)
  val linkBase = BigInt("80000000", 16)
  val deviceBase = BigInt("90000000", 16)

  /** What an AXI4-Lite window takes: 16 address bits. */
  val windowBytes = 1 << 16
}
