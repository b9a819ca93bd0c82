"""The menu's order: the rank of the name that is really there, beside TypeScript's, ty's and jedi's own order.

    inscope bench ranking --node-modules node_modules --count 500

A name or member is taken out of a real file, the rest of which stays as it is. None or two of its characters are typed,
and the menus are asked for. Each peer is compared with us over the names that both list. `unranked` is our list without
the model: by nearness, or in the checker's order.
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
from benchmarks.ranking_places import SUFFIXES, TYPED, BlankedName, draw_places, roots
from benchmarks.ranking_tally import OURS, LanguageTally, MenuRow, families, ranks
from benchmarks.timing import line, machine, machine_line
from context_index import Workspace, parse
from lsp_server.engine.menu import order
from lsp_server.engine.model_host import ModelHost, ModelSettings
from lsp_server.engine.service import Service
from lsp_server.engine.site import Site
from lsp_server.paths import existing


def measure(
    family: str,
    folders: Iterable[tuple[Path, Path]],
    blanks: Mapping[Path, Sequence[BlankedName]],
    typed: Sequence[int],
) -> Iterator[MenuRow]:
    """Ask us and the peers at every place, with each number of characters of its name typed.

    Args:
        folders: The root of each project and its folder of sources.
        blanks: The places in each folder of sources.
    """
    host = ModelHost(ModelSettings())
    for root, folder in folders:
        workspace, peers_of_project = Workspace([root]), peers(family, root)
        service = Service(workspace, host)
        try:
            for blank in blanks[folder]:
                for count in typed:
                    if len(blank.name) > count:
                        yield _compare(family, service, peers_of_project, blank, count)
        finally:
            workspace.close()
            for peer in peers_of_project:
                peer.close()
    host.close()


def _compare(
    family: str, service: Service, peers_of_project: Sequence[Peer], blank: BlankedName, typed: int
) -> MenuRow:
    """Ask us and the peers at one place. Names that need an import are left out of our list, as peers have none."""
    document, offset = blank.typed(typed)
    syntax = parse(document)
    site = Site(service.workspace, syntax, offset)
    candidates = service.candidates(site)
    unimported = [candidate for candidate in candidates.items if candidate.importable is None]
    unranked = list(dict.fromkeys(candidate.text for candidate in unimported))
    started = time.perf_counter()
    scores = service.ranker(site, candidates.start, max_tokens=64).rank(unranked, Event()) if unranked else {}
    milliseconds = (time.perf_counter() - started) * 1000
    prior = service.prior_scores(site, candidates)
    menu = order.ordered(unimported, scores, document.text, candidates.start, offset, prior=prior)
    ranked = [candidate.text for candidate in menu]
    ranks_by_peer: dict[str, dict[str, int]] = {}
    sizes: dict[str, int] = {}
    lists_name = {"ours": blank.name in unranked}
    for peer in peers_of_project:
        theirs = peer.listed(document, offset)
        lists_name[peer.name] = blank.name in theirs
        common = {*theirs} & {*unranked}
        if blank.name in common:
            orders = {peer.name: theirs, OURS[0]: unranked, OURS[1]: ranked}
            of_common = {who: [name for name in names if name in common] for who, names in orders.items()}
            ranks_by_peer[peer.name], sizes[peer.name] = ranks(of_common, blank.name), len(common)
    kind = "members" if blank.is_member else "names"
    return MenuRow(family, kind, typed, round(milliseconds, 1), lists_name, ranks_by_peer, sizes)


def report(title: str, found: LanguageTally) -> None:
    """Print the figures of one language."""
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
                blanks = draw_places(family, folders, arguments.count, arguments.seed)
                rows += measure(family, folders, blanks, arguments.typed)
    tallies = families(rows)
    if arguments.json:
        print(json.dumps({"machine": machine(), **{family: tally.figures() for family, tally in tallies.items()}}))
        return 0
    print(machine_line())
    line("", "top-1 %", "top-5 %", "MRR", width=10)
    for family, tally in tallies.items():
        report(family, tally)
    return 0


if __name__ == "__main__":
    sys.exit(main())
