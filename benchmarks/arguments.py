"""Arguments of calls in unseen packages: where the true name stands in the menu, with and without the expected type.

    inscope bench arguments --count 100
    inscope bench arguments --count 100 --listed

Real calls whose argument begins with a name in scope, at a parameter of which the checker knows the type (it refuses
some of the names in scope). The argument is taken out; the menu is asked for with nothing typed, and ordered with the
prior alone, so that no model has the say. With `--listed` the places are those at which the checker itself lists what
is expected: strings, keys of objects and names of arguments.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks import places
from benchmarks.timing import machine_line
from benchmarks.verification_places import nodes, parsed
from context_index import Document, Syntax, Workspace, parse
from lsp_server.menu import order
from lsp_server.model_host import ModelHost, ModelSettings
from lsp_server.service import Service

_FILES = 12
"""Of a package."""
_PATIENCE_S = 60.0
_FIRST = 5
_ARGUMENTS = frozenset({"arguments", "argument_list"})


def main() -> int:
    """Measure, and print a line for each language."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100, help="arguments of a language")
    parser.add_argument("--set", choices=places.NAMES, default="heldout")
    parser.add_argument("--language", choices=places.LANGUAGES, action="append", help="default: all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--listed", action="store_true", help="strings, keys and names of arguments instead")
    arguments = parser.parse_args()
    for language in arguments.language or places.LANGUAGES:
        roots = list(places.packages(arguments.set, language).values())
        share = -(-arguments.count // len(roots))
        ranks = [rank for root in roots for rank in _package(root, language, share, arguments)]
        print(language, json.dumps(_row(ranks)), flush=True)
    print(machine_line())
    return 0


def _row(ranks: list[tuple[int, int, bool]]) -> dict[str, object]:
    """Shares of places, and mean reciprocal ranks: without and with the expected type."""
    found: dict[str, object] = {"places": len(ranks)}
    for number, name in enumerate(("without", "with")):
        first = sum(one[number] < _FIRST for one in ranks) / len(ranks)
        mean = sum(1 / (1 + one[number]) for one in ranks) / len(ranks)
        found[name] = f"{100 * first:.1f} % in the first {_FIRST}, MRR {mean:.3f}"
    return found | {"true name refused as it stands": sum(one[2] for one in ranks)}


def _package(root: Path, language: str, count: int, arguments: argparse.Namespace) -> Iterator[tuple[int, int, bool]]:
    chance = random.Random(f"{arguments.seed} {root.name}")  # noqa: S311 -- draws places
    paths = places.sources(language, root)
    workspace, host = Workspace((root,)), ModelHost(ModelSettings())
    workspace.index()
    workspace.read_name_counts(30)
    service = Service(workspace, host)
    try:
        files = [one for path in chance.sample(paths, min(len(paths), _FILES)) if (one := parsed(path)) is not None]
        drawn_from, ranked = (_expected, _rank_listed) if arguments.listed else (_arguments, _ranks)
        drawn = [(syntax, *found) for syntax in files for found in drawn_from(syntax)]
        chance.shuffle(drawn)
        for syntax, start, end, name in drawn:
            if count and (ranks := ranked(service, syntax, start, end, name)) is not None:
                count -= 1
                yield ranks
    finally:
        workspace.close()
        host.close()


def _arguments(syntax: Syntax) -> Iterator[tuple[int, int, str]]:
    """Arguments that begin with a name: where they begin and end, and the name."""
    for node in nodes(syntax.root):
        if node.type != "identifier":
            continue
        whole = node
        while whole.parent is not None and whole.parent.start_byte == node.start_byte:
            if whole.parent.type in _ARGUMENTS:
                break
            whole = whole.parent
        if whole.parent is not None and whole.parent.type in _ARGUMENTS:
            yield *syntax.span(whole), syntax.text(node)


def _expected(syntax: Syntax) -> Iterator[tuple[int, int, str]]:
    """Contents of strings, keys of object literals, and names of arguments; a name goes with its equals sign."""
    for node in nodes(syntax.root):
        around = node.parent
        start, end = syntax.span(node)
        if node.type == "string" and end - start > 2 and "\n" not in syntax.text(node):  # noqa: PLR2004 -- quotes
            yield start + 1, end - 1, syntax.text(node)[1:-1]
        elif node.type == "property_identifier" and around is not None and around.type == "pair":
            yield start, end, syntax.text(node)
        elif around is not None and around.type == "keyword_argument" and around.children[0] == node:
            yield start, syntax.end(around), f"{syntax.text(node)}="


def _rank_listed(service: Service, syntax: Syntax, start: int, end: int, name: str) -> tuple[int, int, bool] | None:
    """The place in the menu; None where the checker lists nothing. What it lists it accepts."""
    document = syntax.document
    bare = parse(Document(document.uri, document.language, document.text[:start] + document.text[end:]))
    found = service.candidates(bare, start, _PATIENCE_S)
    if not any(one.listed is not None for one in found.items):
        return None
    prior = service.probable(bare, found, start)
    menu = [one.text for one in order.ordered(found.items, {}, bare.document.text, start, start, prior=prior)]
    rank = menu.index(name) if name in menu else len(menu) + _FIRST
    return rank, rank, False


def _ranks(service: Service, syntax: Syntax, start: int, end: int, name: str) -> tuple[int, int, bool] | None:
    """The name's places in the menu, counted from 0; None where it is not listed, or all names fit."""
    document = syntax.document
    bare = parse(Document(document.uri, document.language, document.text[:start] + document.text[end:]))
    found = service.candidates(bare, start, _PATIENCE_S)
    misfits = service.misfits(bare, found, start, _PATIENCE_S)
    if not misfits or name not in [one.text for one in found.items if one.listed is None]:
        return None
    prior = service.probable(bare, found, start)
    orders = [
        order.ordered(found.items, {}, bare.document.text, start, start, prior=prior, misfits=refused)
        for refused in (frozenset[str](), misfits)
    ]
    without, with_type = ([one.text for one in menu].index(name) for menu in orders)
    return without, with_type, name in misfits


if __name__ == "__main__":
    sys.exit(main())
