"""The menu's order: where the name that is really there stands, beside TypeScript's, ty's and jedi's own order.

    inscope bench ranking --node-modules node_modules --count 150

Names and members of real files are taken out, nothing or two characters of them are typed, and menus are asked for.
Each peer is compared over the names that both it and we list and that begin with what is typed; the rest of the file
stays as it is. `unranked` is our list without the model: by nearness, or as the checker lists.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean, median
from threading import Event

from benchmarks.ranking_peers import Peer, peers
from benchmarks.ranking_places import SUFFIXES, TYPED, Blank, drawn, roots
from benchmarks.timing import line, machine, machine_line
from context_index import Workspace, parse
from lsp_server import menu
from lsp_server.candidates import Candidate, Candidates
from lsp_server.model_host import ModelHost, ModelSettings
from lsp_server.service import Service

OURS = ("unranked", "ours")
_FEW = 5


@dataclass(slots=True)
class Tally:
    """Ranks, from 1, of the true names in several orders of the same names."""

    ranks: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    sizes: list[int] = field(default_factory=list)

    def add(self, orders: Mapping[str, Sequence[str]], name: str) -> None:
        """Count one place; orders of the same names."""
        for who, order in orders.items():
            self.ranks[who].append(order.index(name) + 1)
        self.sizes.append(max(len(order) for order in orders.values()))

    def figures(self) -> dict[str, object]:
        """Shares in percent, and the mean reciprocal rank."""
        return {
            "places": len(self.sizes),
            "names listed, median": median(self.sizes or [0]),
            **{
                who: {
                    "top1": _percent(rank == 1 for rank in ranks),
                    f"top{_FEW}": _percent(rank <= _FEW for rank in ranks),
                    "mrr": round(mean(1 / rank for rank in ranks), 3),
                }
                for who, ranks in self.ranks.items()
            },
        }


@dataclass(slots=True)
class Family:
    """What came of one language."""

    asked: int = 0
    tallies: dict[tuple[str, str, int], Tally] = field(default_factory=lambda: defaultdict(Tally))
    """By peer, kind of place, and characters typed."""
    absent: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    """How often somebody did not list the true name."""
    milliseconds: list[float] = field(default_factory=list)
    """What ranking took."""

    def figures(self) -> dict[str, object]:
        """For programs."""
        return {
            "asked": self.asked,
            "did not list the name": dict(self.absent),
            "ranking, median ms": round(median(self.milliseconds or [0]), 1),
            "tables": {
                f"{peer}, {kind}, {typed} typed": tally.figures() for (peer, kind, typed), tally in self.tallies.items()
            },
        }


def measured(folders: Iterable[tuple[Path, Path]], blanks: Mapping[Path, Sequence[Blank]], family: str) -> Family:
    """Ask everybody about every place."""
    found = Family()
    host = ModelHost(ModelSettings())
    for root, folder in folders:
        workspace, others = Workspace([root]), peers(family, root)
        service = Service(workspace, host)
        for blank in blanks[folder]:
            for typed in TYPED:
                if len(blank.name) > typed:
                    _compare(found, service, others, blank, typed)
        workspace.close()
        for peer in others:
            peer.close()
    host.close()
    return found


def _compare(found: Family, service: Service, others: Sequence[Peer], blank: Blank, typed: int) -> None:
    document, offset = blank.typed(typed)
    syntax = parse(document)
    listed = service.candidates(syntax, offset)
    texts = list(dict.fromkeys(one.text for one in listed.items if one.importable is None))
    started = time.perf_counter()
    scores = service.rank(syntax, listed.start, offset, texts, Event()) if texts else {}
    found.milliseconds.append((time.perf_counter() - started) * 1000)
    ordered = [one.text for one in menu.ordered(_unimported(listed), scores, document.text, listed.start, offset)]
    found.asked += 1
    found.absent["ours"] += blank.name not in texts
    for peer in others:
        theirs = peer.listed(document, offset)
        found.absent[peer.name] += blank.name not in theirs
        common = {*theirs} & {*texts}
        if blank.name in common:
            orders = {peer.name: theirs, OURS[0]: texts, OURS[1]: ordered}
            same = {who: [name for name in order if name in common] for who, order in orders.items()}
            found.tallies[peer.name, "members" if blank.is_member else "names", typed].add(same, blank.name)


def _unimported(listed: Candidates) -> list[Candidate]:
    return [one for one in listed.items if one.importable is None]


def report(title: str, found: Family) -> None:
    """One language for people."""
    figures = found.figures()
    line(title, f"{found.asked} menus, ranked in {figures['ranking, median ms']} ms (median)", width=0)
    absent = ", ".join(f"{who} {count}" for who, count in found.absent.items())
    line("  did not list the name", absent, width=0)
    for (peer, kind, typed), tally in sorted(found.tallies.items()):
        told = tally.figures()
        print(f"  {kind}, {typed} typed, of {told['names listed, median']:.0f} (median), {told['places']} places")
        for who in (peer, *OURS):
            row = told[who]
            assert isinstance(row, dict)  # noqa: S101 -- made above
            line(f"    {who}", *(f"{value}" for value in row.values()), width=10)


def _percent(hits: Iterable[bool]) -> float:
    return round(100 * mean(hits), 1)


def main() -> int:
    """Measure each language whose packages are there."""
    parser = argparse.ArgumentParser(prog="inscope bench ranking", description=__doc__)
    parser.add_argument("--node-modules", type=Path, help="with the packages of `inscope bench members`")
    parser.add_argument("--count", type=int, default=1000, help="names, and as many members, per language")
    parser.add_argument("--only", choices=tuple(SUFFIXES))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    if not arguments.json:
        print(machine_line())
        line("", "top-1 %", f"top-{_FEW} %", "MRR", width=10)
    modules = arguments.node_modules and arguments.node_modules.resolve()
    found = {}
    with tempfile.TemporaryDirectory() as scratch:
        for family in SUFFIXES:
            if arguments.only in (None, family) and (folders := roots(family, modules, Path(scratch).resolve())):
                found[family] = measured(folders, drawn(family, folders, arguments.count, arguments.seed), family)
                if not arguments.json:
                    report(family, found[family])
    if arguments.json:
        print(json.dumps({"machine": machine(), **{family: one.figures() for family, one in found.items()}}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
