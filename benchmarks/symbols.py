"""Names in scope against judges that are not ours: TypeScript 7, ty and CPython's compiler, on real files.

Recall: of the references that a judge resolves to something in the file, how many names do we list? Precision: of the
names that we list at such places, how many does the judge refuse there? Also measured is what a list of names costs, at
once and after an edit.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import sysconfig
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from statistics import median

from benchmarks import symbols_python, symbols_typescript
from benchmarks.symbols_count import FamilyCount
from benchmarks.symbols_edits import EditTimes, time_edits
from benchmarks.symbols_places import File, files
from benchmarks.timing import line, machine, machine_line, spread_text
from context_index.checkers import CheckerAbsentError
from context_index.languages.ecmascript.checker import find_typescript
from context_index.languages.python.checker import find_ty
from context_index.parts import PartMissingError
from lsp_server.paths import existing

_FAMILIES = ("javascript", "typescript", "python")
_ASIDE = frozenset({"test", "tests", "idlelib", "lib2to3", "turtledemo", "site-packages"})
"""Folders of the standard library that are left out."""


def main() -> None:
    """Compare our names with the judge's in each family, and print the counts."""
    arguments = _arguments()
    modules = arguments.root
    judges: dict[str, Callable[[Sequence[File], random.Random], FamilyCount]] = {}
    with suppress(PartMissingError):  # the other languages have a judge all the same
        binary = Path(find_typescript(None, (), trusted=False).command[0])
        judges |= dict.fromkeys(
            ("javascript", "typescript"),
            lambda drawn, rng: symbols_typescript.judge_files(binary, drawn, arguments.places, rng),
        )
    with suppress(CheckerAbsentError):
        server = Path(find_ty(Path.cwd()).command[0])
        judges["python"] = lambda drawn, rng: symbols_python.judge_files(server, drawn, arguments.places, rng)
    report: dict[str, object] = {"machine": machine()}
    if not arguments.json:
        print(machine_line())
        line("", "references", "recall", "listed", "refused", "names p50/p90/p99 ms", width=22)
    for family in arguments.only or _FAMILIES:
        if family not in judges:
            sys.exit(f"no judge for {family}: run 'inscope setup', or install ty")
        rng = random.Random(arguments.seed)  # noqa: S311 - a sample, the same each time
        drawn = list(islice(files(family, _roots(family, modules), arguments.seed), arguments.files))
        after_edit = time_edits(drawn, rng)
        count = judges[family](drawn, rng)
        report[family] = count.as_json() | {"after_an_edit": after_edit.as_json()}
        if not arguments.json:
            _print(family, count, after_edit)
    if arguments.json:
        print(json.dumps(report))


def _print(family: str, count: FamilyCount, after_edit: EditTimes) -> None:
    """Print the figures of one family, and examples of each difference."""
    cells = (f"{count.references:,}", f"{count.recall:.4%}", f"{count.listed:,}", f"{count.refusals:.4%}")
    line(f"{family}, {count.files} files", *cells, spread_text(count.times), width=22)
    ratio = median(after_edit.anew) / median(after_edit.carried)
    title = f"  after an edit, {after_edit.files} files of {after_edit.lines // max(after_edit.files, 1):,} lines"
    print(f"{title}: {spread_text(after_edit.carried)} ms; all read anew {spread_text(after_edit.anew)}, x{ratio:.1f}")
    print(f"  refused: {dict(count.refused)}; reported as having no value yet: {dict(count.before_declaration)}")
    for example in count.examples:
        print(f"  {example}")


def _roots(family: str, modules: Path) -> list[Path]:
    """The folders whose files are drawn: a `node_modules`, or the standard library and the installed packages."""
    if family != "python":
        return [modules]
    library = Path(sysconfig.get_path("stdlib"))
    packages = [path for path in library.iterdir() if path.is_dir() and path.name not in _ASIDE]
    return [*packages, Path(sysconfig.get_path("purelib"))]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="inscope bench symbols", description=__doc__)
    parser.add_argument(
        "--root", type=existing, default=Path("tests/node_modules").absolute(), help="node_modules with the files"
    )
    parser.add_argument("--files", type=int, default=400, help="per language (default: 400)")
    parser.add_argument("--places", type=int, default=12, help="per file, at which every listed name is put")
    parser.add_argument("--only", nargs="+", choices=_FAMILIES)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
