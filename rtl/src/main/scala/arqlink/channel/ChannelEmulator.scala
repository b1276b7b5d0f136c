// SPDX-License-Identifier: Apache-2.0
package arqlink.channel

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axilite.AxiLite4

import arqlink.link.PhyBeat

/** One direction of a lossy channel with constant delay.
  *
  * `output` does not wait: a beat shows for one clock and is lost, and counted, if `ready` is low then. The deframer is
  * always ready. `input` waits for PACE.
  */
class ChannelEmulator(config: ChannelConfig) extends Component {
  val io = new Bundle {
    val axil = slave(AxiLite4(12, 32))
    val input = slave(Stream(PhyBeat(config.dataBytes)))
    val output = master(Stream(PhyBeat(config.dataBytes)))
  }

  val registers = new ChannelRegisters(config)
  registers.io.axil << io.axil

  val eraser = new Eraser(config)
  eraser.io.setting := registers.io.setting
  eraser.io.seed << registers.io.seed
  eraser.io.input << io.input
  registers.io.events := eraser.io.events

  val line = new DelayLine(config)
  line.io.input << eraser.io.output
  // The eraser takes one clock of the delay.
  line.io.delay := Mux(registers.io.delay === 0, U(0), registers.io.delay - 1)
  io.output.valid := line.io.output.valid
  io.output.payload := line.io.output.beat
  registers.io.beatLost := io.output.valid && !io.output.ready
}

object ChannelEmulator {
  val leastDelay: Int = DelayLine.least + 1
}
