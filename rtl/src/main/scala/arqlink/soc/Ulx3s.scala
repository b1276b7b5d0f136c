// SPDX-License-Identifier: Apache-2.0
package arqlink.soc

import spinal.core._

/** Lattice's PLL, set to multiply: 25 MHz in, 25 MHz · `times` out; its oscillator runs at 600 MHz. */
class Ecp5Pll(times: Int) extends BlackBox {
  private val oscillator = 24
  require(oscillator % times == 0, s"times is $times; it must divide $oscillator")
  setDefinitionName("EHXPLLL")
  addGenerics(
    "CLKI_DIV" -> 1,
    "CLKFB_DIV" -> times,
    "CLKOP_DIV" -> oscillator / times,
    "CLKOP_ENABLE" -> "ENABLED",
    "CLKOP_CPHASE" -> (oscillator / times - 1),
    "CLKOP_FPHASE" -> 0,
    "FEEDBK_PATH" -> "CLKOP"
  )
  val CLKI, CLKFB, RST, STDBY, PHASESEL0, PHASESEL1, PHASEDIR, PHASESTEP, PHASELOADREG, PLLWAKESYNC, ENCLKOP = in Bool ()
  val CLKOP, LOCK = out Bool ()
}

/** The pair's soft system on a ULX3S board with LFE5U-85F: clock and reset, the UART on the board's USB serial, LEDs.
  *
  * Both PHY directions go through the channel emulators, so the board tests itself without a modem. Pins are those of
  * constraints/ulx3s/ulx3s.lpf. LEDs, from 0 on: out of reset, byte on the UART from the host, to the host.
  */
class Ulx3s(config: SocConfig) extends Component {
  private val boardHz = 25000000L
  require(
    config.clockHz % boardHz == 0,
    s"clockHz is ${config.clockHz}; on this board it must be a multiple of $boardHz that divides 600000000"
  )

  val clk_25mhz = in Bool ()
  val ftdi_txd = in Bool ()
  val ftdi_rxd = out Bool ()

  /** Low while the button PWR is pressed. */
  val btn_pwr = in Bool ()
  val led = out Bits (8 bits)

  /** Keeps the board's other controller from resetting this one. */
  val wifi_gpio0 = out Bool ()
  noIoPrefix()

  val pll = new Ecp5Pll((config.clockHz / boardHz).toInt)
  pll.CLKI := clk_25mhz
  pll.CLKFB := pll.CLKOP
  for (unused <- Seq(pll.RST, pll.STDBY, pll.PHASESEL0, pll.PHASESEL1, pll.PHASEDIR, pll.PHASESTEP, pll.PHASELOADREG, pll.PLLWAKESYNC, pll.ENCLKOP))
    unused := False

  /** Runs from configuration on; counts until the clock has been locked, and the button up, for 2^16 clocks. */
  val start = new ClockingArea(ClockDomain(pll.CLKOP, config = ClockDomainConfig(resetKind = BOOT))) {
    val good = spinal.lib.BufferCC(pll.LOCK && btn_pwr, init = False)
    val count = Reg(UInt(17 bits)) init 0
    when(!good)(count := 0) elsewhen (!count.msb)(count := count + 1)
    val resetn = RegNext(count.msb) init False
  }

  val system = new ClockingArea(ClockDomain(pll.CLKOP, start.resetn, config = ClockDomainConfig(resetKind = SYNC, resetActiveLevel = LOW))) {
    val soc = new ArqPairSoc(config)
    for (end <- Seq(soc.a, soc.b)) {
      end.input.valid := False
      end.input.payload.assignFromBits(B(0, end.input.payload.getBitsWidth bits))
      end.output.ready := True
    }
    soc.uartRx := spinal.lib.BufferCC(ftdi_txd, init = True)
    ftdi_rxd := soc.uartTx
    led := (0 -> start.resetn, 1 -> !ftdi_txd, 2 -> !soc.uartTx, default -> False)
  }
  wifi_gpio0 := True
}
