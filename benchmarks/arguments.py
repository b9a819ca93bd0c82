"""Places whose type the checker knows: the rank of the true name in the menu, and whether what is shown fits.

    inscope bench arguments --count 100                   all kinds of places
    inscope bench arguments --count 100 --kinds argument  arguments that begin with a name in scope
    inscope bench arguments --count 100 --out DIRECTORY   suggestions at the same places, judged as well

A piece of a package's real code is taken out, and the menu is asked for there with nothing typed. It is the product's
menu, of the built-in model and the prior, except that it waits for the checker.

argument  A call's argument that begins with a name in scope, where the checker refuses some other name in scope.
string    What is in the quotes of a literal.
key       A pair of an object literal: its key is asked for.
keyword   `name=value` in a call: the name is asked for.

A place of the last three kinds counts if the checker lists something there and refuses another text in the intact file.
If it refused none, the type would be open, and any text might be the true one.

`without` is the menu without the expected type: for an argument all names in scope, for the other kinds what the
checker lists, in its own order. With `--out`, the suggestion at each place is judged as in `inscope bench suggestions`.
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
"""How long a checker may take for an answer."""
_READING_S = 30.0
"""The most seconds in which the names of a package are counted."""
_FIRST = 5
"""Entries that a person sees without scrolling."""
_ANOTHER = "zork"
"""A text that no closed type has."""
_ARGUMENTS = frozenset({"arguments", "argument_list"})
_NAMING = frozenset({"keyword_argument", "arrow_function"})
"""Nodes that begin with a name of a parameter, which need not be in scope."""
_QUOTES = 2
"""Characters of the two quotes around a literal."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which places are drawn; `kind` is a key of `KINDS`."""

    language: str
    kind: str


@dataclass(frozen=True, slots=True)
class Taken:
    """What is taken out of a file, and what the menu is to offer there."""

    syntax: Syntax
    """The intact file."""
    kind: str
    start: int
    end: int
    """Where the text that is taken out ends, in code points of the intact file."""
    name: str
    """The true name; `name=` for a keyword argument, and what is in the quotes for a string."""

    @property
    def bare(self) -> Syntax:
        """The file without what is taken out."""
        whole = self.syntax.document
        text = whole.text[: self.start] + whole.text[self.end :]
        return parse(Document(whole.uri, whole.language, text))


@dataclass(frozen=True, slots=True)
class ArgumentRanks:
    """A place, and the ranks from 0 of the true name in its two menus.

    Where the name is missing, its rank is `_FIRST` past the menu's end.
    """

    spot: Spot
    without: int
    """In the menu without the expected type."""
    with_type: int
    """In the product's menu."""
    is_refused: bool
    """Whether the checker refuses the true name by itself; a member of it may fit."""


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
                wanted = Wanted(language, kind)
                ranks = [
                    place_ranks
                    for root in roots
                    for place_ranks in _ranks_in_package(host, root, wanted, share, arguments.seed)
                ]
                spots += [place_ranks.spot for place_ranks in ranks]
                if ranks:
                    print(language, kind, json.dumps(_row(ranks)), flush=True)
    finally:
        host.close()
    if arguments.out is not None:
        arguments.out.mkdir(parents=True, exist_ok=True)
        suggestions.measure(spots, arguments.out)
        print(*suggestions.table(suggestions.answers(arguments.out), suggestions.verdicts(arguments.out)), sep="\n")
    print(machine_line())
    return 0


def _row(places_ranks: list[ArgumentRanks]) -> dict[str, object]:
    """The share of true names among the first entries and the mean reciprocal rank, without and with the type."""
    row: dict[str, object] = {"places": len(places_ranks)}
    for title, ranks in (
        ("without", [place_ranks.without for place_ranks in places_ranks]),
        ("with", [place_ranks.with_type for place_ranks in places_ranks]),
    ):
        first = sum(rank < _FIRST for rank in ranks) / len(ranks)
        mean_reciprocal = sum(1 / (1 + rank) for rank in ranks) / len(ranks)
        row[title] = f"{100 * first:.1f} % in the first {_FIRST}, MRR {mean_reciprocal:.3f}"
    return row | {"true name refused as it stands": sum(place_ranks.is_refused for place_ranks in places_ranks)}


def _ranks_in_package(host: ModelHost, root: Path, wanted: Wanted, count: int, seed: int) -> Iterator[ArgumentRanks]:
    """The ranks at up to `count` places of a package, in an order drawn by the seed."""
    rng = random.Random(f"{seed} {root.name}")  # noqa: S311 -- draws places
    paths = places.sources(wanted.language, root)
    workspace = Workspace((root,))
    workspace.index()
    service = Service(workspace, host)
    try:
        service.read_name_counts(_READING_S)
        files = parsed_files(paths, _FILES, rng)
        drawn = [
            taken for syntax in files for node in nodes(syntax.root) if (taken := _taken_at(syntax, node, wanted.kind))
        ]
        rng.shuffle(drawn)
        yield from islice(filter(None, (_ranks_at(service, root, wanted.language, taken) for taken in drawn)), count)
    finally:
        workspace.close()


def _taken_at(syntax: Syntax, node: Node, kind: str) -> Taken | None:
    """What is taken out where a node begins or names it; None if that is not of the kind."""
    parent, (start, end), name = node.parent, syntax.span(node), syntax.text(node)
    if parent is None:
        return None
    match kind:
        case "argument" if node.type == "identifier":
            argument = node
            while argument.parent is not None and argument.parent.type not in _ARGUMENTS:
                if argument.parent.start_byte != node.start_byte or argument.parent.type in _NAMING:
                    return None
                argument = argument.parent
            return None if argument.parent is None else Taken(syntax, kind, *syntax.span(argument), name)
        case "string" if node.type == "string" and end - start > _QUOTES and "\n" not in name:
            return Taken(syntax, kind, start + 1, end - 1, name[1:-1])
        case "key" if node.type == "property_identifier" and parent.type == "pair":
            return Taken(syntax, kind, start, syntax.end(parent), name)
        case "keyword" if parent.type == "keyword_argument" and parent.children[0] == node:
            return Taken(syntax, kind, start, syntax.end(parent), f"{name}=")
    return None


def _ranks_at(service: Service, root: Path, language: str, taken: Taken) -> ArgumentRanks | None:
    """The true name's ranks in the menus; None where the checker's type there excludes nothing."""
    bare = taken.bare
    if cursor_at(bare, taken.start).kind is not KINDS[taken.kind]:
        return None
    site = Site(service.workspace, bare, taken.start)
    candidates = service.candidates(site, _PATIENCE_S)
    misfits = service.misfits(site, candidates, _PATIENCE_S)
    is_argument = taken.kind == "argument"
    is_listed = any(candidate.listed is not None for candidate in candidates.items)
    if not (misfits.names if is_argument else is_listed and _is_closed(service, taken)):
        return None
    menu = _menu(service, site, candidates, misfits)
    menu_without = _menu(service, site, candidates, Misfits()) if is_argument else candidates.items
    return ArgumentRanks(
        _spot(root, language, taken),
        without=_rank(taken.name, menu_without),
        with_type=_rank(taken.name, menu),
        is_refused=taken.name in misfits.names,
    )


def _rank(name: str, entries: Sequence[MenuCandidate]) -> int:
    """The rank of a name, from 0; `_FIRST` past the end if it is missing."""
    texts = [entry.text for entry in entries]
    return texts.index(name) if name in texts else len(texts) + _FIRST


def _spot(root: Path, language: str, taken: Taken) -> Spot:
    """The place as `benchmarks.suggestions` asks for a suggestion at it."""
    path = path_in(taken.syntax)
    return Spot(
        name=f"{taken.kind} {root.name}/{path.relative_to(root).as_posix()}:{taken.start}",
        root=root,
        path=path,
        language=language,
        kind=taken.kind,
        text=taken.bare.document.text,
        offset=taken.start,
        rest=taken.syntax.document.text[taken.start : taken.end],
    )


def _is_closed(service: Service, taken: Taken) -> bool:
    """Whether the checker reports more errors with another name in place of the true one."""
    whole = taken.syntax.document
    end = taken.start + len(taken.name.removesuffix("="))
    changed = whole.text[: taken.start] + _ANOTHER + whole.text[end:]
    checker = service.workspace.checker_of(whole)
    errors_before, errors_after = (
        sum(
            diagnostic.is_error
            for diagnostic in checker.ask(
                Document(whole.uri, whole.language, text), lambda query: query.diagnostics()
            ).result(_PATIENCE_S)
        )
        for text in (whole.text, changed)
    )
    return errors_after > errors_before


def _menu(service: Service, site: Site, candidates: MenuCandidates, misfits: Misfits) -> Sequence[MenuCandidate]:
    """The entries in the server's order, once the model and the prior have scored all of them."""
    texts = list(dict.fromkeys(candidate.text for candidate in candidates.items))
    scores = service.ranker(site, candidates.start, max_tokens=64).rank(texts, Event())
    prior = service.prior_scores(site, candidates)
    return order.ordered(
        candidates.items, scores, site.document.text, candidates.start, site.offset, prior=prior, misfits=misfits
    )


if __name__ == "__main__":
    sys.exit(main())
