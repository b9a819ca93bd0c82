"""Real member accesses in real files, found by their syntax trees."""

from __future__ import annotations

import random
import shutil
import sysconfig
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from context_index import Document, Node, Syntax, language_of, parse

PER_FILE = 8
"""Accesses taken of one file, so that no file has the say."""
LARGEST = 200_000
"""Characters: generated bundles are longer."""
TYPESCRIPT = ("effect/src", "zod/src", "rxjs/src", "mobx/src", "redux/src")
JAVASCRIPT = ("express/lib", "axios/lib", "eslint/lib", "webpack/lib", "three/src")
PYTHON = (
    "rich",
    "click",
    "jinja2",
    "huggingface_hub",
    "httpx2",
    "networkx",
    "pygments",
    "jedi",
    "markdown_it",
    "typer",
)
_ASIDE = frozenset({"tests", "test", "__tests__", "benchmarks", "lexers", "styles", "third_party"})


@dataclass(frozen=True, slots=True)
class Access:
    """`document` without the member's name, whose place is `offset`."""

    document: Document
    offset: int
    name: str


def script_roots(modules: Path, folders: Sequence[str]) -> list[tuple[Path, Path]]:
    """Package root and folder of sources, of those that are installed below a `node_modules`."""
    return [(modules / folder.partition("/")[0], modules / folder) for folder in folders if (modules / folder).is_dir()]


def python_roots(scratch: Path) -> list[tuple[Path, Path]]:
    """Copies of installed packages: a checker passes no judgement on what lies in an environment itself."""
    site = Path(sysconfig.get_paths()["purelib"])
    found = []
    for package in PYTHON:
        if (site / package).is_dir():
            shutil.copytree(site / package, scratch / package, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
            found.append((scratch, scratch / package))
    return found


def accesses(folder: Path, suffixes: Sequence[str], wanted: int, seed: int) -> list[Access]:
    """Accesses of one folder in an order of their own: drawn without regard to what they are."""
    draw = random.Random(seed)  # noqa: S311 -- a sample, not a secret
    files = [
        path
        for path in sorted(folder.rglob("*"))
        if path.suffix in suffixes
        and not path.name.endswith(".d.ts")
        and not _ASIDE & {*path.relative_to(folder).parts}
    ]
    draw.shuffle(files)
    found: list[Access] = []
    for path in files:
        if len(found) >= wanted:
            break
        language = language_of(path.name)
        text = path.read_text(encoding="utf-8", errors="replace")
        if language is None or len(text) > LARGEST or "\r" in text:
            continue
        syntax = parse(Document(path.as_uri(), language, text))
        names = list(_names(syntax))
        draw.shuffle(names)
        found.extend(_access(syntax, node) for node in names[:PER_FILE])
    return found[:wanted]


def shared(drawn: dict[Path, list[Access]], count: int) -> dict[Path, list[Access]]:
    """As much of each folder, in all `count`; what a small one does not have is taken of the others."""
    taken: dict[Path, list[Access]] = {}
    for folder in sorted(drawn, key=lambda folder: len(drawn[folder])):
        share = -(-(count - sum(map(len, taken.values()))) // (len(drawn) - len(taken)))
        taken[folder] = drawn[folder][:share]
    return taken


def _names(syntax: Syntax) -> Iterator[Node]:
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


def _access(syntax: Syntax, name: Node) -> Access:
    start, end = syntax.start(name), syntax.end(name)
    whole = syntax.document
    text = whole.text[:start] + whole.text[end:]
    return Access(Document(whole.uri, whole.language, text), start, whole.text[start:end])
