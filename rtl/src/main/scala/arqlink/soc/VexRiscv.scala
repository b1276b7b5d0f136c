// SPDX-License-Identifier: Apache-2.0
package arqlink.soc

import spinal.core._
import spinal.lib._
import spinal.lib.bus.wishbone._

import arqlink.lib.Invariant

/** The CPU: rv32im with machine mode, a 2 KiB instruction cache, no data cache, two Wishbone masters.
  *
  * Its Verilog is `VexRiscv_Lite.v` of the Python package `pythondata-cpu-vexriscv`, where the port names come from. This
  * variant does not look at `ERR`; `BusGuard` answers in its place.
  */
class VexRiscv extends BlackBox {
  setDefinitionName("VexRiscv")

  val externalResetVector = in UInt (32 bits)
  val timerInterrupt, softwareInterrupt = in Bool ()
  val externalInterruptArray = in Bits (32 bits)

  class Master(port: String) extends Area {
    val CYC, STB, WE = out Bool ()
    val ACK, ERR = in Bool ()
    val ADR = out UInt (30 bits)
    val DAT_MISO = in Bits (32 bits)
    val DAT_MOSI = out Bits (32 bits)
    val SEL = out Bits (4 bits)
    val CTI = out Bits (3 bits)
    val BTE = out Bits (2 bits)
    for (
      (signal, suffix) <- Seq[(Data, String)](
        CYC -> "CYC",
        STB -> "STB",
        WE -> "WE",
        ACK -> "ACK",
        ERR -> "ERR",
        ADR -> "ADR",
        DAT_MISO -> "DAT_MISO",
        DAT_MOSI -> "DAT_MOSI",
        SEL -> "SEL",
        CTI -> "CTI",
        BTE -> "BTE"
      )
    ) signal.setName(s"${port}_$suffix")

    def drive(bus: Wishbone): Unit = {
      bus.CYC := CYC
      bus.STB := STB
      bus.WE := WE
      bus.ADR := ADR
      bus.DAT_MOSI := DAT_MOSI
      bus.SEL := SEL
      ACK := bus.ACK
      ERR := bus.ERR
      DAT_MISO := bus.DAT_MISO
      Invariant.when(STB)(CTI =/= 1 && BTE === 0, "the CPU asks for a burst whose words have not each its own address, one after the other")
    }
  }
  val iBus = new Master("iBusWishbone")
  val dBus = new Master("dBusWishbone")

  val clk, reset = in Bool ()
  mapCurrentClockDomain(clk, reset, resetActiveLevel = HIGH)
}
