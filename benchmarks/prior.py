"""The prior over names on packages that neither it nor the model was fitted to: model alone, prior alone, both.

    inscope bench prior --root node_modules --count 400

Names and members of real files are taken out; the rest of the file stays, or the rest of the line goes as well (every
other place). Menus are asked for with nothing typed, and the true name's place in them is counted.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.grammar_corpus import installed_python
from benchmarks.timing import machine, machine_line
from context_index import CursorKind, Workspace, parse
from lsp_server.engine.menu import order
from lsp_server.engine.model_host import ModelHost, ModelSettings
from lsp_server.engine.service import Service
from lsp_server.engine.site import Site
from lsp_server.paths import existing
from training.corpus import HELD_OUT
from training.prior_places import FAMILIES, BlankedPlace, PriorProject, holes, projects

_PER_FILE = 12
_READING_S = 60.0
_PATIENCE_S = 10.0
_WIDTH = 120
WAYS = ("nearness", "model", "model and file", "prior", "model and prior")
"""As listed; by the model alone; with the counts of the file that served before; without a model; as it is now."""


@dataclass(frozen=True, slots=True)
class PriorRow:
    """One place: the rank of the true name in each order, from 1; without ranks where it is not listed."""

    family: str
    kind: str
    ranks: Mapping[str, int]


def measured(family: str, found: Sequence[PriorProject], host: ModelHost, count: int, seed: int) -> Iterator[PriorRow]:
    """Ask for the menus, and order them in all ways."""
    share = -(-count // max(len(found), 1))
    for project in found:
        workspace = Workspace([project.root])
        try:
            workspace.index()
            workspace.read_name_counts(_READING_S)
            service, places = Service(workspace, host), list(_drawn(project, share, seed))
            for hole in track(places, project.name, console=Console(stderr=True), disable=not sys.stderr.isatty()):
                yield _row(family, service, hole)
        finally:
            workspace.close()


def _drawn(project: PriorProject, count: int, seed: int) -> Iterator[BlankedPlace]:
    """Places of a project, as many names as members where there are."""
    draw = random.Random(seed)  # noqa: S311 -- a sample, not a secret
    files = list(project.files)
    draw.shuffle(files)
    left = {False: count, True: count}
    for path in files:
        taken = {False: 0, True: 0}
        for hole in holes(path, path.read_text("utf-8", "replace"), draw):
            kind = hole.is_member
            if left[kind] and taken[kind] < _PER_FILE:
                left[kind] -= 1
                taken[kind] += 1
                yield hole


def _row(family: str, service: Service, hole: BlankedPlace) -> PriorRow:
    kind = "members" if hole.is_member else "names"
    syntax, offset, text = parse(hole.document), hole.offset, hole.document.text
    site = Site(service.workspace, syntax, offset)
    found = service.candidates(site, _PATIENCE_S)
    items = [item for item in found.items if item.importable is None]
    texts = list(dict.fromkeys(item.text for item in items))
    if hole.name not in texts or (hole.is_member and found.kind is not CursorKind.MEMBER):
        return PriorRow(family, kind, {})
    scores = service.rank(site, found.start, texts, Event())
    prior = service.prior_scores(site, found)
    orders = {
        "nearness": items,
        "model": order.ordered(items, scores, prior=dict.fromkeys(texts, 0.0)),
        "model and file": order.ordered(items, scores, text, found.start, offset),
        "prior": order.ordered(items, {}, text, found.start, offset, prior=prior),
        "model and prior": order.ordered(items, scores, text, found.start, offset, prior=prior),
    }
    ranks = {
        way: list(dict.fromkeys(item.text for item in order)).index(hole.name) + 1 for way, order in orders.items()
    }
    return PriorRow(family, kind, ranks)


def report(rows: Sequence[PriorRow]) -> Table:
    """For people; what is gained is told over the model alone."""
    table = Table("", *WAYS, "gain", box=None)
    for family, kind in sorted({(row.family, row.kind) for row in rows}):
        for figure, values in figures(rows, family, kind).items():
            gain = values[WAYS[-1]] / values["model"] - 1 if values["model"] else 0.0
            count = sum(bool(row.ranks) for row in rows if (row.family, row.kind) == (family, kind))
            result = (f"{values[way]:.3f}" for way in WAYS)
            table.add_row(f"{family}, {count} {kind}, {figure}", *result, f"{gain:+.0%}")
    return table


def figures(rows: Sequence[PriorRow], family: str, kind: str) -> dict[str, dict[str, float]]:
    """The share of places where the true name is first, and the mean of one over its rank, by way."""
    ranks = [row.ranks for row in rows if (row.family, row.kind) == (family, kind) and row.ranks]
    return {
        "top 1": {way: float(np.mean([float(one[way] == 1) for one in ranks] or [0])) for way in WAYS},
        "MRR": {way: float(np.mean([1 / one[way] for one in ranks] or [0])) for way in WAYS},
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Measure each language whose held-out packages are there."""
    parser = argparse.ArgumentParser(prog="inscope bench prior", description=__doc__)
    parser.add_argument("--root", type=existing, action="append", default=[], help="a node_modules or site-packages")
    parser.add_argument("--count", type=int, default=320, help="names, and as many members, per language")
    parser.add_argument("--only", choices=tuple(FAMILIES))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args(argv)
    roots = [*installed_python(), *(root.resolve() for root in arguments.root)]
    host = ModelHost(ModelSettings())
    rows: list[PriorRow] = []
    with tempfile.TemporaryDirectory() as scratch:
        for family in FAMILIES:
            if arguments.only in (None, family):
                held = list(projects(family, roots, Path(scratch).resolve(), HELD_OUT.__contains__))
                rows += measured(family, held, host, arguments.count, arguments.seed)
    host.close()
    if arguments.json:
        kinds = sorted({(row.family, row.kind) for row in rows})
        result = {f"{family}, {kind}": figures(rows, family, kind) for family, kind in kinds}
        print(json.dumps({"machine": machine(), **result}))
        return 0
    print(machine_line())
    Console(width=_WIDTH).print(report(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
