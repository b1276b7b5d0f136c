// SPDX-License-Identifier: Apache-2.0
package arqlink.gen

import spinal.core._

import arqlink.lib.Countdown

/** The timer, which is a part of other blocks, as a module of its own for its bench. */
class CountdownAlone extends Component {
  setDefinitionName("Countdown")

  val io = new Bundle {
    val interval = in UInt (32 bits)
    val reload, run = in Bool ()
    val expired = out Bool ()
  }
  io.expired := new Countdown(io.interval, io.reload, io.run).expired
}
