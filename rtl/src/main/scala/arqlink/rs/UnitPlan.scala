// SPDX-License-Identifier: Apache-2.0
package arqlink.rs

import spinal.core._
import spinal.lib._

import arqlink.config.CodeConfig

/** What a sequencer knows of the unit to come: what is left of its frame. It is a unit ahead of the one whose beats are counted, so that
  * nothing long hangs on the handshake of a beat.
  *
  * A unit leaves the plan a clock to move on, one of three beats or more another one to take the next frame.
  */
class UnitPlan[T <: Data](code: CodeConfig, frames: Stream[T]) extends Area {
  val frame = Reg(frames.payloadType())
  val valid = RegInit(False)

  /** None of the frame's units has been accepted. */
  val isFirst = Reg(Bool())

  /** The unit becomes the one whose beats are counted. */
  val taken = Bool()

  /** A clock later: `frame` goes on to the next unit. */
  val moves = RegNext(taken) init False

  /** With `moves`: the unit is the last one of its frame. */
  val isEnd = Bool()
  val frameDone = moves && isEnd

  /** What changes besides when a unit has been accepted, and what a frame begins with. */
  def follow(unit: => Unit)(begin: => Unit = ()): Unit = {
    when(moves) {
      isFirst := False
      unit
    }
    when(frameDone)(valid := False)
    frames.ready := !valid || (if (code.unitBeats < 3) frameDone else False)
    when(frames.ready) {
      valid := frames.valid
      frame := frames.payload
      isFirst := True
      begin
    }
  }
}
