// SPDX-License-Identifier: Apache-2.0
package arqlink.link

import spinal.core._

import arqlink._

/** Blocks of this package that `Generate` can write on their own, for tests and for synthesis. */
object LinkBlocks {
  val all: Map[String, LinkConfig => Component] = Map(
    "FrameStore" -> (link => FrameStore(link)),
    "Segmenter" -> (link => Segmenter(link)),
    "PacketDrain" -> (link => PacketDrain(link.code.dataBytes)),
    "Framer" -> (link => Framer(link.code)),
    "Deframer" -> (link => Deframer(link.code).setDefinitionName("Deframer")),
    "Reassembler" -> (link => Reassembler(link.code)),
    "PacketCrcInserter" -> (link => PacketCrcInserter(link.code.dataBytes)),
    "PacketCrcChecker" -> (link => PacketCrcChecker(link))
  )
}
