"""The corpus: source files of permissively licensed packages.

Left out are minified, generated and data files, exact copies, and files most of whose lines are in files read before.
Packages in `HELD_OUT` are read for evaluation only, and files that are similar to theirs are not trained on.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from context_index.symbols import Language
from training.licences import InstalledPackage

HELD_OUT = frozenset({
    "@colyseus/schema", "@docusaurus/theme-classic", "@gorhom/bottom-sheet", "@joint/core", "@mswjs/interceptors",
    "@noble/curves", "@noble/hashes", "@tanstack/form-core", "@tanstack/query-core", "@tanstack/router-core",
    "@tanstack/virtual-core", "@tldraw/editor", "@tldraw/sync-core", "@tldraw/utils", "@wordpress/block-editor",
    "@wordpress/block-library", "@wordpress/dataviews", "@zip.js/zip.js", "abitype", "adaptix", "aiosmtplib",
    "anyio", "attrs", "axios", "bpmn-js", "click", "commander", "css-tree", "culori", "dishka", "dnspython",
    "elementpath", "ethers", "express", "fastify", "flask", "fpdf2", "gatsby-theme-blog", "griffelib", "hpack",
    "httpx", "humanize", "hyparquet", "immer", "jedi", "jinja2", "joserfc", "jsondiffpatch", "jsonld", "koa",
    "lib0", "markdownlint", "mashumaro", "matrix-js-sdk", "mocha", "mutagen", "nox", "ol", "paramiko",
    "prompt-toolkit", "prosemirror-model", "prosemirror-transform", "prosemirror-view", "psycopg", "pyjwt",
    "pylint", "pypdf", "python-gitlab", "react-native-dropdown-picker", "react-native-paper",
    "react-native-router-flux", "react-native-snap-carousel", "react-native-swiper", "reselect", "resolvelib",
    "rich", "sqlglot", "starlette", "stdlib:asyncio", "stdlib:email", "stylelint", "svelte", "svgo", "tomlkit",
    "undici", "web-ext", "websockets", "ws", "wsproto", "yjs",
})  # fmt: skip
"""Packages that our models are not trained on: the figures on a model's card are measured on them, and the benchmarks'
frozen places are in them."""

_LANGUAGES = {
    ".py": Language.PYTHON, ".js": Language.JAVASCRIPT, ".mjs": Language.JAVASCRIPT, ".cjs": Language.JAVASCRIPT,
    ".jsx": Language.JAVASCRIPT, ".ts": Language.TYPESCRIPT, ".mts": Language.TYPESCRIPT, ".tsx": Language.TSX,
}  # fmt: skip
_SMALLEST, _LARGEST = 200, 400_000
"""Characters of a file."""
_LONGEST_LINE, _LONG_LINES = 1_500, 100
"""A file with a longer line, or with a larger mean length of lines, is minified."""
_SAMPLE = 20_000
"""Characters at the beginning of a file by which data is recognised."""
_HEAD = 2_000
"""Characters at the beginning of a file in which a note says that it was generated."""
_BUILT_PATH = re.compile(r"\.min\.|/(umd|bundles?|fesm\d*|esm\d+|_vendor)/|\.(umd|prod|production)\.")
"""Paths of files that were bundled or minified for others to load, and of copies of other packages."""
_GENERATED = re.compile(r"@generated|auto-?generated|do not edit", re.IGNORECASE)
"""What such a note says."""
_DISTINCTIVE = 12
"""Characters of a line; shorter ones (`else:`, `});`) do not show where a file comes from."""
_NEAR_COPY_SHARE = 0.6
"""A file with a larger share of lines that other files have too is a near copy."""


class SkipReason(StrEnum):
    """Why a file is not in the corpus; the values are printed."""

    SIZE = "too small or too large"
    UNREADABLE = "unreadable or not UTF-8"
    DECLARATIONS = "declarations only"
    BUILT = "minified or bundled"
    GENERATED = "generated"
    DATA = "mostly data"
    COPY = "a copy"
    NEAR_COPY = "nearly a copy"
    LICENCE = "no permissive licence"
    CAP = "over the package's cap"


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file of the corpus."""

    package: str
    path: str
    """The path below the folder that the package's directory is in, so it begins with the directory's name."""
    language: Language
    text: str


@dataclass(slots=True)
class TrainingCorpus:
    """The files to train on and to evaluate with, and the packages that they come from."""

    training: list[SourceFile] = field(default_factory=list)
    held_out: list[SourceFile] = field(default_factory=list)
    packages: dict[str, InstalledPackage] = field(default_factory=dict)
    """The packages that the files come from, by name."""
    skipped: Counter[SkipReason] = field(default_factory=Counter)
    """How many characters were left out, by reason; bytes, if a file is not UTF-8."""

    def manifest(self) -> str:
        """One line of JSON for each training file, with package, version and licence."""
        lines = []
        for file in self.training:
            package = self.packages[file.package]
            origin = {"package": package.name, "version": package.version, "licence": package.licence}
            lines.append(json.dumps({**origin, "path": file.path, "characters": len(file.text)}))
        return "\n".join(lines) + "\n"


def collect(packages: Iterable[InstalledPackage], *, cap: int = 6_000_000) -> TrainingCorpus:
    """Read the packages. The training files are in a random order that is the same every time.

    Args:
        cap: A package that has given more characters than this gives no more files; a copy of such a file in another
            package is left out all the same.
    """
    corpus = TrainingCorpus()
    copies: set[bytes] = set()
    lines: set[int] = set()
    held_out_first = sorted(packages, key=lambda package: package.name not in HELD_OUT)
    for package in held_out_first:  # so that a copy of a held-out file is the one left out
        is_held_out = package.name in HELD_OUT
        taken = 0
        for path in _files(package.directory):
            file = _read_file(package, path, corpus.skipped)
            if file is None:
                continue
            if not package.is_permissive:
                corpus.skipped[SkipReason.LICENCE] += len(file.text)
                continue
            if (why := _why_copy(file.text, copies, lines)) is not None:
                corpus.skipped[why] += len(file.text)
                continue
            if taken > cap:
                corpus.skipped[SkipReason.CAP] += len(file.text)
                continue
            taken += len(file.text)
            corpus.packages[package.name] = package
            (corpus.held_out if is_held_out else corpus.training).append(file)
    random.Random(0).shuffle(corpus.training)
    return corpus


def _files(directory: Path) -> Iterator[Path]:
    """The source files of a package, sorted, without those of packages nested in it."""
    if directory.is_file():  # a package of one module
        yield directory
        return
    for path in sorted(directory.rglob("*")):
        parts = path.relative_to(directory).parts
        if path.suffix in _LANGUAGES and "node_modules" not in parts and path.is_file() and not path.is_symlink():
            yield path


def _read_file(package: InstalledPackage, path: Path, skipped: Counter[SkipReason]) -> SourceFile | None:
    """A file of a package; None, and its size added to `skipped`, if it cannot be read or is unfit."""
    data, below = b"", path.relative_to(package.directory.parent).as_posix()
    try:
        data = path.read_bytes()
        text = data.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
    except (OSError, UnicodeDecodeError):
        skipped[SkipReason.UNREADABLE] += len(data)
        return None
    if (why := _why_unfit(text, below)) is not None:
        skipped[why] += len(text)
        return None
    return SourceFile(package.name, below, _LANGUAGES[path.suffix], text)


def _why_unfit(text: str, path: str) -> SkipReason | None:
    """Why a file is not fit to learn from, by itself; None if it is fit.

    Args:
        path: As in `SourceFile`.
    """
    size = len(text)
    if not _SMALLEST <= size <= _LARGEST:
        return SkipReason.SIZE
    if path.endswith((".d.ts", ".d.mts", ".d.cts")):
        return SkipReason.DECLARATIONS
    lines = text.split("\n")
    if size / len(lines) > _LONG_LINES or max(map(len, lines)) > _LONGEST_LINE or _BUILT_PATH.search(path):
        return SkipReason.BUILT
    if _GENERATED.search(text[:_HEAD]):
        return SkipReason.GENERATED
    sample = text[:_SAMPLE]
    letters = sum(character.isalnum() or character in " \n\t_" for character in sample)
    digits = sum(character.isdigit() for character in sample)
    if letters < len(sample) / 2 or digits > len(sample) / 4:
        return SkipReason.DATA
    return None


def _why_copy(text: str, copies: set[bytes], lines: set[int]) -> SkipReason | None:
    """Why a text counts as a copy; None if it is new.

    Args:
        copies: Digests of all texts so far; a new text's is added.
        lines: Hashes of the distinctive lines of all texts so far; a new text's are added.
    """
    digest = hashlib.sha256("".join(text.split()).encode("utf-8", "replace")).digest()
    if digest in copies:
        return SkipReason.COPY
    copies.add(digest)
    distinctive = {hash(line) for raw in text.split("\n") if len(line := raw.strip()) >= _DISTINCTIVE}
    if distinctive and len(distinctive & lines) > _NEAR_COPY_SHARE * len(distinctive):
        return SkipReason.NEAR_COPY
    lines |= distinctive
    return None


def describe(corpus: TrainingCorpus) -> str:
    """A sentence for people: the sizes of the training files by language, and what was left out."""
    sizes: Counter[str] = Counter()
    for file in corpus.training:
        sizes[file.language] += len(file.text)
    packages = {file.package for file in corpus.training}
    used = ", ".join(f"{language} {size / 1e6:.1f} MB" for language, size in sizes.most_common())
    left_out = ", ".join(f"{why} {size / 1e6:.1f} MB" for why, size in corpus.skipped.most_common())
    return f"{len(corpus.training)} files of {len(packages)} packages: {used}; left out: {left_out}"
