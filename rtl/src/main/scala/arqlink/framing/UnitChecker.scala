// SPDX-License-Identifier: Apache-2.0
package arqlink.framing

import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._

import arqlink.axi.PhyBeat
import arqlink.config.CodeConfig
import arqlink.lib.{BeatCounter, Crc32, Invariant}
import arqlink.wire.{UnitFormat, Wire}

/** Header of a unit as it came: bytes 0 to 27 of a control unit, or bytes 0 to 11 of a data unit in the low bits. */
case class RawHeader() extends Bundle {
  val control = Bool()
  val bytes = Bits(UnitFormat.controlContentBytes * 8 bits)
}

/** One payload beat of the unit that is arriving, and where it is kept among those of its unit ([[arqlink.lib.BeatCounter]]). */
case class PayloadBeat(code: CodeConfig) extends Bundle {
  val address = UInt(code.unitBeatBits bits)
  val data = Bits(code.dataBits bits)
}

/** Takes units from the PHY, one beat a clock without ever stalling, and judges each when it has ended.
  *
  * `payload` shows the beats of data units while they arrive. Then, for a unit of the right length, `header` shows its
  * header, and one clock later `accept` says that all is well. The first payload beat of the next data unit comes after
  * that, as a header beat precedes it. Stage `arrive` counts a beat, `sum` adds it to the CRC, and where it is a unit's last one, `identify` has the
  * unit's header and `judge` the verdict.
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

    /** Number of this link. */
    val link = in(UInt(Wire.linkBits bits))
    val payload = master(Flow(PayloadBeat(code)))
    val header = master(Flow(RawHeader()))
    val accept = out(Bool())
    val erasedFlag, otherLink, erasedLength, erasedCrc, badHeader = out(Bool())

    /** With `badHeader`: the unit is of another version of the format. */
    val otherVersion = out(Bool())
  }

  // The stage of each task.
  private val (arriveAt, sumAt, identifyAt, judgeAt) = (0, 1, 2, 3)
  private val stages = Seq.fill(judgeAt + 1)(Node())
  val arrive = stages(arriveAt)
  val sum = stages(sumAt)
  val identify = stages(identifyAt)
  val judge = stages(judgeAt)

  // The beat, and how much of its unit has come -------------------------------------------------------------------------------------

  val arrived = new arrive.Area {
    private val input = io.phy.m2sPipe()
    valid := input.valid
    private val isFirst = RegInit(True)

    /** Counts beats and stays at its highest value, which no unit reaches. */
    private val beat = Reg(UInt(log2Up((dataBeats max controlBeats) + 1) bits)) init 0
    private val wasControl, wasOther = Reg(Bool())
    val isControl = insert(isFirst ? UnitFormat.isControl(input.data) | wasControl)
    val isOtherLink = insert(isFirst ? UnitFormat.isOfOtherLink(input.data, io.link) | wasOther)
    private val flagged = Reg(Bool())

    /** The beat is one of the first contentBeats. */
    val inContent = RegInit(True)

    /** It holds payload, or the end of a beat of it where the header shifts it. */
    val inPayload = RegInit(False)
    val payloadBeat = new BeatCounter(code.unitBeats)

    val data = insert(input.data)
    val ends = insert(input.last)
    val isFlagged = insert(input.erased || (flagged && !isFirst))
    val isDataLength = insert(beat === dataBeats - 1)
    val isControlLength = insert(beat === controlBeats - 1)
    val shares = RegNextWhen(Crc32.shares(input.data), input.valid)

    when(input.valid) {
      isFirst := input.last
      wasControl := this(isControl)
      wasOther := this(isOtherLink)
      flagged := this(isFlagged)
      when(!beat.andR)(beat := beat + 1)
      when(beat === contentBeats - 1)(inContent := False)
      when(beat === headerBeats - 1)(inPayload := True)
      when(inPayload)(payloadBeat.step())
      when(inPayload && payloadBeat.last)(inPayload := False)
      when(input.last) {
        beat := 0
        inContent := True
        inPayload := False
        payloadBeat.restart()
      }
    }
  }

  // The unit's first beats move in from the top, so that each sits in a fixed place once all have come: a control unit's content at
  // the bottom, and a data unit's header as well, unless the whole unit is shorter than that content.
  val capture = new Area {
    val bytes = Reg(Bits(contentBeats * dataBytes * 8 bits))
    when(arrive.valid && arrived.inContent) {
      bytes := arrive(arrived.data) ## bytes.dropLow(code.dataBits)
    }
    private val missing = (contentBeats - dataBeats) max 0
    val dataHeader = bytes.dropLow(missing * dataBytes * 8).resize(Wire.headerBytes * 8)
    val control = bytes.resize(UnitFormat.controlContentBytes * 8)
  }

  val payload = new Area {
    private val data = arrive(arrived.data)
    private val earlier = (shift > 0) generate RegNextWhen(data.dropLow(shift * 8), arrive.valid)
    val beats = Flow(PayloadBeat(code))
    beats.valid := arrive.valid && arrived.inPayload
    beats.address := arrived.payloadBeat.address
    beats.data := (if (shift > 0) data.resize(shift * 8) ## earlier else data)
    // As late as the header, so that the unit before has been judged.
    io.payload << (arriveAt until identifyAt).foldLeft(beats)((late, _) => late.m2sPipe())
  }

  // What follows of the unit's last beat: `capture` holds the header --------------------------------------------------------------------

  val summed = new sum.Area {
    private val register = Reg(Bits(32 bits)) init Crc32.begin(code.dataBits)
    private val next = Crc32.step(register, arrived.shares)
    private val ends: Bool = this(arrived.ends)
    when(valid)(register := ends ? Crc32.begin(code.dataBits) | next)

    /** CRC of the unit, as a root. */
    val crc = insert(next)
    val header = insert(
      if (dataBeats >= contentBeats) capture.control else Mux(this(arrived.isControl), capture.control, capture.dataHeader.resized)
    )
    private val isLength = Mux(this(arrived.isControl), this(arrived.isControlLength), this(arrived.isDataLength))

    /** A unit has ended that is as long as its type says. */
    val isSized = insert(ends && isLength)

    val isMisfit = insert(!isLength)
    val dataChecks = UnitFormat.dataChecks(code, capture.dataHeader).map(insert(_))
    val parityUnits = insert(UnitFormat.parityUnits(capture.dataHeader))
    val isControlPlausible = insert(UnitFormat.controlPlausible(capture.control))
  }

  val named = new identify.Area {
    private val isControl: Bool = this(arrived.isControl)
    io.header.valid := valid && this(summed.isSized)
    io.header.control := isControl
    io.header.bytes := this(summed.header)

    val isCrcWrong = insert(this(summed.crc) =/= Crc32.residue(code.dataBits))
    private val isDataPlausible = summed.dataChecks.map(check => this(check)).andR && UnitFormat.hasParity(code, this(summed.parityUnits))
    private val plausible = Mux(isControl, this(summed.isControlPlausible), isDataPlausible)
    val isPlausible = insert(plausible)

    /** A unit has ended that is accepted if its CRC is right. */
    val isSound = insert(valid && this(summed.isSized) && !this(arrived.isFlagged) && !this(arrived.isOtherLink) && plausible)
    val isOtherVersion = insert(UnitFormat.otherVersion(this(summed.header)(7 downto 0)))
  }

  /** The verdict: the first that applies. */
  val judged = new judge.Area {
    private def is(what: Payload[Bool]): Bool = this(what)
    private val ends = valid && is(arrived.ends)
    private val isUnflagged = ends && !is(arrived.isFlagged)
    private val isOther = is(arrived.isOtherLink) && !is(named.isCrcWrong)
    private val isWhole = isUnflagged && !isOther && !is(summed.isMisfit)
    private val isIntact = isWhole && !is(named.isCrcWrong)
    io.erasedFlag := ends && is(arrived.isFlagged)
    io.otherLink := isUnflagged && isOther
    io.erasedLength := isUnflagged && !isOther && is(summed.isMisfit)
    io.erasedCrc := isWhole && is(named.isCrcWrong)
    io.badHeader := isIntact && !is(named.isPlausible)
    io.otherVersion := io.badHeader && is(named.isOtherVersion)
    io.accept := valid && is(named.isSound) && !is(named.isCrcWrong)
    Invariant(CountOne(Seq(io.accept, io.erasedFlag, io.otherLink, io.erasedLength, io.erasedCrc, io.badHeader)) <= 1, "a unit is judged twice")
  }
  // A unit never waits: the nodes have no `ready`.
  Builder(stages.zip(stages.tail).map { case (from, to) => StageLink(from, to) })
}
