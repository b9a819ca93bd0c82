"""The rights that a worker gives up before it runs a controller, for good.

On Linux with libseccomp nearly all system calls: no file can be opened, no process or connection begun, no signal sent.
Everywhere: no new files, no large ones, and a limit on memory and processor time. The limits in force are reported.
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
"""Processor time after which a worker ends, should no other process be left to end it."""
_SET_PARENT_DEATH_SIGNAL = 1
_NEW_USER, _NEW_NETWORK = 0x10000000, 0x40000000
_THREAD = 0x10000
_EXECUTE = 4
_NOT_PERMITTED, _NO_SUCH_CALL = 1, 38
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
"""Its code is compiled at run time, and its faults are signals."""


def confine(memory_bytes: int, *, webassembly: bool) -> tuple[str, ...]:
    """Give up everything that running a program does not need; what was given up, for people.

    Args:
        memory_bytes: How much this process may grow from now on.
        webassembly: Whether the program is in a machine of its own: its host then may start threads and map code.
    """
    done = _limits(memory_bytes, webassembly=webassembly)
    if sys.platform != "linux":
        return done
    ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    if why := _filter(webassembly=webassembly):
        unshared = ctypes.CDLL(None).unshare(_NEW_USER | _NEW_NETWORK) == 0
        return (*done, *(["no network"] if unshared else []), f"without seccomp ({why})")
    return (*done, "seccomp")


def _limits(memory_bytes: int, *, webassembly: bool) -> tuple[str, ...]:
    done = ["no new files", "processor time"]
    size: Any = psutil.Process().memory_info()  # while files can still be read
    for what in (resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE, resource.RLIMIT_CORE):
        resource.setrlimit(what, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    if sys.platform == "linux":
        # wasmtime reserves address space by the gigabyte, so that only what can be written to counts there
        what, now = (resource.RLIMIT_DATA, size.data) if webassembly else (resource.RLIMIT_AS, size.vms)
        resource.setrlimit(what, (now + memory_bytes, now + memory_bytes))
        done.append("memory")
    return tuple(done)


def _filter(*, webassembly: bool) -> str:
    """Why system calls cannot be refused, or nothing: from now on they are."""
    if pyseccomp is None:
        return _MISSING
    try:
        rules = pyseccomp.SyscallFilter(pyseccomp.ERRNO(_NOT_PERMITTED))
        rules.set_attr(pyseccomp.Attr.CTL_TSYNC, 1)
        for name in (*_NEEDED, *(_NEEDED_BY_WEBASSEMBLY if webassembly else [])):
            rules.add_rule(pyseccomp.ALLOW, name)
        if webassembly:
            rules.add_rule(pyseccomp.ALLOW, "clone", pyseccomp.Arg(0, pyseccomp.MASKED_EQ, _THREAD, _THREAD))
            rules.add_rule(pyseccomp.ERRNO(_NO_SUCH_CALL), "clone3")  # upon which clone is called
        else:
            rules.add_rule(pyseccomp.ALLOW, "mmap", pyseccomp.Arg(2, pyseccomp.MASKED_EQ, _EXECUTE, 0))
        rules.load()
    except OSError as error:
        return str(error)
    return ""
