// SPDX-License-Identifier: Apache-2.0
package arqlink.csr

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axilite._

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

  private def slaveOf(address: UInt): UInt = address(15 downto 12)
  private def within(address: UInt): UInt = address(11 downto 0)

  val write = new Area {
    // `held`: taken and not yet answered; `offered`: not yet taken by the slave
    val addressHeld, dataHeld, addressOffered, dataOffered, done = RegInit(False)
    val address = RegNextWhen(io.input.aw.payload, io.input.aw.fire)
    val data = RegNextWhen(io.input.w.payload, io.input.w.fire)
    val resp = Reg(Bits(2 bits))
    val both = addressHeld && dataHeld

    io.input.aw.ready := !addressHeld
    io.input.w.ready := !dataHeld
    io.input.b.valid := done
    io.input.b.resp := resp

    when(io.input.aw.fire) {
      addressHeld := True
      addressOffered := True
    }
    when(io.input.w.fire) {
      dataHeld := True
      dataOffered := True
    }
    for ((output, i) <- io.outputs.zipWithIndex) {
      val chosen = both && slaveOf(address.addr) === i
      output.aw.valid := chosen && addressOffered
      output.aw.addr := within(address.addr)
      output.aw.prot := address.prot
      output.w.valid := chosen && dataOffered
      output.w.payload := data
      output.b.ready := chosen && !done
      addressOffered.clearWhen(output.aw.fire)
      dataOffered.clearWhen(output.w.fire)
      when(output.b.fire) {
        done := True
        resp := output.b.resp
      }
    }
    when(both && !done && slaveOf(address.addr) >= slaves) {
      done := True
      resp := AxiLite4.resp.SLVERR
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

    when(io.input.ar.fire) {
      held := True
      offered := True
    }
    for ((output, i) <- io.outputs.zipWithIndex) {
      val chosen = held && slaveOf(address.addr) === i
      output.ar.valid := chosen && offered
      output.ar.addr := within(address.addr)
      output.ar.prot := address.prot
      output.r.ready := chosen && !done
      offered.clearWhen(output.ar.fire)
      when(output.r.fire) {
        done := True
        answer := output.r.payload
      }
    }
    when(held && !done && slaveOf(address.addr) >= slaves) {
      done := True
      answer.data := 0
      answer.resp := AxiLite4.resp.SLVERR
    }
    when(io.input.r.fire) {
      held := False
      done := False
    }
  }
}
