"""Reading a workspace: cold, again, after an edit, how much memory; beside universal-ctags on the same files.

Source files are drawn from the trees that `--root DIR` names (default: the environment's packages and the npm packages
of the tests), and copied into a temporary workspace. There they are in no folder that the index ignores. A size that
the trees have too few files for is not measured, and the number of missing files is printed.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import psutil

from benchmarks.batch_positions import javascript_roots
from benchmarks.timing import line, machine, machine_line, percentile
from context_index import Document, Edit, Language, Workspace, language_of, parse
from context_index.index import facts_of
from lsp_server.engine.garbage_collection import freeze_objects
from lsp_server.paths import existing

SIZES = (5_000, 10_000)
"""Files of the workspaces."""
_SPARE = 1.06
"""More files are copied than wanted: some are minified or too large, and are not read."""
_LINES = 5_000
"""Lines of the file that is edited."""
_EDITS = 300
"""Edits that are timed: a letter is typed and deleted in turn."""
_FUNCTION = '''def f{n}(a: int, b: str = "") -> str:
    """Says {n}."""
    if a:
        return b
    return str(a)


'''
_SCRIPT_FUNCTION = """/** Says {n}. */
export function f{n}(a: number, b = ""): string {{
  if (a) {{
    return b;
  }}
  return String(a);
}}

"""
_RENAMED = {"node_modules": "packages", "site-packages": "packages", "dist-packages": "packages"}
"""Names of folders that the index ignores, and what they are called in the copy."""
_CHILD = """
import json, resource, sys, time
from pathlib import Path
from context_index import Document, Language, Workspace, parse
root, store = Path(sys.argv[1]), Path(sys.argv[2])
workspace = Workspace([root], store=store)
report = workspace.index()
asked = {}
for name, language in (("zz_new.py", Language.PYTHON), ("zz_new.ts", Language.TYPESCRIPT)):
    syntax = parse(Document((root / name).as_uri(), language, "x = crea"))
    started = time.perf_counter()
    workspace.context(syntax, 8)
    asked[name] = time.perf_counter() - started
workspace.close()
scale = 1024 if sys.platform == "darwin" else 1
print(json.dumps({"files": report.files, "reused": report.reused, "seconds": report.seconds, "asked": asked,
    "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 / scale}))
"""
"""Reads a workspace, asks once in each family of languages, and prints what it took as JSON."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="inscope bench index", description=__doc__)
    parser.add_argument("--root", type=existing, action="append", help="a tree of source files; may be given again")
    parser.add_argument("--files", type=int, nargs="*", default=list(SIZES), help="sizes of the workspaces")
    parser.add_argument("--times", type=int, default=3, help="how often each is measured; medians count")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    roots = arguments.root or [Path(sysconfig.get_path("purelib")), *javascript_roots()]
    edited = edits()
    results: dict[str, object] = {"machine": machine(), "edit": edited}
    if not arguments.json:
        print(machine_line())
        for name, answer in edited.items():
            print(f"one edit in {answer['lines']:,.0f} lines of {name}: text, tree and facts, target p99 10 ms")
            line("  processor", f"p50 {answer['p50']} ms", f"p99 {answer['p99']} ms")
            line("  clock", f"p50 {answer['clock_p50']} ms", f"p99 {answer['clock_p99']} ms")
    for size in arguments.files:
        with tempfile.TemporaryDirectory() as directory:
            copied = lay_out(roots, round(size * _SPARE), Path(directory, "work"))
            result = measure(Path(directory), arguments.times) if copied >= size else {"missing": size - copied}
        results[str(size)] = result
        if not arguments.json:
            _print(size, result)
    if arguments.json:
        print(json.dumps(results))


def lay_out(roots: list[Path], wanted: int, work: Path) -> int:
    """Copy files drawn from trees into `work`, half of them Python if there are enough; the number of copies."""
    by_family: dict[bool, list[tuple[Path, Path]]] = {True: [], False: []}
    """Root and path of each file, by whether it is Python."""
    for root in roots:
        for path in sorted(root.rglob("*")):
            language = language_of(path.name)
            if language is not None and path.is_file() and not path.is_symlink():
                by_family[language.family == "python"].append((root, path))
    rng = random.Random(1)  # noqa: S311 -- a sample, the same each time
    smaller_family = min(by_family.values(), key=len)
    from_smaller = min(wanted // 2, len(smaller_family))
    count = 0
    for files in by_family.values():
        drawn = from_smaller if files is smaller_family else min(wanted - from_smaller, len(files))
        for root, path in rng.sample(files, drawn):
            parts = [_RENAMED.get(part, part) for part in path.relative_to(root).parts]
            target = work.joinpath(f"tree{roots.index(root)}", *parts)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
            count += 1
    return count


def measure(directory: Path, times: int) -> dict[str, object]:
    """Start cold, start again and run ctags, in turn so that a busy machine slows all alike; `times` times.

    Returns:
        The number of files, and medians: `asked`, `cold`, `second` and `ctags` in seconds; `memory` of one process and
        `with_processes` in MB. `ctags` is missing where that is not installed.
    """
    work, store = directory / "work", directory / "store.sqlite"
    file_list = directory / "files.txt"
    workspace = Workspace([work])
    files = workspace.index().files
    paths = [path for path in sorted(work.rglob("*")) if path.is_file() and not workspace.skipped(path)]
    file_list.write_text("\n".join(map(str, paths)))
    workspace.close()
    ctags = shutil.which("ctags")
    rows: dict[str, list[float]] = {"cold": [], "second": [], "ctags": [], "memory": [], "with_processes": []}
    asked: list[float] = []
    for _ in range(times):
        for leftover in directory.glob("*.sqlite*"):
            leftover.unlink()
        cold, peak = _run(work, store)
        second, _ = _run(work, store)
        rows["cold"].append(float(cold["seconds"]))
        rows["second"].append(float(second["seconds"]))
        rows["memory"].append(float(cold["mb"]))
        rows["with_processes"].append(peak)
        asked.append(max(second["asked"].values()))
        if ctags is not None:
            rows["ctags"].append(_run_ctags(ctags, file_list, directory / "tags"))
    return {"files": files, "asked": median(asked), **{name: median(row) for name, row in rows.items() if row}}


def _run(work: Path, store: Path) -> tuple[dict[str, Any], float]:
    """One start in a process of its own: its report, and the most MB that it and its children held together.

    Memory that they share counts for each of them.
    """
    child = psutil.Popen([sys.executable, "-c", _CHILD, str(work), str(store)], stdout=subprocess.PIPE, text=True)
    peak = 0.0
    while child.poll() is None:
        try:
            peak = max(peak, sum(process.memory_info().rss for process in (child, *child.children())) / 2**20)
        except psutil.Error:  # one of them ended a moment ago
            continue
        time.sleep(0.05)
    return json.loads(child.stdout.read()), peak


def _run_ctags(program: str, file_list: Path, tags: Path) -> float:
    """The seconds that ctags takes for the listed files."""
    started = time.perf_counter()
    subprocess.run([program, "-f", str(tags), "-L", str(file_list)], check=True, stderr=subprocess.DEVNULL)  # noqa: S603 -- as found on the path
    return time.perf_counter() - started


def edits() -> dict[str, dict[str, float]]:
    """Milliseconds from a key in a long file to the file's new facts, in processor time and by the clock."""
    freeze_objects()  # as the server does when it has read the workspace
    return {
        "python": _time_edits(Document("file:///long.py", Language.PYTHON, _long_text(_FUNCTION))),
        "typescript": _time_edits(Document("file:///long.ts", Language.TYPESCRIPT, _long_text(_SCRIPT_FUNCTION))),
    }


def _long_text(function: str) -> str:
    """A file of `_LINES` lines: the function again and again, under other names."""
    return "".join(function.format(n=n) for n in range(_LINES // function.count("\n") + 1))


def _time_edits(document: Document) -> dict[str, float]:
    """Type a letter at the end of a random line and delete it, again and again; percentiles in milliseconds."""
    syntax = parse(document)
    facts_of(syntax)
    busy: list[float] = []
    waited: list[float] = []
    rng = random.Random(2)  # noqa: S311 -- the same places each time
    for turn in range(_EDITS):
        if turn % 2 == 0:
            place = document.text.find("\n", rng.randrange(len(document.text) - 1))
        edit = Edit(place, place, "x") if turn % 2 == 0 else Edit(place, place + 1, "")
        document.lines  # noqa: B018 -- as every editor's document has them
        started, began = time.perf_counter(), time.thread_time()
        document = document.edited([edit], turn)
        syntax = syntax.edited(document, [edit])
        facts_of(syntax)
        busy.append((time.thread_time() - began) * 1000)
        waited.append((time.perf_counter() - started) * 1000)
    return {
        "lines": len(document.lines),
        "p50": round(percentile(busy, 0.5), 2),
        "p99": round(percentile(busy, 0.99), 2),
        "clock_p50": round(percentile(waited, 0.5), 2),
        "clock_p99": round(percentile(waited, 0.99), 2),
    }


def _print(size: int, result: dict[str, object]) -> None:
    """Print one workspace's figures, each ratio last."""
    if "missing" in result:
        print(f"{size:,} files: {result['missing']:,} are missing; name trees of source files with --root")
        return
    numbers = {name: float(value) for name, value in result.items() if isinstance(value, int | float)}
    cold, second = numbers["cold"], numbers["second"]
    line(f"{numbers['files']:,.0f} files, cold", f"{cold:.2f} s")
    if "ctags" in numbers:
        line(
            "  universal-ctags, the same files",
            f"{numbers['ctags']:.2f} s",
            f"x{cold / numbers['ctags']:.1f}, target x6",
        )
    else:
        print("  no 'ctags' on the path; install it (Debian: apt-get install universal-ctags) to compare with it")
    line("  second start", f"{second:.3f} s", f"{second / cold:.1%} of cold, target 5 %")
    line("  first question after it", f"{numbers['asked'] * 1000:.0f} ms")
    line(
        "  peak memory, alone / with processes",
        f"{numbers['memory']:.0f} / {numbers['with_processes']:.0f} MB",
        "target 400 MB",
    )


if __name__ == "__main__":
    main()
