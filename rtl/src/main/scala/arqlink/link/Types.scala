// SPDX-License-Identifier: Apache-2.0
package arqlink.link

import spinal.core._
import spinal.lib._

import arqlink._

/** Widths that the wire format fixes for every build (docs/architecture.md, "Wire format"). */
object Wire {
  val version = 2
  val snBits = 20
  val epochBits = 8
  val padBits = 12
  val attemptBits = 4
  val headerBytes = 12
  val crcBytes = 4
  val controlBytes = 16
  val bitmapBits = 64
  val blockBits = 32
  val typeData = 0
  val typeControl = 1

  /** Data of a frame that is transmitted only once. */
  val typeOnly = 2
  def sn: UInt = UInt(snBits bits)
}

/** AXI4-Stream beat of a packet stream: `keep` is contiguous from byte 0 and full but in the last beat;
  * `error` (tuser) in the last beat marks the packet as aborted.
  */
case class PacketBeat(dataBytes: Int) extends Bundle {
  val data = Bits(dataBytes * 8 bits)
  val keep = Bits(dataBytes bits)
  val last = Bool()
  val error = Bool()
}

/** AXI4-Stream beat on the PHY side: one unit per `last`; `erased` (tuser) in any beat marks the unit as lost. */
case class PhyBeat(dataBytes: Int) extends Bundle {
  val data = Bits(dataBytes * 8 bits)
  val last = Bool()
  val erased = Bool()
}

/** What the sender stores about a frame: `k` data units, of which the last `pad` bytes (0 to unitBytes - 1) are
  * filling; `sop`/`eop`: first/last frame of its packet.
  */
case class FrameMeta(code: CodeConfig) extends Bundle {
  val k = UInt(code.kBits bits)
  val pad = UInt(code.padBits bits)
  val sop = Bool()
  val eop = Bool()
}

/** One transmission of a frame; what its N units carry in their headers but for the unit index. */
case class Transmission(code: CodeConfig) extends Bundle {
  val meta = FrameMeta(code)
  val n = UInt(code.nBits bits)
  val preset = UInt(2 bits)
  val attempt = UInt(Wire.attemptBits bits)

  /** The frame has been sent before; not on the wire. After an outage that is so with attempt 0 too. */
  val again = Bool()

  /** The frame is not retransmitted, so the receiver need not wait for the sender to give it up. */
  val only = Bool()
  val fsn = Wire.sn
  val tsn = Wire.sn
}

/** A data unit's header after the deframer has checked it: version, type, CRC, 1 <= K <= maxK,
  * K <= N <= K + maxParity, index < N, pad < unitBytes, preset <= 2.
  */
case class UnitHeader(code: CodeConfig) extends Bundle {
  val epoch = UInt(Wire.epochBits bits)
  val tx = Transmission(code)
  val index = UInt(code.nBits bits)
}

/** One beat of a received data unit; the header is constant over the unit's beats. */
case class UnitBeat(code: CodeConfig) extends Bundle {
  val header = UnitHeader(code)
  val data = Bits(code.dataBits bits)
}

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

/** Sequence arithmetic modulo 2^20. */
object Sn {

  /** True where `x` lies behind `base` (by up to half the space). */
  def behind(x: UInt, base: UInt): Bool = (x - base).msb

  /** `x` - `base` - 1 in one carry chain. */
  def distanceLessOne(x: UInt, base: UInt): UInt = ((x @@ False) - (base @@ True)).dropLow(1).asUInt
}
