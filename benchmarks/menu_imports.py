"""Half-typed names that an import makes visible, in unseen packages: are they in the menu, and with whose import?

    inscope bench menu_imports --count 40

A place is a name that a file imports from its own package and uses once. Its import and its second half are taken out,
and the menu is asked for. The name may come from several modules, so there may be several entries of it; each is asked
for its import. A second process of the checker is asked which imports it offers as quick fixes for the whole name.
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
from lsp_server.engine.verification.applied import Applied
from lsp_server.engine.verification.repairs import imported

_FILES = 40
"""Files that are read of a package."""
_ENTRIES = 5
"""Entries of one name in a menu whose imports are asked for."""
_PATIENCE_S = 60.0
"""How long the checker may take for an answer."""


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
            counted.update(_outcomes_in_package(root, language, -(-arguments.count // len(roots)), arguments.seed))
        print(language, json.dumps(dict(counted.most_common())), flush=True)
    print(machine_line())
    return 0


def _outcomes_in_package(root: Path, language: str, count: int, seed: int) -> Iterator[str]:
    """What is to be counted in a package: `names` for each name, then what came of it."""
    rng = random.Random(f"{seed} {root.name}")  # noqa: S311 -- draws places
    paths = places.sources(language, root)
    workspace, second = Workspace((root,)), Checkers([root])
    workspace.index()
    lister = Lister()
    try:
        possible = [place for path in rng.sample(paths, min(len(paths), _FILES)) for place in places_of(path, root)]
        for place in rng.sample(possible, min(count, len(possible))):
            yield "names"
            yield from _outcomes(workspace, lister, second, place)
    finally:
        workspace.close()
        second.close()


def _outcomes(workspace: Workspace, lister: Lister, second: Checkers, place: ImportPlace) -> Iterator[str]:
    """What came of one name: nothing if it is not listed, else `listed` and a sentence on whose import it has."""
    syntax = parse(document(place.file, place.text))
    menu = lister.at(Site(workspace, syntax, place.offset), _PATIENCE_S)
    importables = [item.importable for item in menu.items if item.text == place.name and item.importable is not None]
    if not importables:
        return
    yield "listed"
    applied = Applied(syntax, Candidate(menu.start, place.name, place.offset - menu.start))
    try:
        checker = workspace.checker_of(syntax.document)
        ours = [
            offered_import(workspace, checker, applied, importable, _PATIENCE_S)
            for importable in importables[:_ENTRIES]
        ]
        theirs = second.of(syntax.document).ask(applied.document, lambda query: _import_fixes(query, applied)).result()
    except (CheckerError, TimeoutError):
        yield "the checker failed"
        return
    ours_in_document = {  # the checker's offsets are those of the document with the name in it
        tuple(Edit(applied.after(edit.start), applied.after(edit.end), edit.text) for edit in edits) for edits in ours
    }
    if not theirs:
        yield "the checker offers no import: the index's"
    elif ours_in_document & theirs:
        yield "the checker's own import"
    else:
        yield "another import than the checker's"


def _import_fixes(query: Query, applied: Applied) -> set[tuple[Edit, ...]]:
    """The edits of all quick fixes for the name's errors that import something."""
    start, end = applied.inserted
    errors = [error for error in query.diagnostics() if error.is_error and start <= error.start < end]
    fixes = {fix.edits for error in errors for fix in query.quick_fixes(error)}
    return {edits for edits in fixes if _is_import(applied, edits)}


def _is_import(applied: Applied, edits: tuple[Edit, ...]) -> bool:
    """Whether edits leave the name alone, and import something."""
    start, end = applied.inserted
    if any(edit.start < end and edit.end > start for edit in edits):
        return False
    whole = applied.document
    after = whole.edited(sorted(edits, key=lambda edit: edit.start)[::-1], whole.revision)
    return bool(imported(parse(after)) - imported(applied.syntax))


if __name__ == "__main__":
    sys.exit(main())
