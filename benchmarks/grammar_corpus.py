"""Real files on which the grammar engine is measured and tested, and ways to break them.

Tree-sitter itself reads these files without ERROR or MISSING, so the automaton must accept them in full.
"""

from __future__ import annotations

import random
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import tree_sitter

from context_index.symbols import Language
from decoder.grammar.pinned import capsule

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

DECLARES = (".d.ts", ".d.mts", ".d.cts")
"""What names of TypeScript files end with that only declare."""
_SMALLEST = 200
"""Characters of a file worth reading."""


@dataclass(frozen=True, slots=True)
class ParsedSource:
    """A file that parses."""

    path: Path
    text: str


class TreeJudge:
    """Tree-sitter's own verdict on a whole text."""

    def __init__(self, parser: object) -> None:
        """A judge with a compiled parser, as a package of tree-sitter's returns it."""
        self._parser = tree_sitter.Parser(tree_sitter.Language(parser))

    @classmethod
    def of(cls, language: Language) -> TreeJudge:
        """The judge of a language that ships with us."""
        return cls(capsule(language))

    def accepts(self, text: str) -> bool:
        """Whether the text parses without ERROR and without MISSING."""
        return not self._parser.parse(text.encode()).root_node.has_error

    def tokens(self, text: str) -> list[tuple[int, int]]:
        """The start and end of each leaf of the tree that is not empty, as byte offsets."""
        nodes = _walk(self._parser.parse(text.encode()).root_node)
        leaves = (node for node in nodes if not node.child_count)
        return [(leaf.start_byte, leaf.end_byte) for leaf in leaves if leaf.end_byte > leaf.start_byte]


def _walk(root: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """All nodes of a tree, in the order of the text."""
    work = [root]
    while work:
        node = work.pop()
        yield node
        if node.child_count:
            work += reversed(node.children)


def installed_python() -> list[Path]:
    """The folders of the standard library and of this environment's packages."""
    return [Path(sysconfig.get_path("stdlib")), Path(sysconfig.get_path("purelib"))]


def sources(language: Language, roots: Sequence[Path], seed: int, largest: int = 40_000) -> Iterator[ParsedSource]:
    """Files of the language below `roots` that parse, in a shuffled order that depends on the seed alone.

    Each text comes once. Files of less than 200 or more than `largest` characters are left out. In TypeScript a file of
    declarations follows each program, and never comes without one.
    """
    judge = TreeJudge.of(language)
    suffixes = language.record.suffixes
    paths = sorted({path for root in roots for path in root.rglob("*") if path.name.endswith(suffixes)})
    random.Random(seed).shuffle(paths)  # noqa: S311 - a reproducible order
    if language is Language.TYPESCRIPT:  # declarations would outnumber programs
        declarations = [path for path in paths if path.name.endswith(DECLARES)]
        programs = [path for path in paths if not path.name.endswith(DECLARES)]
        pairs = zip(programs, declarations, strict=False)
        paths = [path for pair in pairs for path in pair] + programs[len(declarations) :]
    seen: set[int] = set()
    for path in paths:
        text = _read(path)
        if text is None or not _SMALLEST <= len(text) <= largest or hash(text) in seen or not judge.accepts(text):
            continue
        seen.add(hash(text))
        yield ParsedSource(path, text)


def _read(path: Path) -> str | None:
    """The text with its line ends as they are; None if the file cannot be read or is not UTF-8."""
    try:
        return path.read_bytes().decode()
    except (OSError, UnicodeDecodeError):
        return None


def mutants(source: ParsedSource, judge: TreeJudge, draw: random.Random, count: int) -> Iterator[tuple[int, str]]:
    """Up to `count` texts with one token deleted, preceded by a copy of another, or swapped with one of the next four.

    Each comes with the offset, in code points, up to which it equals the source.
    """
    data = source.text.encode()
    tokens = judge.tokens(source.text)
    for _ in range(count if len(tokens) > 4 else 0):  # noqa: PLR2004 - fewer leave nothing to swap
        index = draw.randrange(len(tokens) - 1)
        start, end = tokens[index]
        way = draw.choice(("delete", "insert", "swap"))
        if way == "delete":
            changed = data[:start] + data[end:]
        elif way == "insert":
            other_start, other_end = draw.choice(tokens)
            changed = data[:start] + data[other_start:other_end] + b" " + data[start:]
        else:
            other_start, other_end = tokens[min(index + draw.randint(1, 4), len(tokens) - 1)]
            if other_start < end:
                continue
            other, between = data[other_start:other_end], data[end:other_start]
            changed = data[:start] + other + between + data[start:end] + data[other_end:]
        yield len(data[:start].decode()), changed.decode()
