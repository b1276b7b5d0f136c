// SPDX-License-Identifier: Apache-2.0
package arqlink.csr

import spinal.core._
import spinal.lib._

import arqlink._

/** The setting that a frame is begun with. All of it changes in one clock, and is always valid:
  * 1 <= k <= maxK, k <= n <= k + maxParity for both n, preset <= 2.
  *
  * `delta`: persistency, 15 = infinite. `inOrder`: packets leave in sequence.
  * `outageFreeze`: failures of an outage do not count towards delta.
  */
case class ActiveSetting(code: CodeConfig) extends Bundle {
  val k = UInt(code.kBits bits)
  val nFirst = UInt(code.nBits bits)
  val nRetx = UInt(code.nBits bits)
  val preset = UInt(2 bits)
  val delta = UInt(4 bits)
  val inOrder = Bool()
  val outageFreeze = Bool()
}

/** Intervals in clocks; `outageTimeout` 0 = never. */
case class TimerSetting() extends Bundle {
  val pollTimeout, helloInterval, keepalive, outageTimeout, statusInterval = UInt(32 bits)

  /** Pulse: one of them was written; what is there now counts from here on. */
  val written = Bool()
}

/** All that the registers set; the timers change by themselves, one by one. */
case class LinkSetting(code: CodeConfig) extends Bundle {
  val active = ActiveSetting(code)
  val timers = TimerSetting()
}

/** `restart` is a pulse of one clock. */
case class LinkCommand() extends Bundle {
  val enable = Bool()
  val restart = Bool()
}

/** What register STATUS and EPOCH show; `state` as in docs/architecture.md, "Link". */
case class LinkStatus() extends Bundle {
  val state = UInt(3 bits)
  val peerKnown = Bool()
  val stalled = Bool()
  val outage = Bool()
  val ownEpoch = UInt(8 bits)
  val peerEpoch = UInt(8 bits)
}

/** Pulses that set sticky bits of register ERROR, in the order of these. */
case class LinkErrors() extends Bundle {
  val dropZero = Bool()
  val dropOversize = Bool()
  val dropAbort = Bool()
  val dropKeep = Bool()
  val phyLength = Bool()
  val badHeader = Bool()
  val controlInvalid = Bool()
  val unitInvalid = Bool()
  val peerMismatch = Bool()
  val peerRestart = Bool()
  val outage = Bool()
  val linkUp = Bool()
  val linkDown = Bool()
  val rxOverflow = Bool()
  val packetCorrupt = Bool()
  val resync = Bool()
}

/** One increment per entry of `Counters.all`, under its name. */
case class CounterEvents() extends Bundle {
  for (counter <- Counters.all) valCallbackRec(UInt(counter.increment bits), counter.name)

  def apply(name: String): UInt = elements
    .find(_._1 == name)
    .getOrElse(throw new IllegalArgumentException(s"no counter named '$name'"))
    ._2
    .asInstanceOf[UInt]

  /** Adds one to counter `name` in each clock with `event`. */
  def count(name: String, event: Bool): Unit = apply(name) := event.asUInt.resized

  /** Adds `amount` to counter `name`; a wider amount than the counter's increment is refused. */
  def add(name: String, amount: UInt): Unit = {
    val port = apply(name)
    require(
      amount.getWidth <= port.getWidth,
      s"counter $name takes increments of ${port.getWidth} bits, not of ${amount.getWidth}"
    )
    port := amount.resized
  }
}

/** How registers and counters talk: a snapshot is asked for, and read word by word, two clocks after `read`. `reached` is a
  * pulse when counter `watch` gets to `level`, or is found there after `rearm`; level 0 is never reached.
  */
case class CounterPort() extends Bundle with IMasterSlave {
  val snapshot = Bool()
  val clear = Bool()
  val busy = Bool()
  val read = Bool()
  val address = UInt(CounterPort.addressBits bits)
  val data = Bits(32 bits)
  val watch = UInt(8 bits)
  val level = UInt(64 bits)
  val rearm = Bool()
  val reached = Bool()

  override def asMaster(): Unit = {
    out(snapshot, clear, read, address, watch, level, rearm)
    in(busy, data, reached)
  }
}

object CounterPort {

  /** Words: low and high half of each counter. */
  val addressBits: Int = log2Up(2 * Counters.all.size)
}
