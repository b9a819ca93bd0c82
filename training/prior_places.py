"""Places in real files at which a name was removed; the prior is fitted to them and measured on them.

At some places the rest of the line is removed, too. Names are counted in the rest of the project, without the file
itself, as while somebody edits it. A project is a package of several files. `training/prior_fit.py` and `inscope bench
prior` use these places.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from context_index.checkers import question_at
from context_index.cursor import cursor_at
from context_index.prior.contexts import TextContexts, contexts
from context_index.prior.features import NameCandidates, dense
from context_index.prior.lexemes import lexemes
from context_index.prior.name_counts import NameCounts
from context_index.prior.place import PriorPlace, place_of
from context_index.prior.place_prior import signature_of
from context_index.prior.prior import lexis_of
from context_index.prior.uses import uses_around
from context_index.prior.weights import kind_of
from context_index.symbols import Name, NameKind
from context_index.syntax import Node, Syntax, parse
from context_index.text import Document, language_of
from context_index.workspace import Workspace
from training import licences

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

FAMILIES: Final[Mapping[str, frozenset[str]]] = {
    "python": frozenset({".py"}),
    "script": frozenset({".js", ".mjs", ".cjs", ".ts", ".mts", ".tsx"}),
}
"""The suffixes of each family of languages that has weights of its own."""
_ASIDE: Final = frozenset({"node_modules", "dist", "umd", "build", "bundles", "_vendor", "test", "tests"})
"""Folders whose files are left out."""
_SMALLEST, _LARGEST = 300, 120_000
"""Bytes of the files that are read, both bounds excluded."""
_FEWEST_FILES, _MOST_FILES = 4, 150
"""A package with fewer files than the first number is no project; of more than the second, only that many are read."""
_NAME_TYPES = frozenset({"identifier", "shorthand_property_identifier"})
"""The types of nodes that are names in scope; some are declarations, which `_example` leaves out."""
_CHECKER_SECONDS = 10.0
"""How long a type checker may take for one list."""
_OPEN_LINES = 0.5
"""The share of places after which the rest of the line is removed, as it is missing while code is written."""
_LEXEMES_BEFORE = 200
"""The most lexemes before the place that are looked at."""


@dataclass(frozen=True, slots=True)
class PriorProject:
    """Files of one package."""

    name: str
    root: Path
    files: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class PriorExample:
    """One place, its candidates, and which of them is right."""

    kind: str
    """One of `context_index.prior.weights.KINDS`."""
    candidates: NameCandidates
    place: PriorPlace
    table: npt.NDArray[np.float32]
    """The dense features of each candidate, float32 [DENSE, names]."""
    true: int
    """The index of the true candidate."""


@dataclass(frozen=True, slots=True)
class BlankedPlace:
    """A document without one name, and perhaps without the rest of the name's line."""

    document: Document
    offset: int
    """Where the name was."""
    name: str
    is_member: bool


def projects(
    family: str, roots: Sequence[Path], scratch: Path, wanted: Callable[[str], bool]
) -> Iterator[PriorProject]:
    """The projects of a family of languages whose packages are permissively licensed, in a fixed random order.

    Packages of Python are copied into `scratch`, as a checker does not judge what is installed.

    Args:
        wanted: Whether the package of a name is wanted.
    """
    packages = [package for root in roots for package in licences.packages_under(root) if wanted(package.name)]
    random.Random(0).shuffle(packages)
    for package in packages:
        files = sources(family, package.directory) if package.directory.is_dir() and package.is_permissive else []
        if len(files) < _FEWEST_FILES:
            continue
        chosen = random.Random(0).sample(files, min(_MOST_FILES, len(files)))
        if family == "python":
            place = scratch / package.name.replace(":", "-") / package.directory.name
            if place.exists():
                continue
            for path in chosen:
                copy = place / path.relative_to(package.directory)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, copy)
            yield PriorProject(package.name, place.parent, tuple(sources(family, place)))
        else:
            yield PriorProject(package.name, package.directory, tuple(sorted(chosen)))


def sources(family: str, directory: Path) -> list[Path]:
    """The files of a family below a directory, sorted, without built files, declarations, tests and odd sizes."""
    return [
        path
        for path in sorted(directory.rglob("*"))
        if path.suffix in FAMILIES[family]
        and not path.name.endswith((".d.ts", ".d.mts", ".min.js"))
        and not _ASIDE & {*path.relative_to(directory).parts}
        and path.is_file()
        and _SMALLEST < path.stat().st_size < _LARGEST
    ]


def examples(project: PriorProject, *, names: int, members: int, per_file: int, seed: int) -> Iterator[PriorExample]:
    """Draw places of a project; those at which the true name is no candidate are left out.

    Args:
        names: The most places at which a name in scope was removed.
        members: The most places at which a member was removed; for each a type checker is asked.
        per_file: The most places of either sort in one file, so that none dominates.
    """
    draw = random.Random(seed)
    texts = {path: text for path in project.files if (text := _text(path)) is not None}
    name_counts = NameCounts()
    contexts_of = {path: contexts(lexemes(text, lexis_of(str(path)))) for path, text in texts.items()}
    for file_contexts in contexts_of.values():  # of all files: `dense` subtracts those of the place's own file
        name_counts.add(file_contexts)
    order = sorted(texts)
    draw.shuffle(order)
    left = {False: names, True: members}  # by `is_member`
    workspace = Workspace([project.root])
    try:
        for path in order:
            taken = {False: 0, True: 0}
            for blanked in blanked_places(path, texts[path], draw):
                is_member = blanked.is_member
                if left[is_member] <= 0 or taken[is_member] >= per_file:
                    continue
                if (example := _example(workspace, blanked, name_counts, contexts_of[path])) is not None:
                    taken[is_member] += 1
                    left[is_member] -= 1
                    yield example
            if not any(count > 0 for count in left.values()):
                return
    finally:
        workspace.close()


def blanked_places(path: Path, text: str, draw: random.Random) -> Iterator[BlankedPlace]:
    """A place for each name or member that a file uses, in random order; none if the file does not parse."""
    language = language_of(path.name)
    if language is None:
        return
    syntax = parse(Document(path.as_uri(), language, text))
    if syntax.errors:
        return
    names = list(_names(syntax))
    draw.shuffle(names)
    for node, is_member in names:
        start, end = syntax.start(node), syntax.end(node)
        line_end = text.find("\n", end)
        stop = end
        if draw.random() < _OPEN_LINES:
            stop = line_end if line_end >= 0 else len(text)
        document = Document(path.as_uri(), language, text[:start] + text[stop:])
        yield BlankedPlace(document, start, text[start:end], is_member)


def _names(syntax: Syntax) -> Iterator[tuple[Node, bool]]:
    """All names of a text, those that it declares among them, and whether each is a member of a value."""
    pending = [syntax.root]
    while pending:
        node = pending.pop()
        pending.extend(node.children)
        parent = node.parent
        if parent is None:
            continue
        if node.type in _NAME_TYPES:
            yield node, parent.type == "attribute" and parent.child_by_field_name("attribute") == node
        elif node.type == "property_identifier" and parent.type == "member_expression":
            yield node, True


def _example(
    workspace: Workspace, blanked: BlankedPlace, name_counts: NameCounts, own: TextContexts
) -> PriorExample | None:
    """The candidates at a place, with their features; None where a name is declared, or is not among them.

    Args:
        name_counts: Of all files of the project.
        own: The contexts of the place's own file, which are subtracted from the counts.
    """
    document, offset, is_member = blanked.document, blanked.offset, blanked.is_member
    record = document.language.record
    syntax = parse(document)
    cursor = cursor_at(syntax, offset)
    visible: dict[str, Name] = {}
    members: dict[str, NameKind] = {}
    if is_member:
        question = question_at(syntax, cursor)
        listed = () if question is None else workspace.completions(question).result(_CHECKER_SECONDS)
        members = {entry.text: entry.kind for entry in listed}
        if blanked.name not in members:
            return None
    elif cursor.binding:
        return None
    if not is_member or record.has_keyword_arguments:  # for a member, only `signature_of` can ask for them
        visible = dict(workspace.context(syntax, offset).names)
    if not is_member and blanked.name not in visible:
        return None
    uses = uses_around(document.text, offset, record.lexis)
    end = document.text.find("\n", offset)
    after = document.text[offset : end if end >= 0 else None]
    place = place_of(uses.before[-_LEXEMES_BEFORE:], after, lambda function: signature_of(function, visible))
    candidates = NameCandidates.of_members(members) if is_member else NameCandidates.of_names(visible)
    table = dense(candidates, place, uses, name_counts, own, line=document.position(offset).line)
    kind = kind_of(record.prior, member=is_member)
    return PriorExample(kind, candidates, place, table, candidates.names.index(blanked.name))


def _text(path: Path) -> str | None:
    """A file's text; None if it cannot be read, is not UTF-8 or has carriage returns."""
    try:
        text = path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    return text if "\r" not in text else None
