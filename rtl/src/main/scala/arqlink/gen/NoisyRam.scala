// SPDX-License-Identifier: Apache-2.0
package arqlink.gen

import java.nio.file.{Files, Path, StandardOpenOption}

import spinal.core._
import spinal.core.internals._

/** For tests: block RAM that gives noise where a word is read in the clock in which it is written. Devices differ in what they give then, so no block may
  * depend on it ([[arqlink.lib.BlockRam]]).
  */
object NoisyRam extends MemBlackboxingPolicy {

  /** Asks [[Generate]] for it. */
  val word = "ram=noisy"

  /** Lets each such memory become a module of that kind in all that `config` generates. */
  def in(config: SpinalConfig): Unit = config.addStandardMemBlackboxing(this)

  override def translationInterest(topology: MemTopology): Boolean = {
    val memory = topology.mem
    val isBlockRam = memory.getTags.exists {
      case attribute: Attribute => attribute.getName == "no_rw_check"
      case _                    => false
    }
    if (isBlockRam && memory.getName("").isEmpty) memory.setName(s"memory_${memory.getInstanceCounter}") // for the module's instance
    isBlockRam
  }
  override def onUnblackboxable(topology: MemTopology, who: Any, message: String): Unit =
    SpinalError(s"NoisyRam: ${topology.mem} has another kind of ports than one to write and some to read: $message")

  /** Writes the module behind the modules that use it. */
  def complete(verilog: Path): Unit = Files.writeString(verilog, module, StandardOpenOption.APPEND)

  private val module =
    """
      |module Ram_1w_1rs #(
      |  parameter wordCount = 0, wordWidth = 0, clockCrossing = 0, technology = "", readUnderWrite = "", wrAddressWidth = 0, wrDataWidth = 0,
      |  parameter wrMaskWidth = 0, wrMaskEnable = 0, rdAddressWidth = 0, rdDataWidth = 0, rdLatency = 0
      |) (
      |  input wr_clk, wr_en,
      |  input [wrMaskWidth-1:0] wr_mask,
      |  input [wrAddressWidth-1:0] wr_addr,
      |  input [wrDataWidth-1:0] wr_data,
      |  input rd_clk, rd_en,
      |  input [rdAddressWidth-1:0] rd_addr,
      |  input rd_dataEn,
      |  output reg [rdDataWidth-1:0] rd_data
      |);
      |  reg [wordWidth-1:0] ram [0:wordCount-1];
      |  reg [31:0] noise = 32'h9e3779b9;
      |  wire meets = wr_en && rd_addr == wr_addr;
      |  always @(posedge wr_clk) begin
      |    if (wr_en) ram[wr_addr] <= wr_data;
      |    if (rd_en) rd_data <= meets ? {(wordWidth + 31) / 32{noise}} : ram[rd_addr];
      |    if (rd_en && meets) noise <= {noise[30:0], noise[31] ^ noise[21] ^ noise[1] ^ noise[0]};
      |  end
      |endmodule
      |""".stripMargin
}
