// SPDX-License-Identifier: Apache-2.0
package arqlink.soc

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axilite.AxiLite4
import spinal.lib.bus.misc.SizeMapping
import spinal.lib.bus.wishbone._

import arqlink.axi.AxiLiteDecoder

/** The CPU with boot ROM, RAM, UART, machine timer and a window to the link's registers (docs/soc.md).
  *
  * `linkIrq` are the `irq`s of link ends A and B: external interrupts 1 and 2; external interrupt 0 is the UART's.
  */
class ControlSystem(config: SocConfig) extends Component {
  val io = new Bundle {
    val link = master(AxiLite4(16, 32))
    val linkIrq = in Bits (2 bits)
    val uartTx = out Bool ()
    val uartRx = in Bool ()
  }

  val cpu = new VexRiscv
  val rom = new WishboneMemory(SocMap.romBytes, config.rom, writable = false)
  val ram = new WishboneMemory(config.ramBytes, config.image, writable = true)
  val linkBridge, deviceBridge = new AxiLiteBridge

  private val slaves = Seq(
    rom.bus -> SizeMapping(SocMap.romBase, SocMap.romBytes),
    ram.bus -> SizeMapping(SocMap.ramBase, config.ramBytes),
    linkBridge.bus -> SizeMapping(SocMap.linkBase, SocMap.windowBytes),
    deviceBridge.bus -> SizeMapping(SocMap.deviceBase, SocMap.windowBytes)
  )
  val arbiter = new WishboneArbiter(SocBus.config, 2)
  cpu.iBus.drive(arbiter.io.inputs(0))
  cpu.dBus.drive(arbiter.io.inputs(1))
  val guard = new BusGuard(slaves.map(_._2))
  guard.input << arbiter.io.output
  val decoder = new WishboneDecoder(SocBus.config, slaves.map(_._2), byteAddressedDecodings = true)
  decoder.io.input << guard.output
  for (((bus, _), output) <- slaves.zip(decoder.io.outputs)) bus << output

  io.link << linkBridge.axil

  val devices = new AxiLiteDecoder(3)
  devices.io.input << deviceBridge.axil
  val uart = new UartDevice(config)
  uart.io.axil << devices.io.outputs(0)
  io.uartTx := uart.io.tx
  uart.io.rx := io.uartRx
  val timer = new TimerDevice
  timer.io.axil << devices.io.outputs(1)
  val system = new SystemDevice(config)
  system.io.axil << devices.io.outputs(2)
  system.io.failed := guard.failed
  system.io.address := guard.address

  cpu.externalResetVector := U(SocMap.romBase, 32 bits)
  cpu.timerInterrupt := timer.io.irq
  cpu.softwareInterrupt := False
  cpu.externalInterruptArray := (io.linkIrq ## uart.io.irq).resized
}
