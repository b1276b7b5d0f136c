// SPDX-License-Identifier: Apache-2.0
package arqlink.rs

import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._

import arqlink.config.CodeConfig
import arqlink.lib.{BeatCounter, Tally}
import arqlink.lib.queue.CreditQueue

/** Puts received and recovered data units in order, one beat a clock.
  *
  * It decides which beat comes next from what is there, and both memories then give theirs after the same number of clocks, zero if it is
  * the other one's; behind them nothing stalls, as the beats have places in a queue at the output.
  */
class DecodeMerge(code: CodeConfig) extends Component {
  val shape = GeneratorShape(code)
  val io = new Bundle {
    val frame = slave(Stream(MergeFrame(code)))

    /** A beat of a received unit is there; take it. */
    val received = in Bool ()
    val takeReceived = out Bool ()

    /** A word of sums is there that no unit was made from yet; make a beat. */
    val recovered = in Bool ()
    val takeRecovered = master(Flow(RecoveredBeat(code)))

    /** What was taken `RecoveredStore.latency` clocks before. */
    val word = in Bits (code.dataBits bits)
    val products = in Bits (12 * code.dataBytes bits)
    val output = master(Stream(Fragment(Bits(code.dataBits bits))))

    /** A frame needs no place any more. */
    val done = out Bool ()
  }

  // The unit to come -----------------------------------------------------------------------------------------------------------
  val plan = new UnitPlan(code, io.frame)
  import plan.frame
  val lane = Reg(UInt(Lanes.bits(code) bits))
  val planFresh = Reg(Bool())
  val missing = frame.missing.lsb

  // The unit whose beats are counted: a received one, the first missing one of its frame, or (both are set) a further one ------
  val received, fresh = RegInit(False)
  val unitLane = Reg(UInt(Lanes.bits(code) bits))
  val lastLane = Reg(Bool())
  val beat = new BeatCounter(code.unitBeats)
  val depth = 16
  // A beat's place is reserved a clock late, and given back a clock after it left.
  val stepped, left = RegInit(False)
  val places = new Tally(depth - 1, depth, up = left, down = stepped)
  val again = received && fresh
  val fire = places.some && ((received && io.received) || (fresh && io.recovered) || again)
  val vacant = !(received || fresh) || (fire && beat.last)
  when(vacant) {
    received := plan.valid && !(missing && planFresh)
    fresh := plan.valid && missing
    unitLane := lane
    lastLane := frame.targets.msb
  }
  when(fire)(beat.step())

  plan.taken := vacant && plan.valid
  plan.isEnd := frame.units.msb
  plan.follow {
    frame.units := frame.units - 1
    frame.missing := frame.missing |>> 1
    when(missing) {
      lane := lane + 1
      planFresh := False
      frame.targets := frame.targets - 1
    }
  } {
    lane := 0
    planFresh := True
  }
  io.done := RegNext(plan.frameDone) init False

  io.takeReceived := fire && !fresh
  io.takeRecovered.valid := fire && fresh
  io.takeRecovered.lane := unitLane
  io.takeRecovered.fresh := !received
  io.takeRecovered.lastLane := lastLane
  io.takeRecovered.unitEnd := beat.last

  // What was taken comes; one of the two is zero. The stage of each task, from the order on.
  private val reduceAt = RecoveredStore.latency
  private val queueAt = reduceAt + 1
  private val stages = new StagePipeline
  stages(0).valid := fire
  val LAST = stages(0).insert(beat.last)
  val BYTES = stages(reduceAt).insert(MacSums.reduce(io.products) ^ io.word)
  val queue = new CreditQueue(Fragment(Bits(code.dataBits bits)), depth)
  queue.io.push.valid := stages(queueAt).valid
  queue.io.push.last := stages(queueAt)(LAST)
  queue.io.push.fragment := stages(queueAt)(BYTES)
  io.output << queue.io.pop
  stages.build()

  stepped := fire
  left := io.output.fire
}
