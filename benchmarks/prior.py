"""The prior over names on packages that neither it nor the model was fitted to: model alone, prior alone, both.

    inscope bench prior --root node_modules --count 400

Names and members of real files are taken out; the rest of the file stays, or the rest of the line goes as well (every
other place). Menus are asked for with nothing typed, and the true name's place in them is counted.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
import sysconfig
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean
from threading import Event

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.timing import machine, machine_line
from context_index import NamePosition, Workspace, parse
from context_index.prior.examples import Hole, holes
from decoder.training.corpus import HELD_OUT
from decoder.training.licences import Package, packages_under
from lsp_server import menu
from lsp_server.model_host import ModelHost, ModelSettings
from lsp_server.service import Service

PER_FILE = 6
_PATIENCE = 10.0
WAYS = ("nearness", "model", "model and file", "prior", "model and prior")
"""As listed; by the model alone; with the counts of the file that served before; without a model; as it is now."""
_FAMILIES: Mapping[str, frozenset[str]] = {
    "Python": frozenset({".py"}),
    "JavaScript": frozenset({".js", ".mjs", ".cjs", ".ts", ".mts", ".tsx"}),
}
_ASIDE = frozenset({"node_modules", "dist", "umd", "build", "bundles", "_vendor"})
_SMALLEST, _LARGEST = 300, 120_000


@dataclass(slots=True)
class Kept:
    """What is known of one place, for orders to be tried on."""

    kind: str
    true: int
    scores: list[float]
    """Natural logarithms of the model's probabilities, by candidate."""
    prior: list[float]
    """Likewise what the prior adds."""


@dataclass(slots=True)
class Tally:
    """Ranks, from 1, of the true names, by way."""

    ranks: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    sizes: list[int] = field(default_factory=list)
    unlisted: int = 0

    def figures(self) -> dict[str, object]:
        """Shares and mean reciprocal ranks."""
        return {
            "places": len(self.sizes),
            "names listed, mean": round(mean(self.sizes or [0])),
            "true name not listed": self.unlisted,
            **{
                way: {"top1": round(mean(rank == 1 for rank in ranks), 3), "mrr": round(mean(1 / r for r in ranks), 3)}
                for way, ranks in self.ranks.items()
            },
        }


def projects(family: str, roots: Sequence[Path], scratch: Path, wanted: Callable[[str], bool]) -> Iterator[Package]:
    """Packages of several files; Python's are copied: a checker passes no judgement on what is installed."""
    for root in roots:
        for package in packages_under(root):
            files = sources(family, package.directory) if package.directory.is_dir() and wanted(package.name) else []
            if len(files) < 4:  # noqa: PLR2004 -- no project
                continue
            if family != "Python":
                yield package
                continue
            place = scratch / package.name.replace(":", "-") / package.directory.name
            if not place.exists():
                shutil.copytree(package.directory, place, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
                yield Package(package.name, package.version, package.licence, place)


def sources(family: str, directory: Path) -> list[Path]:
    """The files that people wrote, of a usual size."""
    return [
        path
        for path in sorted(directory.rglob("*"))
        if path.suffix in _FAMILIES[family]
        and not path.name.endswith((".d.ts", ".d.mts", ".min.js"))
        and not _ASIDE & {*path.relative_to(directory).parts}
        and path.is_file()
        and _SMALLEST < path.stat().st_size < _LARGEST
    ]


def drawn(family: str, package: Package, count: int, seed: int) -> Iterator[Hole]:
    """Places of a package, as many names as members where there are."""
    draw = random.Random(seed)  # noqa: S311 -- a sample, not a secret
    files = sources(family, package.directory)
    draw.shuffle(files)
    left = {False: count, True: count}
    for path in files:
        taken = {False: 0, True: 0}
        for hole in holes(path, path.read_text("utf-8", "replace"), draw):
            kind = hole.is_member
            if left[kind] and taken[kind] < PER_FILE:
                left[kind] -= 1
                taken[kind] += 1
                yield hole


def measured(
    packages: Sequence[Package], family: str, host: ModelHost, count: int, seed: int
) -> tuple[dict[str, Tally], list[Kept]]:
    """Ask for the menus, and order them in all ways."""
    tallies: dict[str, Tally] = defaultdict(Tally)
    kept: list[Kept] = []
    share = -(-count // max(len(packages), 1))
    for package in packages:
        root = package.directory.parent if family == "Python" else package.directory
        workspace = Workspace([root])
        workspace.index()
        workspace.read_habits(60)
        service = Service(workspace, host)
        places = list(drawn(family, package, share, seed))
        for hole in track(places, package.name, console=Console(stderr=True), disable=not sys.stderr.isatty()):
            tally = tallies["members" if hole.is_member else "names"]
            if (one := _asked(service, hole, tally)) is not None:
                kept.append(one)
        workspace.close()
    return tallies, kept


def _asked(service: Service, hole: Hole, tally: Tally) -> Kept | None:
    syntax, offset, text = parse(hole.document), hole.offset, hole.document.text
    found = service.candidates(syntax, offset, _PATIENCE)
    items = [one for one in found.items if one.importable is None]
    texts = list(dict.fromkeys(one.text for one in items))
    if hole.is_member and found.position is not NamePosition.MEMBER:
        return None
    if hole.name not in texts:
        tally.unlisted += bool(texts)
        return None
    scores = service.rank(syntax, found.start, offset, texts, Event())
    prior = service.probable(syntax, found, offset)
    unknown = dict.fromkeys(texts, 0.0)
    orders = {
        "nearness": items,
        "model": menu.ordered(items, scores, prior=unknown),
        "model and file": menu.ordered(items, scores, text, found.start, offset),
        "prior": menu.ordered(items, {}, text, found.start, offset, prior=prior),
        "model and prior": menu.ordered(items, scores, text, found.start, offset, prior=prior),
    }
    for way, order in orders.items():
        tally.ranks[way].append(list(dict.fromkeys(one.text for one in order)).index(hole.name) + 1)
    tally.sizes.append(len(texts))
    low = min(scores.values(), default=0.0)
    kind = f"{'python' if hole.document.language.is_python else 'script'} {'members' if hole.is_member else 'names'}"
    return Kept(kind, texts.index(hole.name), [scores.get(t, low) for t in texts], [prior.get(t, 0.0) for t in texts])


def report(family: str, tallies: Mapping[str, Tally]) -> Table:
    """One language for people; what is gained is told over the model alone."""
    table = Table(family, *(f"{way}" for way in WAYS), "gain", box=None)
    for kind, tally in tallies.items():
        for figure in ("top1", "mrr"):
            row = [_figure(tally.ranks[way], figure) for way in WAYS]
            gain = row[-1] / row[1] - 1 if row[1] else 0.0
            title = f"{len(tally.sizes)} {kind}, {figure}"
            table.add_row(title, *(f"{value:.3f}" for value in row), f"{gain:+.0%}")
    return table


def _figure(ranks: Sequence[int], figure: str) -> float:
    return float(np.mean([rank == 1 for rank in ranks] if figure == "top1" else [1 / rank for rank in ranks] or [0]))


def main(argv: Sequence[str] | None = None) -> int:
    """Measure each language whose held-out packages are there."""
    parser = argparse.ArgumentParser(prog="inscope bench prior", description=__doc__)
    parser.add_argument("--root", type=Path, action="append", default=[], help="a node_modules or site-packages")
    parser.add_argument("--count", type=int, default=320, help="names, and as many members, per language")
    parser.add_argument("--only", choices=tuple(_FAMILIES))
    parser.add_argument("--model", help="a directory or hub name (default: the built-in model)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args(argv)
    paths = sysconfig.get_paths()
    roots = [Path(paths["stdlib"]), Path(paths["purelib"]), *(root.resolve() for root in arguments.root)]
    host = ModelHost(ModelSettings(name=arguments.model))
    found: dict[str, dict[str, Tally]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        for family in _FAMILIES:
            if arguments.only in (None, family):
                held = list(projects(family, roots, Path(scratch).resolve(), HELD_OUT.__contains__))
                if held:
                    found[family], _ = measured(held, family, host, arguments.count, arguments.seed)
    host.close()
    if arguments.json:
        figures = {family: {kind: tally.figures() for kind, tally in one.items()} for family, one in found.items()}
        print(json.dumps({"machine": machine(), **figures}))
        return 0
    print(machine_line())
    for family, tallies in found.items():
        Console().print(report(family, tallies))
    return 0


if __name__ == "__main__":
    sys.exit(main())
