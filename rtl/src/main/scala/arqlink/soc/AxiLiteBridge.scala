// SPDX-License-Identifier: Apache-2.0
package arqlink.soc

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axilite._
import spinal.lib.bus.wishbone._

import arqlink.lib.Invariant

/** Wishbone slave of 64 KiB that passes each access on to AXI4-Lite; every answer but OKAY becomes ERR. */
class AxiLiteBridge extends Component {
  val bus = slave(Wishbone(SocBus.config))
  val axil = master(AxiLite4(16, 32))

  private val active = bus.CYC && bus.STB
  // `…Taken`: this access's address or data has been taken; `done`: its answer is on the bus.
  private val addressTaken, dataTaken, done = RegInit(False)
  private val failed = Reg(Bool())
  private val data = Reg(Bits(32 bits))

  private val address = bus.ADR(13 downto 0) @@ U(0, 2 bits)
  axil.aw.valid := active && bus.WE && !addressTaken && !done
  axil.aw.addr := address
  axil.aw.prot := 0
  axil.w.valid := active && bus.WE && !dataTaken && !done
  axil.w.data := bus.DAT_MOSI
  axil.w.strb := bus.SEL
  axil.b.ready := active && bus.WE && !done
  axil.ar.valid := active && !bus.WE && !addressTaken && !done
  axil.ar.addr := address
  axil.ar.prot := 0
  axil.r.ready := active && !bus.WE && !done

  addressTaken.setWhen(axil.aw.fire || axil.ar.fire)
  dataTaken.setWhen(axil.w.fire)
  done := False
  when(axil.b.fire || axil.r.fire) {
    done := True
    addressTaken := False
    dataTaken := False
    failed := Mux(bus.WE, axil.b.resp, axil.r.resp) =/= AxiLite4.resp.OKAY
    data := axil.r.data
  }

  Invariant.when(addressTaken || dataTaken || done)(active, "an access is given up before its answer")
  bus.ACK := done && !failed
  bus.ERR := done && failed
  bus.DAT_MISO := data
}
