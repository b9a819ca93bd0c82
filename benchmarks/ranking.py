"""The menu's order: the rank of the name that is really there, beside TypeScript's, ty's and jedi's own order.

    inscope bench ranking --node-modules node_modules --count 500

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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from threading import Event

from benchmarks.ranking_peers import Peer, peers
from benchmarks.ranking_places import SUFFIXES, TYPED, BlankedName, drawn, roots
from benchmarks.ranking_tally import OURS, LanguageTally, MenuRow, families, ranks
from benchmarks.timing import line, machine, machine_line
from context_index import Workspace, parse
from lsp_server.engine.menu import order
from lsp_server.engine.menu.candidates import MenuCandidate, MenuCandidates
from lsp_server.engine.model_host import ModelHost, ModelSettings
from lsp_server.engine.service import Service
from lsp_server.engine.site import Site
from lsp_server.paths import existing

_Compared = tuple[str, int, float, dict[str, bool], dict[str, dict[str, int]], dict[str, int]]
"""A row, but for its family."""


def measured(
    family: str,
    folders: Iterable[tuple[Path, Path]],
    blanks: Mapping[Path, Sequence[BlankedName]],
    typed: Sequence[int],
) -> Iterator[MenuRow]:
    """Ask everybody about every place, with so many characters of its name typed."""
    host = ModelHost(ModelSettings())
    for root, folder in folders:
        workspace, others = Workspace([root]), peers(family, root)
        service = Service(workspace, host)
        try:
            for blank in blanks[folder]:
                for count in typed:
                    if len(blank.name) > count:
                        yield MenuRow(family, *_compared(service, others, blank, count))
        finally:
            workspace.close()
            for peer in others:
                peer.close()
    host.close()


def _compared(service: Service, others: Sequence[Peer], blank: BlankedName, typed: int) -> _Compared:
    document, offset = blank.typed(typed)
    syntax = parse(document)
    site = Site(service.workspace, syntax, offset)
    listed = service.candidates(site)
    texts = list(dict.fromkeys(one.text for one in listed.items if one.importable is None))
    started = time.perf_counter()
    scores = service.rank(site, listed.start, texts, Event()) if texts else {}
    milliseconds = (time.perf_counter() - started) * 1000
    prior = service.prior_scores(site, listed)
    best = order.ordered(_unimported(listed), scores, document.text, listed.start, offset, prior=prior)
    ordered = [one.text for one in best]
    found: dict[str, dict[str, int]] = {}
    sizes: dict[str, int] = {}
    lists = {"ours": blank.name in texts}
    for peer in others:
        theirs = peer.listed(document, offset)
        lists[peer.name] = blank.name in theirs
        common = {*theirs} & {*texts}
        if blank.name in common:
            orders = {peer.name: theirs, OURS[0]: texts, OURS[1]: ordered}
            same = {who: [name for name in order if name in common] for who, order in orders.items()}
            found[peer.name], sizes[peer.name] = ranks(same, blank.name), len(common)
    kind = "members" if blank.is_member else "names"
    return kind, typed, round(milliseconds, 1), lists, found, sizes


def _unimported(listed: MenuCandidates) -> list[MenuCandidate]:
    return [one for one in listed.items if one.importable is None]


def report(title: str, found: LanguageTally) -> None:
    """One language for people."""
    figures = found.figures()
    line(title, f"{found.asked} menus, ranked in {figures['ranking, median ms']} ms (median)", width=0)
    absent = ", ".join(f"{who} {count}" for who, count in found.absent.items())
    line("  did not list the name", absent, width=0)
    for (peer, kind, typed), tally in sorted(found.tallies.items()):
        result = tally.figures()
        print(f"  {kind}, {typed} typed, of {result['names listed, median']:.0f} (median), {result['places']} places")
        for who in (peer, *OURS):
            line(f"    {who}", *(f"{value}" for value in result[who].values()), width=10)


def main() -> int:
    """Measure each language whose packages are there."""
    parser = argparse.ArgumentParser(prog="inscope bench ranking", description=__doc__)
    parser.add_argument("--node-modules", type=existing, help="with the packages of `benchmarks/ranking_places.py`")
    parser.add_argument("--count", type=int, default=500, help="names, and as many members, per language")
    parser.add_argument("--typed", type=int, nargs="*", default=TYPED, help="characters typed (default: 0 and 2)")
    parser.add_argument("--only", choices=tuple(SUFFIXES))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    modules = arguments.node_modules and arguments.node_modules.resolve()
    rows: list[MenuRow] = []
    with tempfile.TemporaryDirectory() as scratch:
        for family in SUFFIXES:
            if arguments.only in (None, family) and (folders := roots(family, modules, Path(scratch).resolve())):
                blanks = drawn(family, folders, arguments.count, arguments.seed)
                rows += measured(family, folders, blanks, arguments.typed)
    found = families(rows)
    if arguments.json:
        print(json.dumps({"machine": machine(), **{family: one.figures() for family, one in found.items()}}))
        return 0
    print(machine_line())
    line("", "top-1 %", "top-5 %", "MRR", width=10)
    for family, one in found.items():
        report(family, one)
    return 0


if __name__ == "__main__":
    sys.exit(main())
