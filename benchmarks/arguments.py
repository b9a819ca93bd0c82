"""Places whose type the checker knows: the rank of the true name in the menu, and whether what is shown fits.

    inscope bench arguments --count 100                   all kinds of places
    inscope bench arguments --count 100 --kinds argument  arguments that begin with a name in scope
    inscope bench arguments --count 100 --out DIRECTORY   suggestions at the same places, judged as well

Real code of packages is taken out, and the menu is asked for with nothing typed, as the product answers: the built-in
model, the prior, the checker waited for.

argument  A call's argument that begins with a name in scope, where the checker refuses some other name in scope.
string    What is in the quotes of a literal.
key       A pair of an object literal: its key is asked for.
keyword   `name=value` in a call: the name is asked for.

The last three count where the checker lists something, and refuses another text in the intact file: of an open type
any text may be the true one.

`without` is the menu without the expected type: all names in scope for an argument, and what the checker lists in its
own order for the others. With `--out` the suggestion that is shown there is judged as in `inscope bench suggestions`.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from threading import Event

from benchmarks import places, suggestions
from benchmarks.suggestions import Spot
from benchmarks.timing import machine_line
from benchmarks.verification_places import nodes, parsed_files, path_in
from context_index import CursorKind, Document, Misfits, Node, Syntax, Workspace, cursor_at, parse
from lsp_server.engine.menu import order
from lsp_server.engine.menu.candidates import MenuCandidate, MenuCandidates
from lsp_server.engine.model_host import ModelHost, ModelSettings
from lsp_server.engine.service import Service
from lsp_server.engine.site import Site

KINDS = {
    "argument": CursorKind.ARGUMENT,
    "string": CursorKind.STRING,
    "key": CursorKind.OBJECT_KEY,
    "keyword": CursorKind.ARGUMENT,
}
_FILES = 12
"""Files that are read of a package."""
_PATIENCE_S = 60.0
_READING_S = 30.0
_FIRST = 5
_ANOTHER = "zork"
_ARGUMENTS = frozenset({"arguments", "argument_list"})
_NAMING = frozenset({"keyword_argument", "arrow_function"})
"""Nodes that begin with a name which is none of the scope."""
_QUOTES = 2


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which places are drawn."""

    language: str
    kind: str


@dataclass(frozen=True, slots=True)
class Taken:
    """What is taken out of a file, and what the menu is to offer there."""

    syntax: Syntax
    kind: str
    start: int
    end: int
    name: str

    @property
    def bare(self) -> Syntax:
        """The file without it."""
        whole = self.syntax.document
        text = whole.text[: self.start] + whole.text[self.end :]
        return parse(Document(whole.uri, whole.language, text))


@dataclass(frozen=True, slots=True)
class ArgumentRanks:
    """A place, and the ranks of the true name in its menus, from 0; past the end where it is missing."""

    spot: Spot
    without: int
    with_type: int
    is_refused: bool
    """Whether the checker refuses the name as it stands: a member of it may fit."""


def main() -> int:
    """Measure, and print a line for each language and kind."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100, help="places of a kind in a language")
    parser.add_argument("--set", choices=places.NAMES, default="heldout")
    parser.add_argument("--language", choices=places.LANGUAGES, action="append", help="default: all")
    parser.add_argument("--kinds", nargs="*", choices=list(KINDS), default=list(KINDS))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, help="have suggestions judged; everything is kept there")
    arguments = parser.parse_args()
    host = ModelHost(ModelSettings(idle_unload_seconds=None))
    spots: list[Spot] = []
    try:
        for language in arguments.language or places.LANGUAGES:
            roots = list(places.packages(arguments.set, language).values())
            share = -(-arguments.count // len(roots))
            for kind in arguments.kinds:
                found = [
                    one for root in roots for one in _package(host, root, Wanted(language, kind), share, arguments.seed)
                ]
                spots += [one.spot for one in found]
                if found:
                    print(language, kind, json.dumps(_row(found)), flush=True)
    finally:
        host.close()
    if arguments.out is not None:
        arguments.out.mkdir(parents=True, exist_ok=True)
        suggestions.measure(spots, arguments.out)
        print(*suggestions.table(suggestions.answers(arguments.out), suggestions.verdicts(arguments.out)), sep="\n")
    print(machine_line())
    return 0


def _row(found: list[ArgumentRanks]) -> dict[str, object]:
    """Shares of places, and mean reciprocal ranks, without and with the expected type.

    A name that is not listed counts as five after the last.
    """
    row: dict[str, object] = {"places": len(found)}
    for title, ranks in (
        ("without", [one.without for one in found]),
        ("with", [one.with_type for one in found]),
    ):
        first = sum(rank < _FIRST for rank in ranks) / len(ranks)
        mean = sum(1 / (1 + rank) for rank in ranks) / len(ranks)
        row[title] = f"{100 * first:.1f} % in the first {_FIRST}, MRR {mean:.3f}"
    return row | {"true name refused as it stands": sum(one.is_refused for one in found)}


def _package(host: ModelHost, root: Path, wanted: Wanted, count: int, seed: int) -> Iterator[ArgumentRanks]:
    chance = random.Random(f"{seed} {root.name}")  # noqa: S311 -- draws places
    paths = places.sources(wanted.language, root)
    workspace = Workspace((root,))
    workspace.index()
    service = Service(workspace, host)
    try:
        service.read_name_counts(_READING_S)
        files = parsed_files(paths, _FILES, chance)
        drawn = [
            taken for syntax in files for node in nodes(syntax.root) if (taken := _taken(syntax, node, wanted.kind))
        ]
        chance.shuffle(drawn)
        yield from islice(filter(None, (_asked(service, root, wanted.language, taken) for taken in drawn)), count)
    finally:
        workspace.close()


def _taken(syntax: Syntax, node: Node, kind: str) -> Taken | None:
    """What is taken out around a node, where that is of the kind."""
    around, (start, end), name = node.parent, syntax.span(node), syntax.text(node)
    if around is None:
        return None
    match kind:
        case "argument" if node.type == "identifier":
            whole = node
            while whole.parent is not None and whole.parent.type not in _ARGUMENTS:
                if whole.parent.start_byte != node.start_byte or whole.parent.type in _NAMING:
                    return None
                whole = whole.parent
            return None if whole.parent is None else Taken(syntax, kind, *syntax.span(whole), name)
        case "string" if node.type == "string" and end - start > _QUOTES and "\n" not in name:
            return Taken(syntax, kind, start + 1, end - 1, name[1:-1])
        case "key" if node.type == "property_identifier" and around.type == "pair":
            return Taken(syntax, kind, start, syntax.end(around), name)
        case "keyword" if around.type == "keyword_argument" and around.children[0] == node:
            return Taken(syntax, kind, start, syntax.end(around), f"{name}=")
    return None


def _asked(service: Service, root: Path, language: str, taken: Taken) -> ArgumentRanks | None:
    """The true name's ranks in the menus; None where the checker knows of no type there."""
    bare, place, name = taken.bare, taken.start, taken.name
    if cursor_at(bare, place).kind is not KINDS[taken.kind]:
        return None
    site = Site(service.workspace, bare, place)
    found = service.candidates(site, _PATIENCE_S)
    is_argument = taken.kind == "argument"
    misfits = service.misfits(site, found, _PATIENCE_S)
    is_listed = any(one.listed is not None for one in found.items)
    if not (misfits.names if is_argument else is_listed and _is_closed(service, taken)):
        return None
    menu = _menu(service, site, found, misfits)
    without = _menu(service, site, found, Misfits()) if is_argument else found.items
    texts = [one.text for one in menu]
    missing = len(menu) + _FIRST
    rank, rank_without = (
        [one.text for one in each].index(name) if name in texts else missing for each in (menu, without)
    )
    rest = taken.syntax.document.text[place : taken.end]
    path = path_in(taken.syntax)
    label = f"{taken.kind} {root.name}/{path.relative_to(root).as_posix()}:{place}"
    spot = Spot(label, root, path, language, taken.kind, bare.document.text, place, rest)
    return ArgumentRanks(spot, rank_without, rank, name in misfits.names)


def _is_closed(service: Service, taken: Taken) -> bool:
    """Whether the checker refuses another text in its place."""
    whole = taken.syntax.document
    end = taken.start + len(taken.name.removesuffix("="))
    text = whole.text[: taken.start] + _ANOTHER + whole.text[end:]
    checker = service.workspace.checker_of(whole)
    intact, other = (
        checker.ask(Document(whole.uri, whole.language, one), lambda asked: asked.diagnostics()).result(_PATIENCE_S)
        for one in (whole.text, text)
    )
    return sum(one.is_error for one in other) > sum(one.is_error for one in intact)


def _menu(service: Service, site: Site, found: MenuCandidates, misfits: Misfits) -> Sequence[MenuCandidate]:
    """As the server answers, but that nothing is late."""
    texts = list(dict.fromkeys(one.text for one in found.items))
    scores = service.rank(site, found.start, texts, Event())
    prior = service.prior_scores(site, found)
    return order.ordered(
        found.items, scores, site.document.text, found.start, site.offset, prior=prior, misfits=misfits
    )


if __name__ == "__main__":
    sys.exit(main())
