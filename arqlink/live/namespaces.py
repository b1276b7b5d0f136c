# SPDX-License-Identifier: Apache-2.0
"""Two network namespaces with a TAP device each, and what an earlier run has left of them."""

import ctypes
import fcntl
import os
import shutil
import signal
import struct
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path

from pyroute2 import IPRoute, netns

from arqlink.errors import UserError

DEVICE = "tap0"
TUN = "/dev/net/tun"
TUNSETIFF, IFF_TUN, IFF_TAP, IFF_NO_PI = 0x400454CA, 0x0001, 0x0002, 0x1000
CLONE_NEWNET = 0x40000000
LOOPBACK = 1
"""Its index in every namespace."""
MARK = "made by arqlink live"
"""Alias of the loopback device in a namespace that is ours. It comes before the namespace has a name, and goes with it."""
LOCKS = Path("/run")
ADDRESSES = ("10.77.0.{}/24", "fd77::{}/64")
"""IPv4 and IPv6, of which the last part is 1 in `a` and 2 in `b`."""
LEAST_MTU, MOST_MTU = 576, 9000
ETHERNET = 14
"""Bytes of a frame beside its packet."""
PR_SET_PDEATHSIG = 1
CAP_NET_ADMIN, CAP_SYS_ADMIN = 12, 21
AGAIN = "ARQLINK_USER_NAMESPACE"
"""Is set where a user namespace has been tried."""


def require(before_again=None):
    """Makes sure that this process may make namespaces. Without the rights it begins anew as root of a user namespace, where the kernel allows
    that, and calls `before_again` first; else it refuses, with what is needed."""
    if not os.path.exists(TUN):
        raise UserError(f"There is no {TUN}; the kernel needs TUN/TAP ('modprobe tun').")
    if not os.access(TUN, os.R_OK | os.W_OK):
        raise UserError(f"{TUN} is closed to this user; run it as root, with sudo.")
    if _is_privileged():
        return
    user = ["unshare", "--user", "--map-root-user", "--net", "--mount", "--propagation", "private"]
    if AGAIN in os.environ or not shutil.which("unshare") or subprocess.run([*user, "true"], capture_output=True, check=False).returncode:
        raise UserError("Network namespaces need root here, as the kernel allows no user namespaces; run it with sudo.")
    os.environ[AGAIN] = "1"
    if before_again:
        before_again()
    # Names of namespaces are files in /run, which only this one sees now.
    script = f'mount -t tmpfs tmpfs {LOCKS} && exec "$@"'
    os.execvp(user[0], [*user, "sh", "-c", script, "sh", sys.executable, "-m", "arqlink", *sys.argv[1:]])


def _is_privileged():
    with open("/proc/self/status") as status:
        held = next(int(line.split()[1], 16) for line in status if line.startswith("CapEff:"))
    return all(held >> capability & 1 for capability in (CAP_NET_ADMIN, CAP_SYS_ADMIN))


@contextmanager
def locked(name):
    """One live link of a name at a time. The lock goes with the process, however it ends, and its file with the link."""
    path = LOCKS / f"arqlink-{name}.lock"
    while True:
        try:
            file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise UserError(f"'{path}' cannot be written: {error.strerror}.") from None
        try:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise UserError(f"A live link '{name}' is running; end it, or give this one another --name.") from None
            if not _is_at(path, file):  # the one before removed it between the two lines above
                continue
            try:
                yield
            finally:
                path.unlink(missing_ok=True)
            return
        finally:
            os.close(file)


def _is_at(path, file):
    """Whether an open file has this path."""
    with suppress(FileNotFoundError):
        return os.path.samestat(os.stat(path), os.fstat(file))
    return False


def die_with_parent():
    """For a child process before it begins: it ends when its parent does, even if that is killed."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


@contextmanager
def inside(name):
    """This thread is in the namespace; what it opens, and the processes that it begins, stay there."""
    other = os.open(f"{netns.NETNS_RUN_DIR}/{name}", os.O_RDONLY | os.O_CLOEXEC)
    try:
        with _back():
            netns.setns(other)
            yield
    finally:
        os.close(other)


@contextmanager
def _back():
    """Brings this thread back to the namespace where it was."""
    own = os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    try:
        yield
    finally:
        netns.setns(own)
        os.close(own)


def make(name):
    """A namespace with our mark, which it has before it has its name: one that is killed in between leaves nothing. A name that is taken is refused."""
    with _back():
        if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), "No namespace can be made")
        with IPRoute() as space:
            space.link("set", index=LOOPBACK, ifalias=MARK)
        try:
            netns.attach(name, threading.get_native_id())
        except FileExistsError:
            raise _foreign(name) from None


def is_ours(name):
    """Whether a namespace has our mark."""
    try:
        with inside(name), IPRoute() as space:
            return next(iter(space.get_links(LOOPBACK))).get_attr("IFLA_IFALIAS") == MARK
    except OSError:  # a file that is no namespace, or it has gone meanwhile
        return False


def _remove_unfinished(name):
    """A name is a plain file until its namespace is bound to it: who is killed in between leaves that, and nothing is in it."""
    path = Path(netns.NETNS_RUN_DIR) / name
    with suppress(FileNotFoundError):
        if path.stat().st_dev != os.stat("/proc/self/ns/net").st_dev:
            path.unlink()


def _foreign(name):
    return UserError(
        f"The network namespace '{name}' is there, and no live link has made it; give this one another --name, or remove it: ip netns delete {name}."
    )


class Pair:
    """Namespaces NAME-a and NAME-b. `taps`: open files of their devices, which are there as long as these are."""

    def __init__(self, name, mtu, queue):
        """`queue`: packets that may wait at a device for the link."""
        self.names = [f"{name}-{side}" for side in "ab"]
        self.taps: list[int] = []
        self._mtu, self._queue = mtu, queue

    def __enter__(self):
        for name in self.names:
            _remove_unfinished(name)
            if name in netns.listnetns() and not is_ours(name):
                raise _foreign(name)
        self.clear()
        try:
            for i, name in enumerate(self.names, 1):
                make(name)
                with inside(name):
                    self.taps.append(open_device(DEVICE, IFF_TAP))
                    self._set_up(i)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for tap in self.taps:
            os.close(tap)
        self.taps.clear()
        self.clear()

    def clear(self):
        """Ends all processes in namespaces of these names that are ours, and removes them."""
        for name in self.names:
            if name not in netns.listnetns() or not is_ours(name):
                continue
            _end_processes(name)
            with suppress(FileNotFoundError):
                netns.remove(name)

    def _set_up(self, number):
        with IPRoute() as space:
            loopback, device = (next(iter(space.link_lookup(ifname=one))) for one in ("lo", DEVICE))
            space.link("set", index=loopback, state="up")
            space.link("set", index=device, mtu=self._mtu, txqlen=self._queue, state="up")
            for address in ADDRESSES:
                host, prefix = address.format(number).split("/")
                # Without duplicate detection an IPv6 address is there at once.
                space.addr("add", index=device, address=host, prefixlen=int(prefix), **({"flags": 0x02} if ":" in host else {}))


def open_device(name, kind):
    """A device of this thread's namespace, of IFF_TAP or IFF_TUN: it is there as long as the file is open."""
    file = os.open(TUN, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        fcntl.ioctl(file, TUNSETIFF, struct.pack("16sH", name.encode(), kind | IFF_NO_PI))
    except BaseException:
        os.close(file)
        raise
    return file


def _end_processes(name, most=2.0):
    """Those in a namespace: asked first, and killed after half of `most` seconds."""
    begun = time.monotonic()
    while processes := [process for process in netns.ns_pids().get(name, []) if process != os.getpid()]:
        late = time.monotonic() - begun
        if late > most:
            return
        for process in processes:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL if late > most / 2 else signal.SIGTERM)
        time.sleep(0.02)
