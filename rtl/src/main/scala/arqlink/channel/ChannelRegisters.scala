// SPDX-License-Identifier: Apache-2.0
package arqlink.channel

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axilite.AxiLite4

import arqlink.axi.RegisterPort

/** Registers of a channel emulator, and its counts of units. */
class ChannelRegisters(config: ChannelConfig) extends Component {
  val io = new Bundle {
    val axil = slave(AxiLite4(12, 32))
    val setting = out(ErasureSetting())
    val delay = out UInt (config.delayBits bits)
    val seed = master(Flow(Bits(32 bits)))
    val events = in(ErasureEvents())
    val beatLost = in Bool ()
  }

  val port = new RegisterPort(io.axil)
  import port.register

  private def word(address: BigInt, name: String, field: String, reset: BigInt, doc: String): UInt =
    register(address, name, doc).readWrite(0, UInt(32 bits), reset, field, doc)

  private def counter(address: BigInt, name: String, event: Bool, doc: String): Unit = {
    val value = RegInit(U(0, 32 bits))
    when(event)(value := value + 1)
    register(address, name, doc).readOnly(0, value, "count", doc, 0)
  }

  register(0x00, "ID", "identification").constant(0, 32, ChannelRegisters.id, "id", "\"ARQC\"")

  val setting = new Area {
    private val ctrl = register(0x04, "CTRL", "control")
    io.setting.enable := ctrl.readWrite(0, Bool(), 0, "enable", "1: units are erased at random; 0: only an outage erases")
    io.setting.outage := ctrl.readWrite(1, Bool(), 0, "outage", "1: every unit that begins vanishes, control units too")
    io.setting.gilbertElliott := ctrl.readWrite(2, Bool(), 0, "gilbert_elliott", "1: two states with P_GOOD and P_BAD; 0: P_GOOD alone")
    io.setting.spareControl := ctrl.readWrite(3, Bool(), 0, "spare_control", "1: control units are erased by an outage only")

    private val mode = register(0x08, "MODE", "how a unit is erased")
    io.setting.mode := mode.readWrite(0, UInt(2 bits), 0, "mode", "0 it vanishes, 1 a bit is flipped, 2 tuser, 3 one of these at random")

    private val seedRegister = register(0x0c, "SEED", "seed of the random numbers")
    io.seed.payload := seedRegister.readWrite(0, Bits(32 bits), config.seed, "seed", "a write restarts the random numbers, in the good state")
    io.seed.valid := seedRegister.event

    private val delayRegister = register(0x10, "DELAY", "delay in clocks")
    io.delay := delayRegister.readWrite(
      0,
      UInt(config.delayBits bits),
      0,
      "clocks",
      s"from input to output, at least ${ChannelEmulator.leastDelay}; bits above the built depth read as 0; a change empties the channel"
    )

    io.setting.good := word(0x14, "P_GOOD", "p", 0, "erasure probability of a unit in the good state, times 2^32; 0xFFFFFFFF = 1")
    io.setting.bad := word(0x18, "P_BAD", "p", 0, "erasure probability of a unit in the bad state, times 2^32; 0xFFFFFFFF = 1")
    io.setting.goodToBad := word(0x1c, "P_GB", "p", 0, "transition probability from good to bad per unit, times 2^32")
    io.setting.badToGood := word(0x20, "P_BG", "p", 0, "transition probability from bad to good per unit, times 2^32")
  }

  val counts = new Area {
    import io.events._
    counter(0x24, "UNITS", unit && !control, "data units (every type but 1) that came in")
    counter(0x28, "ERASED", unit && !control && erased, "data units erased")
    counter(0x2c, "CONTROL_UNITS", unit && control, "control units (type 1) that came in")
    counter(0x30, "CONTROL_ERASED", unit && control && erased, "control units erased")
  }

  io.setting.pace := word(0x34, "PACE", "clocks", 0, "clocks between beats accepted, 0 = every clock")
  counter(0x38, "BEATS_LOST", io.beatLost, "beats that the receiver was not ready for; a channel does not wait")
  register(0x3c, "MAX_DELAY", "built depth").readOnly(0, U((BigInt(1) << config.delayBits) - 1, 24 bits), "clocks", "longest delay that DELAY takes")
}

object ChannelRegisters {
  val id = BigInt("41525143", 16)
}
