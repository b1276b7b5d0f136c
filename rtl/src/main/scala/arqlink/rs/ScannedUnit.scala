// SPDX-License-Identifier: Apache-2.0
package arqlink.rs

import spinal.core._
import spinal.lib._

import arqlink._

/** One unit of a codeword in the walk over a job, in ascending order of index up to the last unit that counts. */
case class ScannedUnit(code: CodeConfig) extends Bundle {
  val preset = UInt(2 bits)
  val k = UInt(code.kBits bits)
  val index = UInt(code.nBits bits)

  /** The unit is one of the K that are put in; otherwise it is missing. */
  val received = Bool()

  /** The unit is missing and wanted. */
  val target = Bool()

  /** First of the received units of this job. */
  val first = Bool()

  /** Last unit of this job. */
  val last = Bool()

  /** Something is wanted in this job, so it needs coefficients. */
  val repair = Bool()

  def isData: Bool = index < k
}

/** Walks over the N units of a frame to encode, one a clock: data units are received, parity units are wanted.
  * Jobs without parity yield nothing.
  */
class EncodeScanner(code: CodeConfig) extends Component {
  val io = new Bundle {
    val job = slave(Stream(EncodeJob(code)))
    val unit = master(Stream(ScannedUnit(code)))
  }

  val job = io.job.throwWhen(io.job.k === io.job.n)
  val index = Reg(UInt(code.nBits bits)) init 0

  io.unit.valid := job.valid
  io.unit.preset := job.preset
  io.unit.k := job.k
  io.unit.index := index
  io.unit.received := io.unit.isData
  io.unit.target := !io.unit.isData
  io.unit.first := index === 0
  io.unit.last := index === job.n - 1
  io.unit.repair := True
  job.ready := io.unit.ready && io.unit.last

  when(io.unit.fire)(index := io.unit.last ? U(0) | index + 1)
}

/** Walks over the units of a frame to decode, one a clock, up to the K-th received one; missing data units are wanted.
  * Bits of `received` after the K-th are ignored.
  */
class DecodeScanner(code: CodeConfig) extends Component {
  val io = new Bundle {
    val job = slave(Stream(DecodeJob(code)))
    val unit = master(Stream(ScannedUnit(code)))
  }

  /** The job and its missing data units; a register stage apart from the reduction to `repair`. */
  case class Checked() extends Bundle {
    val job = DecodeJob(code)
    val missing = Bits(code.maxK bits)
  }
  val checked = io.job.map { job =>
    val c = Checked()
    c.job := job
    for (i <- 0 until code.maxK) c.missing(i) := job.k > i && !job.received(i)
    c
  }.m2sPipe(holdPayload = true)

  val active = RegInit(False)
  val preset = Reg(UInt(2 bits))
  val k = Reg(UInt(code.kBits bits))
  val repair = Reg(Bool())
  val bitmap = Reg(Bits(code.maxN bits))
  val index = Reg(UInt(code.nBits bits))
  val count = Reg(UInt(code.kBits bits))

  io.unit.valid := active
  io.unit.preset := preset
  io.unit.k := k
  io.unit.index := index
  io.unit.received := bitmap.lsb
  io.unit.target := !bitmap.lsb && io.unit.isData
  io.unit.first := count === 0
  io.unit.last := (bitmap.lsb && count === k - 1) || index === code.maxN - 1
  io.unit.repair := repair

  when(io.unit.fire) {
    bitmap := bitmap |>> 1
    index := index + 1
    when(bitmap.lsb)(count := count + 1)
  }

  checked.ready := !active || (io.unit.ready && io.unit.last)
  when(checked.ready) {
    active := checked.valid
    preset := checked.job.preset
    k := checked.job.k
    repair := checked.missing.orR
    bitmap := checked.job.received
    index := 0
    count := 0
  }
}
