"""What the tests of the type checkers share: real ones, a project for them, and questions with a cursor mark."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import psutil
import pytest

from context_index.oracles import Answer, Checker, Limits, Oracle, Places, Server, find_ty, find_typescript
from context_index.oracles.environments import package_folders
from context_index.oracles.jedi import Jedi, JediWorker
from context_index.oracles.protocol import Program
from context_index.parts import PartMissingError
from context_index.symbols import Open, Position
from context_index.text import Document, language_of

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


KINDS = {"ts": "ts", "py": "py", "jedi": "py"}
"""Everybody who has a process, TypeScript 7, ty and jedi; the suffix of what they are asked."""
PROVING = frozenset({"ts", "py"})
"""Whose lists may be closed."""


def brief(kind: str) -> Limits:
    """As long as a healthy one may need on a machine that does much else, for tests in which one is not."""
    return Limits(start=PATIENCE, answer=1.0 if kind in PROVING else 5.0, first_pause=0.05, longest_pause=0.1)


def checker_for(kind: str) -> Checker:
    """A checker; without it, the test is skipped."""
    if kind.startswith("py"):
        found = find_ty(Places(()))
        assert found is not None, "ty comes with Inscope"
        return found
    try:
        return find_typescript(None, (), trusted=False)
    except PartMissingError as missing:
        pytest.skip(str(missing))


def jedi_worker(root: Path) -> JediWorker:
    """jedi's process, with what is installed here for packages."""
    return JediWorker(root, tuple(package_folders(Path(sys.prefix))))


def source_for(
    kind: str, root: Path, limits: Limits, garbles: Callable[[Program], Any] = lambda one: one
) -> Server | Jedi:
    """One of `KINDS`; `garbles` puts another program before its process."""
    if kind == "jedi":
        return Jedi(garbles(jedi_worker(root)), root, limits)
    return Server(garbles(checker_for(kind)), root, limits)


def project(top: Path) -> Path:
    """Files to import from, and Node's types beside them."""
    for name, text in FILES.items():
        (top / name).write_text(text, encoding="utf-8")
    if (TESTS / "node_modules").is_dir() and sys.platform != "win32":
        (top / "node_modules").symlink_to(TESTS / "node_modules")
    return top


def document(root: Path, name: str, text: str) -> Document:
    """A text at a place."""
    language = language_of(name)
    assert language is not None
    return Document((root / name).as_uri(), language, text)


def ask(oracle: Oracle, root: Path, name: str, marked: str, position: Position = Position.MEMBER) -> Answer:
    """The answer at the `^` of a text."""
    offset = marked.index("^")
    return oracle.names(document(root, name, marked.replace("^", "", 1)), offset, position).answer(PATIENCE)


def told(answer: Answer, wanted: Sequence[str]) -> str:
    """The grade, and which of some names are listed."""
    names = {} if isinstance(answer.members, Open) else answer.members.names
    return " ".join([type(answer.members).__name__.lower(), *(name for name in wanted if name in names)])


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
    """One letter; it stands behind the name, which may hold anything."""
    try:
        return stat.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):  # the thread has just ended
        return "X"
