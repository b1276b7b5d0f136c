// SPDX-License-Identifier: Apache-2.0
package arqlink.axi

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axilite._

import arqlink.lib.Invariant

/** One AXI4-Lite slave of 64 KiB in front of several slaves of 4 KiB: address bits 15:12 choose, and what no slave has
  * is answered with SLVERR. One read and one write may be outstanding.
  *
  * @param slaves number of slaves: 1 to 16
  */
class AxiLiteDecoder(slaves: Int) extends Component {
  require(slaves >= 1 && slaves <= 16, s"slaves is $slaves; it must be 1 to 16, what four address bits can choose")

  val io = new Bundle {
    val input = slave(AxiLite4(16, 32))
    val outputs = Vec(master(AxiLite4(12, 32)), slaves)
  }

  private def within(address: UInt): UInt = address(11 downto 0)

  /** The slave that an address chooses, and what it says. */
  class Choice(address: UInt) {
    val of = io.outputs.indices.map(i => address(15 downto 12) === i)
    val none = address(15 downto 12) >= slaves
    def apply(signal: AxiLite4 => Bool): Bool = io.outputs.zip(of).map { case (o, chosen) => chosen && signal(o) }.reduce(_ || _)
    def word(signal: AxiLite4 => Bits): Bits = MuxOH(of, io.outputs.map(signal))
  }

  val write = new Area {
    // `held`: accepted and not yet answered; `offered`: not yet accepted by the slave
    val addressHeld, dataHeld, addressOffered, dataOffered, done = RegInit(False)
    val address = RegNextWhen(io.input.aw.payload, io.input.aw.fire)
    val data = RegNextWhen(io.input.w.payload, io.input.w.fire)
    val resp = Reg(Bits(2 bits))
    val both = addressHeld && dataHeld

    io.input.aw.ready := !addressHeld
    io.input.w.ready := !dataHeld
    io.input.b.valid := done
    io.input.b.resp := resp
    Invariant.when(done)(both, "a write is answered that has not come")

    when(io.input.aw.fire) {
      addressHeld := True
      addressOffered := True
    }
    when(io.input.w.fire) {
      dataHeld := True
      dataOffered := True
    }
    val choice = new Choice(address.addr)
    for ((output, chosen) <- io.outputs.zip(choice.of)) {
      output.aw.valid := chosen && addressOffered && both
      output.aw.addr := within(address.addr)
      output.aw.prot := address.prot
      output.w.valid := chosen && dataOffered && both
      output.w.payload := data
      output.b.ready := chosen && both && !done
      Invariant(!(output.b.valid && (output.aw.valid || output.w.valid)), "a slave answers a write that it has not taken")
    }
    when(both) {
      addressOffered.clearWhen(choice(_.aw.ready))
      dataOffered.clearWhen(choice(_.w.ready))
      when(!done) {
        done := choice(_.b.valid) || choice.none
        resp := choice.none ? AxiLite4.resp.SLVERR | choice.word(_.b.resp)
      }
    }
    when(io.input.b.fire) {
      addressHeld := False
      dataHeld := False
      done := False
    }
  }

  val read = new Area {
    val held, offered, done = RegInit(False)
    val address = RegNextWhen(io.input.ar.payload, io.input.ar.fire)
    val answer = Reg(AxiLite4R(io.input.config))

    io.input.ar.ready := !held
    io.input.r.valid := done
    io.input.r.payload := answer
    Invariant.when(done)(held, "a read is answered that has not come")

    when(io.input.ar.fire) {
      held := True
      offered := True
    }
    val choice = new Choice(address.addr)
    for ((output, chosen) <- io.outputs.zip(choice.of)) {
      output.ar.valid := chosen && offered
      output.ar.addr := within(address.addr)
      output.ar.prot := address.prot
      output.r.ready := chosen && held && !done
      Invariant(!(output.r.valid && output.ar.valid), "a slave answers a read that it has not taken")
    }
    when(held) {
      offered.clearWhen(choice(_.ar.ready))
      when(!done) {
        done := choice(_.r.valid) || choice.none
        answer.data := choice.none ? B(0, 32 bits) | choice.word(_.r.data)
        answer.resp := choice.none ? AxiLite4.resp.SLVERR | choice.word(_.r.resp)
      }
    }
    when(io.input.r.fire) {
      held := False
      done := False
    }
  }
}
