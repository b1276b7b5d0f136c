// SPDX-License-Identifier: Apache-2.0
package arqlink.config

/** A link core: both halves of a full-duplex link end.
  *
  * @param packetCrc a CRC-32C goes with each packet and is checked before the packet leaves; both ends must agree
  * @param queued    for tests: a queue in each stream of frames, units and reports between two blocks, as no block may rely on its neighbour's latency
  * @param firstSn   for tests: FSN and TSN behind a restart, in place of 0, so that they wrap soon; both ends must agree
  */
case class LinkConfig(
    name: String,
    code: CodeConfig,
    window: WindowConfig,
    reset: ResetValues,
    packetCrc: Boolean = false,
    queued: Boolean = false,
    firstSn: Int = 0
) {
  require(
    window.maxPacketBytes >= code.dataBytes,
    s"maxPacketBytes is ${window.maxPacketBytes}; it must be dataBytes (${code.dataBytes}) or more"
  )
  require(
    window.windowFrames * code.unitBytes >= longestPacket,
    s"windowFrames (${window.windowFrames}) x unitBytes (${code.unitBytes}) is less than maxPacketBytes " +
      s"(${window.maxPacketBytes})${if (packetCrc) s" and ${LinkConfig.packetCrcBytes} bytes for packetCrc" else ""}; a packet must fit into the window at K = 1"
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

  require(
    firstSn % (2 * window.windowFrames) == 0,
    s"firstSn is $firstSn; it must be a multiple of two windows (${2 * window.windowFrames}), as tables that are clear stand for the first one of a pair"
  )

  /** `firstSn` where a sequence number has so many bits. */
  def firstSn(bits: Int): BigInt = BigInt(firstSn) % (BigInt(1) << bits)

  /** Bytes that the longest packet takes in its frames. */
  def longestPacket: Int = window.maxPacketBytes + (if (packetCrc) LinkConfig.packetCrcBytes else 0)
}

object LinkConfig {

  /** What `packetCrc` adds to each packet, in bytes. */
  val packetCrcBytes = 4
}
