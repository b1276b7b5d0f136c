// SPDX-License-Identifier: Apache-2.0
package arqlink.framing

import spinal.core._
import spinal.lib._

import arqlink.axi.PhyBeat
import arqlink.config.CodeConfig
import arqlink.lib.{Crc32, Invariant}
import arqlink.wire.{UnitFormat, Wire}

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
  * that: all is delayed by the same number of clocks.
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

    /** With `badHeader`: the unit is of another version of the format. */
    val otherVersion = out(Bool())
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

    val isData = kind === Wire.typeData || kind === Wire.typeOnly
    val isControl = kind === Wire.typeControl

    when(input.valid) {
      first := input.last
      earlierType := kind
      flagged := input.erased || (flagged && !first)
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

  // A beat's own share first, then the sum: two clocks after the last beat `whole` holds the CRC of the unit.
  val crc = new Area {
    private val width = code.dataBits
    val valid = RegNext(input.valid) init False
    val last = RegNextWhen(input.last, input.valid)
    val shares = RegNextWhen(Crc32.shares(input.data, unit.first, width), input.valid)
    val state = Reg(Bits(32 bits)) init Crc32.empty(width)
    val next = Crc32.sum(shares, state, width)
    when(valid)(state := last ? Crc32.empty(width) | next)
    val whole = RegNextWhen(next, valid && last)
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
    // A clock later than it could be, so that the unit before has been judged.
    io.payload << write.m2sPipe().m2sPipe()
    Invariant.when(write.valid)(Invariant.atMost(write.beat, code.unitBeats - 1), "a payload is longer than a unit")
  }

  // One clock after the last beat: `unit` and `capture` hold the whole unit, the CRC is not ready.
  val ended = new Area {
    val ends = input.valid && input.last
    val isData = RegNextWhen(unit.isData, ends)
    val isControl = RegNextWhen(unit.isControl, ends)
    val rightLength = RegNextWhen(
      (unit.isData && unit.beat === dataBeats - 1) || (unit.isControl && unit.beat === controlBeats - 1),
      ends
    )
    val valid = RegNext(ends) init False

    val header = if (dataBeats >= contentBeats) capture.control else Mux(isControl, capture.control, capture.dataHeader.resized)
  }

  // Another clock later: the header, and what is known without the CRC.
  val known = new Area {
    import ended._
    private def keep[T <: Data](x: T) = RegNextWhen(x, ended.valid)
    val valid = RegNext(ended.valid) init False
    val named = RegNext(ended.valid && rightLength) init False
    val flagged = keep(unit.flagged)
    val dataUnit = keep(isData)
    val controlUnit = keep(isControl)
    // Type 3 has no length that could be wrong; its header is.
    private val misfit = (isData || isControl) && !rightLength
    val wrongLength = keep(!unit.flagged && misfit)
    val wellSized = keep(!unit.flagged && !misfit)
    val bytes = keep(header)
    val plausible = UnitFormat.dataPlausible(code, capture.dataHeader)
    val wrongHeader = !(dataUnit && plausible) && !(controlUnit && keep(UnitFormat.controlPlausible(capture.control)))

    io.header.valid := named
    io.header.control := controlUnit
    io.header.bytes := bytes
  }

  // Another clock later: the verdict, of which the first that applies is told.
  val verdict = new Area {
    private def tell(x: Bool) = RegNext(known.valid && x) init False
    val wrongCrc = RegNextWhen(crc.whole =/= Crc32.residue, known.valid)
    val wellSized = tell(known.wellSized)
    val good = tell(known.wellSized && !known.wrongHeader) // but for its CRC
    io.erasedFlag := tell(known.flagged)
    io.erasedLength := tell(known.wrongLength)
    io.erasedCrc := wellSized && wrongCrc
    io.badHeader := wellSized && !wrongCrc && !good
    private val named = known.dataUnit || known.controlUnit // else the first byte may not be where it is looked for
    io.otherVersion := io.badHeader && RegNextWhen(named && UnitFormat.otherVersion(known.bytes(7 downto 0)), known.valid)
    io.accept := good && !wrongCrc
    Invariant(CountOne(Seq(io.accept, io.erasedFlag, io.erasedLength, io.erasedCrc, io.badHeader)) <= 1, "a unit is judged twice")
  }
}
