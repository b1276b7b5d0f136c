// SPDX-License-Identifier: Apache-2.0
package arqlink.phy

/** Consistent Overhead Byte Stuffing (Cheshire and Baker, IEEE/ACM Transactions on Networking 7(2), 1999), as docs/phy_framer.md has it on the wire: a unit
  * is cut into pieces, each with a code ahead that is its length, and ends with a delimiter, the only zero.
  */
object Cobs {
  val delimiter = 0x00

  /** Code of a piece of `fullPiece` bytes, behind which there is no zero. */
  val fullCode = 0xff
  val fullPiece: Int = fullCode - 1

  /** Most bytes on the line for a unit of that length, its delimiter among them. */
  def wireBytes(unitBytes: Int): Int = unitBytes + (unitBytes + fullPiece - 1) / fullPiece + 1
}
