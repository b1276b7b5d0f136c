// SPDX-License-Identifier: Apache-2.0
package arqlink.csr

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axilite._
import spinal.lib.bus.localbus._

/** AXI4-Lite slave that turns each access into one access of a register bus.
  *
  * One read and one write may be outstanding: a channel takes nothing until its answer has been accepted. Hence a
  * stalled R or B never meets a second access, which regif's own AXI4-Lite adapter does not guard against. `ready` is a
  * register that is high for one clock per access; a write is taken when its address and its data are both there. The low
  * two address bits are ignored.
  *
  * @param addressWidth byte address width in bits
  */
class AxiLiteFront(addressWidth: Int) extends Component {
  val io = new Bundle {
    val axi = slave(AxiLite4(addressWidth, 32))

    /** `ce` for one clock per access; read data is taken in the next clock. */
    val bus = master(MinBus(MinBusConfig(addressWidth, 32, withStrb = true)))

    /** In the clock after `ce`: there is no such register, or it cannot be written. The answer is SLVERR. */
    val refused = in Bool ()
    val accessError = out Bool ()
  }

  private def answer(refused: Bool): Bits = Mux(refused, AxiLite4.resp.SLVERR, AxiLite4.resp.OKAY)

  val write = new Area {
    val busy, done = RegInit(False)
    val start = io.axi.aw.valid && io.axi.w.valid && !busy

    /** Address and data are taken and go to the bus. */
    val issue = RegNext(start) init False
    val returns = RegNext(issue) init False

    io.axi.aw.ready := issue
    io.axi.w.ready := issue
    io.axi.b.valid := done
    io.axi.b.resp := RegNextWhen(answer(io.refused), returns)

    busy.setWhen(start)
    done.setWhen(returns)
    when(io.axi.b.fire) {
      busy := False
      done := False
    }
  }

  val read = new Area {
    val busy, done = RegInit(False)
    // The bus takes one access a clock; a write needs several more clocks before the next one, so none starves.
    val start = io.axi.ar.valid && !busy && !write.start
    val issue = RegNext(start) init False
    val returns = RegNext(issue) init False

    io.axi.ar.ready := issue
    io.axi.r.valid := done
    io.axi.r.resp := RegNextWhen(answer(io.refused), returns)
    io.axi.r.data := RegNextWhen(Mux(io.refused, B(0, 32 bits), io.bus.rdat), returns)

    busy.setWhen(start)
    done.setWhen(returns)
    when(io.axi.r.fire) {
      busy := False
      done := False
    }
  }

  io.bus.ce := write.issue || read.issue
  io.bus.wr := write.issue
  io.bus.addr := Mux(write.issue, io.axi.aw.addr, io.axi.ar.addr)(addressWidth - 1 downto 2) @@ U(0, 2 bits)
  io.bus.wdat := io.axi.w.data
  io.bus.strb := io.axi.w.strb
  io.bus.prot := 0

  io.accessError := (write.returns || read.returns) && io.refused
}

/** Gives an AXI4-Lite port the names that AXI users expect: `s_axil_awaddr` and so on. */
object AxiLiteNames {
  def apply(axi: AxiLite4, prefix: String): Unit = {
    for ((channel, stream) <- Seq("aw" -> axi.aw, "w" -> axi.w, "b" -> axi.b, "ar" -> axi.ar, "r" -> axi.r)) {
      stream.valid.setName(s"${prefix}_${channel}valid")
      stream.ready.setName(s"${prefix}_${channel}ready")
    }
    for ((channel, ax) <- Seq("aw" -> axi.aw, "ar" -> axi.ar)) {
      ax.addr.setName(s"${prefix}_${channel}addr")
      ax.prot.setName(s"${prefix}_${channel}prot")
    }
    axi.w.data.setName(s"${prefix}_wdata")
    axi.w.strb.setName(s"${prefix}_wstrb")
    axi.b.resp.setName(s"${prefix}_bresp")
    axi.r.data.setName(s"${prefix}_rdata")
    axi.r.resp.setName(s"${prefix}_rresp")
  }
}
