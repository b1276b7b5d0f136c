// SPDX-License-Identifier: Apache-2.0
package arqlink.wire

import spinal.core._

import arqlink.config.CodeConfig

/** Layout of unit headers and control units on the wire (docs/architecture.md, "Wire format"): the one place that
  * knows it, for both directions. Byte 0 is in bits 7:0; fields within bytes are big-endian.
  */
object UnitFormat {

  /** Header and payload of a control unit, without its CRC. */
  val controlContentBytes: Int = Wire.headerBytes + Wire.controlBytes

  def controlBeats(dataBytes: Int): Int = {
    require(dataBytes <= 8, s"dataBytes is $dataBytes; a link's is 1, 2, 4 or 8, as a unit's header takes a beat or more: only the codec can be wider")
    (controlContentBytes + Wire.crcBytes) / dataBytes
  }
  def dataBeats(code: CodeConfig): Int = (Wire.headerBytes + code.unitBytes + Wire.crcBytes) / code.dataBytes

  /** Bytes that a payload beat is shifted by, as the header does not fill its last beat. */
  def shiftBytes(dataBytes: Int): Int = Wire.headerBytes % dataBytes

  /** Turns byte 0 in the high bits into byte 0 in the low bits. */
  private def swap(bytes: Bits): Bits = Cat(bytes.subdivideIn(8 bits).reverse)

  /** 96 bits: header of data unit `index` of transmission `tx`. */
  def packData(link: UInt, epoch: UInt, tx: Transmission, index: UInt): Bits = swap(
    B(Wire.version, 2 bits) ## tx.lastTry ## tx.allBelow ## False ## tx.odd ## link ##
      epoch ##
      False ## (tx.meta.k - 1).resize(7) ## tx.n.resize(8) ## index.resize(8) ##
      tx.preset ## tx.meta.sop ## tx.meta.eop ## tx.meta.pad ##
      tx.fsn ## tx.tsn
  )

  /** 224 bits: header and payload of a control unit. */
  def packControl(link: UInt, m: ControlMessage): Bits = swap(
    B(Wire.version, 2 bits) ## B(Wire.typeControl, 2 bits) ## B(0, 2 bits) ## link ##
      m.epoch ##
      B(0, 2 bits) ## m.abandons ## m.deaf ## m.reply ## m.poll ## m.peerKnown ## m.hello ##
      m.peerEpoch ## m.param ##
      m.txBase ## m.txEdge ##
      m.rxBase ## m.rxNext ##
      m.bitmapBase ## B(0, 4 bits) ##
      m.bitmap
  )

  /** Reads fields of a header whose byte 0 is in the low bits; the layout below counts bits from the header's end, so
    * that byte 0 is in the high ones. Each field is taken from its own bytes.
    */
  private class Fields(bytes: Bits) {
    private val count = bytes.getWidth / 8
    def bit(at: Int): Bool = bytes(8 * (count - 1 - at / 8) + at % 8)
    def bits(high: Int, width: Int): Bits = {
      val low = high - width + 1
      Cat(for (byte <- low / 8 to high / 8) yield {
        val base = 8 * (count - 1 - byte)
        bytes(base + (high - 8 * byte min 7) downto base + (low - 8 * byte max 0))
      })
    }
    def apply(high: Int, width: Int): UInt = bits(high, width).asUInt
  }

  /** Header of a data unit, from its 96 bits; fields that the build cannot hold are cut, so check first. */
  def unpackData(code: CodeConfig, header: Bits): UnitHeader = {
    val field = new Fields(header)
    val h = UnitHeader(code)
    h.tx.lastTry := field.bit(93)
    h.tx.allBelow := field.bit(92)
    h.tx.odd := field.bit(90)
    h.epoch := field(87, 8)
    h.tx.meta.k := (field(78, 7) +^ 1).resized
    h.tx.n := field(71, 8).resized
    h.index := field(63, 8).resized
    h.tx.again := False
    h.tx.preset := field(55, 2)
    h.tx.meta.sop := field.bit(53)
    h.tx.meta.eop := field.bit(52)
    h.tx.meta.pad := field(51, 12)
    h.tx.fsn := field(39, 20)
    h.tx.tsn := field(19, 20)
    h
  }

  /** Content of a control unit, from its 224 bits. */
  def unpackControl(content: Bits): ControlMessage = {
    val field = new Fields(content)
    val m = ControlMessage()
    m.epoch := field(215, 8)
    m.abandons := field.bit(205)
    m.deaf := field.bit(204)
    m.reply := field.bit(203)
    m.poll := field.bit(202)
    m.peerKnown := field.bit(201)
    m.hello := field.bit(200)
    m.peerEpoch := field(199, 8)
    m.param := field.bits(191, 24)
    m.txBase := field(167, 20)
    m.txEdge := field(147, 20)
    m.rxBase := field(127, 20)
    m.rxNext := field(107, 20)
    m.bitmapBase := field(87, 20)
    m.bitmap := field.bits(63, 64)
    m
  }

  /** N less K of a data unit's header in nine bits: more than 255 where N is less than K. The header has K - 1. */
  def parityUnits(header: Bits): UInt = {
    val field = new Fields(header)
    field(71, 8).resize(9) + ~field(78, 7).resize(9)
  }

  /** The build has as many parity units as `parityUnits` gives; False, too, where N is less than K. */
  def hasParity(code: CodeConfig, parityUnits: UInt): Bool = parityUnits <= code.maxParity

  /** What must hold of a data unit's header besides `hasParity`: version, nothing that is not built (several packets, units in addition), ranges of K, index,
    * pad and preset. Compares the bytes of the wire, not the narrower fields of the build. A comparison each, combinational, so that they can be registered
    * before they meet.
    */
  def dataChecks(code: CodeConfig, header: Bits): Seq[Bool] = {
    val field = new Fields(header)
    val n = field(71, 8)
    val index = field(63, 8)
    Seq(
      field(95, 2) === Wire.version && !field.bit(91) && !field.bit(79) && field(55, 2) =/= 3,
      field(78, 7) < code.maxK,
      field(51, 12) < code.unitBytes,
      (index.resize(9) - n.resize(9)).msb
    )
  }

  /** By its byte 0 a unit is a control unit. */
  def isControl(firstByte: Bits): Bool = firstByte(5 downto 4).asUInt === Wire.typeControl

  /** By its byte 0 a unit is of this version, and of another link than `link`. */
  def isOfOtherLink(firstByte: Bits, link: UInt): Bool = !otherVersion(firstByte) && firstByte(Wire.linkBits - 1 downto 0).asUInt =/= link

  /** True where byte 0, which is the first one of every unit, is of another version of the format. */
  def otherVersion(firstByte: Bits): Bool = firstByte(7 downto 6).asUInt =/= Wire.version

  /** True where a control unit can be: version, type, reserved bits zero, bitmapBase the first TSN of a block. */
  def controlPlausible(content: Bits): Bool = {
    val field = new Fields(content)
    field(223, 2) === Wire.version && field(221, 2) === Wire.typeControl &&
    field(219, 2) === 0 && field(207, 2) === 0 && field(72, 9) === 0
  }
}
