// SPDX-License-Identifier: Apache-2.0
package arqlink.link

import spinal.core._

import arqlink._

/** Layout of unit headers and control units on the wire (docs/architecture.md, "Wire format"): the one place that
  * knows it, for both directions. Byte 0 is in bits 7:0; fields within bytes are big-endian.
  */
object UnitFormat {

  /** Header and payload of a control unit, without its CRC. */
  val controlContentBytes: Int = Wire.headerBytes + Wire.controlBytes

  def controlBeats(dataBytes: Int): Int = (controlContentBytes + Wire.crcBytes) / dataBytes
  def dataBeats(code: CodeConfig): Int = (Wire.headerBytes + code.unitBytes + Wire.crcBytes) / code.dataBytes

  /** Bytes that a payload beat is shifted by, as the header does not fill its last beat. */
  def shiftBytes(dataBytes: Int): Int = Wire.headerBytes % dataBytes

  /** Turns byte 0 in the high bits into byte 0 in the low bits, and back. */
  private def swap(bytes: Bits): Bits = Cat(bytes.subdivideIn(8 bits).reverse)

  /** 96 bits: header of data unit `index` of transmission `tx`. */
  def packData(epoch: UInt, tx: Transmission, index: UInt): Bits = swap(
    B(Wire.version, 2 bits) ## tx.only ## False ## tx.preset ## tx.meta.sop ## tx.meta.eop ##
      epoch ##
      tx.meta.k.resize(8) ## tx.n.resize(8) ## index.resize(8) ##
      tx.attempt ## tx.meta.pad ##
      tx.fsn ## tx.tsn
  )

  /** 224 bits: header and payload of a control unit. */
  def packControl(m: ControlMessage): Bits = swap(
    B(Wire.version, 2 bits) ## B(Wire.typeControl, 2 bits) ## B(0, 4 bits) ##
      m.epoch ##
      B(0, 3 bits) ## m.deaf ## m.reply ## m.poll ## m.peerKnown ## m.hello ##
      m.peerEpoch ## m.param ##
      m.txBase ## m.txEdge ##
      m.rxBase ## m.rxNext ##
      m.bitmapBase ## B(0, 4 bits) ##
      m.bitmap
  )

  /** Header of a data unit, from its 96 bits; fields that the build cannot hold are cut, so check first. */
  def unpackData(code: CodeConfig, header: Bits): UnitHeader = {
    val raw = swap(header)
    def field(high: Int, width: Int): UInt = raw(high downto high - width + 1).asUInt
    val h = UnitHeader(code)
    h.tx.only := raw(93)
    h.tx.preset := field(91, 2)
    h.tx.meta.sop := raw(89)
    h.tx.meta.eop := raw(88)
    h.epoch := field(87, 8)
    h.tx.meta.k := field(79, 8).resized
    h.tx.n := field(71, 8).resized
    h.index := field(63, 8).resized
    h.tx.attempt := field(55, 4)
    h.tx.again := False
    h.tx.meta.pad := field(51, 12)
    h.tx.fsn := field(39, 20)
    h.tx.tsn := field(19, 20)
    h
  }

  /** Content of a control unit, from its 224 bits. */
  def unpackControl(content: Bits): ControlMessage = {
    val raw = swap(content)
    def field(high: Int, width: Int): UInt = raw(high downto high - width + 1).asUInt
    val m = ControlMessage()
    m.epoch := field(215, 8)
    m.deaf := raw(204)
    m.reply := raw(203)
    m.poll := raw(202)
    m.peerKnown := raw(201)
    m.hello := raw(200)
    m.peerEpoch := field(199, 8)
    m.param := raw(191 downto 168)
    m.txBase := field(167, 20)
    m.txEdge := field(147, 20)
    m.rxBase := field(127, 20)
    m.rxNext := field(107, 20)
    m.bitmapBase := field(87, 20)
    m.bitmap := raw(63 downto 0)
    m
  }

  /** True where a data unit's header can be: version, type, ranges of K, N, index, pad and preset. Compares the bytes
    * of the wire, not the narrower fields of the build.
    */
  def dataPlausible(code: CodeConfig, header: Bits): Bool = {
    val raw = swap(header)
    val k = raw(79 downto 72).asUInt
    val n = raw(71 downto 64).asUInt
    val index = raw(63 downto 56).asUInt
    raw(95 downto 94) === Wire.version && !raw(92) && raw(91 downto 90) =/= 3 &&
    k =/= 0 && k <= code.maxK && n >= k && n.resize(9) <= k.resize(9) + code.maxParity && index < n &&
    raw(51 downto 40).asUInt < code.unitBytes
  }

  /** True where a control unit can be: version, type, reserved bits zero. */
  def controlPlausible(content: Bits): Bool = {
    val raw = swap(content)
    raw(223 downto 222) === Wire.version && raw(221 downto 220) === Wire.typeControl &&
    raw(219 downto 216) === 0 && raw(207 downto 205) === 0 && raw(67 downto 64) === 0
  }
}
