// SPDX-License-Identifier: Apache-2.0
package arqlink.framing

import spinal.core._
import spinal.lib._

import arqlink.axi.{AxiNames, PhyBeat}
import arqlink.config.CodeConfig
import arqlink.lib.{Invariant, Kept, Skid}
import arqlink.wire._

/** Puts headers and CRCs around the units of frames and sends them, with control units in between, back to back.
  *
  * For each `frame` its `n` units come at `units`, unitBeats beats each; a beat leaves five clocks or more after it was due. A unit begins when its
  * payload begins to come, which then comes without a pause: so `m_axis_phy_tvalid` does not fall within a unit. A control unit goes before the next
  * data unit. Layout: docs/architecture.md, "Wire format". Nothing can go wrong here but a `flush`: the unit that has begun is ended with a wrong CRC.
  */
case class Framer(code: CodeConfig) extends Component {
  private val dataBytes = code.dataBytes
  private val controlBeats = UnitFormat.controlBeats(dataBytes)
  private val dataBeats = UnitFormat.dataBeats(code)
  private val crcBeats = (Wire.crcBytes / dataBytes) max 1

  /** Header beats without payload, and header bytes in the beat after them: 12 and 0 at one byte a beat, 6 and 0, 3 and 0, 1 and 4 at two to
    * eight.
    */
  private val headerBeats = Wire.headerBytes / dataBytes
  private val shift = UnitFormat.shiftBytes(dataBytes)

  val io = new Bundle {
    val frame = slave(Stream(Transmission(code)))
    val units = slave(Stream(Fragment(Bits(code.dataBits bits))))
    val control = slave(Stream(ControlMessage()))

    /** Number of this link; constant while a unit leaves. */
    val link = in(UInt(Wire.linkBits bits))

    /** Epoch of data units; constant while a frame is in progress. */
    val epoch = in(UInt(Wire.epochBits bits))

    /** Forget the frame in progress; a unit that has begun is finished with a wrong CRC. */
    val flush = in(Bool())
    val phy = master(Stream(PhyBeat(dataBytes)))
    val frameDone, busy = out(Bool())

    /** Pulse: a data unit begins to leave. */
    val unitBegun = out(Bool())
    val txUnits, txRetxUnits, txControlUnits, txPolls, idle = out(Bool())
  }
  noIoPrefix()
  AxiNames.units(io.units, "units")
  AxiNames.phy(io.phy, "m_axis_phy")

  /** All stages move, or none: the PHY's `ready` reaches no further than the register behind this. */
  val moves = Bool()

  val frame = new Area {
    val active = RegInit(False)
    val tx = Reg(Transmission(code))
    val index = Reg(UInt(code.nBits bits))

    /** Units after this one. */
    val unitsLeft = Reg(UInt(code.nBits bits))
    val lastUnit = Reg(Bool())
    val ends = Bool() // the last beat of the frame's last unit has been formed

    /** After a flush, until the unit that was being sent has left. */
    val draining = RegInit(False)

    // A frame that comes when a flush begins is forgotten.
    io.frame.ready := !draining && (!active || ends)
    active := (active && !ends || io.frame.fire) && !io.flush
    when(io.frame.fire)(tx := io.frame.payload)
  }

  /** What the next beat is, without its data. */
  case class Step() extends Bundle {
    val isControl, first, last, check, spoil, ofFrame, endsFrame = Bool()
    val inHeader, atShift = Bool()
  }
  val step = Flow(Step())

  val unit = new Area {
    val starting = RegInit(True)
    val beat = Reg(UInt(log2Up(dataBeats max controlBeats) bits)) init 0

    /** The same, for the choice of a control unit's bytes. */
    val controlBeat = Kept(RegNext(beat.getAheadValue().resize(log2Up(controlBeats))) init 0, "controlBeat")
    val wasControl = Reg(Bool())
    val spoiled = RegInit(False)

    // Where `beat` is, worked out with it.
    private def at(place: Int) = RegInit(Bool(place == 0))
    val beforePayload = at(headerBeats - 1)
    val inPayload = at(headerBeats)
    val inHeader = RegInit(True)
    val atShift = at(headerBeats)
    val payloadLast = at(headerBeats + code.unitBeats - 1)
    val controlLast = at(controlBeats - 1)
    val dataLast = at(dataBeats - 1)
    val frameLast = at(dataBeats - 1)
    val controlCrc = at(controlBeats - crcBeats)
    val dataCrc = at(dataBeats - crcBeats)

    val isControl = starting ? io.control.valid | wasControl
    val spoil = !starting && (spoiled || io.flush)
    val may = !starting || (!io.flush && (io.control.valid || (frame.active && io.units.valid)))
    val last = controlLast || dataLast
    val ends = moves && last

    step.valid := moves && may
    // A unit has begun only as its payload was there, so it waits for none. A flush empties the source, and the unit ends without.
    Invariant.when(step.valid && inPayload && !spoil)(io.units.valid, "a unit's payload pauses")
    io.units.ready := moves && inPayload
    io.control.ready := moves && controlLast && !spoil

    when(step.valid) {
      starting := last
      wasControl := isControl
      beat := last ? U(0) | beat + 1
      def next(place: Int) = if (place == 0) last else !last && beat === place - 1
      beforePayload := next(headerBeats - 1)
      val begins = beforePayload && !last
      atShift := begins
      // From a unit's second beat on, a register has its kind. A header of one beat ends before that.
      val kind = if (headerBeats > 1) wasControl else isControl
      inPayload := begins && !kind || (inPayload && !payloadLast && !last)
      payloadLast := next(headerBeats + code.unitBeats - 1)
      inHeader := last || (inHeader && beat =/= headerBeats - 1)
      controlLast := next(controlBeats - 1) && wasControl
      val isDataLast = next(dataBeats - 1) && !wasControl
      dataLast := isDataLast
      frameLast := isDataLast && frame.lastUnit
      controlCrc := next(controlBeats - crcBeats) || controlCrc && !last
      dataCrc := next(dataBeats - crcBeats) || dataCrc && !last
    }
    spoiled := spoil && !ends
    when(spoiled)(inPayload := False)
    when(moves && dataLast) {
      frame.index := frame.index + 1
      frame.unitsLeft := frame.unitsLeft - 1
      frame.lastUnit := frame.unitsLeft === 1
    }
    when(io.frame.fire) {
      frame.index := 0
      frame.unitsLeft := io.frame.n - 1
      frame.lastUnit := io.frame.n === 1
    }
    frame.ends := moves && frameLast && !spoiled
  }

  step.isControl := unit.isControl
  step.first := unit.starting
  step.last := unit.last
  step.check := Mux(unit.isControl, unit.controlCrc, unit.dataCrc)
  step.spoil := unit.spoil
  step.ofFrame := !unit.isControl
  step.endsFrame := !unit.isControl && frame.lastUnit
  step.inHeader := unit.inHeader
  step.atShift := unit.atShift

  // What the beat may hold, then which of these it does, a clock each. The control unit on the port and the frame's header are valid for the
  // time of their beats; a control unit that is flushed changes in the middle, and its CRC is spoiled.
  val content = new Area {
    val valid = RegNextWhen(unit.may, moves, init = False)
    val now = RegNextWhen(step.payload, moves)
    val word = RegNextWhen(io.units.fragment, moves)

    private def beatOf(bytes: Bits, beats: Int, beat: UInt): Bits = {
      val parts = bytes.resize(beats * dataBytes * 8).subdivideIn(dataBytes * 8 bits)
      RegNextWhen(if (beats == 1) parts(0) else parts(beat.resize(log2Up(beats))), moves)
    }
    private val headerBytes = UnitFormat.packData(io.link, io.epoch, frame.tx, frame.index)
    val control = beatOf(UnitFormat.packControl(io.link, io.control.payload), controlBeats, unit.controlBeat)

    val payload =
      if (shift == 0) word
      else {
        // The header's end shifts the payload: each beat's last bytes wait for the next beat.
        val carry = RegNextWhen(word.takeHigh(shift * 8), moves && valid)
        val low = now.atShift ? RegNextWhen(headerBytes.takeHigh(shift * 8), moves) | carry
        word.resize(code.dataBits - shift * 8) ## low
      }

    val blank = BlankBeat(dataBytes)
    blank.assignSomeByName(now)
    blank.data := payload
    val header = beatOf(headerBytes, headerBeats, unit.beat)
    when(now.inHeader)(blank.data := header)
    when(now.isControl)(blank.data := control)
  }

  val output = new Area {
    val inserter = CrcInserter(dataBytes)
    inserter.io.input.valid := RegNextWhen(content.valid, moves, init = False)
    inserter.io.input.payload := RegNextWhen(content.blank, moves && content.valid)
    inserter.io.moves := moves
    private val out = inserter.io.output.toStream
    val finished = Skid(out, "finished")
    moves := out.ready
    io.phy.arbitrationFrom(finished)
    io.phy.data := finished.data
    io.phy.last := finished.last
    io.phy.erased := False
    private val isWithin = RegNextWhen(!finished.last, finished.fire, init = False)
    Invariant.when(isWithin)(finished.valid, "tvalid falls within a unit")

    // Data units that have begun and not left yet. They are in six stages, and a unit has at least three beats: so the stages hold parts of at most
    // three units.
    val inside = Reg(UInt(2 bits)) init 0
    val enters = RegNext(step.valid && step.first && step.ofFrame) init False
    val leaves = finished.fire && finished.last && finished.ofFrame
    when(enters =/= leaves) { inside := Mux(enters, inside + 1, inside - 1) }
    Invariant.when(enters && !leaves)(inside =/= 3, "the stages hold more units than they can")
    Invariant.when(leaves && !enters)(inside =/= 0, "a unit leaves that has not begun")
    io.unitBegun := enters
    frame.draining := io.flush || (frame.draining && inside =/= 0)

    io.busy := !frame.draining && (frame.active || inside =/= 0)
    io.frameDone := RegNext(leaves && finished.endsFrame && !frame.draining && !io.flush) init False
  }

  val events = new Area {
    private def pulse(condition: Bool): Bool = RegNext(unit.ends && !unit.spoil && condition) init False
    io.txUnits := pulse(!unit.isControl && !frame.tx.again)
    io.txRetxUnits := pulse(!unit.isControl && frame.tx.again)
    io.txControlUnits := pulse(unit.isControl)
    io.txPolls := pulse(unit.isControl && io.control.poll)
    io.idle := RegNext(io.phy.ready && !io.phy.valid) init False
  }
}
