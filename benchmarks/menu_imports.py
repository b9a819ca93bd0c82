"""Half-typed names that an import makes visible, in unseen packages: are they in the menu, and with whose import?

    inscope bench menu_imports --count 40

A name that a file imports from its own package and uses once loses its import and is half typed where it is used. The
menu is asked for, and the import of each entry of the name, as it may come from several modules; a second process of
the checker is asked which imports it offers as quick fixes for the whole name.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from benchmarks import places
from benchmarks.documents import document
from benchmarks.half_typed_imports import ImportPlace, places_of
from benchmarks.timing import machine_line
from context_index import CheckerError, Edit, Query, Workspace, parse
from context_index.checkers import Checkers
from lsp_server.engine.menu.candidates import Lister
from lsp_server.engine.menu.imports import offered_import
from lsp_server.engine.site import Site
from lsp_server.engine.verification import Candidate
from lsp_server.engine.verification.candidate import Applied
from lsp_server.engine.verification.repairs import imported

_FILES = 40
"""Files that are read of a package."""
_ENTRIES = 5
"""Entries of one name in a menu whose imports are asked for."""
_PATIENCE_S = 60.0


def main() -> int:
    """Measure, and print a line for each language."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=40, help="names of a language")
    parser.add_argument("--set", choices=places.NAMES, default="heldout")
    parser.add_argument("--language", choices=places.LANGUAGES, action="append", help="default: all")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    for language in arguments.language or places.LANGUAGES:
        roots = list(places.packages(arguments.set, language).values())
        counted: Counter[str] = Counter()
        for root in roots:
            counted.update(_package(root, language, -(-arguments.count // len(roots)), arguments.seed))
        print(language, json.dumps(dict(counted.most_common())), flush=True)
    print(machine_line())
    return 0


def _package(root: Path, language: str, count: int, seed: int) -> Iterator[str]:
    """What came of each name, and of each that is listed, whose import it has."""
    chance = random.Random(f"{seed} {root.name}")  # noqa: S311 -- draws places
    paths = places.sources(language, root)
    workspace, second = Workspace((root,)), Checkers([root])
    workspace.index()
    lister = Lister()
    try:
        drawn = [place for path in chance.sample(paths, min(len(paths), _FILES)) for place in places_of(path, root)]
        for place in chance.sample(drawn, min(count, len(drawn))):
            yield "names"
            yield from _asked(workspace, lister, second, place)
    finally:
        workspace.close()
        second.close()


def _asked(workspace: Workspace, lister: Lister, second: Checkers, place: ImportPlace) -> Iterator[str]:
    syntax = parse(document(place.file, place.text))
    found = lister.at(Site(workspace, syntax, place.offset), _PATIENCE_S)
    listed = [one.importable for one in found.items if one.text == place.name and one.importable is not None]
    if not listed:
        return
    yield "listed"
    applied = Applied(syntax, Candidate(found.start, place.name, place.offset - found.start))
    try:
        checker = workspace.checker_of(syntax.document)
        ours = [offered_import(workspace, checker, applied, one, _PATIENCE_S) for one in listed[:_ENTRIES]]
        theirs = second.of(syntax.document).ask(applied.document, lambda asked: _fixes(asked, applied)).result()
    except (CheckerError, TimeoutError):
        yield "the checker failed"
        return
    moved = {tuple(Edit(applied.after(one.start), applied.after(one.end), one.text) for one in each) for each in ours}
    if not theirs:
        yield "the checker offers no import: the index's"
    elif moved & theirs:
        yield "the checker's own import"
    else:
        yield "another import than the checker's"


def _fixes(asked: Query, applied: Applied) -> set[tuple[Edit, ...]]:
    """The edits of all quick fixes for what is wrong with the name."""
    start, end = applied.inserted
    errors = [one for one in asked.diagnostics() if one.is_error and start <= one.start < end]
    fixes = {fix.edits for error in errors for fix in asked.quick_fixes(error)}
    return {edits for edits in fixes if _is_import(applied, edits)}


def _is_import(applied: Applied, edits: tuple[Edit, ...]) -> bool:
    """Whether edits leave the name alone, and import something."""
    start, end = applied.inserted
    if any(one.start < end and one.end > start for one in edits):
        return False
    whole = applied.document
    after = whole.edited(sorted(edits, key=lambda edit: edit.start)[::-1], whole.revision)
    return bool(imported(parse(after)) - imported(applied.syntax))


if __name__ == "__main__":
    sys.exit(main())
