"""Places of real files at which a name or a member is about to be typed, for `inscope bench ranking`."""

from __future__ import annotations

import random
import shutil
import sysconfig
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.symbols_places import File, ReferencePlace, files, script_references
from benchmarks.symbols_python import compiler_references
from context_index import Document, Node, Syntax, language_of, parse

SUFFIXES = {"typescript": (".ts", ".tsx"), "javascript": (".js", ".mjs", ".cjs"), "python": (".py",)}
TYPED = (0, 2)
"""Characters of the name that have been typed when the menu is asked for."""
_PER_FILE = 8
"""The most names of one file, and as many members, so that no file dominates."""
_LARGEST = 200_000
"""Characters of a file with members; generated bundles are longer. Names come from the files of `symbols_places`, which
are those of `inscope bench symbols` and have limits of their own."""
_TYPESCRIPT = ("effect/src", "zod/src", "rxjs/src", "mobx/src", "redux/src")
_JAVASCRIPT = ("express/lib", "axios/lib", "eslint/lib", "webpack/lib", "three/src")
_PYTHON = (
    "rich", "click", "jinja2", "huggingface_hub", "httpx2", "networkx", "pygments", "jedi", "markdown_it", "typer",
)  # fmt: skip
_ASIDE = frozenset({"tests", "test", "__tests__", "benchmarks", "lexers", "styles", "third_party"})
"""Folders whose files are left out where members are drawn."""


@dataclass(frozen=True, slots=True)
class BlankedName:
    """A document without one name, and that name."""

    document: Document
    offset: int
    name: str
    is_member: bool

    def typed(self, count: int) -> tuple[Document, int]:
        """The document with the first characters of the name in it, and the cursor after them."""
        whole, offset = self.document, self.offset
        text = whole.text[:offset] + self.name[:count] + whole.text[offset:]
        return Document(whole.uri, whole.language, text), offset + count


def roots(family: str, modules: Path | None, scratch: Path) -> list[tuple[Path, Path]]:
    """The root of each installed project and its folder of sources.

    Packages of Python are copied into `scratch`; those of Node stay below `modules`, without which there are none.
    """
    if family == "python":
        return _python_roots(scratch)
    return [] if modules is None else _script_roots(modules, _TYPESCRIPT if family == "typescript" else _JAVASCRIPT)


def draw_places(family: str, folders: list[tuple[Path, Path]], count: int, seed: int) -> dict[Path, list[BlankedName]]:
    """By folder of sources: random places, of `count` names and as many members in all folders together."""
    by_folder: dict[Path, list[BlankedName]] = {}
    members = _share({folder: _members(folder, SUFFIXES[family], count, seed) for _, folder in folders}, count)
    for number, (_, folder) in enumerate(folders):
        wanted = count // len(folders) + (number < count % len(folders))
        by_folder[folder] = [*members[folder], *_names(family, folder, wanted, seed)]
    return by_folder


def _references(family: str, file: File) -> list[ReferencePlace]:
    """The uses of names in a file."""
    return [place for place, _ in compiler_references(file)] if family == "python" else script_references(file)


def _names(family: str, folder: Path, count: int, seed: int) -> Iterator[BlankedName]:
    """Up to `count` uses of names, not of types, in random files of a folder."""
    rng = random.Random(seed)  # noqa: S311 -- a sample, not a secret
    left = count
    for file in files(family, [folder], seed):
        references = [reference for reference in _references(family, file) if reference.role != "type"]
        for reference in rng.sample(references, min(_PER_FILE, left, len(references))):
            text = file.text[: reference.start] + file.text[reference.end :]
            document = Document(file.path.as_uri(), file.language, text)
            yield BlankedName(document, reference.start, reference.name, is_member=False)
            left -= 1
        if not left:
            return


def _script_roots(modules: Path, folders: Sequence[str]) -> list[tuple[Path, Path]]:
    """The root and the folder of sources of each package that is installed below a `node_modules`."""
    return [(modules / folder.partition("/")[0], modules / folder) for folder in folders if (modules / folder).is_dir()]


def _python_roots(scratch: Path) -> list[tuple[Path, Path]]:
    """Copies of installed packages; they are copied as a checker reports nothing of files in its environment."""
    site = Path(sysconfig.get_paths()["purelib"])
    copies = []
    for package in _PYTHON:
        if (site / package).is_dir():
            shutil.copytree(site / package, scratch / package, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
            copies.append((scratch, scratch / package))
    return copies


def _members(folder: Path, suffixes: Sequence[str], wanted: int, seed: int) -> list[BlankedName]:
    """Up to `wanted` members in random files of a folder."""
    draw = random.Random(seed)  # noqa: S311 -- a sample, not a secret
    files = [
        path
        for path in sorted(folder.rglob("*"))
        if path.suffix in suffixes
        and not path.name.endswith(".d.ts")
        and not _ASIDE & {*path.relative_to(folder).parts}
    ]
    draw.shuffle(files)
    members: list[BlankedName] = []
    for path in files:
        if len(members) >= wanted:
            break
        language = language_of(path.name)
        text = path.read_text(encoding="utf-8", errors="replace")
        if language is None or len(text) > _LARGEST or "\r" in text:
            continue
        syntax = parse(Document(path.as_uri(), language, text))
        names = list(_member_names(syntax))
        draw.shuffle(names)
        members.extend(_blank(syntax, node) for node in names[:_PER_FILE])
    return members[:wanted]


def _share(drawn: dict[Path, list[BlankedName]], count: int) -> dict[Path, list[BlankedName]]:
    """Equally many places of each folder, `count` in all; what a small folder lacks is taken from larger ones."""
    taken: dict[Path, list[BlankedName]] = {}
    for folder in sorted(drawn, key=lambda folder: len(drawn[folder])):
        share = -(-(count - sum(map(len, taken.values()))) // (len(drawn) - len(taken)))
        taken[folder] = drawn[folder][:share]
    return taken


def _member_names(syntax: Syntax) -> Iterator[Node]:
    """The names of all members that a file uses; none of a file with errors."""
    pending = [] if syntax.errors else [syntax.root]
    while pending:
        node = pending.pop()
        pending.extend(node.children)
        if node.type == "member_expression":
            name = node.child_by_field_name("property")
        elif node.type == "attribute":  # Python's; a decorator's or a type's too
            name = node.child_by_field_name("attribute")
        else:
            continue
        if name is not None:
            yield name


def _blank(syntax: Syntax, name: Node) -> BlankedName:
    """The file without the name of a member."""
    start, end = syntax.start(name), syntax.end(name)
    whole = syntax.document
    text = whole.text[:start] + whole.text[end:]
    return BlankedName(Document(whole.uri, whole.language, text), start, whole.text[start:end], is_member=True)
