// SPDX-License-Identifier: Apache-2.0
package arqlink.rs

import spinal.core._
import spinal.lib._

import arqlink.config.CodeConfig
import arqlink.lib.Tally

/** A frame as the sequencer takes it in. */
case class DecodeFrame(code: CodeConfig) extends Bundle {

  /** Received units less two. */
  val units = SInt(code.kBits + 1 bits)

  /** Received data units less one: negative once parity units come. */
  val data = SInt(code.kBits + 1 bits)

  /** Data units are missing. */
  val repair = Bool()
}

/** A frame as it leaves: data units less two, which of them are missing, and how many, less two. */
case class MergeFrame(code: CodeConfig) extends Bundle {
  val units = SInt(code.kBits + 1 bits)
  val missing = Bits(code.maxK bits)
  val targets = SInt(GeneratorShape(code).targetBits + 1 bits)
}

/** Reads a job and gives every other part of the decoder what it needs; a frame in two clocks. */
class DecodeFront(code: CodeConfig) extends Component {
  val shape = GeneratorShape(code)
  val io = new Bundle {
    val job = slave(Stream(DecodeJob(code)))

    /** A frame has left. */
    val done = in Bool ()
    val frame = master(Flow(DecodeFrame(code)))
    val merge = master(Flow(MergeFrame(code)))
    val repair = master(Stream(RepairJob(code)))
  }

  // The queues behind have room for `frames`. A frame's place is reserved a clock late.
  val entered = RegNext(io.job.fire) init False
  val places = new Tally(shape.frames - 1, shape.frames, up = io.done, down = entered)

  case class Checked() extends Bundle {
    val job = DecodeJob(code)
    val missing = Bits(code.maxK bits)
  }
  val checked = io.job
    .continueWhen(places.some)
    .map { job =>
      val c = Checked()
      c.job := job
      for (i <- 0 until code.maxK) c.missing(i) := job.k > i && !job.received(i)
      c
    }
    .halfPipe()

  /** Ones of the bitmap: of its parts, then of all. */
  case class Counted(parts: Int) extends Bundle {
    val checked = Checked()
    val some = Bool()
    val counts = Vec(UInt(code.kBits bits), parts)
  }
  val groups = (code.maxK + 5) / 6
  val partial = checked
    .map { c =>
      val r = Counted(groups)
      r.checked := c
      r.some := c.missing.orR
      for ((count, bits) <- r.counts.zip(c.missing.asBools.grouped(6))) count := CountOne(bits).resized
      r
    }
    .halfPipe()

  /** Adds the counts in pairs, a clock for each level. */
  private def added(stream: Stream[Counted]): Stream[Counted] = {
    val parts = stream.counts.size
    val sums = stream.map { c =>
      val r = Counted((parts + 1) / 2)
      r.checked := c.checked
      r.some := c.some
      for ((sum, pair) <- r.counts.zip(c.counts.grouped(2))) sum := pair.reduce(_ + _)
      r
    }
    if (parts > 2) added(sums.halfPipe()) else sums.halfPipe()
  }
  val counted = added(partial)
  val targets = counted.counts.head

  val job = counted.checked.job
  val repair = Stream(RepairJob(code))
  repair.valid := counted.valid && counted.some
  repair.preset := job.preset
  repair.k := job.k
  repair.received := job.received
  counted.ready := !counted.some || repair.ready
  io.repair << repair.halfPipe()

  val k = job.k.intoSInt
  io.frame.valid := counted.fire
  io.frame.units := (k - 2).resized
  io.frame.data := (job.k.resize(code.kBits + 1) + ~targets.resize(code.kBits + 1)).asSInt
  io.frame.repair := counted.some
  io.merge.valid := counted.fire
  io.merge.units := (k - 2).resized
  io.merge.missing := counted.checked.missing
  io.merge.targets := (targets.intoSInt - 2).resized
}
