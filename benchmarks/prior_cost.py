"""What the prior costs at one place with 500 names in scope: prepared once per request, asked at each name.

inscope bench prior_cost
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from benchmarks.timing import line, machine, machine_line
from context_index import Document, Language, Workspace, parse
from context_index.symbols import Name, NameKind, Origin

ROOT = Path(__file__).parent.parent


def microseconds(run: Callable[[int], object], count: int) -> list[float]:
    """Sorted times of calls, each with a number of its own."""
    times = []
    for number in range(count):
        started = time.perf_counter()
        run(number)
        times.append((time.perf_counter() - started) * 1e6)
    return sorted(times)


def main(argv: Sequence[str] | None = None) -> int:
    """Measure."""
    parser = argparse.ArgumentParser(prog="inscope bench prior_cost", description=__doc__)
    parser.add_argument("--names", type=int, default=500)
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args(argv)
    path = ROOT / "context_index" / "workspace.py"
    text = path.read_text("utf-8")
    document = Document(path.as_uri(), Language.PYTHON, text)
    offset = text.index("        return self._index.exports(path)")
    with_names = Workspace([])
    visible = dict(with_names.context(parse(document), offset).names)
    for number in range(arguments.names - len(visible)):
        visible[f"extra_name_{number}"] = Name(f"extra_name_{number}", NameKind.FUNCTION, Origin.LOCAL, 2, number)
    workspace = Workspace([ROOT / "context_index"])
    workspace.index()
    workspace.read_name_counts(60)

    prepared = microseconds(lambda _number: workspace.prior(document, offset, visible), arguments.count // 4)
    prior = workspace.prior(document, offset, visible)
    prior.names("")
    texts = ("path = path[0](", "if path.", "return path(self, ", "self.path = path + ")
    asked = microseconds(lambda number: prior.names(texts[number % len(texts)]), arguments.count)
    workspace.close()
    with_names.close()
    figures = {
        "names": len(visible),
        "one place, median us": float(np.median(asked)),
        "one place, fastest us": asked[0],
        "one place, 95th percentile us": asked[int(len(asked) * 0.95)],
        "one request, median us": float(np.median(prepared)),
    }
    if arguments.json:
        print(json.dumps({"machine": machine(), **figures}))
        return 0
    print(machine_line())
    for what, value in figures.items():
        line(what, f"{value:,.0f}", width=10)
    return 0


if __name__ == "__main__":
    sys.exit(main())
