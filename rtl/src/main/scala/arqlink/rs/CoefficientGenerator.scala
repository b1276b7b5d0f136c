// SPDX-License-Identifier: Apache-2.0
package arqlink.rs

import spinal.core._
import spinal.lib._

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
    val preset = UInt(2 bits)
    val k = UInt(code.kBits bits)
    val targets = UInt(shape.targetBits bits)
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
  turn.preset := frame.preset
  turn.k := frame.k
  turn.targets := frame.targets
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
  // For the same reason these registers may be of the kind that makes the way of ready short.
  val fetched = turn.halfPipe()
  val given = fetched.halfPipe()
  val point = given.m2sPipe(holdPayload = true)
  lists.io.enable := turn.ready
  lists.io.unitEnable := fetched.ready
  val unit = RegNextWhen(lists.io.unit, given.ready)

  // Steps of a point: groups of A, then groups of B ----------------------------------------------------------------------------
  case class Step() extends Bundle {
    val first, last, parity, wanted, cauchy, frameLast = Bool()
    val group = UInt(shape.groupBits bits)
    val position = UInt(shape.positionBits bits)
    val slot = UInt(slotBits bits)
  }
  // Vectors that may still be begun; a wanted unit takes and gives back none. A clock late: the next vector begins two clocks later or more.
  val began = RegInit(False)
  val taken = RegNext(io.coefficients.fire) init False
  val places = new Tally(shape.vectors, shape.vectors, up = taken, down = began)
  val stepBits = log2Up(2 * groups)
  val count = Reg(UInt(stepBits bits)) init 0
  val slot = Reg(UInt(slotBits bits)) init 0
  val step = Flow(Step())
  val begin = count === 0
  step.valid := point.valid && !(begin && !places.some)
  step.first := begin
  step.last := count.andR
  step.parity := count.msb
  step.group := (if (groups == 1) U(0, 1 bits) else count(stepBits - 2 downto 0))
  step.wanted := point.wanted
  step.cauchy := point.preset === Preset.Cauchy
  step.frameLast := point.last
  step.position := point.position
  step.slot := slot
  when(step.valid)(count := count + 1)
  point.ready := point.valid && step.last // the last step is not the first one, so nothing holds it up
  when(point.fire)(slot := slot + 1)
  lists.io.free := point.fire && point.last
  lists.io.ofParity := step.parity
  lists.io.bank := point.bank
  lists.io.group := step.group

  began := step.valid && begin && !point.wanted

  // Logarithms of the differences ------------------------------------------------------------------------------------------------
  val asked = step.m2sPipe(holdPayload = true)
  val operands =
    for (i <- 0 until lanes)
      yield RegNextWhen(lists.io.points(i) ^ unit.x, step.valid).setName(s"operand_$i")
  val used =
    for (i <- 0 until lanes)
      yield RegNextWhen(step.group * lanes + i < point.targets, step.valid).setName(s"used_$i")
  val read = asked.m2sPipe(holdPayload = true)
  val usedRead = used.map(RegNextWhen(_, asked.valid))
  val looked = read.m2sPipe(holdPayload = true)
  val usedLooked = usedRead.map(RegNextWhen(_, read.valid))
  // A block RAM has two ports: a table for every two lanes.
  val logs = operands.grouped(2).toSeq.flatMap { pair =>
    val table = Roms.log
    pair.map(operand => RegNext(table.readSync(operand)))
  }
  val products = Roms.products(code)
  val scale = Reg(UInt(products.addressWidth bits))
  when(step.valid)(scale := point.preset(0 downto 0) @@ point.k.resize(log2Up(code.maxK)) @@ unit.index)
  val scaleLooked = RegNext(products.readSync(scale))

  // Sum -----------------------------------------------------------------------------------------------------------------------------
  val sumBits = log2Up((2 * code.maxParity + 2) * 255 + 1) max 10
  val summed = looked.m2sPipe(holdPayload = true)
  val terms = for ((log, use) <- logs.zip(usedLooked)) yield {
    val term = (log ^ U(8 bits, default -> looked.parity)) & U(8 bits, default -> use)
    RegNextWhen(term.resize(sumBits), looked.valid)
  }
  val begins = RegNextWhen(~scaleLooked & U(8 bits, default -> !looked.cauchy), looked.valid)

  private def tree(flow: Flow[Step], values: Seq[UInt], start: UInt): (Flow[Step], UInt, UInt) =
    if (values.size == 1) (flow, values.head, start)
    else
      tree(
        flow.m2sPipe(holdPayload = true),
        values.grouped(2).map(pair => RegNextWhen(pair.reduce(_ + _), flow.valid)).toSeq,
        RegNextWhen(start, flow.valid)
      )
  val (added, sum, start) = tree(summed, terms, begins)
  val total = Reg(UInt(sumBits bits))
  when(added.valid)(total := (added.first ? start.resize(sumBits) | total) + sum)
  val complete = added.takeWhen(added.last).m2sPipe(holdPayload = true)
  val folded = complete.m2sPipe(holdPayload = true)
  val value = RegNextWhen(total(7 downto 0) +^ total(sumBits - 1 downto 8).resize(8), complete.valid)

  // Factors 1 / V(m): 511 - v is 1 - v modulo 255. ---------------------------------------------------------------------------------
  val factors = for (i <- 0 until lanes) yield {
    val store = Mem(UInt(9 bits), 1 << shape.groupBits).setName(s"factors_$i")
    store.write(shape.group(folded.position), ~value, folded.valid && folded.wanted && shape.isIn(i, folded.position))
    store
  }
  val distances = for ((log, i) <- logs.zipWithIndex) yield {
    val store = Mem(UInt(8 bits), 1 << (slotBits + shape.groupBits)).setName(s"distances_$i")
    // A clock late, as the way from the logarithms is long; read when the vector's sum has been made.
    store.write(RegNext(looked.slot @@ looked.group), RegNext(~log), RegNext(looked.valid && !looked.parity) init False)
    store
  }

  // Coefficients, a group a clock ----------------------------------------------------------------------------------------------------
  val giving = RegInit(False)
  val current = Reg(Step())
  val group = Reg(UInt(shape.groupBits bits)) init 0
  val q = Reg(UInt(9 bits))
  val lastGroup = if (groups == 1) True else group.andR
  when(giving) {
    group := group + 1
    giving := !lastGroup
  }
  when(folded.valid && !folded.wanted) {
    giving := True
    current := folded.payload
    q := value
    group := 0
  }
  val powers = Seq.fill((lanes + 1) / 2)(Roms.shiftedExp)
  val bytes = for (i <- 0 until lanes) yield {
    val factor = RegNextWhen(factors(i).readAsync(group, writeFirst), giving)
    val distance = RegNextWhen(distances(i).readAsync(current.slot @@ group, writeFirst), giving)
    val near = RegNext(factor +^ distance.resize(9))
    val sum = RegNext(near.resize(11) + RegNext(RegNextWhen(q, giving)).resize(11))
    RegNext(powers(i / 2).readSync(sum)).asBits
  }
  val queue = new CreditQueue(Bits(8 * lanes + 1 bits), shape.vectors * groups)
  queue.io.push.valid := Delay(giving, 5, init = False)
  queue.io.push.payload := Delay(current.frameLast, 5) ## Cat(bytes)

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
