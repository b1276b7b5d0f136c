// SPDX-License-Identifier: Apache-2.0
package arqlink.config

/** Evaluation-point presets, as the `preset` field of the wire format and of register CODE. */
object Preset {
  val Zfec = 0
  val Rfc5510 = 1
  val Cauchy = 2
  val all = Seq(Zfec, Rfc5510, Cauchy)
}
