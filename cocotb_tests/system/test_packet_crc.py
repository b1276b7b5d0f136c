# SPDX-License-Identifier: Apache-2.0
"""Whole links built with packetCrc, with the longest packet that the window holds at K = 1."""

import pytest

from cocotb_tests.lib import rtl
from tests.effort import slow_in_full

FILTERS = {
    "tb_random": r"random_scenario",
    "tb_events": r"bad_packets|too_long|restart_in_traffic.*at=(2500|2777)",
}


@pytest.mark.parametrize("bench", slow_in_full(FILTERS, slow=FILTERS))
def test_pair(bench):
    rtl.run("ArqPair", "crc4", f"cocotb_tests.system.{bench}", parameters={"COCOTB_TEST_FILTER": FILTERS[bench]})


@pytest.mark.parametrize("config", slow_in_full(["crc4", "crc1", "crc8"], slow={"crc1", "crc8"}))
def test_end(config):
    rtl.run("ArqLink", config, "cocotb_tests.system.tb_packet_crc", quick=True)


PEERS = {"crc4": r"random_traffic|another_build|peer_reboots", "crc8": r"random_traffic|peer_reboots"}


@pytest.mark.parametrize("config", slow_in_full(PEERS, slow={"crc8"}))
def test_peer(config):
    rtl.run("ArqLink", config, "cocotb_tests.system.tb_peer", parameters={"COCOTB_TEST_FILTER": PEERS[config]}, quick=True)
