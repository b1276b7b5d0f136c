// SPDX-License-Identifier: Apache-2.0
package arqlink.traffic

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axilite.AxiLite4

import arqlink.axi.{PacketBeat, RegisterPort}
import arqlink.lib.Invariant

/** Registers of a generator and a checker. */
class TrafficRegisters extends Component {
  val io = new Bundle {
    val axil = slave(AxiLite4(12, 32))
    val generate = out Bool ()
    val check = out Bool ()
    val clear = out Bool ()
    val setting = out(TrafficSetting())
    val sinkReady = out UInt (32 bits)
    val sent = in UInt (32 bits)
    val sentBytes = in UInt (32 bits)
    val counts = in(CheckerCounts())
  }

  val port = new RegisterPort(io.axil)
  import port.register

  private def number(address: BigInt, name: String, width: Int, reset: BigInt, field: String, doc: String): UInt =
    register(address, name, doc).readWrite(0, UInt(width bits), reset, field, doc)

  private def count(address: BigInt, name: String, value: UInt, doc: String): Unit =
    register(address, name, doc).readOnly(0, value, "count", doc, 0)

  register(0x00, "ID", "identification").constant(0, 32, TrafficRegisters.id, "id", "\"ARQT\"")

  private val ctrl = register(0x04, "CTRL", "control")
  io.generate := ctrl.readWrite(0, Bool(), 0, "generate", "1: packets come from the generator, 0: from the packet port")
  io.check := ctrl.readWrite(1, Bool(), 0, "check", "1: packets go to the checker, 0: to the packet port")
  io.setting.randomLength := ctrl.readWrite(2, Bool(), 0, "random_length", "1: lengths are drawn from LENGTH_MIN to LENGTH_MAX, 0: all are LENGTH_MIN")
  io.clear := ctrl.pulse(3, "clear", "write 1 while no packet is under way: counts and packet numbers start at 0")

  io.setting.lengthMin := number(0x08, "LENGTH_MIN", 16, 64, "bytes", "shortest packet in bytes; below 8 counts as 8")
  io.setting.lengthMax := number(0x0c, "LENGTH_MAX", 16, 64, "bytes", "longest packet in bytes; below LENGTH_MIN counts as LENGTH_MIN")
  io.setting.gap := number(0x10, "GAP", 32, 0, "clocks", "least clocks between packets")
  io.setting.count := number(0x14, "COUNT", 32, 0, "packets", "packets to send since the last clear, 0 = without end")
  count(0x18, "SENT", io.sent, "packets sent; number of the next packet")
  count(0x1c, "SENT_BYTES", io.sentBytes, "bytes sent")
  count(0x20, "RECEIVED", io.counts.received, "packets received without tuser")
  count(0x24, "RECEIVED_BYTES", io.counts.receivedBytes, "bytes of these")
  count(0x28, "LOST", io.counts.lost, "packet numbers skipped")
  count(0x2c, "DISORDERED", io.counts.disordered, "packets with a number below one already seen; each was counted in LOST before, or came twice")
  count(0x30, "CORRUPT", io.counts.corrupt, "packets whose content or length differs")
  count(0x34, "ABORTED", io.counts.aborted, "packets ended with tuser")
  io.sinkReady := number(0x38, "SINK_READY", 32, (BigInt(1) << 32) - 1, "p", "probability that the checker is ready in a clock, times 2^32; 0xFFFFFFFF = 1")
}

object TrafficRegisters {
  val id = BigInt("41525154", 16)
}

/** Generator and checker at the packet ports of a link end.
  *
  * `userTx` to `tx` and `rx` to `userRx` are what a user connects; the generator and the checker take their place while
  * `generate` or `check` is set. A side changes over between packets only, and never while a beat is offered.
  *
  * @param seed seed of the random lengths and of the random back-pressure, 32 bits
  */
class TrafficPort(dataBytes: Int, seed: BigInt = 1) extends Component {
  val io = new Bundle {
    val axil = slave(AxiLite4(12, 32))
    val userTx = slave(Stream(PacketBeat(dataBytes)))
    val tx = master(Stream(PacketBeat(dataBytes)))
    val rx = slave(Stream(PacketBeat(dataBytes)))
    val userRx = master(Stream(PacketBeat(dataBytes)))
  }

  val registers = new TrafficRegisters
  registers.io.axil << io.axil

  val packetGenerator = new PacketGenerator(dataBytes, seed)
  packetGenerator.io.clear := registers.io.clear
  packetGenerator.io.setting := registers.io.setting
  registers.io.sent := packetGenerator.io.sent
  registers.io.sentBytes := packetGenerator.io.sentBytes

  val packetChecker = new PacketChecker(dataBytes, seed ^ 0x5a5a5a5a)
  packetChecker.io.clear := registers.io.clear
  packetChecker.io.sinkReady := registers.io.sinkReady
  registers.io.counts := packetChecker.io.counts

  /** `stream` is between two packets after this clock, and has nothing on offer. */
  private def betweenPackets(stream: Stream[PacketBeat]): Bool = {
    val inPacket = RegNextWhen(!stream.last, stream.fire) init False
    (stream.fire && stream.last) || (!inPacket && !stream.valid)
  }

  val sending = new Area {
    val generate = RegInit(False)
    when(Mux(generate, packetGenerator.io.idle, betweenPackets(io.tx)))(generate := registers.io.generate)
    packetGenerator.io.enable := registers.io.generate && generate
    Invariant.when(!packetGenerator.io.idle)(generate, "the user has the port, and the generator has a packet")
    io.tx.valid := Mux(generate, packetGenerator.io.output.valid, io.userTx.valid)
    io.tx.payload := Mux(generate, packetGenerator.io.output.payload, io.userTx.payload)
    packetGenerator.io.output.ready := generate && io.tx.ready
    io.userTx.ready := !generate && io.tx.ready
  }

  val receiving = new Area {
    val check = RegNextWhen(registers.io.check, betweenPackets(io.rx)) init False
    packetChecker.io.enable := check
    packetChecker.io.input.valid := check && io.rx.valid
    packetChecker.io.input.payload := io.rx.payload
    io.userRx.valid := !check && io.rx.valid
    io.userRx.payload := io.rx.payload
    io.rx.ready := Mux(check, packetChecker.io.input.ready, io.userRx.ready)
  }
}
