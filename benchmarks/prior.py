"""The prior over names on packages that neither it nor the model was fitted to: model alone, prior alone, both.

    inscope bench prior --root node_modules --count 400

A name or member is taken out of a real file; at every other place the rest of its line is taken out too. The menu is
asked for with nothing typed, and the rank of the true name in it is counted.
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
from training.prior_places import FAMILIES, BlankedPlace, PriorProject, blanked_places, projects

_PER_FILE = 12
"""The most names of a file, and as many members."""
_READING_S = 60.0
"""The most seconds in which the names of a project are counted."""
_PATIENCE_S = 10.0
"""How long a checker may take for an answer."""
_WIDTH = 120
"""Characters of a line of the report, whatever the terminal has."""
WAYS = ("nearness", "model", "model and file", "prior", "model and prior")
"""Orders of a menu: as the names are listed; by the model alone; by the model and the file's counts, as it was before
there was a prior; by the prior alone; by the model and the prior, which is the product's."""


@dataclass(frozen=True, slots=True)
class PriorRow:
    """One place, and the ranks of the true name there."""

    family: str
    kind: str
    """`names` or `members`."""
    ranks: Mapping[str, int]
    """By the ways of `WAYS`, from 1; empty where the name is not listed."""


def measure(family: str, found: Sequence[PriorProject], host: ModelHost, count: int, seed: int) -> Iterator[PriorRow]:
    """Ask for the menus at random places of all projects, and order each in all ways.

    Args:
        count: Names in all projects together, and as many members.
    """
    share = -(-count // max(len(found), 1))
    for project in found:
        workspace = Workspace([project.root])
        try:
            workspace.index()
            workspace.read_name_counts(_READING_S)
            service, places = Service(workspace, host), list(_draw(project, share, seed))
            for blanked in track(places, project.name, console=Console(stderr=True), disable=not sys.stderr.isatty()):
                yield _rank(family, service, blanked)
        finally:
            workspace.close()


def _draw(project: PriorProject, count: int, seed: int) -> Iterator[BlankedPlace]:
    """Places in a project's files, in random order: up to `count` names and `count` members."""
    draw = random.Random(seed)  # noqa: S311 -- a sample, not a secret
    files = list(project.files)
    draw.shuffle(files)
    left = {"names": count, "members": count}
    for path in files:
        taken = {"names": 0, "members": 0}
        for blanked in blanked_places(path, path.read_text("utf-8", "replace"), draw):
            kind = _kind(blanked)
            if left[kind] and taken[kind] < _PER_FILE:
                left[kind] -= 1
                taken[kind] += 1
                yield blanked


def _kind(blanked: BlankedPlace) -> str:
    return "members" if blanked.is_member else "names"


def _rank(family: str, service: Service, blanked: BlankedPlace) -> PriorRow:
    """Rank the true name among the entries that need no import; no ranks where it is not listed.

    A member's menu must be one of members: without a known receiver all names would be listed.
    """
    kind = _kind(blanked)
    syntax, offset, text = parse(blanked.document), blanked.offset, blanked.document.text
    site = Site(service.workspace, syntax, offset)
    candidates = service.candidates(site, _PATIENCE_S)
    start = candidates.start
    items = [item for item in candidates.items if item.importable is None]
    texts = list(dict.fromkeys(item.text for item in items))
    if blanked.name not in texts or (blanked.is_member and candidates.kind is not CursorKind.MEMBER):
        return PriorRow(family, kind, {})
    scores = service.ranker(site, start, max_tokens=64).rank(texts, Event())
    prior = service.prior_scores(site, candidates)
    orders = {
        "nearness": items,
        "model": order.ordered(items, scores, prior=dict.fromkeys(texts, 0.0)),
        "model and file": order.ordered(items, scores, text, start, offset),
        "prior": order.ordered(items, {}, text, start, offset, prior=prior),
        "model and prior": order.ordered(items, scores, text, start, offset, prior=prior),
    }
    ranks = {
        way: list(dict.fromkeys(item.text for item in entries)).index(blanked.name) + 1
        for way, entries in orders.items()
    }
    return PriorRow(family, kind, ranks)


def report(rows: Sequence[PriorRow]) -> Table:
    """The figures as a table; the last column has what model and prior gain over the model alone."""
    table = Table("", *WAYS, "gain", box=None)
    for family, kind in sorted({(row.family, row.kind) for row in rows}):
        for figure, values in figures(rows, family, kind).items():
            gain = values[WAYS[-1]] / values["model"] - 1 if values["model"] else 0.0
            count = sum(bool(row.ranks) for row in rows if (row.family, row.kind) == (family, kind))
            cells = (f"{values[way]:.3f}" for way in WAYS)
            table.add_row(f"{family}, {count} {kind}, {figure}", *cells, f"{gain:+.0%}")
    return table


def figures(rows: Sequence[PriorRow], family: str, kind: str) -> dict[str, dict[str, float]]:
    """By way: the share of places at which the true name is first, and its mean reciprocal rank, where it is listed."""
    places = [row.ranks for row in rows if (row.family, row.kind) == (family, kind) and row.ranks]
    return {
        "top 1": {way: float(np.mean([float(ranks[way] == 1) for ranks in places] or [0])) for way in WAYS},
        "MRR": {way: float(np.mean([1 / ranks[way] for ranks in places] or [0])) for way in WAYS},
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
                rows += measure(family, held, host, arguments.count, arguments.seed)
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
