# SPDX-License-Identifier: Apache-2.0
"""The soft system in simulation: builds `socsim`, starts it, and connects to its UART and its packet streams."""

import os
import signal
import subprocess
import tempfile
import threading
from contextlib import contextmanager

from arqlink import terminals, tree
from arqlink.errors import UserError
from arqlink.model.link_setup import build_limits
from arqlink.rtl import soc, verilator
from arqlink.run import harness, pair_simulator

TOP = "ArqPairSoc"
CONFIG = "montecarlo"
"""The configuration with the most frames in a clock; a window of 2048 frames of up to 16 units of 8 bytes."""
UART_DIVIDER = 0
"""The fastest UART: 8 clocks a bit."""
BOOT_WAIT = 400_000
"""Clocks that the boot loader waits for a download: about a second of real time, in which this program has to answer it."""
PATIENCE_S = 60.0
"""How many seconds an answer of the simulated board may take: it is some 200 times slower than a real one."""
AROUND = (pair_simulator.FOLDER / "socsim.cpp",)
COMMON = (pair_simulator.END / "pipe.cpp", pair_simulator.FOLDER / "packet_format.cpp")


def program(config=CONFIG):
    """Path of the program `socsim` for a configuration, with the firmware in RAM; builds it where necessary."""
    settings = (f"uartDivider={UART_DIVIDER}", f"bootWait={BOOT_WAIT}")
    sources = soc.generate(TOP, config, "firmware", settings)
    folder = tree.BUILD / "sim" / f"soc-{config}"
    options = [*pair_simulator.OPTIONS, f"-DSOC_BIT_CLOCKS={8 * (UART_DIVIDER + 1)}"]
    return verilator.Model(sources, folder).link(AROUND, folder / "socsim", options, uses=[pair_simulator.FOLDER, pair_simulator.END], common=COMMON)


class SocSim:
    """A simulated board that has just been switched on. Use it in a `with` statement: at its end the simulation ends.

    `port` names the UART, which any program may open as a serial port as long as the simulation runs."""

    def __init__(self, program):
        self._delivered, self._lock = [], threading.Lock()
        leader, self._terminal, self.port = terminals.raw_pair()
        packets, self._packets = os.pipe()
        self._deliveries, deliveries = os.pipe()
        # A pipe of errors, which nobody reads before the end, would hold up the program once it is full.
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115
        self._process = subprocess.Popen(
            [str(program), str(packets), str(deliveries)],
            stdin=leader,
            stdout=leader,
            stderr=self._errors,
            pass_fds=(packets, deliveries),
            start_new_session=True,  # Ctrl-C on the terminal is for this program, which ends the simulation itself
        )
        for descriptor in (leader, packets, deliveries):
            os.close(descriptor)
        self._reader = threading.Thread(target=self._collect, daemon=True)
        self._reader.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Ends the simulation; returns how many clocks it has run."""
        if self._terminal is None:
            return None
        self._process.send_signal(signal.SIGTERM)
        code = self._process.wait()
        with self._errors:
            self._errors.seek(0)
            said = self._errors.read().strip()
        for descriptor in (self._terminal, self._packets):
            os.close(descriptor)
        self._terminal = None
        self._reader.join()
        if code:
            raise UserError(said or f"The simulator ended with code {code}.")
        return int(said.splitlines()[-1].split()[1])

    def wait(self):
        """Waits until the simulation ends by itself, which it does only where something goes wrong."""
        self._process.wait()

    def send(self, packets):
        """Offers packets (byte strings) at A, one after the other as fast as the link takes them."""
        data = memoryview(b"".join(map(harness.packet_record, packets)))
        try:
            while data:
                data = data[os.write(self._packets, data) :]
        except BrokenPipeError:
            raise UserError("The simulation has ended.") from None

    def delivered(self):
        """The packets that have left at B since the last call, as harness.Delivery; clocks count from the start."""
        with self._lock:
            packets, self._delivered = self._delivered, []
        return packets

    def _collect(self):
        raw = b""
        while more := os.read(self._deliveries, 1 << 16):
            packets, used = harness.take_deliveries(raw + more)
            raw = (raw + more)[used:]
            with self._lock:
                self._delivered += packets
        os.close(self._deliveries)


@contextmanager
def simulated_board(config=CONFIG):
    """A SocSim of configuration `config`; builds the simulator where necessary."""
    build_limits(config)  # which refuses a name that is none, before anything is built
    with SocSim(program(config)) as board:
        yield board
