// SPDX-License-Identifier: Apache-2.0
package arqlink.rs

import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._

import arqlink.config.{CodeConfig, Preset}
import arqlink.gf.Roms
import arqlink.lib.Tally
import arqlink.lib.queue.CreditQueue

/** The coefficients of one received unit, tower bytes, for all wanted units; lanes beyond hold anything. */
case class CoefficientVector(code: CodeConfig) extends Bundle {
  val values = Vec(Bits(8 bits), code.maxParity)

  /** The last one of its frame. */
  val last = Bool()
}

/** Computes the interpolation coefficients of frames, one vector per received unit, in their order.
  *
  * With A the missing data units, B the received parity units used in their place, and S(K, y) the product of (x_y + x_l) over l < K other than
  * y, let V(y) be the product of (x_y + x_l) over A, divided by that over B and by S(K, y), factors of zero left out. The coefficient of
  * received unit j for wanted unit m is V(j) / V(m) / (x_m + x_j). The Cauchy preset leaves S out.
  *
  * All is done in logarithms, `lanes` at a time: 2 groups clocks for each wanted unit (it gives V(m)), then for each received one.
  * Sums are plain integers; only V is folded modulo 255 = 2^8 - 1, to nine bits, and the table of powers takes what comes.
  */
class CoefficientGenerator(code: CodeConfig) extends Component {
  val shape = GeneratorShape(code)
  import shape.{groups, lanes}
  val io = new Bundle {
    val job = slave(Stream(RepairJob(code)))
    val coefficients = master(Stream(CoefficientVector(code)))
  }
  val slotBits = log2Up(if (groups == 1) 16 else if (groups == 2) 8 else 4)

  val lists = new PointLists(code)
  lists.io.job << io.job

  // Points in turn: the wanted units of a frame, then its received ones ----------------------------------------------------
  case class Turn() extends Bundle {
    val frame = FrameLists(code)
    val bank = UInt(shape.bankBits bits)
    val wanted, last = Bool()
    val position = UInt(shape.positionBits bits)
  }
  val frame = lists.io.frame.s2mPipe().m2sPipe(holdPayload = true)
  val turn = Stream(Turn())
  val bank = Reg(UInt(shape.bankBits bits)) init 0
  val received = RegInit(False)
  val position = Reg(UInt(shape.positionBits bits)) init 0
  val lastWanted = position === frame.lastTarget
  val lastReceived = position === frame.lastUnit
  turn.valid := frame.valid
  turn.frame := frame.payload
  turn.bank := bank
  turn.wanted := !received
  turn.last := received && lastReceived
  turn.position := position
  // A point takes two clocks or more, so the turn moves on in the second one, from registers.
  val moves = RegNext(turn.fire) init False
  val endsFrame = RegNext(turn.last)
  val endsList = RegNext(received ? lastReceived | lastWanted)
  frame.ready := moves && endsFrame
  when(moves) {
    position := position + 1
    when(endsList) {
      position := 0
      received := !received
    }
  }
  when(frame.fire)(bank := bank + 1)

  lists.io.unitAddress := bank @@ received.asUInt @@ position
  // For the same reason these registers may be of the kind that makes the way of ready short. A unit joins its turn as it is read.
  lists.io.enable := turn.ready
  val points = turn.halfPipe().map(turn => TupleBundle(turn, lists.io.unit)).halfPipe().m2sPipe(holdPayload = true)
  private val (point, unit) = (points._1, points._2)

  // Steps of a point: groups of A, then groups of B ----------------------------------------------------------------------------
  // Vectors that may still be begun; a wanted unit takes and gives back none. A clock late: the next vector begins two clocks later or more.
  val began = RegInit(False)
  val taken = RegNext(io.coefficients.fire) init False
  val places = new Tally(shape.vectors, shape.vectors, up = taken, down = began)
  val stepBits = log2Up(2 * groups)
  val count = Reg(UInt(stepBits bits)) init 0
  val slot = Reg(UInt(slotBits bits)) init 0
  val begin = count === 0

  /** A register, as all that waits for its turn hangs on it. */
  val lastStep = RegNext(count.getAheadValue().andR) init False
  lists.io.ofParity := count.msb
  lists.io.bank := point.bank
  lists.io.group := (if (groups == 1) U(0, 1 bits) else count(stepBits - 2 downto 0))
  lists.io.free := points.fire && point.last
  points.ready := points.valid && lastStep // the last step is not the first one, so nothing holds it up
  when(points.fire)(slot := slot + 1)

  // The stage of each task, from a step on. A table takes two clocks, each level of the sum one.
  private val lookUpAt = 1
  private val termAt = lookUpAt + 2
  private val sumAt = termAt + 1
  private val totalAt = sumAt + log2Up(lanes)
  private val foldAt = totalAt + 1
  private val stages = new StagePipeline
  private val (step, lookUp, looked, near) = (stages(0), stages(lookUpAt), stages(termAt), stages(sumAt))
  private val (totals, fold, folded) = (stages(totalAt), stages(foldAt), stages(foldAt + 1))
  step.valid := points.valid && !(begin && !places.some)
  when(step.valid)(count := count + 1)
  began := step.valid && begin && !point.wanted
  val POINT = step.insert(point)
  val FIRST = step.insert(begin)
  val LAST = step.insert(lastStep)
  val OF_PARITY = step.insert(lists.io.ofParity)
  val GROUP = step.insert(lists.io.group)
  val SLOT = step.insert(slot)

  // Logarithms of the differences, of the units that count: a block RAM has two ports, so a table for every two lanes ---------------------
  val LOGS = for (pair <- (0 until lanes).grouped(2).toSeq; table = Roms.log; i <- pair) yield {
    val DIFFERENCE = step.insert(lists.io.points(i) ^ unit.x)
    stages(lookUpAt + 1).insert(table.readSync(lookUp(DIFFERENCE)))
  }
  val products = Roms.products(code)
  val SCALE = step.insert(point.frame.preset(0 downto 0) @@ point.frame.k.resize(log2Up(code.maxK)) @@ unit.index)
  val PRODUCT = stages(lookUpAt + 1).insert(products.readSync(lookUp(SCALE)))

  // Sum -----------------------------------------------------------------------------------------------------------------------------
  val sumBits = log2Up((2 * code.maxParity + 2) * 255 + 1) max 10
  val TERMS = for ((log, i) <- LOGS.zipWithIndex) yield {
    val USED = step.insert(lists.io.group * lanes + i < point.frame.targets)
    val term = (looked(log) ^ U(8 bits, default -> looked(OF_PARITY))) & U(8 bits, default -> looked(USED))
    looked.insert(term.resize(sumBits))
  }
  val START = looked.insert(~looked(PRODUCT) & U(8 bits, default -> (looked(POINT).frame.preset =/= Preset.Cauchy)))

  private def sum(at: Int, terms: Seq[Payload[UInt]]): Payload[UInt] =
    if (terms.size == 1) terms.head
    else sum(at + 1, terms.grouped(2).map(pair => stages(at).insert(pair.map(stages(at)(_)).reduce(_ + _))).toSeq)
  val SUM = sum(sumAt, TERMS)
  val total = Reg(UInt(sumBits bits))
  when(totals.valid)(total := (totals(FIRST) ? totals(START).resize(sumBits) | total) + totals(SUM))
  val VALUE = fold.insert(total(7 downto 0) +^ total(sumBits - 1 downto 8).resize(8))
  private val ends = folded.valid && folded(LAST)

  // Factors 1 / V(m): 511 - v is 1 - v modulo 255. ---------------------------------------------------------------------------------
  val factors = for (i <- 0 until lanes) yield {
    val store = Mem(UInt(9 bits), 1 << shape.groupBits).setName(s"factors_$i")
    val position = folded(POINT).position
    store.write(shape.group(position), ~folded(VALUE), ends && folded(POINT).wanted && shape.isIn(i, position))
    store
  }
  // Written a clock late, as the way from the logarithms is long; read when the vector's sum has been made.
  val distances = for ((log, i) <- LOGS.zipWithIndex) yield {
    val store = Mem(UInt(8 bits), 1 << (slotBits + shape.groupBits)).setName(s"distances_$i")
    store.write(near(SLOT) @@ near(GROUP), ~near(log), near.valid && !near(OF_PARITY))
    store
  }

  // Coefficients, a group a clock ----------------------------------------------------------------------------------------------------
  val giving = RegInit(False)
  val current = Reg(UInt(slotBits bits))
  val isFrameLast = Reg(Bool())
  val group = Reg(UInt(shape.groupBits bits)) init 0
  val q = Reg(UInt(9 bits))
  val lastGroup = if (groups == 1) True else group.andR
  when(giving) {
    group := group + 1
    giving := !lastGroup
  }
  when(ends && !folded(POINT).wanted) {
    giving := True
    current := folded(SLOT)
    isFrameLast := folded(POINT).last
    q := folded(VALUE)
    group := 0
  }

  // The stage of each task, from a group's turn on. The sum of a coefficient's three terms in two steps, then the table's two clocks.
  private val addAt = 1
  private val scaleAt = addAt + 1
  private val powerAt = scaleAt + 1
  private val queueAt = powerAt + 2
  private val giver = new StagePipeline
  private val (give, add, scale, power, push) = (giver(0), giver(addAt), giver(scaleAt), giver(powerAt), giver(queueAt))
  give.valid := giving
  val Q = give.insert(q)
  val FRAME_LAST = give.insert(isFrameLast)
  val powers = Seq.fill((lanes + 1) / 2)(Roms.shiftedExp)
  val BYTES = for (i <- 0 until lanes) yield {
    val FACTOR = give.insert(factors(i).readAsync(group, writeFirst))
    val DISTANCE = give.insert(distances(i).readAsync(current @@ group, writeFirst))
    val NEAR = add.insert(add(FACTOR) +^ add(DISTANCE).resize(9))
    val EXPONENT = scale.insert(scale(NEAR).resize(11) + scale(Q).resize(11))
    giver(powerAt + 1).insert(powers(i / 2).readSync(power(EXPONENT)))
  }
  val queue = new CreditQueue(Bits(8 * lanes + 1 bits), shape.vectors * groups)
  queue.io.push.valid := push.valid
  queue.io.push.payload := push(FRAME_LAST) ## Cat(BYTES.map(push(_)))
  stages.build()
  giver.build()

  // Groups back to vectors ------------------------------------------------------------------------------------------------------------
  val vector = Stream(CoefficientVector(code))
  if (groups == 1) {
    vector.arbitrationFrom(queue.io.pop)
    vector.last := queue.io.pop.payload.msb
    vector.values := Vec(queue.io.pop.payload.resize(8 * code.maxParity).subdivideIn(8 bits))
  } else {
    val collected = Vec(Reg(Bits(8 * lanes bits)), groups)
    val full = RegInit(False)
    val last = Reg(Bool())
    val at = Reg(UInt(shape.groupBits bits)) init 0
    queue.io.pop.ready := !full
    when(queue.io.pop.fire) {
      for (i <- 0 until groups - 1) collected(i) := collected(i + 1)
      collected(groups - 1) := queue.io.pop.payload.dropHigh(1)
      last := queue.io.pop.payload.msb
      at := at + 1
      full := at.andR
    }
    when(vector.fire)(full := False)
    vector.valid := full
    vector.last := last
    vector.values := Vec(collected.asBits.resize(8 * code.maxParity).subdivideIn(8 bits))
  }
  io.coefficients << vector
}

/** Generators that take turns, frame by frame. */
class CoefficientGenerators(code: CodeConfig) extends Component {
  val io = new Bundle {
    val job = slave(Stream(RepairJob(code)))
    val coefficients = master(Stream(CoefficientVector(code)))
  }
  val generators = Seq.fill(GeneratorShape(code).generators)(new CoefficientGenerator(code))
  if (generators.size == 1) {
    generators.head.io.job << io.job
    io.coefficients << generators.head.io.coefficients
  } else {
    def next(turn: UInt): UInt = (turn === generators.size - 1) ? U(0) | turn + 1
    val asked, heard = Reg(UInt(log2Up(generators.size) bits)) init 0
    when(io.job.fire)(asked := next(asked))
    when(io.coefficients.fire && io.coefficients.last)(heard := next(heard))
    for ((stream, generator) <- StreamDemux(io.job, asked, generators.size).zip(generators)) generator.io.job << stream
    io.coefficients << StreamMux(heard, generators.map(_.io.coefficients))
  }
}
