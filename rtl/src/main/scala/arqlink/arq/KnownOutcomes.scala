// SPDX-License-Identifier: Apache-2.0
package arqlink.arq

import spinal.core._
import spinal.lib._

import arqlink.config.LinkConfig
import arqlink.lib.BlockRam
import arqlink.wire.Wire

/** Of which TSNs the outcome is known: a word of 32 bits for each block, in block RAM that holds two windows, so that no word has TSNs of two rounds.
  *
  * In each other round a bit of 1 means unknown: when a word comes to be used again all of its outcomes are known, which is then the same as none. So
  * words are cleared only once, at the start.
  *
  * @param asked a word is looked up in each clock; `known` has it `KnownOutcomes.latency` clocks later
  */
class KnownOutcomes(link: LinkConfig, asked: UInt, clear: Flow[UInt]) extends Area {
  import KnownOutcomes.latency
  private val words = 2 * link.window.windowFrames / Wire.blockBits
  private val addressBits = log2Up(words)
  private val ram = BlockRam(Bits(Wire.blockBits bits), words) // a word that is being written is not asked for
  private def turned(word: Bits, isOddRound: Bool): Bits = word ^ Repeat(isOddRound, Wire.blockBits)
  private val startsOdd = OutcomeLog.firstBlock(link).testBit(addressBits)

  val known = turned(RegNext(ram.readSync(asked.resize(addressBits))), Delay(asked(addressBits), latency))

  /** Writes what is known of a block. */
  def write(block: UInt, known: Bits, enable: Bool): Unit = ram.write(
    address = RegNext(clear.valid ? clear.payload.resize(addressBits) | block.resize(addressBits)),
    data = RegNext(turned(known.andMask(!clear.valid), clear.valid ? Bool(startsOdd) | block(addressBits))),
    enable = RegNext(clear.valid || enable) init False
  )
}

object KnownOutcomes {

  /** The block RAM and its output register. */
  val latency = 2
}
