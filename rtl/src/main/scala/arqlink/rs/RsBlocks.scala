// SPDX-License-Identifier: Apache-2.0
package arqlink.rs

import spinal.core._
import spinal.lib._

import arqlink._

/** Blocks of this package that `Generate` can write on their own, for tests and for synthesis. */
object RsBlocks {
  private def named(job: Stream[_ <: Bundle]): Unit = {
    job.valid.setName("job_valid")
    job.ready.setName("job_ready")
    for ((name, signal) <- job.payload.elements) signal.setName(s"job_$name")
  }

  private def encoder(link: LinkConfig): Component = {
    val c = RsEncoder(link.code).setDefinitionName("RsEncoder")
    named(c.io.job)
    AxiNames.units(c.io.input, "s_axis")
    AxiNames.units(c.io.output, "m_axis")
    c
  }

  private def decoder(link: LinkConfig): Component = {
    val c = RsDecoder(link.code).setDefinitionName("RsDecoder")
    named(c.io.job)
    AxiNames.units(c.io.input, "s_axis")
    AxiNames.units(c.io.output, "m_axis")
    c
  }

  val all: Map[String, LinkConfig => Component] = Map("RsEncoder" -> encoder, "RsDecoder" -> decoder)
}
