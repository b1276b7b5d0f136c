// SPDX-License-Identifier: Apache-2.0
package arqlink.channel

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axilite.AxiLite4

import arqlink.axi.PhyBeat

/** One direction of an emulated channel.
  *
  * @param dataBytes width of the PHY stream in bytes: 1, 2, 4 or 8
  * @param maxDelay  depth of the delay line in clocks: a power of two, 16 to 2^24; DELAY reaches maxDelay - 1
  * @param seed      seed of the random numbers after reset, 32 bits
  */
case class ChannelConfig(dataBytes: Int, maxDelay: Int, seed: BigInt = 1) {
  require(Set(1, 2, 4, 8)(dataBytes), s"dataBytes is $dataBytes; it must be 1, 2, 4 or 8")
  require(
    isPow2(maxDelay) && maxDelay >= 16 && maxDelay <= (1 << 24),
    s"maxDelay is $maxDelay; it must be a power of two from 16 to 16777216"
  )
  require(seed >= 0 && seed < (BigInt(1) << 32), s"seed is $seed; it must fit into 32 bits")
  def delayBits: Int = log2Up(maxDelay)
}

/** One direction of a lossy channel with constant delay.
  *
  * `output` does not wait: a beat shows for one clock and is lost, and counted, if `ready` is low then. The deframer is
  * always ready. `input` waits for PACE.
  *
  * `erase` in the clock of a unit's first beat erases the unit, as a random number would: a recorded trace goes in here.
  */
class ChannelEmulator(config: ChannelConfig) extends Component {
  val io = new Bundle {
    val axil = slave(AxiLite4(12, 32))
    val input = slave(Stream(PhyBeat(config.dataBytes)))
    val output = master(Stream(PhyBeat(config.dataBytes)))
    val erase = in Bool ()
  }

  val registers = new ChannelRegisters(config)
  registers.io.axil << io.axil

  val eraser = new Eraser(config)
  eraser.io.setting := registers.io.setting
  eraser.io.seed << registers.io.seed
  eraser.io.input << io.input
  eraser.io.erase := io.erase
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
