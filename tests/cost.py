# SPDX-License-Identifier: Apache-2.0
"""Processor seconds of tests: what a run prints at its end, by folder and for the most costly. Unlike the time on the clock they hardly depend on what
else the machine does. Programs that outlive their test (the JVM that writes Verilog, a fixture's) count where they end."""

import json
import resource
from collections import defaultdict

from arqlink import tree

NAME = "processor seconds"
SHOWN = 20
"""Of the most costly tests."""
REPORT = tree.BUILD / "seconds.json"
"""All of them."""


def now():
    """Processor seconds of this process and of its children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)


class Meter:
    """Of the tests of this process, which run one after the other."""

    def __init__(self):
        self.begin()

    def begin(self):
        self.begun = now()

    def note(self, report):
        """Leaves in a phase's report what was used since the last one."""
        before, self.begun = self.begun, now()
        report.user_properties.append((NAME, self.begun - before))


def of(reports):
    """Test -> processor seconds."""
    tests = defaultdict(float)
    for report in reports:
        for name, value in getattr(report, "user_properties", ()):
            tests[report.nodeid] += value if name == NAME else 0
    return tests


def folder(test):
    """The first two steps of a test's path: tests/live, cocotb_tests/codec."""
    return "/".join(test.partition("::")[0].split("/")[:-1][:2]) or test


def summarize(terminal, path=REPORT):
    """Writes the account, if it is worth one."""
    tests = of(report for reports in terminal.stats.values() for report in reports)
    if sum(tests.values()) < 60:
        return
    path.write_text(json.dumps(dict(sorted(tests.items(), key=lambda item: -item[1])), indent=0) + "\n")
    folders = defaultdict(float)
    for test, seconds in tests.items():
        folders[folder(test)] += seconds
    terminal.section(f"{NAME}: {sum(tests.values()):.0f}")
    terminal.write_line(", ".join(f"{name} {seconds:.0f}" for name, seconds in sorted(folders.items(), key=lambda item: -item[1]) if seconds >= 1))
    for test, seconds in sorted(tests.items(), key=lambda item: -item[1])[:SHOWN]:
        terminal.write_line(f"{seconds:7.1f} {test}")
