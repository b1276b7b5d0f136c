# SPDX-License-Identifier: Apache-2.0
"""The driver on a register model, with faults."""

import pytest

from arqlink.rtl.registers import contract
from sw.tests import driver
from sw.tests.driver import as_dict, call, new, number, probed
from sw.tests.model import Pair, comes_up

EIO, EBUSY, ENODEV, EINVAL, ERANGE, EPROTO, ENETDOWN, ETIMEDOUT, EREMOTEIO, ECANCELED = 5, 16, 19, 22, 34, 71, 100, 110, 121, 125
BUS_ERRORS = [*range(-1, -134, -1), -(1 << 31), 1, EINVAL]
"""What a bus may return: every errno of Linux, and what is none."""
SOME_BUS_ERRORS = [-1, -EINVAL, -ERANGE, -ETIMEDOUT, -ECANCELED, 1]


@pytest.fixture
def pair():
    return Pair()


@pytest.fixture
def device(pair):
    return probed(pair)


def config_of(device):
    config = new("config")
    assert call("get_config", device, config) == 0
    return as_dict(config)


def test_probe_reads_the_limits_and_changes_nothing(pair):
    device = probed(pair)
    assert as_dict(device.limits) == dict(
        data_bytes=4, unit_bytes=8, window_log2=11, max_k=16, max_parity=8, presets=7,
        counters=len(contract().COUNTERS), max_packet_bytes=9216, packet_crc=True,
    )  # fmt: skip
    assert pair.log == []


@pytest.mark.parametrize(
    "register, value, error",
    [
        ("ID", 0x12345678, ENODEV),
        ("ID", 0, ENODEV),
        ("VERSION", 0x00010100, EPROTO),
        ("VERSION", 0x00000200, EPROTO),
        ("BUILD1", 0, EPROTO),
        ("BUILD0", 0, EPROTO),
    ],
)
def test_probe_refuses(pair, register, value, error):
    pair.a.values[register] = value
    device = new("device")
    assert call("probe", device, driver.bus_of(pair), 0) == -error
    assert device.version == 0  # untouched


def test_probe_takes_another_patch_level(pair):
    pair.a.values["VERSION"] ^= 0xFF
    probed(pair)


def test_probe_finds_link_b_by_its_base(pair):
    pair.blocks["b"].put("BUILD1", max_k=7)
    device = new("device")
    assert call("probe", device, driver.bus_of(pair), 0x1000) == 0 and device.limits.max_k == 7
    assert call("probe", device, driver.bus_of(pair), 0x2000) == -ENODEV
    assert call("probe", device, driver.bus_of(pair), 0x9000) == -EIO


def test_init_start_stop_restart(pair, device):
    pair.a.values["ERROR"] = 0x3FFFF
    pair.a.values["IRQ_ENABLE"] = 0x1
    assert call("init", device) == 0
    assert (pair.a.values["CTRL"] & 1, pair.a.values["IRQ_ENABLE"], pair.a.values["ERROR"]) == (0, 0, 0)
    assert call("restart", device) == -ENETDOWN
    assert call("start", device) == 0 and pair.a.values["CTRL"] & 1
    pair.log.clear()
    assert call("restart", device) == 0 and pair.log == [(0x14, 3)]
    assert call("stop", device) == 0 and not pair.a.values["CTRL"] & 1


def test_status(pair, device):
    pair.a.put("STATUS", state=4, outage=1, stalled=1)
    pair.a.put("EPOCH", own=7, peer=9)
    status = new("status")
    assert call("get_status", device, status) == 0
    assert as_dict(status) == dict(state=4, peer_known=True, stalled=True, outage=True, apply_rejected=False, own_epoch=7, peer_epoch=9)


@pytest.mark.parametrize("state", [5, 6, 7])
def test_a_state_that_is_not_known_is_refused(pair, device, state):
    status = new("status", state=3, own_epoch=77)
    pair.a.put("STATUS", state=state)
    assert call("get_status", device, status) == -EPROTO and (status.state, status.own_epoch) == (3, 77)
    assert call("wait_up", device, 1000000) == -EPROTO and not pair.sleeps


GEO = 1100000
"""Microseconds until a link over a geostationary satellite is up: a hello there, its answer, and a hello back."""


@pytest.mark.parametrize("sleeps", [True, False])
@pytest.mark.parametrize("wait, result", [(GEO + 1100, 0), (GEO - 1100, -ETIMEDOUT)])
def test_wait_up_waits_for_a_time(pair, sleeps, wait, result):
    """Whatever an access takes, and whether the bus can sleep; the clock wraps meanwhile."""
    if not sleeps:
        driver.bus_of(pair).sleep = driver.ffi().NULL
        pair.access_time = 400
    device = probed(pair)
    comes_up(pair, GEO)
    begin = pair.microseconds
    assert call("wait_up", device, wait) == result
    assert min(wait, GEO) <= pair.microseconds - begin < min(wait, GEO) + 2000
    assert all(0 < time <= 1000 for time in pair.sleeps) and (len(pair.sleeps) > 1000) == sleeps


def test_wait_up_looks_at_once_and_once_more_at_the_end(pair, device):
    assert call("wait_up", device, 0) == 0 and not pair.sleeps
    comes_up(pair, 500)
    assert call("wait_up", device, 600) == 0
    pair.sleep = lambda _: setattr(pair, "microseconds", pair.microseconds + 10_000_000)  # others had the CPU
    comes_up(pair, 5_000_000)
    assert call("wait_up", device, 1000) == 0


def test_what_waits_needs_a_clock(pair):
    driver.bus_of(pair).now = driver.ffi().NULL
    device = probed(pair)
    pair.accesses = 0
    assert call("wait_up", device, 1000) == -EINVAL
    assert call("selftest_run", device, new("selftest", *TEST), new("selftest_result")) == -EINVAL
    assert pair.accesses == 0


def test_timers(pair, device):
    timers = new("timers", 1000, 200, 300, 1200, 5)
    assert call("set_timers", device, timers) == 0
    read = new("timers")
    assert call("get_timers", device, read) == 0 and as_dict(read) == as_dict(timers)
    before = pair.settings()
    for bad in [(0, 1, 1, 0, 0), (1, 0, 1, 0, 0), (1, 1, 301, 1200, 0), (1, 1, 0, 1200, 0)]:
        assert call("set_timers", device, new("timers", *bad)) == -EINVAL
    assert pair.settings() == before
    assert call("set_timers", device, new("timers", 1, 1, 0, 0, 0)) == 0


def test_the_number_of_the_link(pair, device):
    before = pair.settings()
    assert call("set_link_number", device, 4) == -EINVAL and pair.settings() == before
    pair.log.clear()
    assert call("set_link_number", device, 2) == 0 and pair.log == [(0x3C, 2)]


def test_code_persistency_order_preset(pair, device):
    assert call("set_code", device, 8, 9, 16) == 0
    assert call("set_persistency", device, 3) == 0
    assert call("set_ordered", device, False) == 0
    assert call("set_preset", device, 2) == 0
    assert call("set_outage_freeze", device, False) == 0
    assert config_of(device) == dict(k=8, n_first=9, n_retx=16, preset=2, delta=3, ordered=False, outage_freeze=False)
    assert call("set_persistency", device, driver.library().INFINITE) == 0 and config_of(device)["delta"] == 15


@pytest.mark.parametrize("code", [(0, 1, 1), (17, 17, 17), (8, 7, 8), (8, 8, 7), (8, 17, 8), (8, 8, 17), (256 + 8, 10, 10), (8, 256 + 8, 8), (8, 8, 264)])
def test_a_code_beyond_the_limits_touches_nothing(pair, device, code):
    before = pair.settings()
    assert call("set_code", device, *code) == -EINVAL
    assert pair.settings() == before and pair.a.applied == 0


def test_other_values_beyond_the_limits(pair, device):
    pair.log.clear()
    assert call("set_persistency", device, 16) == -EINVAL
    assert call("set_preset", device, 3) == -EINVAL
    device.limits.presets = 1
    assert call("set_preset", device, 1) == -EINVAL
    assert pair.log == []


def test_a_rejected_setting_leaves_everything_as_it_was(pair, device):
    pair.a.values["CODE"] ^= 0x0101  # somebody staged something
    before, active = pair.settings(), config_of(device)
    pair.a.reject = True
    assert call("set_code", device, 4, 6, 6) == -EINVAL
    assert pair.settings() == before and config_of(device) == active


def test_an_ignored_apply_is_noticed(pair, device):
    before = pair.settings()
    pair.a.ignore_apply = True
    assert call("set_persistency", device, 2) == -EREMOTEIO
    assert pair.settings() == before


@pytest.mark.parametrize("error", BUS_ERRORS)
def test_no_bus_error_leaves_half_a_setting(pair, device, error):
    """Whichever access fails, and whatever the bus says, the old setting is active afterwards, and the staged one is as before."""
    old, staged = config_of(device), pair.settings()
    seen = set()
    for fail in range(1, 12):
        trial = Pair()
        unit = probed(trial)
        trial.accesses, trial.fail_at, trial.error = 0, fail, error
        result = call("set_code", unit, 4, 6, 7)
        trial.fail_at = None
        if result:
            assert config_of(unit) == old and trial.settings() == staged, fail
        else:
            assert config_of(unit) == {**old, "k": 4, "n_first": 6, "n_retx": 7}
        assert result == (-EIO if fail <= 10 else 0)
        seen.add(result)
    assert seen == {0, -EIO}


CALLS = {
    "init": lambda: (),
    "start": lambda: (),
    "stop": lambda: (),
    "restart": lambda: (),
    "get_timers": lambda: (new("timers"),),
    "set_timers": lambda: (new("timers", 1000, 200, 300, 1200, 5),),
    "get_status": lambda: (new("status"),),
    "set_link_number": lambda: (2,),
    "wait_up": lambda: (1000,),
    "get_config": lambda: (new("config"),),
    "set_config": lambda: (new("config", 8, 10, 10, 1, 3, True, True),),
    "set_code": lambda: (8, 9, 10),
    "set_persistency": lambda: (3,),
    "set_ordered": lambda: (False,),
    "set_preset": lambda: (2,),
    "set_outage_freeze": lambda: (False,),
    "read_selected": lambda: (False, [3, 1], 2, driver.ffi().new("uint64_t[2]")),
    "read_counters": lambda: (True, new("counters")),
    "irq_enable": lambda: (1,),
    "irq_enabled": lambda: (number(32),),
    "irq_pending": lambda: (number(32),),
    "irq_ack": lambda: (1,),
    "set_threshold": lambda: (3, 1 << 33),
}
CHANNEL_CALLS = {
    "channel_get": lambda: (new("channel_config"),),
    "channel_set": lambda: (new("channel_config", True, False, True, True, 3, 1000, 1, 2, 3, 4, 5),),
    "channel_set_loss": lambda: (7,),
    "channel_set_outage": lambda: (True,),
    "channel_seed": lambda: (7,),
    "channel_get_counts": lambda: (new("channel_counts"),),
}


@pytest.mark.parametrize("error", SOME_BUS_ERRORS)
@pytest.mark.parametrize("name", [*CALLS, *CHANNEL_CALLS, "probe", "channel_probe"])
def test_every_error_of_the_bus_is_eio(name, error):
    """At each access of each call, so that no error of the bus can be taken for one of the driver."""
    fail, result = 0, -EIO
    while result:
        pair, fail = Pair(), fail + 1
        bus, on = driver.bus_of(pair), probed(pair)
        if name in CHANNEL_CALLS:
            on = new("channel")
            assert call("channel_probe", on, bus, 0x2000) == 0
        pair.accesses, pair.fail_at, pair.error = 0, fail, error
        if name == "probe" or name == "channel_probe":
            result = call(name, new(name.replace("probe", "device").removesuffix("_device")), bus, 0x2000 if "_" in name else 0)
        else:
            result = call(name, on, *(CALLS | CHANNEL_CALLS)[name]())
        assert result == (-EIO if pair.accesses >= fail else 0), fail
    assert fail > 1


def test_counters(pair, device):
    names = list(contract().COUNTERS)
    pair.a.live = {name: (i << 40) + i + 1 for i, name in enumerate(names)}
    values = new("counters")
    assert call("read_counters", device, True, values) == 0
    assert list(values.value) == [(i << 40) + i + 1 for i in range(len(names))]
    assert set(pair.a.live.values()) == {0}


def selected(device, names, clear=False):
    values = driver.ffi().new(f"uint64_t[{len(names)}]")
    indices = [list(contract().COUNTERS).index(name) for name in names]
    assert call("read_selected", device, clear, indices, len(names), values) == 0
    return list(values)


def test_selected_counters_are_of_one_snapshot(pair, device):
    """All of them count on with each access."""
    read = pair.a.read

    def counting(offset):
        pair.a.live = {name: value + 1 for name, value in pair.a.live.items()}
        return read(offset)

    pair.a.live = dict.fromkeys(pair.a.live, (7 << 32) - 20)
    pair.a.read = counting
    first, *others = selected(device, ["rx_packets", "tx_packets", "link_outages", "rx_packets"])
    assert others == [first] * 3 and first > (7 << 32) - 20
    assert selected(device, ["tx_packets"])[0] > first


def test_selected_counters_are_cleared_with_all_others(pair, device):
    pair.a.live = dict.fromkeys(pair.a.live, 5)
    assert selected(device, ["tx_retx"], clear=True) == [5] and set(pair.a.live.values()) == {0}
    pair.a.live = dict.fromkeys(pair.a.live, 5)
    null = driver.ffi().NULL
    assert call("read_selected", device, True, null, 0, null) == 0 and set(pair.a.live.values()) == {0}


def test_a_counter_that_does_not_exist_costs_no_snapshot(pair, device):
    pair.log.clear()
    assert call("read_selected", device, True, [0, len(contract().COUNTERS)], 2, driver.ffi().new("uint64_t[2]")) == -EINVAL
    assert pair.log == []


@pytest.mark.parametrize("busy", ["before", "after"])
def test_a_stuck_snapshot_times_out(pair, device, busy):
    """Longer than any build takes, and not for ever. One that is under way would swallow the request, so there is none."""
    pair.a.busy_reads = None
    if busy == "before":
        pair.a.busy = None
    pair.log.clear()
    before = pair.accesses
    assert call("read_counters", device, False, new("counters")) == -ETIMEDOUT
    assert 500 < pair.accesses - before < 2000
    assert len(pair.log) == (busy == "after")


def test_interrupts(pair, device):
    everything = sum(1 << f.shift for f in contract().ARQLINK["ERROR"].fields.values())
    events = number(32)
    assert call("irq_enable", device, everything) == 0
    assert call("irq_enabled", device, events) == 0 and events[0] == everything
    for bad in (everything + 1, 1 << 31):
        assert call("irq_enable", device, bad) == -EINVAL and call("irq_ack", device, bad) == -EINVAL
    pair.a.put("ERROR", link_up=1, outage=1)
    assert call("irq_pending", device, events) == 0 and events[0] == 0x3000
    assert call("irq_ack", device, 0x1000) == 0 and pair.a.values["ERROR"] == 0x2000


def test_threshold_passes_through_no_value_below_the_wanted_one(pair, device):
    pair.a.values |= {"THRESHOLD_LOW": 5, "THRESHOLD_HIGH": 1, "THRESHOLD_COUNTER": 3}
    seen = []
    written = pair.a.written

    def note(name, value):
        written(name, value)
        seen.append((pair.a.values["THRESHOLD_HIGH"] << 32) + pair.a.values["THRESHOLD_LOW"])

    pair.a.written = note
    wanted = (1 << 34) + 7
    assert call("set_threshold", device, 12, wanted) == 0
    assert seen[-1] == wanted and min(seen) == wanted and pair.a.values["THRESHOLD_COUNTER"] == 12
    assert call("set_threshold", device, len(contract().COUNTERS), 1) == -EINVAL


@pytest.fixture
def channel(pair):
    found = new("channel")
    assert call("channel_probe", found, driver.bus_of(pair), 0x2000) == 0
    return found


def test_channel(pair, channel):
    wrong = new("channel")
    assert call("channel_probe", wrong, driver.bus_of(pair), 0) == -ENODEV
    config = new("channel_config", True, False, True, True, 3, 1000, 1, 2, 3, 4, 5)
    assert call("channel_set", channel, config) == 0
    read = new("channel_config")
    assert call("channel_get", channel, read) == 0 and as_dict(read) == as_dict(config)
    assert pair.ab.delays_written == 1
    assert call("channel_set", channel, config) == 0 and pair.ab.delays_written == 1  # a write would empty it
    before = pair.settings()
    for field, bad in {"erasure": 4, "delay": 3}.items():
        changed = new("channel_config", **as_dict(config))
        setattr(changed, field, bad)
        assert call("channel_set", channel, changed) == -EINVAL and pair.settings() == before
    changed = new("channel_config", **as_dict(config))
    changed.delay = 1 << 20  # beyond the built depth
    assert call("channel_set", channel, changed) == -EINVAL and pair.settings() == before
    assert pair.ab.delays_written == 1  # to write it and then the old one would empty the channel twice


def test_channel_loss_and_outage(pair, channel):
    pair.ab.put("CTRL", gilbert_elliott=1, spare_control=1)
    assert call("channel_set_loss", channel, 12345) == 0
    assert pair.ab.values["P_GOOD"] == 12345 and pair.ab.values["CTRL"] == 0b1001
    assert call("channel_set_outage", channel, True) == 0 and pair.ab.values["CTRL"] == 0b1011
    assert call("channel_set_outage", channel, False) == 0 and call("channel_set_loss", channel, 0) == 0
    assert pair.ab.values["CTRL"] == 0b1000
    pair.ab.values |= {"UNITS": 9, "ERASED": 8, "CONTROL_UNITS": 7, "CONTROL_ERASED": 6, "BEATS_LOST": 5}
    counts = new("channel_counts")
    assert call("channel_get_counts", channel, counts) == 0 and list(as_dict(counts).values()) == [9, 8, 7, 6, 5]


TEST = (20, 100, 1 << 28, 30)


def test_selftest_passes_and_restores(pair, device):
    pair.ab.put("CTRL", outage=1)
    pair.traffic.values["GAP"] = 77
    call("set_persistency", device, 2)
    before = pair.settings()
    result = new("selftest_result")
    assert call("selftest_run", device, new("selftest", *TEST), result) == 0
    assert as_dict(result) == dict(sent=20, received=20, lost=0, disordered=0, corrupt=0, aborted=0, erased=20)
    assert pair.settings() == before and config_of(device)["delta"] == 2


@pytest.mark.parametrize(
    "fault, error",
    [
        ({"LOST": 1}, EREMOTEIO),
        ({"DISORDERED": 1}, EREMOTEIO),
        ({"CORRUPT": 1}, EREMOTEIO),
        ({"ABORTED": 1}, EREMOTEIO),
        ({"RECEIVED": 1}, EREMOTEIO),
        ({"ERASED": -20}, EREMOTEIO),
        ({"RECEIVED": -1}, ETIMEDOUT),
    ],
)
def test_selftest_fails_and_restores(pair, device, fault, error):
    before = pair.settings()
    pair.traffic.fault = fault
    result = new("selftest_result")
    assert call("selftest_run", device, new("selftest", *TEST), result) == -error
    assert result.sent == 20
    assert pair.settings() == before


@pytest.mark.parametrize("polls", [1, 7])
def test_selftest_can_be_stopped(pair, device, polls):
    before = pair.settings()
    pair.traffic.fault = {"RECEIVED": -1}  # it would wait
    asked = []

    def cancelled(context):
        asked.append(int(driver.ffi().cast("uintptr_t", context)))
        return len(asked) == polls

    stop = driver.function("selftest", "cancelled", cancelled)
    result = new("selftest_result")
    assert call("selftest_run", device, new("selftest", *TEST[:3], 100000, stop, driver.ffi().cast("void *", 4752)), result) == -ECANCELED
    assert asked == [4752] * polls and result.sent == 20
    assert pair.settings() == before


@pytest.mark.parametrize("wait, result", [(11500, 0), (8500, -ETIMEDOUT)])
def test_selftest_waits_as_long_as_packets_come(pair, device, monkeypatch, wait, result):
    """One packet in ten milliseconds."""
    checker, received, begin = pair.blocks["traffic_b"], contract().ARQTRAF["RECEIVED"].offset, pair.microseconds
    at_once = checker.read

    def read(offset):
        if offset == received:
            checker.values["RECEIVED"] = (pair.microseconds - begin) // 10000
        return at_once(offset)

    monkeypatch.setattr(checker, "read", read)
    assert call("selftest_run", device, new("selftest", 20, 100, 1 << 28, wait), new("selftest_result")) == result
    passed = pair.microseconds - begin
    assert 200000 <= passed < 202000 if result == 0 else wait <= passed < wait + 2000
    assert all(0 < time <= 1000 for time in pair.sleeps)


def test_selftest_counts_what_the_channel_erased_meanwhile(pair, device):
    """The channel's count goes on from where it was, and wraps."""
    pair.ab.values["ERASED"] = (1 << 32) - 7
    take = pair.traffic.written

    def written(name, value):
        take(name, value)
        pair.ab.values["ERASED"] %= 1 << 32

    pair.traffic.written = written
    result = new("selftest_result")
    assert call("selftest_run", device, new("selftest", *TEST), result) == 0 and result.erased == 20


def test_selftest_refuses(pair, device):
    result = new("selftest_result")
    for bad in [(0, 100, 1, 1), (1, 7, 1, 1), (1, 9217, 1, 1), (1, 8, 0, 1), (1, 8, 1, 0)]:
        assert call("selftest_run", device, new("selftest", *bad), result) == -EINVAL
    pair.log.clear()
    pair.traffic.put("CTRL", generate=1)
    assert call("selftest_run", device, new("selftest", *TEST), result) == -EBUSY
    pair.a.put("STATUS", state=4)
    assert call("selftest_run", device, new("selftest", *TEST), result) == -ENETDOWN
    pair.blocks["traffic_b"].values["ID"] = 0
    assert call("selftest_run", device, new("selftest", *TEST), result) == -ENODEV
    assert pair.log == []


@pytest.mark.parametrize("error", SOME_BUS_ERRORS)
def test_selftest_survives_a_bus_error_anywhere(pair, device, error):
    """The error is reported, and what can be restored is."""
    result = new("selftest_result")
    pair.accesses = 0
    assert call("selftest_run", device, new("selftest", *TEST), result) == 0
    total = pair.accesses
    for fail in range(1, total + 1):
        pair.accesses, pair.fail_at, pair.error = 0, fail, error
        assert call("selftest_run", device, new("selftest", *TEST), result) == -EIO, fail
        assert result.erased in (0, 20), fail
        fresh = Pair()
        pair.__dict__.update(fresh.__dict__)
