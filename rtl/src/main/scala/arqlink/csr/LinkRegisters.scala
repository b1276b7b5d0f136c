// SPDX-License-Identifier: Apache-2.0
package arqlink.csr

import scala.collection.mutable

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axilite.AxiLite4

import arqlink.axi.RegisterPort
import arqlink.config.{LinkConfig, Preset}
import arqlink.lib.Invariant
import arqlink.wire.Wire

/** The registers of one link end; the only description of them (docs/architecture.md, "Registers").
  *
  * CODE and ARQ are staged; a valid APPLY moves both into the active setting in one clock.
  */
class LinkRegisters(link: LinkConfig, counterCount: Int = Counters.all.size) extends Component {
  private val code = link.code
  private val reset = link.reset

  val io = new Bundle {
    val axil = slave(AxiLite4(LinkRegisters.addressWidth, 32))
    val setting = out(LinkSetting(code))
    val command = out(LinkCommand())
    val status = in(LinkStatus())
    val errors = in(LinkErrors())
    val counters = master(CounterPort(counterCount))
    val irq = out Bool ()
  }

  val port = new RegisterPort(io.axil)
  import port.register

  // Register stages, for what comes from the link may come late in its clock.
  private val status = RegNextWhen(io.status, port.comes)
  private val errors = LinkErrors()
  errors.assignFromBits(RegNext(io.errors.asBits) init 0)

  val identity = new Area {
    register(0x000, "ID", "identification").constant(0, 32, LinkRegisters.id, "id", "\"ARQL\"")

    private val version = register(0x004, "VERSION", "hardware version")
    version.constant(0, 8, Version.patch, "patch", "patch")
    version.constant(8, 8, Version.minor, "minor", "minor")
    version.constant(16, 16, Version.major, "major", "major")

    private val build0 = register(0x008, "BUILD0", "built widths")
    build0.constant(0, 8, code.dataBytes, "data_bytes", "width of the data streams in bytes")
    build0.constant(8, 16, code.unitBytes, "unit_bytes", "payload of a unit in bytes")
    build0.constant(24, 8, link.window.slotBits, "window_log2", "log2 of the window in frames")

    private val build1 = register(0x00c, "BUILD1", "built limits")
    build1.constant(0, 8, code.maxK, "max_k", "most data units in a frame")
    build1.constant(8, 8, code.maxParity, "max_parity", "most parity units in a frame")
    build1.constant(16, 3, Preset.all.map(1 << _).sum, "presets", "bit i: preset i of the evaluation points is built")
    build1.constant(24, 8, counterCount, "counters", "number of counters")

    private val build2 = register(0x010, "BUILD2", "built limits")
    build2.constant(0, 16, link.window.maxPacketBytes, "max_packet_bytes", "longest packet in bytes")
    build2.constant(16, 1, link.packetCrc.toInt, "packet_crc", "1: a CRC-32C goes with each packet")
  }

  val applyRejected = RegInit(False)

  val control = new Area {
    private val ctrl = register(0x014, "CTRL", "control")
    io.command.enable := ctrl.readWrite(0, Bool(), 1, "enable", "0 takes the link down")
    io.command.restart := ctrl.pulse(1, "restart", "write 1: the link restarts with its epoch plus one")

    private val word = register(0x018, "STATUS", "state of the link")
    word.readOnly(0, status.state, "state", "0 down, 1 clearing, 2 hello, 3 up, 4 outage")
    word.readOnly(3, status.peerKnown, "peer_known", "the peer's epoch is known")
    word.readOnly(4, status.stalled, "stalled", "window or credit is exhausted")
    word.readOnly(5, status.outage, "outage", "the channel is down")
    word.readOnly(6, applyRejected, "apply_rejected", "the last APPLY was not valid")

    private val epoch = register(0x01c, "EPOCH", "epochs")
    epoch.readOnly(0, status.ownEpoch, "own", "epoch of this end")
    epoch.readOnly(8, status.peerEpoch, "peer", "epoch of the peer, if peer_known")
  }

  val rejected = Bool()

  val interrupt = new Area {
    private val sources = Seq(
      ("access", port.accessError, "an access was answered with SLVERR"),
      ("apply_rejected", rejected, "an APPLY was not valid"),
      ("drop_zero", errors.dropZero, "packet of no bytes dropped"),
      ("drop_oversize", errors.dropOversize, "packet above the built maximum dropped"),
      ("drop_abort", errors.dropAbort, "packet with tuser dropped"),
      ("drop_keep", errors.dropKeep, "packet with holes in tkeep dropped"),
      ("phy_length", errors.phyLength, "unit of a wrong length received"),
      ("bad_header", errors.badHeader, "unit with a good CRC and an impossible header received"),
      ("control_invalid", errors.controlInvalid, "control unit with an impossible field ignored"),
      ("unit_invalid", errors.unitInvalid, "data unit beyond the window ignored"),
      ("peer_mismatch", errors.peerMismatch, "the peer is built for another unitBytes or packetCrc, or speaks another version"),
      ("peer_restart", errors.peerRestart, "the peer restarted"),
      ("outage", errors.outage, "an outage began"),
      ("link_up", errors.linkUp, "the peer was seen up, or heard again after an outage: data may flow"),
      ("link_down", errors.linkDown, "the link was up and went down, by a restart or by CTRL.enable"),
      ("threshold", io.counters.reached, "a counter reached THRESHOLD_COUNTER's value"),
      ("rx_overflow", errors.rxOverflow, "a received unit found no room and was dropped"),
      ("packet_corrupt", errors.packetCorrupt, "a received packet whose CRC did not match was dropped; only with packetCrc"),
      ("resync", errors.resync, "what the peer said contradicted itself: this end restarted the link"),
      ("frame_failing", errors.frameFailing, "a frame has failed 16 times: its K may be above what the peer is built for, or N is too small")
    )
    private val error = register(0x020, "ERROR", "sticky errors and events, write 1 to clear")
    private val bits = sources.zipWithIndex.map { case ((name, event, doc), i) => error.sticky(i, event, name, doc) }

    private val enable = register(0x024, "IRQ_ENABLE", "irq is high while a bit of ERROR and its bit here are set")
    private val mask = sources.zipWithIndex.map { case ((name, _, _), i) =>
      enable.readWrite(i, Bool(), 0, name, s"enables irq for ERROR.$name")
    }
    io.irq := RegNext((Cat(bits) & Cat(mask)).orR) init False
  }

  val staged = new Area {
    private val codeRegister = register(0x028, "CODE", "staged code setting, see APPLY")
    val k = codeRegister.readWrite(0, UInt(8 bits), reset.k, "k", "data units in a frame")
    val nFirst = codeRegister.readWrite(8, UInt(8 bits), reset.nFirst, "n_first", "units of a first transmission of k data units")
    val nRetx = codeRegister.readWrite(16, UInt(8 bits), reset.nRetx, "n_retx", "units of a retransmission of k data units")
    val preset = codeRegister.readWrite(24, UInt(2 bits), reset.preset, "preset", "evaluation points: 0 zfec, 1 RFC 5510, 2 Cauchy")

    private val arq = register(0x02c, "ARQ", "staged ARQ setting, see APPLY")
    val delta = arq.readWrite(0, UInt(4 bits), reset.delta, "delta", "persistency: retransmissions of a frame, 15 = infinite")
    val ord = arq.readWrite(8, Bool(), reset.inOrder.toInt, "ord", "1: packets leave in sequence")
    val freeze = arq.readWrite(9, Bool(), 1, "outage_freeze", "1: failures of an outage do not count towards delta")

    // Register stages: after a write the values rest for several clocks before an APPLY can come.
    private val late = RegNext(port.changed) init False
    private def fits(n: UInt) = {
      val parity = RegNextWhen((n.resize(9 bits) - k).asSInt, port.changed)
      RegNextWhen(!parity.msb && parity.asUInt <= code.maxParity, late) init True
    }
    private val sound = RegNextWhen(k =/= 0 && k <= code.maxK && preset <= Preset.all.max, port.changed) init True
    val valid = sound && fits(nFirst) && fits(nRetx)
  }

  val active = new Area {
    private val apply = register(0x030, "APPLY", "activation of the staged setting")
      .pulse(
        0,
        "apply",
        "write 1: CODE and ARQ become active together, for the next frame; if they are not valid nothing changes and ERROR.apply_rejected is set"
      )
    rejected := apply && !staged.valid
    when(apply)(applyRejected := !staged.valid)

    val setting = Reg(ActiveSetting(code))
    setting.k init reset.k
    setting.nFirst init reset.nFirst
    setting.nRetx init reset.nRetx
    setting.preset init reset.preset
    setting.delta init reset.delta
    setting.inOrder init Bool(reset.inOrder)
    setting.outageFreeze init True
    when(apply && staged.valid) {
      setting.k := staged.k.resized
      setting.nFirst := staged.nFirst.resized
      setting.nRetx := staged.nRetx.resized
      setting.preset := staged.preset
      setting.delta := staged.delta
      setting.inOrder := staged.ord
      setting.outageFreeze := staged.freeze
    }
    io.setting.active := setting
    private val isSound = setting.k =/= 0 && Invariant.atMost(setting.k, code.maxK) && setting.nFirst >= setting.k && setting.nRetx >= setting.k
    Invariant.when(RegNext(apply) init False)(isSound, "a setting that is not possible has become active")

    private val activeCode = register(0x034, "ACTIVE_CODE", "active code setting")
    activeCode.readOnly(0, setting.k.resize(8), "k", "as CODE", reset.k)
    activeCode.readOnly(8, setting.nFirst.resize(8), "n_first", "as CODE", reset.nFirst)
    activeCode.readOnly(16, setting.nRetx.resize(8), "n_retx", "as CODE", reset.nRetx)
    activeCode.readOnly(24, setting.preset, "preset", "as CODE", reset.preset)

    private val activeArq = register(0x038, "ACTIVE_ARQ", "active ARQ setting")
    activeArq.readOnly(0, setting.delta, "delta", "as ARQ", reset.delta)
    activeArq.readOnly(8, setting.inOrder, "ord", "as ARQ", reset.inOrder.toInt)
    activeArq.readOnly(9, setting.outageFreeze, "outage_freeze", "as ARQ", 1)
  }

  io.setting.link := register(0x03c, "LINK", "number of this link")
    .readWrite(
      0,
      UInt(Wire.linkBits bits),
      0,
      "number",
      "of the links that share a PHY; both ends have the same, and units of others are ignored. Set it while the link is down"
    )

  val timers = new Area {
    private val writing = mutable.ArrayBuffer[Bool]()
    private def timer(address: BigInt, name: String, reset: Long, doc: String): UInt = {
      val word = register(address, name, doc)
      writing += word.writing
      word.readWrite(0, UInt(32 bits), reset, "clocks", doc)
    }

    io.setting.timers.pollTimeout := timer(0x040, "POLL_TIMEOUT", reset.pollTimeout, "clocks without progress before a poll")
    io.setting.timers.helloInterval := timer(0x044, "HELLO_INTERVAL", reset.helloInterval, "clocks between hellos")
    io.setting.timers.keepalive := timer(0x048, "KEEPALIVE", reset.keepalive, "clocks of silence before a keep-alive")
    io.setting.timers.outageTimeout := timer(0x04c, "OUTAGE_TIMEOUT", reset.outageTimeout, "clocks without a valid unit before an outage, 0 = never")
    io.setting.timers.statusInterval := timer(0x050, "STATUS_INTERVAL", reset.statusInterval, "least clocks between two control units that carry new outcomes")
    io.setting.timers.written := RegNext(writing.orR) init False
  }

  val counters = new Area {
    private val request = register(0x060, "COUNTERS", "counter snapshots")
    io.counters.snapshot := request.pulse(
      0,
      "snapshot",
      "write 1: copy all counters to the window, as of one clock"
    )
    io.counters.clear := request.pulse(1, "clear", "write 1: all counters become 0, after the snapshot if one is asked for")
    private val busy = RegNext(io.counters.busy) init True
    request.readOnly(2, busy, "busy", "a snapshot or clear is under way")

    // A write to one of these looks at the counter anew.
    private val choice = register(0x064, "THRESHOLD_COUNTER", "counter that ERROR.threshold watches")
    io.counters.watch := choice.readWrite(0, UInt(8 bits), 0, "index", "number of the counter: its offset less 0x200, divided by 8")
    private val levels =
      for ((name, address) <- Seq("LOW" -> 0x068, "HIGH" -> 0x06c))
        yield register(address, s"THRESHOLD_$name", s"${name.toLowerCase} word of the value that sets ERROR.threshold; 0 in both: none")
    private val words =
      levels.map(_.readWrite(0, UInt(32 bits), 0, "value", "set once when the counter gets to the value, or is there when a THRESHOLD register is written"))
    io.counters.level := words(1) @@ words(0)
    io.counters.rearm := (choice +: levels).map(_.event).reduce(_ || _)

    // The memory has no value before the first pass after reset has written it.
    private val isWritten = RegInit(False) setWhen (!busy)
    port.window(LinkRegisters.counterWindow, 8 * counterCount, io.counters.data, isWritten)
    io.counters.read := port.comes
    private val wordBits = io.counters.address.getWidth
    private val first = (LinkRegisters.counterWindow >> 2).toInt % (1 << wordBits)
    io.counters.address := (if (first == 0) port.word.resize(wordBits) else port.word.resize(wordBits) - first)
  }
}

object LinkRegisters {
  val addressWidth = 12
  val id = BigInt("4152514C", 16)

  /** Byte offset of the counter snapshot. */
  val counterWindow = BigInt(0x200)
}
