// SPDX-License-Identifier: Apache-2.0
package arqlink.rs

import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._

import arqlink.config.CodeConfig
import arqlink.gf.Roms
import arqlink.lib.{BlockRam, Tally}
import arqlink.lib.queue.CreditQueue

/** A unit by its index and its evaluation point. */
case class CodePoint(code: CodeConfig) extends Bundle {
  val index = UInt(code.nBits bits)
  val x = UInt(8 bits)
}

/** A frame that needs coefficients: bit i of `received` belongs to unit i. */
case class RepairJob(code: CodeConfig) extends Bundle {
  val preset = UInt(2 bits)
  val k = UInt(code.kBits bits)
  val received = Bits(code.maxN bits)
}

/** A frame whose lists are complete. */
case class FrameLists(code: CodeConfig) extends Bundle {
  val preset = UInt(2 bits)
  val k = UInt(code.kBits bits)

  /** Data units missing, as many as parity units received. */
  val targets = UInt(GeneratorShape(code).targetBits bits)

  /** Last positions among the missing and among the received units. */
  val lastTarget, lastUnit = UInt(GeneratorShape(code).positionBits bits)
}

/** Sorts the units of a frame: its missing data units, its received parity units (as many), and all received units in ascending
  * order. Frames follow each other without a pause, K + t + 1 clocks each.
  *
  * The evaluation points of the first two are read a group at a time, those of the units in turn by position.
  */
class PointLists(code: CodeConfig) extends Component {
  val shape = GeneratorShape(code)
  val io = new Bundle {
    val job = slave(Stream(RepairJob(code)))
    val frame = master(Stream(FrameLists(code)))

    /** The oldest frame is not needed any more. */
    val free = in Bool ()

    /** Points of the missing units, or of the parity units, at `bank` and `group`, in the same clock. */
    val ofParity = in Bool ()
    val bank = in UInt (shape.bankBits bits)
    val group = in UInt (shape.groupBits bits)
    val points = out(Vec(UInt(8 bits), shape.lanes))

    /** The unit at `unitAddress` (bank, received or missing, position) in the last clock with `enable`. */
    val unitAddress = in UInt (shape.bankBits + 1 + shape.positionBits bits)
    val enable = in Bool ()
    val unit = out(CodePoint(code))
  }

  // Walk: first the data units one by one, the bitmap moving with them, then the parity units received.
  val active, inParity = RegInit(False)
  val job = Reg(RepairJob(code))
  val bits = job.received
  val index = Reg(UInt(code.nBits bits))
  val dataLeft = Reg(SInt(code.kBits + 1 bits))
  val targets = Reg(UInt(shape.targetBits bits))
  val parityLeft = Reg(SInt(shape.targetBits + 1 bits))
  val missingAt, receivedAt, parityAt = Reg(UInt(shape.positionBits bits))
  val bank = Reg(UInt(shape.bankBits bits)) init 0
  val banks = new Tally(1 << shape.bankBits, 1 << shape.bankBits, up = io.free, down = io.job.fire)

  io.job.ready := !active && banks.some
  val parityBits = bits(code.maxParity - 1 downto 0)
  private val isMissing = !inParity && !bits.lsb
  val first = OHMasking.first(parityBits)

  val finished = inParity && parityLeft.msb
  // Between frames each register of the walk is set to its first value in every clock, as it is known late whether a job is taken. `index`, `dataLeft`
  // and the bitmap's upper part go on through the parity units, which do not read them.
  when(active) {
    bits := bits |>> 1
    index := index + 1
    dataLeft := dataLeft - 1
    when(!inParity) {
      inParity := dataLeft.msb
      when(bits.lsb)(receivedAt := receivedAt + 1) otherwise {
        missingAt := missingAt + 1
        targets := targets + 1
        parityLeft := parityLeft + 1
      }
    } otherwise {
      bits(code.maxParity - 1 downto 0) := parityBits & ~first
      receivedAt := receivedAt + 1
      parityAt := parityAt + 1
      parityLeft := parityLeft - 1
    }
    when(finished) {
      active := False
      bank := bank + 1
    }
  } otherwise {
    active := io.job.fire
    inParity := False
    job := io.job.payload
    index := 0
    dataLeft := (io.job.k.intoSInt - 2).resized
    targets := 0
    parityLeft := -2
    missingAt := 0
    receivedAt := 0
    parityAt := 0
  }

  // The stage of each task, from a unit's turn in the walk on: position of a parity unit, index, point. The table takes two clocks, as does the queue.
  private val locateAt = 1
  private val indexAt = locateAt + 1
  private val lookUpAt = indexAt + 1
  private val listAt = lookUpAt + 2
  private val announceAt = listAt - 1
  private val stages = new StagePipeline
  private val (walk, locate, indexing, lookUp) = (stages(0), stages(locateAt), stages(indexAt), stages(lookUpAt))
  private val (announce, list) = (stages(announceAt), stages(listAt))
  walk.valid := active
  val IN_PARITY = walk.insert(inParity)
  val IS_MISSING = walk.insert(isMissing)
  val FIRST = walk.insert(first)
  val PRESET = walk.insert(job.preset)
  val BANK = walk.insert(bank)
  val POSITION = walk.insert(isMissing ? missingAt | receivedAt)
  val PARITY_AT = walk.insert(parityAt)
  // A parity unit's index is K and its position among all parity units.
  val BASE = walk.insert(inParity ? job.k.resize(code.nBits) | index)
  val OFFSET = locate.insert(locate(IN_PARITY) ? OHToUInt(locate(FIRST)).resize(code.nBits) | U(0))
  val INDEX = indexing.insert(indexing(BASE) + indexing(OFFSET))
  val X = stages(lookUpAt + 1).insert(Roms.points(code).readSync(lookUp(PRESET) @@ lookUp(INDEX)))

  val point = CodePoint(code)
  point.x := list(X)
  point.index := list(INDEX)
  val units = BlockRam(CodePoint(code), 1 << io.unitAddress.getWidth)
  units.write(list(BANK) @@ (!list(IS_MISSING)).asUInt @@ list(POSITION), point, list.valid)
  io.unit := units.readSync(io.unitAddress, io.enable)

  private val place = list(IN_PARITY) ? list(PARITY_AT) | list(POSITION)
  for (lane <- 0 until shape.lanes) {
    val store = Mem(UInt(8 bits), 1 << (1 + shape.bankBits + shape.groupBits)).setName(s"list_$lane")
    val listed = list.valid && (list(IS_MISSING) || list(IN_PARITY)) && shape.isIn(lane, place)
    store.write(list(IN_PARITY).asUInt @@ list(BANK) @@ shape.group(place), point.x, listed)
    io.points(lane) := store.readAsync(io.ofParity.asUInt @@ io.bank @@ io.group, writeFirst)
  }

  // A frame is announced when its last unit is in the lists.
  val done = FrameLists(code)
  done.preset := job.preset
  done.k := job.k
  done.targets := targets
  done.lastTarget := (targets - 1).resized
  done.lastUnit := (job.k - 1).resized
  val DONE = walk.insert(done)
  val ENDS = walk.insert(finished)
  val queue = new CreditQueue(FrameLists(code), 1 << shape.bankBits)
  queue.io.push.valid := announce.valid && announce(ENDS)
  queue.io.push.payload := announce(DONE)
  io.frame << queue.io.pop
  stages.build()
}
