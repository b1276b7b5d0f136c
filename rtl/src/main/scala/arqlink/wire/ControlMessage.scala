// SPDX-License-Identifier: Apache-2.0
package arqlink.wire

import spinal.core._

/** Content of a control unit; see "Control unit" in docs/architecture.md for the meaning of each field. */
case class ControlMessage() extends Bundle {
  val epoch = UInt(Wire.epochBits bits)
  val hello = Bool()
  val peerKnown = Bool()
  val poll = Bool()
  val reply = Bool()

  /** The sender of this message hears nothing: its peer should not send data. */
  val deaf = Bool()

  /** txBase has passed an abandoned frame that the peer's rxBase is not known to have passed. */
  val abandons = Bool()
  val peerEpoch = UInt(Wire.epochBits bits)

  /** hello: {packetCrc (1), 0 (2), log2 of the receive window (5), unitBytes (16)}; otherwise {0 (4), ackTsn (20)} */
  val param = Bits(24 bits)

  /** Sender part: lower window edge, and the TSN below which all transmissions are complete. */
  val txBase = Wire.sn
  val txEdge = Wire.sn

  /** Receiver part: lowest FSN still held, next TSN to be decided, TSN of bitmap bit 0, outcomes (1 = received). */
  val rxBase = Wire.sn
  val rxNext = Wire.sn
  val bitmapBase = Wire.sn
  val bitmap = Bits(Wire.bitmapBits bits)

  def ackTsn: UInt = param(19 downto 0).asUInt
  def packetCrc: Bool = param(23)
  def reserved: Bits = param(22 downto 21)
  def windowLog2: UInt = param(20 downto 16).asUInt
  def unitBytes: UInt = param(15 downto 0).asUInt
}
