// SPDX-License-Identifier: Apache-2.0
package arqlink.csr

/** Version of the hardware as register VERSION shows it: the content of file VERSION (a test compares them). */
object Version {
  val major = 0
  val minor = 1
  val patch = 0
}
