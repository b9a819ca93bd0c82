"""What the tests of the type checkers share: a project for them, and how to stall one."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import psutil
import pytest

from tests.files import lay_out

TESTS = Path(__file__).parents[1]
PATIENCE = 60.0
"""Far beyond what any answer takes; only a fault waits so long."""
FILES = {
    "tsconfig.json": '{"compilerOptions": {"strict": true, "allowJs": true, "jsx": "preserve"}}',
    "shop.ts": """
export class Cart { items: string[] = []; private secret = 1; total(): number { return 1; } }
export interface Options { left: number; right?: string; mode: "a" | "b" }
export function place(options: Options, how: "fast" | "slow"): void {}
""",
    "cart.py": """
from typing import Literal, TypedDict
class Cart:
    items: list[str]
    def total(self, tax: float = 0, *, mode: Literal["fast", "slow"] = "fast") -> int: ...
class Options(TypedDict):
    left: int
    right: str
""",
    "partial.py": "from nowhere import Base\nclass Partial(Base):\n    own = 1\n",
    "loose.py": "class Loose:\n    known = 1\n    def __getattr__(self, name: str) -> int: ...\n",
}


def project(top: Path) -> Path:
    """Files to import from, and Node's types beside them."""
    lay_out(top, FILES)
    if (TESTS / "node_modules").is_dir() and sys.platform != "win32":
        (top / "node_modules").symlink_to(TESTS / "node_modules")
    return top


def stall(process: psutil.Process) -> None:
    """Suspend a process, and return when none of its threads runs any more.

    The signal alone does not see to that: until the thread that takes it gets a processor, the others go on, and under
    load a checker answers a question that is asked after `suspend` has returned.
    """
    process.suspend()
    give_up = time.monotonic() + PATIENCE
    while not _is_stopped(process):
        if time.monotonic() > give_up:
            pytest.fail("the process does not stop")
        time.sleep(0.001)


def _is_stopped(process: psutil.Process) -> bool:
    tasks = Path(f"/proc/{process.pid}/task")
    if not tasks.is_dir():
        return bool(process.status() == psutil.STATUS_STOPPED)
    return all(_state(task / "stat") in "TZX" for task in tasks.iterdir())


def _state(stat: Path) -> str:
    """One letter; it stands after the name, which may hold anything."""
    try:
        return stat.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):  # the thread has just ended
        return "X"
