# SPDX-License-Identifier: Apache-2.0
"""What a configuration was built with: by the committed contract, which the Verilog's own header has to agree with."""

import json
import os
import re
from dataclasses import dataclass, fields
from pathlib import Path

from arqlink.tree import CONFIGS

HEADER_AND_CRC, CONTROL_BYTES = 16, 32
"""Bytes of a unit beside its payload, and of a control unit."""


@dataclass(frozen=True)
class Limits:
    """Names and values of rtl/regs/configs.json; there and here: K, N and delta are those after reset."""

    data_bytes: int
    unit_bytes: int
    max_k: int
    max_parity: int
    window_frames: int
    max_packet_bytes: int
    packet_crc: int
    k: int
    n_first: int
    n_retx: int
    delta: int

    @property
    def crc_bytes(self):
        """Bytes that go with each packet."""
        return 4 * self.packet_crc

    @property
    def unit_beats(self):
        """Beats of a unit's payload."""
        return self.unit_bytes // self.data_bytes

    @property
    def data_unit_beats(self):
        return (self.unit_bytes + HEADER_AND_CRC) // self.data_bytes

    @property
    def chosen_ahead(self):
        """Frames that are chosen and have not begun to leave, at most: each has a unit or more (docs/arq_sender.md, "Timing")."""
        return -(-33 // self.data_unit_beats)

    @property
    def chosen_before_nack(self):
        """New frames that may begin after a NACK came and before its retransmission: those chosen ahead, and one for each 60 clocks of the line or less."""
        return self.chosen_ahead + 1 - (-60 // self.data_unit_beats)

    @property
    def control_unit_beats(self):
        return CONTROL_BYTES // self.data_bytes


def said_by(verilog):
    """What a generated Verilog file says about itself in its header: NAME = VALUE (meaning), a comment each."""
    said = dict(re.findall(r"^// (\w+) = (\d+)\b", Path(verilog).read_text().split("\nmodule ", 1)[0], re.M))
    camel_case = {f.name: re.sub("_(.)", lambda letter: letter[1].upper(), f.name) for f in fields(Limits)}
    return Limits(**{name: int(said[key]) for name, key in camel_case.items()})


def built():
    """Limits of what is being simulated (rtl.run sets it). Configurations that only tests have are not in the contract."""
    limits = said_by(os.environ["ARQLINK_VERILOG"])
    config = os.environ["ARQLINK_CONFIG"]
    contract = json.loads(CONFIGS.read_text()).get(config)
    assert contract in (None, vars(limits)), f"{config}: the contract says {contract}, the Verilog {limits}"
    return limits
