// SPDX-License-Identifier: Apache-2.0
package arqlink.axi

import spinal.lib.bus.amba4.axilite.AxiLite4

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
