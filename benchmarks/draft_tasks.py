"""Edits of a real file, as texts before and after: what `benchmarks/draft.py` rewrites."""

from __future__ import annotations

import re
import sysconfig
from dataclasses import dataclass
from pathlib import Path

_LINES = slice(15, 215)
"""The lines of `shlex.py` that the tasks are about: 200 after its header."""
_STANDARD = 200
"""Lines of the file for which the tasks are written out; for other lengths they are made."""


@dataclass(frozen=True, slots=True)
class DraftTask:
    """A text, and what it is to become."""

    name: str
    before: str
    after: str


def tasks(lines: int = _STANDARD) -> tuple[DraftTask, ...]:
    """The seven tasks of the benchmark for 200 lines; for any other number, four that show how speed grows with it."""
    return _standard_tasks() if lines == _STANDARD else _sized_tasks(lines)


def _sized_tasks(count: int) -> tuple[DraftTask, ...]:
    """Four tasks on `count` lines of Python's own `argparse`."""
    library = Path(sysconfig.get_paths()["stdlib"])
    lines = (library / "argparse.py").read_text("utf-8").splitlines(keepends=True)[1160 : 1160 + count]
    before, middle = "".join(lines), count // 2
    inserted = [f"    option_{n} = register('option {n}', default={n})\n" for n in range(10)]
    changed = (count // 5, middle, 4 * count // 5)
    scattered = [line.rstrip() + "  # changed\n" if n in changed else line for n, line in enumerate(lines)]
    return (
        DraftTask(f"rename a variable, {count} lines", before, re.sub(r"\baction\b", "deed", before)),
        DraftTask(f"insert 10 lines, {count} lines", before, "".join([*lines[:middle], *inserted, *lines[middle:]])),
        DraftTask(f"three scattered edits, {count} lines", before, "".join(scattered)),
        DraftTask(f"unchanged, {count} lines", before, before),
    )


def _standard_tasks() -> tuple[DraftTask, ...]:
    """Seven tasks on 200 lines of Python's own `shlex`.

    The ten lines of `insert 10 lines` repeat a pattern. Those of `insert 10 other lines` repeat nothing.
    """
    library = Path(sysconfig.get_paths()["stdlib"])
    lines = (library / "shlex.py").read_text("utf-8").splitlines(keepends=True)[_LINES]
    before = "".join(lines)
    method = "    def get_position(self):\n        place = self.infile, self.lineno\n        return place\n\n"
    pattern = [f"    option_{n} = register('option {n}', default={n})\n" for n in range(10)]
    replaced = next(n for n, line in enumerate(lines) if line.startswith("    def push_token"))
    following = next(n for n, line in enumerate(lines) if n > replaced and line.startswith("    def "))
    scattered = before.replace("self.debug = 0", "self.debug = False").replace("self.lineno = 1", "self.lineno = 0")
    other = (library / "bisect.py").read_text("utf-8").splitlines(keepends=True)[:70]
    statements = "".join(other).split('"""\n')[-1].splitlines(keepends=True)[:10]
    return (
        DraftTask("rename a variable", before, re.sub(r"\bnextchar\b", "symbol", before)),
        DraftTask("change one function", before, "".join([*lines[:replaced], method, *lines[following:]])),
        DraftTask("insert 10 lines", before, "".join([*lines[:100], *pattern, *lines[100:]])),
        DraftTask("insert 10 other lines", before, "".join([*lines[:100], *statements, *lines[100:]])),
        DraftTask("three scattered edits", before, scattered.replace("self.token = ''", "self.token = None", 1)),
        DraftTask("unchanged", before, before),
        DraftTask("wholly different", before, "".join(other)),
    )
