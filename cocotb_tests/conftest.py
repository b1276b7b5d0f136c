# SPDX-License-Identifier: Apache-2.0
"""Says at the end of a run which statistical tests a first seed rejected and a second one accepted."""

from cocotb_tests.statistics.sampling import SECOND_RUN


def pytest_terminal_summary(terminalreporter):
    texts = [text for report in terminalreporter.getreports("passed") for name, text in report.user_properties if name == SECOND_RUN]
    if texts:
        terminalreporter.section(SECOND_RUN)
        for text in texts:
            terminalreporter.write_line(text)
