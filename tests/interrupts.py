# SPDX-License-Identifier: Apache-2.0
"""SIGINT for programs that tests start."""

import signal


def hears_ctrl_c():
    """For Popen's preexec_fn: tests may run as a shell's job in the background, which ignores SIGINT, and what they start would ignore it too."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
