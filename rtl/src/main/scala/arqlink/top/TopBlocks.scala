// SPDX-License-Identifier: Apache-2.0
package arqlink.top

import spinal.core._

import arqlink._

/** Blocks of this package that `Generate` can write on their own, for tests and for synthesis. */
object TopBlocks {
  val all: Map[String, LinkConfig => Component] = Map(
    "ArqLink" -> (new ArqLink(_)),
    "ArqLinkPhyClock" -> (new ArqLinkPhyClock(_)),
    "ArqPair" -> (new ArqPair(_))
  )
}
