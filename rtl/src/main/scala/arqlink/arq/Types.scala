// SPDX-License-Identifier: Apache-2.0
package arqlink.arq

import spinal.core._
import spinal.lib._

import arqlink._
import arqlink.link._

/** What the receiver keeps about a complete frame until it is delivered; `received` marks the K units in the store. */
case class ReceivedFrame(code: CodeConfig) extends Bundle {
  val meta = FrameMeta(code)
  val preset = UInt(2 bits)
  val received = Bits(code.maxN bits)
}

/** A frame has become complete; or `dead`: its only transmission has failed, so it never will. */
case class Completion(link: LinkConfig) extends Bundle {
  val fsn = Wire.sn
  val dead = Bool()
  val frame = ReceivedFrame(link.code)
}

/** What a control unit of the peer closes: all transmissions with a TSN below `txEdge` have been sent in full. A poll tells the block of its ackTsn, too. */
case class CloseNotice() extends Bundle {
  val txEdge = Wire.sn
  val poll = Bool()
  val ackBlock = OutcomeLog.blockNumber
}

/** A frame to be read from the store, decoded and handed on. */
case class DeliveryJob(link: LinkConfig) extends Bundle {
  val slot = UInt(link.window.slotBits bits)
  val frame = ReceivedFrame(link.code)
}

/** Outcomes to report: 64 of them from TSN `base` on. */
case class OutcomeReport() extends Bundle {
  val base = Wire.sn
  val bitmap = Bits(Wire.bitmapBits bits)
}

/** The code settings that the sender uses when a transmission begins. */
case class SenderConfig(code: CodeConfig) extends Bundle {
  val parityFirst = UInt(log2Up(code.maxParity + 1) bits)
  val parityRetx = UInt(log2Up(code.maxParity + 1) bits)
  val preset = UInt(2 bits)

  /** 0 to 14 retransmissions, 15 = never give up. */
  val delta = UInt(4 bits)
  val outageFreeze = Bool()
}

/** Zeroes a table after reset, one entry a clock; `done` when it may be used. */
class TableClear(addressBits: Int) extends Area {
  private val count = Reg(UInt(addressBits + 1 bits)) init 0
  val done = count.msb
  val address = count.resize(addressBits)
  when(!done)(count := count + 1)
}
