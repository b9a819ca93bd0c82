"""Real files to measure the grammar engine on, and ways to break them.

Files that tree-sitter itself reads without ERROR or MISSING: those are what the automaton must accept in full.
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
_SMALLEST = 200


@dataclass(frozen=True, slots=True)
class ParsedSource:
    """A file that parses."""

    path: Path
    text: str


class TreeJudge:
    """Tree-sitter's own verdict on a whole text."""

    def __init__(self, parser: object) -> None:
        """The verdict of any compiled parser, as its package hands it out."""
        self._parser = tree_sitter.Parser(tree_sitter.Language(parser))

    @classmethod
    def of(cls, language: Language) -> TreeJudge:
        """That of a language that ships with us."""
        return cls(capsule(language))

    def accepts(self, text: str) -> bool:
        """Whether the text parses without ERROR and without MISSING."""
        return not self._parser.parse(text.encode()).root_node.has_error

    def tokens(self, text: str) -> list[tuple[int, int]]:
        """The leaves of the tree, as byte offsets."""
        found = _walk(self._parser.parse(text.encode()).root_node)
        return [(n.start_byte, n.end_byte) for n in found if not n.child_count and n.end_byte > n.start_byte]


def _walk(root: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    work = [root]
    while work:
        node = work.pop()
        yield node
        if node.child_count:
            work += reversed(node.children)


def installed_python() -> list[Path]:
    """The standard library and the packages of this environment."""
    return [Path(sysconfig.get_path("stdlib")), Path(sysconfig.get_path("purelib"))]


def sources(language: Language, roots: Sequence[Path], seed: int, largest: int = 40_000) -> Iterator[ParsedSource]:
    """Files of the language below `roots` that parse, in a shuffled order that depends on the seed alone.

    Each text once, no small or large ones, and of TypeScript no more declarations than programs.
    """
    judge = TreeJudge.of(language)
    suffixes = language.record.suffixes
    paths = sorted({path for root in roots for path in root.rglob("*") if path.name.endswith(suffixes)})
    random.Random(seed).shuffle(paths)  # noqa: S311 - a reproducible order
    if language is Language.TYPESCRIPT:  # declarations outnumber programs: take turns
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
    """The text with its line ends as they are; None where it is not UTF-8."""
    try:
        return path.read_bytes().decode()
    except (OSError, UnicodeDecodeError):
        return None


def mutants(source: ParsedSource, judge: TreeJudge, draw: random.Random, count: int) -> Iterator[tuple[int, str]]:
    """Texts with one token deleted, copied to another place or swapped with one of the next four.

    Each comes with the offset up to which it equals the source.
    """
    data = source.text.encode()
    tokens = judge.tokens(source.text)
    for _ in range(count if len(tokens) > 4 else 0):  # noqa: PLR2004 - fewer leave nothing to swap
        index = draw.randrange(len(tokens) - 1)
        start, end = tokens[index]
        way = draw.choice("dis")
        if way == "d":
            changed = data[:start] + data[end:]
        elif way == "i":
            a, b = draw.choice(tokens)
            changed = data[:start] + data[a:b] + b" " + data[start:]
        else:
            a, b = tokens[min(index + draw.randint(1, 4), len(tokens) - 1)]
            if a < end:
                continue
            changed = data[:start] + data[a:b] + data[end:a] + data[start:end] + data[b:]
        yield len(data[:start].decode()), changed.decode()
