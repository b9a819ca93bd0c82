"""The prior over names on packages that neither it nor the model was fitted to: model alone, prior alone, both.

    inscope bench prior --root node_modules --count 400

Names and members of real files are taken out; the rest of the file stays, or the rest of the line goes as well (every
other place). Menus are asked for with nothing typed, and the true name's place in them is counted.
"""

from __future__ import annotations

import argparse
import json
import sys
import sysconfig
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.timing import machine, machine_line
from context_index import parse
from context_index.prior.examples import Hole, Project
from decoder.training.corpus import HELD_OUT
from lsp_server import menu
from lsp_server.model_host import ModelHost, ModelSettings
from lsp_server.prior_fit import FAMILIES, drawn, judged, projects, service_over
from lsp_server.service import Service

WAYS = ("nearness", "model", "model and file", "prior", "model and prior")
"""As listed; by the model alone; with the counts of the file that served before; without a model; as it is now."""


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


def measured(found: Sequence[Project], host: ModelHost, count: int, seed: int) -> dict[str, Tally]:
    """Ask for the menus, and order them in all ways."""
    tallies: dict[str, Tally] = defaultdict(Tally)
    share = -(-count // max(len(found), 1))
    for project in found:
        with service_over(project, host) as service:
            places = list(drawn(project, share, seed))
            for hole in track(places, project.name, console=Console(stderr=True), disable=not sys.stderr.isatty()):
                _count(tallies["members" if hole.is_member else "names"], service, hole)
    return tallies


def _count(tally: Tally, service: Service, hole: Hole) -> None:
    one = judged(service, hole)
    if one is None:
        tally.unlisted += 1
        return
    both, found = one
    items = [item for item in found.items if item.importable is None]
    texts = list(dict.fromkeys(item.text for item in items))
    scores = dict(zip(texts, both.model.tolist(), strict=True))
    syntax, offset, text = parse(hole.document), hole.offset, hole.document.text
    prior = service.probable(syntax, found, offset)
    orders = {
        "nearness": items,
        "model": menu.ordered(items, scores, prior=dict.fromkeys(texts, 0.0)),
        "model and file": menu.ordered(items, scores, text, found.start, offset),
        "prior": menu.ordered(items, {}, text, found.start, offset, prior=prior),
        "model and prior": menu.ordered(items, scores, text, found.start, offset, prior=prior),
    }
    for way, order in orders.items():
        tally.ranks[way].append(list(dict.fromkeys(item.text for item in order)).index(hole.name) + 1)
    tally.sizes.append(len(texts))


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
    parser.add_argument("--only", choices=tuple(FAMILIES))
    parser.add_argument("--model", help="a directory or hub name (default: the built-in model)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args(argv)
    paths = sysconfig.get_paths()
    roots = [Path(paths["stdlib"]), Path(paths["purelib"]), *(root.resolve() for root in arguments.root)]
    host = ModelHost(ModelSettings(name=arguments.model))
    found: dict[str, dict[str, Tally]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        for family in FAMILIES:
            if arguments.only in (None, family):
                held = list(projects(family, roots, Path(scratch).resolve(), HELD_OUT.__contains__))
                if held:
                    found[family] = measured(held, host, arguments.count, arguments.seed)
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
