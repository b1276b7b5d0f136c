# SPDX-License-Identifier: Apache-2.0
"""The fault campaign: its codec and checks against what is known to be right and wrong, its runs, and the link by them."""

import re
import subprocess

import pytest

from arqlink.campaign import builds, forged_recovery, runs
from arqlink.errors import UserError
from cocotb_tests.model.units import ControlUnit, DataUnit
from tests import seeds
from tests.effort import slow_in_full

FIRST = seeds.seed_of("campaign") >> 1
"""Of seeds in a row."""
BUILDS = ["wraps", "tiny"]
"""Those that are quick to build; each talks to its like. `wraps` is `small` with numbers that wrap in each run. `make test-full` has all pairs."""
PAIRS = [f"{name}:{name}" for name in BUILDS]
FAULTS = {
    "restart", "disable", "enable", "resetLow", "resetHigh", "phyDown", "phyUp", "darkControl", "darkData", "darkAll", "stopUser", "stopPhy", "code",
    "arq", "timers", "copies", "clean", "finite", "vanish", "flip", "flag", "cut", "longer", "aborted", "tooLong", "holes", "empty", "stalledUser",
    "stalledPhy", "slowLine", "gaps", "duplicates", "lateUnits", "oneWay",
}  # fmt: skip
"""What `--show` prints of scenarios, but for forged units."""


@pytest.fixture(scope="module")
def selftest():
    return builds.program().with_name("selftest")


def decode(selftest, unit_bytes, units):
    """What the program's codec makes of units."""
    text = "".join(f"{raw.hex()}\n" for raw in units)
    done = subprocess.run([selftest, "decode", str(unit_bytes)], input=text, capture_output=True, text=True, check=True)
    return [line.split() for line in done.stdout.splitlines()]


def some_data(draw):
    k = draw.randrange(1, 129)
    n = draw.randrange(k, min(k + 65, 256))
    last_try = draw.random() < 0.5
    return DataUnit(
        preset=draw.randrange(3), sop=draw.random() < 0.5, eop=draw.random() < 0.5, epoch=draw.randrange(256), k=k, n=n, index=draw.randrange(n),
        odd=draw.random() < 0.5, pad=draw.randrange(8), fsn=draw.randrange(1 << 20), tsn=draw.randrange(1 << 20), payload=draw.randbytes(8),
        last_try=last_try, all_below=last_try and draw.random() < 0.5,
    )  # fmt: skip


def some_control(draw):
    hello = draw.random() < 0.3
    return ControlUnit(
        epoch=draw.randrange(256), hello=hello, peer_known=draw.random() < 0.5, poll=draw.random() < 0.5, reply=draw.random() < 0.5,
        deaf=draw.random() < 0.5, abandons=not hello and draw.random() < 0.5, peer_epoch=draw.randrange(256),
        param=draw.randrange(1 << (21 if hello else 20)) | (hello and draw.randrange(2) << 23),
        tx_base=draw.randrange(1 << 20),
        tx_edge=draw.randrange(1 << 20), rx_base=draw.randrange(1 << 20), rx_next=draw.randrange(1 << 20), bitmap_base=draw.randrange(1 << 15) << 5,
        bitmap=draw.getrandbits(64),
    )  # fmt: skip


def test_the_codec_reads_and_writes_units_as_the_golden_model_does(selftest):
    draw = seeds.rng("units")
    data = [some_data(draw) for _ in range(200)]
    control = [some_control(draw) for _ in range(200)]
    decoded = decode(selftest, 8, [unit.build() for unit in data + control])
    for unit, words in zip(data, decoded[:200], strict=True):
        fields = (unit.preset, unit.sop, unit.eop, unit.epoch, unit.k, unit.n, unit.index, unit.pad, unit.fsn, unit.tsn, unit.last_try)
        fields += unit.all_below, unit.odd
        assert words == ["data", *(str(int(field)) for field in fields), "1"], unit
    for unit, words in zip(control, decoded[200:], strict=True):
        fields = (
            unit.epoch,
            unit.hello,
            unit.peer_known,
            unit.poll,
            unit.reply,
            unit.deaf,
            unit.abandons,
            unit.peer_epoch,
            unit.hello and unit.packet_crc,
            unit.window_log2,
            unit.unit_bytes,
        )
        numbers = (unit.ack_tsn, unit.tx_base, unit.tx_edge, unit.rx_base, unit.rx_next, unit.bitmap_base, unit.bitmap)
        assert words == ["control", *(str(int(field)) for field in fields + numbers), "1"], unit


def test_the_codec_refuses_what_is_damaged(selftest):
    unit = some_data(seeds.rng("unit")).build()
    damaged = bytes([unit[0], unit[1] ^ 1]) + unit[2:]
    decoded = decode(selftest, 8, [damaged, unit[:-4], unit + unit[:4]])
    assert decoded == [["crc"], ["length"], ["length"]]


def test_checks_name_what_is_broken_and_nothing_else(selftest):
    done = subprocess.run([selftest], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert len(done.stdout.splitlines()) > 30


def test_each_kind_of_failure_has_a_case(selftest):
    """The table of sim/campaign/README.md against what the self-test has made the checks say."""
    table = (builds.SOURCES / "README.md").read_text().split("| kind | what is wrong |")[1].split("\n\n")[0]
    kinds = {kind for line in table.splitlines()[2:] for kind in re.findall(r"`([^`]+)`", line.split("|")[1])}
    assert len(kinds) > 40
    done = subprocess.run([selftest], capture_output=True, text=True, check=True)
    shown = {line.rsplit(": ", 1)[1] for line in done.stdout.splitlines()}
    assert kinds == shown - {"nothing"}


def test_a_seed_gives_the_same_run_twice():
    first, again = (runs.run_seeds("wraps:wraps", FIRST, 3) for _ in range(2))
    assert first == again
    assert len({result.digest for result in first}) == 3, "other seeds give other runs"


def test_a_long_run_reports_what_each_end_has_sent():
    (result,) = runs.run_seeds("k1:k1", FIRST, 1, frames=2000)
    frames, transmissions = result.sent[::2], result.sent[1::2]
    assert min(frames) > 1000 and all(t > f for f, t in zip(frames, transmissions, strict=True))


def test_a_scenario_hangs_on_the_share_of_forged_units():
    without, forged = (runs.run_seeds("wraps:wraps", FIRST + 3, 1, forge=share)[0] for share in (0, 1))
    assert without.digest != forged.digest


@pytest.mark.parametrize("pair, sentence", [("small:nothing", "not END:END"), ("small:wraps", "the same sequence numbers")])
def test_ends_that_cannot_talk_are_refused_with_a_sentence(pair, sentence):
    with pytest.raises(UserError, match=sentence):
        builds.ends_of(pair)


def test_numbers_count_from_the_first():
    """The monitor takes each number for what it is: of a link that begins elsewhere, it finds the first one wrong."""
    (run,) = runs.found(runs.job_of("wraps:wraps", FIRST, 1) | {"first_sn": 0})
    assert run["kind"].endswith(("-back", "-ahead")), run


@pytest.mark.full
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("pair", ["k1:k1", "line_w1024:line_w1024"])
def test_sequence_numbers_wrap(pair):
    """More frames each way than there are sequence numbers, FSN and TSN, with losses all the time; in the longer window, older outcomes are repeated."""
    (result,) = runs.run_seeds(pair, FIRST, 1, frames=1_400_000)
    judge([result])
    assert len(result.sent) == 4 and min(result.sent) > 1 << 20, "both numbers wrap in both directions"
    assert result.lost > 2000 and result.lives == 2


def result(kind="", ignore=()):
    numbers = {"seed": 7, "clocks": 100, "units": 20, "packets": 3, "lives": 2, "polls": 1, "early_polls": 0, "lost": 5}
    said = numbers | {"digest": "00000000000000ff", "kind": kind, "text": "clock 100: not at rest" if kind else ""}
    return runs.result_of("k1:k1", said, ignore=ignore)


def test_a_failed_run_shows_how_to_repeat_it():
    assert result("stuck").repeat().endswith("--pair k1:k1 --seed 7 --runs 1 --waves x.fst")
    assert result("stuck", ["books", "stuck"]).repeat().endswith("--seed 7 --runs 1 --ignore books --ignore stuck --waves x.fst")


@pytest.mark.parametrize(
    "changed, sentence",
    [
        ({"seed": -1}, "seed is -1; it must be a whole number from 0 to 18446744073709551615."),
        ({"ignore": "books"}, 'ignore is "books"; it must be a list.'),
        ({"flow": {"round_trip": 5}}, "flow.trips is missing."),
        ({"waves": [None]}, "waves is a list of 1; it must be a list of 2."),
        ({"colour": 1}, '"colour" is not a key of a job.'),
        ({"libraries": ["/nowhere/a.so", "/nowhere/b.so"]}, "/nowhere/a.so"),
    ],
)
def test_a_job_that_is_none_is_refused_with_a_sentence(changed, sentence):
    asked = {"libraries": ["a", "b"], "pair": "k1:k1", "seed": 1, "count": 1}
    with pytest.raises(UserError, match=f"ended with code 2 at pair k1:k1, seed -?1. .*{re.escape(sentence)}"):
        list(runs.found(asked | changed))


def judge(results):
    wrong = [result for result in results if result.kind]
    if wrong:
        texts = [f"{result.kind}: {result.text[:300]}\n  {result.repeat()}" for result in wrong[:10]]
        pytest.fail("\n".join([f"{len(wrong)} of {len(results)} runs did not end as expected", *texts]), pytrace=False)


@pytest.mark.parametrize(
    ("pair", "count"),
    [*((pair, 25) for pair in PAIRS), *(pytest.param(pair, 100, marks=pytest.mark.full) for pair in builds.PAIRS)],
)
def test_random_faults(pair, count, capsys):
    results = runs.run_seeds(pair, FIRST, count, show=True)
    assert len(results) == count
    assert sum(result.lost for result in results) > 10 * count and sum(result.lives for result in results) > 2 * count, "faults happened"
    if count == 100:
        drawn = set(re.findall(r"[a-zA-Z]+", capsys.readouterr().out))
        assert not FAULTS - drawn, f"never drawn: {FAULTS - drawn}"
    judge(results)


@pytest.mark.parametrize("pair", slow_in_full(PAIRS, slow={"tiny:tiny"}))
def test_forged_units(pair):
    results = runs.run_seeds(pair, FIRST, 25, forge=1)
    assert len(results) == 25
    judge(results)


def test_the_cost_of_forged_units_is_what_a_run_takes_longer_with_them():
    forged, blank = result(), result()
    assert forged_recovery.cost(forged, blank) is None, "none were forged"
    forged.recovery = runs.Recovery(units=3, clocks=2000, round_trip=400, poll_timeout=100, restarts=0, attempts=1)
    blank.recovery = runs.Recovery(units=3, clocks=1150, round_trip=400, poll_timeout=100, restarts=0, attempts=1)
    cost = forged_recovery.cost(forged, blank)
    assert cost and cost.waited and cost.share == (2000 - 1150) / (4 * 400 + 3 * 100)
    forged.recovery.attempts = 2
    lossy = forged_recovery.cost(forged, blank)
    assert lossy and not lossy.waited, "packets were lost and reported"
    assert forged_recovery.row("k1:k1", [cost, lossy]) == ("k1:k1", 2, 6, 0, 0, 1, 1, "0.45")
    assert not forged_recovery.beyond([cost])
    forged.recovery = runs.Recovery(units=3, clocks=3100, round_trip=400, poll_timeout=100, restarts=0, attempts=1)
    late = forged_recovery.cost(forged, blank)
    blank.recovery.look = 49
    assert forged_recovery.beyond([forged_recovery.cost(forged, blank)])
    blank.recovery.look = 50
    assert not forged_recovery.beyond([forged_recovery.cost(forged, blank)]), "rest was seen so much later"
    forged.recovery.restarts = 2
    twice = forged_recovery.cost(forged, blank)
    assert forged_recovery.beyond([cost, late, twice]) == [late, twice]
    forged.recovery.shots = 2
    two_shots = forged_recovery.cost(forged, blank)
    assert not forged_recovery.beyond([two_shots]), "a restart for each shot"
    blank.kind = "stuck"
    assert forged_recovery.cost(forged, blank) is None


def test_links_get_over_forged_units_in_time():
    costs = forged_recovery.measure("wraps:wraps", FIRST, 12)
    assert len(costs) == 12 and sum(cost.units for cost in costs) > 12
    assert any(cost.restarts or cost.extra > 0 for cost in costs), "some forged units delay packets"
    assert not forged_recovery.beyond(costs)


@pytest.mark.full
def test_runs_are_compared_by_the_same_packets():
    """Seed 5053: without its forged units the link delivers 47 packets more before the faults stop. The fresh packets that follow are the same, and take as
    long, to within one look at the registers."""
    (cost,) = forged_recovery.measure("small:small", 5053, 1)
    assert cost.waited and abs(cost.extra) <= cost.look
