// SPDX-License-Identifier: Apache-2.0
package arqlink.axi

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axilite._

import arqlink.lib.Invariant

/** AXI4-Lite slave that turns each access into one access of a register file.
  *
  * One read and one write may be outstanding: a channel takes nothing until its answer has been accepted. Hence a
  * stalled R or B never meets a second access, which regif's own AXI4-Lite adapter does not guard against. `ready` is a
  * register that is high for one clock per access; a write is accepted when its address and its data are both there. The low
  * two address bits are ignored.
  *
  * @param addressWidth byte address width in bits
  */
class AxiLiteFront(addressWidth: Int) extends Component {
  val io = new Bundle {
    val axi = slave(AxiLite4(addressWidth, 32))

    /** For one clock per access; `data` and `strobe` are the master's, the rest comes from registers. */
    val access = master Flow RegisterAccess(addressWidth)

    /** The word of the access, a clock before it; the payload is of no meaning otherwise. */
    val early = master Flow UInt(addressWidth - 2 bits)

    /** In the clock after `access`: what was read; there is no such register, or it cannot be written. The answer is SLVERR. */
    val data = in Bits (32 bits)
    val refused = in Bool ()
    val accessError = out Bool ()
  }

  private def answer(refused: Bool): Bits = Mux(refused, AxiLite4.resp.SLVERR, AxiLite4.resp.OKAY)

  val write = new Area {
    val busy, done = RegInit(False)
    val start = io.axi.aw.valid && io.axi.w.valid && !busy

    /** Address and data are accepted and go to the registers. */
    val issue = RegNext(start) init False
    val returns = RegNext(issue) init False

    io.axi.aw.ready := issue
    io.axi.w.ready := issue
    io.axi.b.valid := done
    io.axi.b.resp := RegNextWhen(answer(io.refused), returns)

    busy.setWhen(start)
    done.setWhen(RegNext(returns) init False) // what an APPLY changes has changed when its answer comes
    when(io.axi.b.fire) {
      busy := False
      done := False
    }
  }

  val read = new Area {
    val busy, done = RegInit(False)
    // There is one access a clock; a write needs several more clocks before the next one, so none starves.
    val start = io.axi.ar.valid && !busy && !write.start
    val issue = RegNext(start) init False
    val returns = RegNext(issue) init False

    io.axi.ar.ready := issue
    io.axi.r.valid := done
    io.axi.r.resp := RegNextWhen(answer(io.refused), returns)
    io.axi.r.data := RegNextWhen(io.data, returns)

    busy.setWhen(start)
    done.setWhen(returns)
    when(io.axi.r.fire) {
      busy := False
      done := False
    }
  }

  Invariant(!(write.start && read.start), "two accesses begin in one clock")
  Invariant(!(write.issue && write.done) && !(read.issue && read.done), "an access begins whose channel has not answered yet")
  io.early.valid := write.start || read.start
  io.early.payload := (write.start ? io.axi.aw.addr | io.axi.ar.addr).dropLow(2).asUInt
  io.access.valid := RegNext(io.early.valid) init False
  io.access.write := write.issue
  io.access.word := RegNextWhen(io.early.payload, io.early.valid)
  io.access.data := io.axi.w.data
  io.access.strobe := io.axi.w.strb

  io.accessError := RegNext((write.returns || read.returns) && io.refused) init False
}

/** One access to a register; `word` is the address divided by 4. `data` and `strobe` are of a write. */
case class RegisterAccess(addressWidth: Int) extends Bundle {
  val write = Bool()
  val word = UInt(addressWidth - 2 bits)
  val data = Bits(32 bits)
  val strobe = Bits(4 bits)
}
