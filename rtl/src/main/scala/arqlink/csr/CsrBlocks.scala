// SPDX-License-Identifier: Apache-2.0
package arqlink.csr

import spinal.core._

import arqlink._

/** Blocks of this package that `Generate` can write on their own, for tests and for synthesis. */
object CsrBlocks {
  val all: Map[String, LinkConfig => Component] = Map(
    "CsrBank" -> (link => new CsrBank(link)),
    "CounterBank" -> (link => CounterBank(link).setDefinitionName("CounterBank")),
    "AxiLiteDecoder" -> { _ =>
      val decoder = new AxiLiteDecoder(3)
      AxiLiteNames(decoder.io.input, "s_axil")
      for ((output, i) <- decoder.io.outputs.zipWithIndex) AxiLiteNames(output, s"m${i}_axil")
      decoder
    }
  )
}
