"""Gives up, for good, the rights that a worker does not need before it runs a controller (`confine`).

On Linux with libseccomp these are nearly all system calls: no file can be opened, no process or connection begun, no
signal sent. On every system, no file can be opened or grow, and memory (on Linux) and processor time have a limit.
"""

from __future__ import annotations

import ctypes
import resource
import signal
import sys
from typing import Any

import psutil

try:
    import pyseccomp
except (ImportError, RuntimeError, OSError) as error:  # the package is missing, or the system's library under it
    pyseccomp = None
    _MISSING = str(error)
else:
    _MISSING = ""

SECONDS = 600
"""The processor time after which the system ends a worker, should no other process be left to end it."""
_SET_PARENT_DEATH_SIGNAL = 1
"""`PR_SET_PDEATHSIG`."""
_NEW_USER, _NEW_NETWORK = 0x10000000, 0x40000000
"""`CLONE_NEWUSER` and `CLONE_NEWNET`."""
_THREAD = 0x10000
"""`CLONE_THREAD`."""
_EXECUTE = 4
"""`PROT_EXEC`."""
_NOT_PERMITTED, _NO_SUCH_CALL = 1, 38
"""`EPERM` and `ENOSYS`."""
_NEEDED = [
    "read",
    "write",
    "recvfrom",
    "sendto",
    "recvmsg",
    "sendmsg",
    "futex",
    "munmap",
    "mprotect",
    "mremap",
    "brk",
    "madvise",
    "clock_gettime",
    "clock_nanosleep",
    "nanosleep",
    "poll",
    "ppoll",
    "rt_sigreturn",
    "rt_sigprocmask",
    "exit",
    "exit_group",
    "getpid",
    "gettid",
    "getrandom",
    "sched_yield",
    "sched_getaffinity",
    "lseek",
    "fstat",
    "newfstatat",
    "close",
    "set_robust_list",
    "rseq",
    "restart_syscall",
    "membarrier",
    "sigaltstack",
    "gettimeofday",
]
_NEEDED_BY_WEBASSEMBLY = ["mmap", "rt_sigaction", "prctl", "sysinfo", "fcntl", "pkey_mprotect"]
"""Further system calls for wasmtime: its code is compiled at run time, and its faults are signals."""


def confine(memory_bytes: int, *, webassembly: bool) -> tuple[str, ...]:
    """Give up everything that running a program does not need. Returns what was given up, in words for people.

    Args:
        memory_bytes: How much this process may grow from now on.
        webassembly: Whether the program is in a machine of its own: its host then may start threads and map code.
    """
    given_up = _set_limits(memory_bytes, webassembly=webassembly)
    if sys.platform != "linux":
        return given_up
    ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    if why := _refuse_system_calls(webassembly=webassembly):
        has_no_network = ctypes.CDLL(None).unshare(_NEW_USER | _NEW_NETWORK) == 0
        return (*given_up, *(["no network"] if has_no_network else []), f"without seccomp ({why})")
    return (*given_up, "seccomp")


def _set_limits(memory_bytes: int, *, webassembly: bool) -> tuple[str, ...]:
    """Limit files, processor time and, on Linux, memory. Returns the limits in words."""
    limits = ["no new files", "processor time"]
    size: Any = psutil.Process().memory_info()  # while files can still be read
    for kind in (resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE, resource.RLIMIT_CORE):
        resource.setrlimit(kind, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    if sys.platform == "linux":
        # wasmtime reserves gigabytes of address space, so for it only writable memory is limited
        kind, now = (resource.RLIMIT_DATA, size.data) if webassembly else (resource.RLIMIT_AS, size.vms)
        resource.setrlimit(kind, (now + memory_bytes, now + memory_bytes))
        limits.append("memory")
    return tuple(limits)


def _refuse_system_calls(*, webassembly: bool) -> str:
    """Refuse all system calls but the needed ones from now on. Empty if that worked; else why it cannot be done."""
    if pyseccomp is None:
        return _MISSING
    try:
        rules = pyseccomp.SyscallFilter(pyseccomp.ERRNO(_NOT_PERMITTED))
        rules.set_attr(pyseccomp.Attr.CTL_TSYNC, 1)
        for name in (*_NEEDED, *(_NEEDED_BY_WEBASSEMBLY if webassembly else [])):
            rules.add_rule(pyseccomp.ALLOW, name)
        if webassembly:
            rules.add_rule(pyseccomp.ALLOW, "clone", pyseccomp.Arg(0, pyseccomp.MASKED_EQ, _THREAD, _THREAD))
            rules.add_rule(pyseccomp.ERRNO(_NO_SUCH_CALL), "clone3")  # then the C library calls `clone` instead
        else:
            rules.add_rule(pyseccomp.ALLOW, "mmap", pyseccomp.Arg(2, pyseccomp.MASKED_EQ, _EXECUTE, 0))
        rules.load()
    except OSError as error:
        return str(error)
    return ""
