// SPDX-License-Identifier: Apache-2.0
package arqlink.arq

import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._

import arqlink.config.LinkConfig
import arqlink.wire._

/** What the receiver judges at once: a data unit, by its header, or the txEdge of a control unit (`isEdge`), which is in
  * `header.tx.tsn`.
  */
case class Arrival(link: LinkConfig) extends Bundle {
  val isEdge = Bool()
  val polls = Bool()
  val header = UnitHeader(link.code)
}

/** Says what an arrival is: a function of its header, of the transmission in progress and of the window. docs/architecture.md, Receiver 1
  * to 3.
  *
  * Stage `measure` takes distances, `compare` tests each of them, `close` combines the tests. The transmission in progress does not change
  * meanwhile, as one arrival at a time is in these stages.
  *
  * @param accept     data units are accepted; they must be of `epoch`
  * @param arrives    the arrival in stage `measure`
  * @param arrival    the arrival in the stages after it
  * @param isComplete the table has the arrival's frame as complete; valid in `compare`
  */
class UnitClassifier(
    link: LinkConfig,
    current: TransmissionInProgress,
    rxBase: UInt,
    accept: Bool,
    epoch: UInt,
    arrives: Arrival,
    arrival: Arrival,
    isComplete: Bool
)(val measure: CtrlLink, val compare: CtrlLink, val close: CtrlLink)
    extends Area {
  import link.code
  private val slotBits = link.window.slotBits

  val measured = new measure.Area {
    private val tx = arrives.header.tx
    val tsnAhead = insert(tx.tsn - current.next)
    val fsnAhead = insert(tx.fsn - rxBase)
    val toEnd = insert(tx.n - arrives.header.index)
    val sameFrame = insert(tx.fsn === current.fsn)
    val sameCode = insert(tx.meta.k === current.frame.meta.k && tx.preset === current.frame.preset)
    val isOfPeer = insert(accept && arrives.header.epoch === epoch)

    /** Of each eight units of the transmission in progress, the one with the arrival's place among eight. */
    val hasPlace = insert(Cat(current.frame.received.subdivideIn(8 bits, strict = false).map(_.resize(8)(arrives.header.index.resize(3)))))
  }

  val compared = new compare.Area {
    private def isWindowAhead(distance: UInt) = distance.dropHigh(1).dropLow(slotBits).orR
    private val tsnAhead = this(measured.tsnAhead)
    private val fsnAhead = this(measured.fsnAhead)

    val isOurs = insert(arrival.isEdge || this(measured.isOfPeer))
    val isLate = insert(tsnAhead.msb)
    val isNext = insert(tsnAhead === 0)
    val isAhead = insert(!tsnAhead.msb && tsnAhead =/= 0)
    private val isFsnTooFar = !fsnAhead.msb && isWindowAhead(fsnAhead)
    val fsnTooFar = insert(isFsnTooFar)

    /** An edge may be a whole window ahead: what is below it is within the window. */
    val tooFar = insert(arrival.isEdge ? (isWindowAhead(tsnAhead) && tsnAhead =/= link.window.windowFrames) | (isWindowAhead(tsnAhead) || isFsnTooFar))
    val same = insert(this(measured.sameFrame) && this(measured.sameCode))
    private val ofEight = this(measured.hasPlace)
    val hasCome = insert(if (widthOf(ofEight) == 1) ofEight.lsb else ofEight(arrival.header.index.dropLow(3).asUInt.resize(log2Up(widthOf(ofEight)))))
    val isKnown = insert(fsnAhead.msb || this(measured.sameFrame) && current.isComplete || isComplete)
    val isParity = insert(arrival.header.index >= arrival.header.tx.meta.k)
    val isLast = insert(this(measured.toEnd) === 1)
  }

  val decided = new close.Area {
    import compared._
    private val isUnit = this(isOurs) && !arrival.isEdge
    private val joins = this(isNext) && current.open
    private val steps = this(isOurs) && this(isAhead) && !this(tooFar)
    private val starts = isUnit && !joins && !this(isLate) && !this(tooFar)

    /** Of another epoch, or no unit is accepted. */
    val isForeign = insert(!this(isOurs))
    val late = insert(isUnit && this(isLate))

    /** Beyond the window, or not of the frame and the code of its transmission. */
    val isInvalid = insert(this(isOurs) && this(isAhead) && this(tooFar) || isUnit && this(isNext) && (current.open ? !this(same) | this(fsnTooFar)))

    /** Transmissions before the arrival's have to be closed first. */
    val closesBefore = insert(steps)

    /** A unit begins its transmission, or is of the one in progress. */
    val begins = insert(starts)
    private val isOfIt = starts || isUnit && joins && this(same)
    val belongs = insert(isOfIt)

    /** The frame was complete before this unit came. */
    val wasGood = insert(joins ? current.isComplete | this(isKnown))

    /** A unit that the frame lacks, with which it may be complete. */
    val isNew = insert((starts && !this(isKnown)) || (isUnit && joins && this(same) && !current.isComplete && !this(hasCome)))
    val completes = insert(joins ? (current.missing === 1) | (arrival.header.tx.meta.k === 1))
    val ends = insert(isOfIt && this(isLast))
    val parity = insert(this(compared.isParity))
  }
}
