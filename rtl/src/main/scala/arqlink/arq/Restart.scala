// SPDX-License-Identifier: Apache-2.0
package arqlink.arq

import spinal.core._

import arqlink.lib.Invariant

/** A restart of a link end, clock by clock: 0 something asks for it; 1 `begins` and `empties`; 2 new epoch, state clearing, `flushing`, `settle` 0. When
  * `settle` is `emptyClocks`, `empties` ends and the tables begin to clear themselves. At `settleClocks` it stops, and waits for `tablesReady`: then it
  * is `done`, and the state becomes hello.
  *
  * @param begins      pulse, from a register
  * @param holds       what a restart empties is to be empty: the restart is about to begin, or the link is to be down
  * @param isDown      in this state, `settle` does not count
  * @param isClearing  in this state, it does
  * @param tablesReady the tables of all blocks that are emptied are clear
  */
class Restart(begins: Bool, holds: Bool, isDown: Bool, isClearing: Bool, tablesReady: Bool) extends Area {
  import Restart._

  /** What `flushing` will be in the next clock, for the resets of many blocks. */
  val empties = RegInit(True)
  val flushing = RegNext(empties) init True

  private val settle = Reg(UInt(log2Up(settleClocks + 1) bits)) init 0
  private val ready = RegNext(tablesReady) init False
  private val isSettled = settle === settleClocks
  val done = isClearing && isSettled && ready

  // This holds in any state: `settle` counts only during a restart, and a link that is down stays empty.
  when(settle === emptyClocks)(empties := False)
  when(begins || holds)(empties := True)
  when(isClearing && !isSettled)(settle := settle + 1)
  when(begins || isDown)(settle := 0)

  Invariant.when(isClearing && settle === settleClocks - 1)(!ready, "no spare clock is left for tablesReady to go low")
}

object Restart {

  /** Clocks until the reset of what it empties is released. */
  private val emptyClocks = 2

  /** Clocks until `tablesReady` counts: it must have gone low for the tables that are being cleared. The reset register of the blocks, the counter of
    * [[arqlink.lib.TableClear]] and `tablesReady` here take three of these clocks; the others are spare.
    */
  private val settleClocks = 7
}
