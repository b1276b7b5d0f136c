# SPDX-License-Identifier: Apache-2.0
"""Drives RsEncoder or RsDecoder: jobs, units in, units out, each with its own readiness."""

from cocotb.triggers import Timer

from cocotb_tests.lib.limits import built
from tests import seeds


class Bench:
    """One block and its clock, which `step` drives: inputs change while it is low, handshakes are sampled before it rises."""

    def __init__(self, dut):
        self.dut = dut
        limits = built()
        self.width, self.unit_bytes, self.max_k, self.max_parity = limits.data_bytes, limits.unit_bytes, limits.max_k, limits.max_parity
        self.beats = limits.unit_beats
        self.rng = seeds.rng("jobs")
        self.clock = 0
        self.unstable = None

    def random_unit(self):
        return self.rng.randbytes(self.unit_bytes)

    async def _edge(self):
        self.dut.aclk.value = 1
        await Timer(5, "ns")
        self.dut.aclk.value = 0
        self.clock += 1

    async def reset(self):
        d = self.dut
        d.aclk.value = 0
        d.aresetn.value = 0
        d.job_valid.value = 0
        d.s_axis_tvalid.value = 0
        d.s_axis_tlast.value = 0
        d.m_axis_tready.value = 0
        for _ in range(3):
            await Timer(5, "ns")
            await self._edge()
        d.aresetn.value = 1
        self.unstable = None

    async def run(self, jobs, units, count, job=1.0, source=1.0, sink=1.0, stop_after=None, timeout=4000):
        """Offers `jobs` (dicts of job_* values) and `units` (bytes) and returns `count` units and the clocks of all
        events; `job`, `source`, `sink`: probability that each is ready in a clock. `stop_after` ends after that many clocks.
        `timeout`: clocks without any handshake.
        """
        d, rng = self.dut, self.rng
        jobs = iter(jobs)
        width = self.width
        beats = [(int.from_bytes(u[i : i + width], "little"), i + width == len(u)) for u in units for i in range(0, len(u), width)]
        unit, result = bytearray(), []
        events = {"job": [], "in": [], "out": []}
        next_job, job_valid = next(jobs, None), False
        position, in_valid = 0, False
        idle = 0
        sink_ready = None
        started = self.clock
        while len(result) < count:
            if stop_after is not None and self.clock - started >= stop_after:
                break
            if not job_valid and next_job is not None and (job >= 1 or rng.random() < job):
                job_valid = True
                for name, value in next_job.items():
                    getattr(d, f"job_{name}").value = value
                d.job_valid.value = 1
            if not in_valid and position < len(beats) and (source >= 1 or rng.random() < source):
                in_valid = True
                d.s_axis_tdata.value, last = beats[position]
                d.s_axis_tlast.value = int(last)
                d.s_axis_tvalid.value = 1
            ready = sink >= 1 or rng.random() < sink
            if ready != sink_ready:
                d.m_axis_tready.value = int(ready)
                sink_ready = ready
            await Timer(5, "ns")
            idle += 1
            job_fire = job_valid and int(d.job_ready.value) == 1
            in_fire = in_valid and int(d.s_axis_tready.value) == 1
            valid = int(d.m_axis_tvalid.value) == 1
            payload = (int(d.m_axis_tdata.value), int(d.m_axis_tlast.value)) if valid else None
            assert self.unstable in (None, payload), "payload changed before it was accepted" if valid else "tvalid was dropped before tready"
            self.unstable = None if ready else payload
            if payload and ready:
                idle = 0
                events["out"].append(self.clock)
                unit += payload[0].to_bytes(width, "little")
                assert payload[1] == (len(unit) == self.unit_bytes), "tlast is not at the unit's end"
                if payload[1]:
                    result.append(bytes(unit))
                    unit.clear()
            if in_fire:
                idle = 0
                events["in"].append(self.clock)
            if job_fire:
                idle = 0
                events["job"].append(self.clock)
            await self._edge()
            if job_fire:
                job_valid = False
                next_job = next(jobs, None)
                d.job_valid.value = 0
            if in_fire:
                in_valid = False
                position += 1
                d.s_axis_tvalid.value = 0
            assert idle < timeout, f"stuck: {position} beats in, {len(result)} units out"
        if stop_after is None:
            assert position == len(beats) and next_job is None, "the output came before all input was accepted"
        return result, events

    async def expect_idle(self, clocks=200):
        """Nothing may leave without a reason."""
        d = self.dut
        d.m_axis_tready.value = 1
        for _ in range(clocks):
            await Timer(5, "ns")
            assert int(d.m_axis_tvalid.value) == 0, "a beat left that nobody asked for"
            await self._edge()


def rate(events, skip):
    """Beats a clock at the output, from beat number `skip` on."""
    clocks = events["out"][skip:]
    return (len(clocks) - 1) / (clocks[-1] - clocks[0])
