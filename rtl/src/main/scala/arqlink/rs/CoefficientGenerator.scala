// SPDX-License-Identifier: Apache-2.0
package arqlink.rs

import spinal.core._
import spinal.lib._

import arqlink._

/** Turns the walk over a job into one vector of coefficients per received unit, in their order. Jobs that need no
  * repair yield none.
  *
  * A frame with e missing units, t of them wanted, takes (K + t) e clocks and overlaps with the frames before and after.
  */
class CoefficientGenerator(code: CodeConfig) extends Component {
  val io = new Bundle {
    val unit = slave(Stream(ScannedUnit(code)))
    val coefficients = master(Stream(Vec(Bits(8 bits), code.maxParity)))
  }

  val lists = new PointLists(code)
  val engine = new ProductEngine(code)
  val writer = new CoefficientWriter(code)

  lists.io.unit << io.unit.throwWhen(!io.unit.repair)
  engine.io.frame << lists.io.frame
  lists.io.receivedAt := engine.io.receivedAt
  engine.io.received := lists.io.received
  lists.io.targetAt := engine.io.targetAt
  engine.io.target := lists.io.target
  lists.io.missingAt := engine.io.missingAt
  engine.io.missing := lists.io.missing

  writer.io.distance << engine.io.distance
  writer.io.target << engine.io.factor
  writer.io.unit << engine.io.unit
  engine.io.freed := writer.io.freed
  io.coefficients << writer.io.coefficients
}
