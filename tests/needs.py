# SPDX-License-Identifier: Apache-2.0
"""What some tests need of the machine: `@pytest.mark.needs("namespaces")`. Where it is missing they fail, and say how to get it.

ARQLINK_WITHOUT=namespaces,bbr leaves them out; the run's summary says how many.
"""

import functools
import os
import shutil
import socket
import subprocess

import pytest

WITHOUT_RIGHTS = ["setpriv", "--bounding-set=-net_admin,-sys_admin", "--inh-caps=-all"]
LEFT_OUT = "left out by ARQLINK_WITHOUT"


def succeeds(*command):
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


def has_namespaces():
    if os.geteuid() != 0 or not os.path.exists("/dev/net/tun") or not shutil.which("ip"):
        return False
    name = f"arq{os.getpid():x}-try"
    return succeeds("ip", "netns", "add", name) and succeeds("ip", "netns", "del", name)


def has_user_namespaces():
    return bool(shutil.which("setpriv")) and succeeds(*WITHOUT_RIGHTS, "unshare", "--user", "--map-root-user", "--net", "--mount", "true")


def has_bbr():
    with socket.socket() as tried:
        try:
            tried.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"bbr")  # root has the kernel load it
        except OSError:
            return False
    return True


NEEDS = {
    "namespaces": (has_namespaces, "network namespaces and /dev/net/tun: run as root, a container with --privileged --device /dev/net/tun"),
    "user-namespaces": (has_user_namespaces, "user namespaces without rights: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0 (Ubuntu)"),
    "bbr": (has_bbr, "the kernel's TCP congestion control bbr: modprobe tcp_bbr"),
}
"""What can be needed: whether it is there, and the words for it with how to get it."""


@functools.cache
def is_there(name):
    return NEEDS[name][0]()


def left_out():
    names = set(filter(None, os.environ.get("ARQLINK_WITHOUT", "").split(",")))
    if names - set(NEEDS):
        raise pytest.UsageError(f"ARQLINK_WITHOUT names {', '.join(sorted(names - set(NEEDS)))}; it may name {', '.join(NEEDS)}.")
    return names


def meet(item):
    for marker in item.iter_markers("needs"):
        for name in marker.args:
            if name in left_out():
                pytest.skip(f"{LEFT_OUT}: {name}")
            if not is_there(name):
                pytest.fail(f"This test needs {NEEDS[name][1]}. ARQLINK_WITHOUT={name} leaves such tests out.", pytrace=False)


def summarize(terminal):
    skipped = [report for report in terminal.getreports("skipped") if LEFT_OUT in str(report.longrepr)]
    if skipped:
        terminal.section("not run")
        terminal.write_line(f"{len(skipped)} tests {LEFT_OUT}={os.environ['ARQLINK_WITHOUT']}")
