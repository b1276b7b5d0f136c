# SPDX-License-Identifier: Apache-2.0
"""The driver's C interface for Python, over ctypes. Field lists follow sw/driver/include."""

import ctypes as c
import functools

from sw.tests import build
from sw.tests.model import EIO

READ = c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_uint32, c.POINTER(c.c_uint32))
WRITE = c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_uint32, c.c_uint32)
u8, u16, u32, u64, boolean = c.c_uint8, c.c_uint16, c.c_uint32, c.c_uint64, c.c_bool

INFINITE = 15
LOG2_ZERO = -(1 << 31)


def structure(name, **fields):
    return type(name, (c.Structure,), {"_fields_": list(fields.items())})


Bus = structure("Bus", read=READ, write=WRITE, context=c.c_void_p)
Limits = structure(
    "Limits",
    data_bytes=u8,
    unit_bytes=u16,
    window_log2=u8,
    max_k=u8,
    max_parity=u8,
    presets=u8,
    counters=u8,
    max_packet_bytes=u16,
    packet_crc=boolean,
)
Block = structure("Block", bus=Bus, base=u32)
Device = structure("Device", at=Block, wait_reads=u32, version=u32, limits=Limits)
Timers = structure("Timers", poll=u32, hello=u32, keepalive=u32, outage_timeout=u32, status_interval=u32)
Status = structure(
    "Status",
    state=c.c_int,
    peer_known=boolean,
    stalled=boolean,
    outage=boolean,
    apply_rejected=boolean,
    own_epoch=u8,
    peer_epoch=u8,
)
Config = structure("Config", k=u8, n_first=u8, n_retx=u8, preset=u8, delta=u8, ordered=boolean, outage_freeze=boolean)
Channel = structure("Channel", at=Block)
ChannelConfig = structure(
    "ChannelConfig",
    enable=boolean,
    outage=boolean,
    gilbert_elliott=boolean,
    spare_control=boolean,
    erasure=c.c_int,
    delay=u32,
    p_good=u32,
    p_bad=u32,
    p_gb=u32,
    p_bg=u32,
    pace=u32,
)
Counts = structure("Counts", units=u32, erased=u32, control_units=u32, control_erased=u32, beats_lost=u32)
CANCELLED = c.CFUNCTYPE(boolean, c.c_void_p)
Selftest = structure("Selftest", packets=u32, packet_bytes=u32, p=u32, wait_reads=u32, cancelled=CANCELLED, context=c.c_void_p)
Result = structure("Result", sent=u32, received=u32, lost=u32, disordered=u32, corrupt=u32, aborted=u32, erased=u32)
Goal = structure(
    "Goal",
    objective=c.c_int,
    log2_loss=c.c_int32,
    k=u8,
    max_parity=u8,
    frames=u32,
    unit_clocks=u32,
    one_way_clocks=u32,
    delay_bound=u32,
)
Choice = structure("Choice", n=u8, delta=u8, met=boolean)
Evidence = structure("Evidence", sent_first=u32, sent_retx=u32, outcomes=u32, failed=u32, k=u8, n_first=u8, n_retx=u8)
Estimate = structure("Estimate", p=u32, p_low=u32, p_high=u32, only_high=boolean)
Tuner = structure(
    "Tuner",
    goal=Goal,
    window=u32,
    estimate=Estimate,
    choice=Choice,
    windows=u32,
    changes=u32,
    mark=u32 * 6,
    evidence=u32 * 4,
    orphans=u32,
    settled=u32,
    setting=u32,
    wins=u8,
    settling=boolean,
    running=boolean,
)


@functools.cache
def library():
    lib = c.CDLL(str(build.library()))
    lib.arqlink_greatest_delay.restype = u64
    lib.arqlink_alpha.restype = u32
    return lib


def bus(pair):
    """The function table over a register model. It has to live as long as the device."""

    def read(_, offset, value):
        found = pair.read(offset)
        if found is None:
            return -EIO
        value[0] = found
        return 0

    return Bus(READ(read), WRITE(lambda _, offset, value: 0 if pair.write(offset, value) else -EIO), None)


def call(name, *arguments):
    """Calls a function of the driver; structures go by reference."""
    return getattr(library(), f"arqlink_{name}")(*(c.byref(a) if isinstance(a, c.Structure) else a for a in arguments))


def probed(pair):
    device = Device()
    assert call("probe", device, bus_of(pair), u32(0)) == 0
    return device


def bus_of(pair):
    if not hasattr(pair, "bus"):
        pair.bus = bus(pair)
    return pair.bus
