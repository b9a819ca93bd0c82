"""Places of real files at which a name, or a member, is about to be typed."""

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
"""Names, and members, taken of one file, so that no file dominates."""
_LARGEST = 200_000
"""Characters: generated bundles are longer."""
_TYPESCRIPT = ("effect/src", "zod/src", "rxjs/src", "mobx/src", "redux/src")
_JAVASCRIPT = ("express/lib", "axios/lib", "eslint/lib", "webpack/lib", "three/src")
_PYTHON = (
    "rich", "click", "jinja2", "huggingface_hub", "httpx2", "networkx", "pygments", "jedi", "markdown_it", "typer",
)  # fmt: skip
_ASIDE = frozenset({"tests", "test", "__tests__", "benchmarks", "lexers", "styles", "third_party"})


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
    """Project root and folder of sources; packages of Python are copied, those of Node are taken where they are."""
    if family == "python":
        return _python_roots(scratch)
    return [] if modules is None else _script_roots(modules, _TYPESCRIPT if family == "typescript" else _JAVASCRIPT)


def drawn(family: str, folders: list[tuple[Path, Path]], count: int, seed: int) -> dict[Path, list[BlankedName]]:
    """By folder, `count` names and as many members in all, drawn by seed."""
    found: dict[Path, list[BlankedName]] = {}
    members = _shared({folder: _members(folder, SUFFIXES[family], count, seed) for _, folder in folders}, count)
    for number, (_, folder) in enumerate(folders):
        wanted = count // len(folders) + (number < count % len(folders))
        found[folder] = [*members[folder], *_names(family, folder, wanted, seed)]
    return found


def _references(family: str, file: File) -> list[ReferencePlace]:
    return [place for place, _ in compiler_references(file)] if family == "python" else script_references(file)


def _names(family: str, folder: Path, count: int, seed: int) -> Iterator[BlankedName]:
    chance = random.Random(seed)  # noqa: S311 -- a sample, not a secret
    left = count
    for file in files(family, [folder], seed):
        references = [one for one in _references(family, file) if one.role != "type"]
        for one in chance.sample(references, min(_PER_FILE, left, len(references))):
            text = file.text[: one.start] + file.text[one.end :]
            yield BlankedName(Document(file.path.as_uri(), file.language, text), one.start, one.name, is_member=False)
            left -= 1
        if not left:
            return


def _script_roots(modules: Path, folders: Sequence[str]) -> list[tuple[Path, Path]]:
    """Package root and folder of sources, of those that are installed below a `node_modules`."""
    return [(modules / folder.partition("/")[0], modules / folder) for folder in folders if (modules / folder).is_dir()]


def _python_roots(scratch: Path) -> list[tuple[Path, Path]]:
    """Copies of installed packages: a checker passes no judgement on what lies in an environment itself."""
    site = Path(sysconfig.get_paths()["purelib"])
    found = []
    for package in _PYTHON:
        if (site / package).is_dir():
            shutil.copytree(site / package, scratch / package, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
            found.append((scratch, scratch / package))
    return found


def _members(folder: Path, suffixes: Sequence[str], wanted: int, seed: int) -> list[BlankedName]:
    """Members of one folder, drawn by seed."""
    draw = random.Random(seed)  # noqa: S311 -- a sample, not a secret
    files = [
        path
        for path in sorted(folder.rglob("*"))
        if path.suffix in suffixes
        and not path.name.endswith(".d.ts")
        and not _ASIDE & {*path.relative_to(folder).parts}
    ]
    draw.shuffle(files)
    found: list[BlankedName] = []
    for path in files:
        if len(found) >= wanted:
            break
        language = language_of(path.name)
        text = path.read_text(encoding="utf-8", errors="replace")
        if language is None or len(text) > _LARGEST or "\r" in text:
            continue
        syntax = parse(Document(path.as_uri(), language, text))
        names = list(_member_names(syntax))
        draw.shuffle(names)
        found.extend(_without(syntax, node) for node in names[:_PER_FILE])
    return found[:wanted]


def _shared(drawn: dict[Path, list[BlankedName]], count: int) -> dict[Path, list[BlankedName]]:
    """As much of each folder, in all `count`; what a small one does not have is taken of the others."""
    taken: dict[Path, list[BlankedName]] = {}
    for folder in sorted(drawn, key=lambda folder: len(drawn[folder])):
        share = -(-(count - sum(map(len, taken.values()))) // (len(drawn) - len(taken)))
        taken[folder] = drawn[folder][:share]
    return taken


def _member_names(syntax: Syntax) -> Iterator[Node]:
    """Names of members; a file with errors has none."""
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


def _without(syntax: Syntax, name: Node) -> BlankedName:
    start, end = syntax.start(name), syntax.end(name)
    whole = syntax.document
    text = whole.text[:start] + whole.text[end:]
    return BlankedName(Document(whole.uri, whole.language, text), start, whole.text[start:end], is_member=True)
