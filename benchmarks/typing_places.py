"""What somebody types: bodies of functions and stretches of lines, taken out of files of a folder."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.batch_positions import fit_text
from context_index import Document, Language, Node, Syntax, ancestors, language_of, parse

_ASIDE = frozenset({"node_modules", "dist", "build", "vendor", "__pycache__", "site-packages"})
_BODIES = frozenset({"block", "statement_block"})
_OWNERS = frozenset(
    {
        "function_definition",
        "function_declaration",
        "generator_function_declaration",
        "function_expression",
        "arrow_function",
        "method_definition",
    }
)
_QUOTED = frozenset({"string", "template_string", "comment", "regex", "jsx_text", "template_literal_type"})
_INSERTED = frozenset({"template_substitution", "interpolation"})
_LINES = range(2, 13)
_CHARACTERS = range(30, 481)


@dataclass(frozen=True, slots=True)
class Task:
    """A file in which a stretch is missing, and that stretch."""

    path: Path
    language: Language
    kind: str
    start: int
    wanted: str
    """The whole text as it is to be."""
    end: int
    """Where in it the stretch ends."""

    @property
    def stretch(self) -> str:
        """What is to be typed."""
        return self.wanted[self.start : self.end]


def drawn(folder: Path, seed: int, count: int, language: Language | None = None) -> list[Task]:
    """At most so many stretches, one of a file, files in the order of chance; bodies and lines in turn."""
    draw = random.Random(seed)  # noqa: S311 - a reproducible order
    paths = [path for path in sorted(folder.rglob("*")) if _is_source(path, folder, language)]
    found: list[Task] = []
    for path in draw.sample(paths, len(paths)):
        if len(found) == count:
            break
        text, spoken = fit_text(path), language_of(path.name)
        if text is None or spoken is None:
            continue
        syntax = parse(Document(path.as_uri(), spoken, text))
        if syntax.errors:
            continue
        kinds = (_bodies, _stretches) if len(found) % 2 == 0 else (_stretches, _bodies)
        for kind in kinds:
            if tasks := list(kind(path, syntax)):
                found.append(draw.choice(tasks))
                break
    return found


def is_code(syntax: Syntax, offset: int) -> bool:
    """Whether a place is in code, and not within a string, a comment or text."""
    node: Node | None = syntax.node_at(offset, offset)
    for one in [] if node is None else [node, *ancestors(node)]:
        start, end = syntax.span(one)
        if one.type in _INSERTED and start < offset < end:
            return True
        if one.type in _QUOTED and start < offset < end:
            return syntax.document.text[start:offset].isalpha()  # Python's `f` before a quote
    return True


def unit_of(text: str) -> str:
    """One step of indentation in a file."""
    found = re.findall(r"^(\t| {2,8})(?=\S)", text, re.MULTILINE)
    return min(found, key=len) if found else "    "


def _is_source(path: Path, folder: Path, language: Language | None) -> bool:
    spoken = language_of(path.name)
    if spoken is None or (language is not None and spoken is not language) or path.name.endswith((".d.ts", ".pyi")):
        return False
    parts = path.relative_to(folder).parts
    return path.is_file() and not _ASIDE & {*parts} and not any(part.startswith(".") for part in parts)


def _bodies(path: Path, syntax: Syntax) -> Iterator[Task]:
    """What stands in a function: after its brace or colon, up to the end of its last statement or its brace."""
    text = syntax.document.text
    for node in _walk(syntax.root):
        if node.type not in _BODIES or node.parent is None or node.parent.type not in _OWNERS:
            continue
        start, end = syntax.span(node)
        if syntax.language is Language.PYTHON:
            start = len(text[:start].rstrip())
        else:
            start, end = start + 1, end - 1
        if text[start : start + 1] == "\n" and _is_fit(text[start:end]):
            yield Task(path, syntax.language, "body", start, text, end)


def _stretches(path: Path, syntax: Syntax) -> Iterator[Task]:
    """One to four statements that follow each other, with the line ends before them."""
    text = syntax.document.text
    for node in _walk(syntax.root):
        if node.type not in (*_BODIES, "program", "module"):
            continue
        statements = [one for one in node.named_children if one.type != "comment"]
        for first, one in enumerate(statements):
            start = len(text[: syntax.start(one)].rstrip())
            for last in range(first, min(first + 4, len(statements))):
                end = syntax.end(statements[last])
                alone = "\n" in text[start : syntax.start(one)] and text[end : end + 1] in ("\n", "")
                if start and alone and _is_fit(text[start:end]):
                    yield Task(path, syntax.language, "lines", start, text, end)


def _is_fit(stretch: str) -> bool:
    return len(stretch) in _CHARACTERS and stretch.strip().count("\n") + 1 in _LINES


def _walk(root: Node) -> Iterator[Node]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(node.named_children)
