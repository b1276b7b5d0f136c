// SPDX-License-Identifier: Apache-2.0
package arqlink.arq

import spinal.core._

import arqlink._

/** Blocks of this package that `Generate` can write on their own, for tests and for synthesis. */
object ArqBlocks {
  val all: Map[String, LinkConfig => Component] = Map(
    "ArqSender" -> (new ArqSender(_)),
    "ArqReceiver" -> (new ArqReceiver(_)),
    "Resequencer" -> (new Resequencer(_)),
    "LinkControl" -> (new LinkControl(_)),
    "ControlComposer" -> (new ControlComposer(_))
  )
}
