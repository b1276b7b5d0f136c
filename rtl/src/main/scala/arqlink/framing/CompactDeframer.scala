// SPDX-License-Identifier: Apache-2.0
package arqlink.framing

import spinal.core._
import spinal.lib._

import arqlink.config.CodeConfig
import arqlink.lib.{BlockRam, Crc32, Invariant}
import arqlink.wire.{UnitFormat, Wire}

/** [[Deframer]] for area, one byte a clock: units wait whole in one block RAM, and leave byte by byte.
  *
  * A unit whose flag, length or CRC is bad is not kept. The header of one that is kept goes into a shift register, from which it is judged;
  * the payload of a data unit follows it out of the RAM. Both kinds leave in three clocks less than they last on the PHY, where they are taken at
  * once. A control unit is offered 32 clocks after its last beat, a data unit 17.
  */
class CompactDeframer(code: CodeConfig) extends Deframing {
  val io = DeframerPort(code)
  namePorts()

  private val headerBytes = Wire.headerBytes
  private val contentBytes = UnitFormat.controlContentBytes
  private val dataBytes = headerBytes + code.unitBytes
  private val byteBits = log2Up(contentBytes max dataBytes)

  /** As many units as fill a block RAM of 512 bytes, four at least. */
  private val slotBits = (9 - byteBits) max 2

  val ram = BlockRam(Bits(8 bits), 1 << (slotBits + byteBits)) // what is read of a slot that is being written is not used

  val writer = new Area {
    val slot = Reg(UInt(slotBits bits)) init 0
    val readSlot = UInt(slotBits bits)
    val input = io.phy.toFlow.m2sPipe()

    val first = RegInit(True)

    /** Counts bytes and stays at its highest value, which no unit reaches. */
    val at = Reg(UInt(log2Up((UnitFormat.dataBeats(code) max UnitFormat.controlBeats(1)) + 1) bits)) init 0
    private val earlierKind = Reg(UInt(2 bits))
    private val flagged = Reg(Bool())
    private val kind = first ? input.data(5 downto 4).asUInt | earlierKind
    private val isErased = input.erased || (flagged && !first)
    private val crc = Reg(Bits(32 bits)) init Crc32.empty(8)
    private val crcNext = Crc32.sum(Vec(input.data), crc, 8)

    private val isControl = kind === Wire.typeControl
    private val isKnown = kind =/= 3
    private val rightLength = at === (isControl ? U(UnitFormat.controlBeats(1) - 1) | U(UnitFormat.dataBeats(code) - 1))
    when(input.valid) {
      first := input.last
      earlierKind := kind
      flagged := isErased
      when(!at.andR)(at := at + 1)
      crc := crcNext
      when(input.last) {
        at := 0
        crc := Crc32.empty(8)
      }
    }

    // The verdict, a clock after the last byte: the first that applies.
    private val ends = input.valid && input.last
    private val misfit = isKnown && !rightLength
    private val crcGood = RegNext(crcNext === Crc32.residue)
    private val sized = RegNext(ends && !isErased && !misfit) init False
    private val known = RegNext(isKnown)
    private val full = RegNext(slot + 1 === readSlot)
    io.erasedFlag := RegNext(ends && isErased) init False
    io.erasedLength := RegNext(ends && !isErased && misfit) init False
    io.erasedCrc := sized && !crcGood
    val unknown = sized && crcGood && !known
    private val accept = sized && crcGood && known
    io.overflow := accept && full
    when(accept && !full)(slot := slot + 1)
    Invariant.when(accept && !full)(slot + 1 =/= readSlot, "the next unit goes to a slot that is being read")

    // A clock later than it could be, so that the unit before has been judged.
    private val byte = input.m2sPipe()
    private val place = RegNext(at)
    ram.write(slot @@ place.resize(byteBits), byte.data, byte.valid && !place.dropLow(byteBits).orR)
  }

  val reader = new Area {
    val slot = Reg(UInt(slotBits bits)) init 0
    val at = Reg(UInt(byteBits bits)) init 0
    writer.readSlot := slot
    private val kind = Reg(UInt(2 bits))
    private val isControl = kind === Wire.typeControl

    // Bytes are asked for one after the other; a slot is free once its last byte is being read.
    val ask = Stream(UInt(byteBits bits))
    ask.valid := slot =/= writer.slot
    ask.payload := at
    when(ask.fire) {
      at := at + 1
      when(at === (isControl ? U(contentBytes - 1) | U(dataBytes - 1))) {
        at := 0
        slot := slot + 1
      }
    }
    val held = ask.m2sPipe()
    private val word = ram.readSync(slot @@ at, ask.ready)

    /** Header of a data unit in the high bits, content of a control unit in all of them. */
    val header = Reg(Bits(contentBytes * 8 bits))
    private val controlHeld = RegInit(False)
    private val inHeader = held.payload < headerBytes || isControl
    when(held.fire && inHeader) {
      header := word ## header.dropLow(8)
      when(held.payload === 0)(kind := word(5 downto 4).asUInt)
    }

    private val dataHeader = header.takeHigh(headerBytes * 8)
    private val isDecodable = UnitFormat.hasParity(code, UnitFormat.parityUnits(dataHeader))
    private val dataGood = (isDecodable +: UnitFormat.dataChecks(code, dataHeader)).map(RegNext(_)).andR
    private val controlGood = UnitFormat.controlPlausible(header)

    /** `dataGood` is of this unit. */
    private val judged = RegNext(held.valid && !inHeader) init False
    private val shown = held.valid && !inHeader && judged
    held.ready := inHeader ? !controlHeld | judged && (io.unit.ready || !dataGood)
    io.unit.valid := shown && dataGood
    io.unit.header := UnitFormat.unpackData(code, dataHeader)
    io.unit.data := word
    io.unit.last := held.payload === dataBytes - 1

    io.control.valid := controlHeld && controlGood
    io.control.payload := UnitFormat.unpackControl(header)
    when(io.control.ready || !controlGood)(controlHeld := False)
    when(held.fire && isControl && held.payload === contentBytes - 1)(controlHeld := True)

    Invariant(!(io.unit.valid && io.control.valid), "a beat of a data unit and a control unit are offered at once")

    private val badData = shown && !dataGood && held.payload === headerBytes
    private val badControl = controlHeld && !controlGood
    io.badHeader := RegNext(writer.unknown || badData || badControl) init False
    private def ofOtherVersion(header: Bits) = UnitFormat.otherVersion(header(7 downto 0))
    io.otherVersion := RegNext(badControl && ofOtherVersion(header) || badData && ofOtherVersion(dataHeader)) init False
  }
}
