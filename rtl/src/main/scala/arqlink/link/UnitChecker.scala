// SPDX-License-Identifier: Apache-2.0
package arqlink.link

import spinal.core._
import spinal.lib._

import arqlink._

/** Header of a unit as it came: bytes 0 to 27 of a control unit, or bytes 0 to 11 of a data unit in the low bits. */
case class RawHeader() extends Bundle {
  val control = Bool()
  val bytes = Bits(UnitFormat.controlContentBytes * 8 bits)
}

/** One payload beat of the unit that is arriving. */
case class PayloadBeat(code: CodeConfig) extends Bundle {
  val beat = UInt(code.unitBeatBits bits)
  val data = Bits(code.dataBits bits)
}

/** Takes units from the PHY, one beat a clock without ever stalling, and judges each when it has ended.
  *
  * `payload` shows the beats of data units while they arrive. Then, for a unit of the right length, `header` shows its
  * header, and one clock later `accept` says that all is well. The first payload beat of the next data unit comes after
  * that.
  */
case class UnitChecker(code: CodeConfig) extends Component {
  private val dataBytes = code.dataBytes
  private val controlBeats = UnitFormat.controlBeats(dataBytes)
  private val dataBeats = UnitFormat.dataBeats(code)
  private val shift = UnitFormat.shiftBytes(dataBytes)

  /** Beats that hold a header, all or in part. */
  private val headerBeats = (Wire.headerBytes + dataBytes - 1) / dataBytes
  private val contentBeats = (UnitFormat.controlContentBytes + dataBytes - 1) / dataBytes

  val io = new Bundle {
    val phy = slave(Flow(PhyBeat(dataBytes)))
    val payload = master(Flow(PayloadBeat(code)))
    val header = master(Flow(RawHeader()))
    val accept = out(Bool())
    val erasedFlag, erasedLength, erasedCrc, badHeader = out(Bool())
  }

  val input = io.phy.m2sPipe()

  val unit = new Area {
    val first = RegInit(True)

    /** Counts beats and stays at its highest value, which no unit reaches. */
    val beat = Reg(UInt(log2Up((dataBeats max controlBeats) + 1) bits)) init 0
    val earlierType = Reg(UInt(2 bits))
    val kind = first ? input.data(5 downto 4).asUInt | earlierType
    val flagged = Reg(Bool())

    /** The beat is one of the first contentBeats; holds payload, or the end of it where the header shifts it. */
    val inContent = RegInit(True)
    val inPayload = RegInit(False)
    val payloadBeat = Reg(UInt(code.unitBeatBits bits)) init 0
    val crc = Reg(Bits(32 bits))

    val isData = kind === Wire.typeData || kind === Wire.typeOnly
    val isControl = kind === Wire.typeControl

    when(input.valid) {
      first := input.last
      earlierType := kind
      flagged := input.erased || (flagged && !first)
      crc := Crc32.next(first ? Crc32.init | crc, input.data)
      when(!beat.andR) { beat := beat + 1 }
      when(beat === contentBeats - 1) { inContent := False }
      when(beat === headerBeats - 1) { inPayload := True }
      when(beat === headerBeats + code.unitBeats - 1) { inPayload := False }
      when(inPayload) { payloadBeat := payloadBeat + 1 }
      when(input.last) {
        beat := 0
        inContent := True
        inPayload := False
        payloadBeat := 0
      }
    }
  }

  // The unit's first beats move in from the top, so that each sits in a fixed place once all have come: a control unit's content at
  // the bottom, and a data unit's header as well, unless the whole unit is shorter than that content.
  val capture = new Area {
    val bytes = Reg(Bits(contentBeats * dataBytes * 8 bits))
    when(input.valid && unit.inContent) {
      bytes := input.data ## bytes.dropLow(code.dataBits)
    }
    private val missing = (contentBeats - dataBeats) max 0
    val dataHeader = (bytes >> (missing * dataBytes * 8)).resize(Wire.headerBytes * 8)
    val control = bytes.resize(UnitFormat.controlContentBytes * 8)
  }

  val payload = new Area {
    val earlier = (shift > 0) generate RegNextWhen(input.data.dropLow(shift * 8), input.valid)
    val write = Flow(PayloadBeat(code))
    write.valid := input.valid && unit.inPayload
    write.beat := unit.payloadBeat
    write.data := (if (shift > 0) input.data.resize(shift * 8) ## earlier else input.data)
    io.payload << write.m2sPipe()
  }

  // One clock after the last beat: `unit` and `capture` hold the whole unit.
  val ended = new Area {
    val ends = input.valid && input.last
    val isData = RegNextWhen(unit.isData, ends)
    val isControl = RegNextWhen(unit.isControl, ends)
    val rightLength = RegNextWhen(
      (unit.isData && unit.beat === dataBeats - 1) || (unit.isControl && unit.beat === controlBeats - 1),
      ends
    )
    val valid = RegNext(ends) init False

    io.header.valid := valid && rightLength
    io.header.control := isControl
    io.header.bytes := (if (dataBeats >= contentBeats) capture.control else Mux(isControl, capture.control, capture.dataHeader.resized))
  }

  // Another clock later: the verdict.
  val verdict = new Area {
    val valid = RegNext(ended.valid) init False
    val flagged = RegNextWhen(unit.flagged, ended.valid)
    // Type 3 has no length that could be wrong; its header is.
    val wrongLength = RegNextWhen((ended.isData || ended.isControl) && !ended.rightLength, ended.valid)
    val wrongCrc = RegNextWhen(unit.crc =/= Crc32.residue, ended.valid)
    // The header is in place before the last beat comes, unless the unit is a very short one.
    private val early = dataBeats > contentBeats + 1
    private def stage[T <: Data](x: T): T = if (early) RegNext(x) else x
    val plausible = stage(UnitFormat.dataPlausible(code, capture.dataHeader, stage(_)))
    val wrongHeader = RegNextWhen(
      !(ended.isData && plausible) &&
        !(ended.isControl && UnitFormat.controlPlausible(capture.control)),
      ended.valid
    )
    val tests = Seq(flagged, wrongLength, wrongCrc, wrongHeader)
    val outputs = Seq(io.erasedFlag, io.erasedLength, io.erasedCrc, io.badHeader)
    for (((test, output), i) <- tests.zip(outputs).zipWithIndex)
      output := valid && test && !tests.take(i).foldLeft(False)(_ || _)
    io.accept := valid && !tests.reduce(_ || _)
  }
}
