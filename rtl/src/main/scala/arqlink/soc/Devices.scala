// SPDX-License-Identifier: Apache-2.0
package arqlink.soc

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axilite.AxiLite4
import spinal.lib.com.uart._

import arqlink.axi.RegisterPort

/** UART: 8 data bits, no parity, one stop bit, a FIFO of 32 bytes each way. Reads have no side effect. */
class UartDevice(config: SocConfig) extends Component {
  val io = new Bundle {
    val axil = slave(AxiLite4(12, 32))
    val tx = out Bool ()
    val rx = in Bool ()
    val irq = out Bool ()
  }

  val uart = new UartCtrl(UartCtrlGenerics())
  io.tx := uart.io.uart.txd
  uart.io.uart.rxd := io.rx
  uart.io.writeBreak := False
  uart.io.config.frame.dataLength := 7
  uart.io.config.frame.parity := UartParityType.NONE
  uart.io.config.frame.stop := UartStopType.ONE

  private val outgoing = Stream(Bits(8 bits))
  private val (sending, sendCount) = outgoing.queueWithOccupancy(UartDevice.depth)
  uart.io.write << sending
  private val arriving = Stream(Bits(8 bits))
  arriving.valid := uart.io.read.valid
  arriving.payload := uart.io.read.payload
  uart.io.read.ready := True // what does not fit is lost, and ERROR shows it
  private val (received, receiveCount) = arriving.queueWithOccupancy(UartDevice.depth)

  val port = new RegisterPort(io.axil)
  import port.register

  register(0x00, "ID", "identification").constant(0, 32, UartDevice.id, "id", "\"ARQU\"")

  private val txRegister = register(0x04, "TX", "byte to send")
  outgoing.payload := txRegister.readWrite(0, Bits(8 bits), 0, "data", "a write sends the byte; it is lost if STATUS.tx_full")
  outgoing.valid := txRegister.event

  private val rx = register(0x08, "RX", "oldest byte received")
  rx.readOnly(0, received.payload.andMask(received.valid), "data", "the byte, if valid", 0)
  rx.readOnly(8, received.valid, "valid", "1: there is one", 0)

  received.ready := register(0x0c, "RX_NEXT", "takes the byte away").pulse(0, "next", "1: RX shows the next byte")

  private val status = register(0x10, "STATUS", "state of the FIFOs")
  status.readOnly(0, !outgoing.ready, "tx_full", "1: TX takes no byte", 0)
  status.readOnly(1, sendCount === 0 && !uart.io.write.valid, "tx_empty", "1: the transmit FIFO is empty; the last byte may be leaving", 1)
  status.readOnly(8, receiveCount, "rx_count", s"bytes received and not yet read, 0 to ${UartDevice.depth}", 0)

  private val error = register(0x14, "ERROR", "sticky, write 1 to clear")
  error.sticky(0, arriving.valid && !arriving.ready, "rx_overflow", "a byte came while the receive FIFO was full")
  error.sticky(1, uart.io.readError, "frame", "a byte without stop bit")

  uart.io.config.clockDivider := register(0x18, "DIVIDER", "bit rate")
    .readWrite(0, UInt(20 bits), config.uartDivider, "divider", "a bit takes 8 (divider + 1) clocks")
  private val receiveIrq = register(0x1c, "CTRL", "control").readWrite(0, Bool(), 0, "rx_irq", "1: interrupt while RX.valid")
  io.irq := received.valid && receiveIrq
}

object UartDevice {
  val id = BigInt("41525155", 16)
  val depth = 32
}

/** Machine timer: 64 bits that count clocks, and a compare value. */
class TimerDevice extends Component {
  val io = new Bundle {
    val axil = slave(AxiLite4(12, 32))
    val irq = out Bool ()
  }
  val port = new RegisterPort(io.axil)
  import port.register

  private val time = Reg(UInt(64 bits)) init 0
  time := time + 1

  register(0x00, "ID", "identification").constant(0, 32, TimerDevice.id, "id", "\"ARQM\"")
  register(0x04, "TIME_LOW", "clocks since reset, low word").readOnly(0, time(31 downto 0), "clocks", "bits 31:0")
  register(0x08, "TIME_HIGH", "clocks since reset, high word").readOnly(0, time(63 downto 32), "clocks", "bits 63:32; read it before and after TIME_LOW")
  private val ones = BigInt("ffffffff", 16)
  private val low = register(0x0c, "COMPARE_LOW", "compare value, low word").readWrite(0, UInt(32 bits), ones, "clocks", "bits 31:0")
  private val high = register(0x10, "COMPARE_HIGH", "compare value, high word").readWrite(0, UInt(32 bits), ones, "clocks", "bits 63:32")
  io.irq := RegNext(time >= high @@ low) init False
}

object TimerDevice {
  val id = BigInt("4152514d", 16)
}

/** What software has to know of the system, and the last failed bus access. */
class SystemDevice(config: SocConfig) extends Component {
  val io = new Bundle {
    val axil = slave(AxiLite4(12, 32))
    val failed = in Bool ()
    val address = in UInt (32 bits)
  }
  val port = new RegisterPort(io.axil)
  import port.register

  register(0x00, "ID", "identification").constant(0, 32, SystemDevice.id, "id", "\"ARQS\"")
  register(0x04, "CLOCK_HZ", "frequency of aclk").constant(0, 32, config.clockHz, "hertz", "as built")
  register(0x08, "RAM_BYTES", "size of RAM").constant(0, 32, config.ramBytes, "bytes", "as built")
  register(0x0c, "BOOT_WAIT", "time for a download to begin").constant(0, 32, config.bootWait, "clocks", "as built")
  register(0x10, "BUS_ERROR", "sticky, write 1 to clear")
    .sticky(0, io.failed, "error", "an access was refused by its slave, or nothing has its address; it read as 0 or wrote nothing")
  private val address = RegNextWhen(io.address, io.failed) init 0
  register(0x14, "BUS_ADDRESS", "address of the last access that failed").readOnly(0, address, "address", "byte address of its word", 0)
}

object SystemDevice {
  val id = BigInt("41525153", 16)
}
