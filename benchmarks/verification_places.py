"""What verification is asked about in benchmarks: real code that is taken out of files, and changed lines.

This module also has `nodes`, the walk over a tree, and `parsed`, which reads a file; many benchmarks use them.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.documents import document
from context_index import Node, Syntax, parse, path_of

KINDS = ("line", "member", "block")
"""What is taken from real code: the rest of a line from a token on, a member's name, a block's statements."""
_LONGEST_FILE = 100_000
"""Characters of the longest file that is parsed."""
_LONGEST_BLOCK = 600
"""Characters."""
_USES = frozenset({"call", "call_expression", "argument_list", "arguments", "binary_expression", "binary_operator"})
"""Nodes whose children that are identifiers use a name."""
_NUMBERS = frozenset({"number", "integer", "float"})
_IMPORTS = frozenset({"import_specifier", "import_from_statement"})


@dataclass(frozen=True)
class VerifiedStretch:
    """A stretch of a file, and what is there in the finished file: the real text, or a mutant."""

    file: Path
    start: int
    end: int
    """In code points of the intact file."""
    kind: str
    """One of `KINDS`, or the kind of a change."""
    text: str


def parse_file(path: Path) -> Syntax | None:
    """The tree of a file; None if it is too large or does not parse."""
    with path.open(encoding="utf-8", errors="replace", newline="") as file:
        text = file.read()
    if len(text) > _LONGEST_FILE:
        return None
    syntax = parse(document(path, text))
    return None if syntax.errors else syntax


def parsed_files(paths: Sequence[Path], most: int, chance: random.Random) -> list[Syntax]:
    """The trees of at most `most` random files; files that are too large or do not parse are left out."""
    drawn = chance.sample(paths, min(len(paths), most))
    return [syntax for path in drawn if (syntax := parse_file(path)) is not None]


def real_places(files: Sequence[Syntax], kind: str, count: int, chance: random.Random) -> list[VerifiedStretch]:
    """Up to `count` random stretches of real code, of one of `KINDS`."""
    places = [place for syntax in files for place in _stretches(syntax, kind)]
    return chance.sample(places, min(count, len(places)))


def mutants(files: Sequence[Syntax], count: int, chance: random.Random) -> list[VerifiedStretch]:
    """About `count` random changes, equally many of each kind; the text is the rest of the line from the change on."""
    by_kind: dict[str, list[VerifiedStretch]] = {}
    for syntax in files:
        for place in _changes(syntax):
            by_kind.setdefault(place.kind, []).append(place)
    of_kind = max(1, count // max(1, len(by_kind)))
    drawn: list[VerifiedStretch] = []
    for kind in sorted(by_kind):
        drawn += chance.sample(by_kind[kind], min(of_kind, len(by_kind[kind])))
    return drawn


def path_in(syntax: Syntax) -> Path:
    """The path of a file that was read from disk."""
    path = path_of(syntax.document.uri)
    assert path is not None  # noqa: S101 - it was read from there
    return path


def _stretches(syntax: Syntax, kind: str) -> Iterator[VerifiedStretch]:
    """All stretches of a kind in a file."""
    text, path = syntax.document.text, path_in(syntax)
    for node in nodes(syntax.root):
        start, end = syntax.span(node)
        match kind:
            case "line" if not node.child_count and "comment" not in node.type and "string" not in node.type:
                stop = text.find("\n", start)
                stop = len(text) if stop < 0 else stop
                if start < stop and "string" not in syntax.node_at(stop - 1).type:
                    yield VerifiedStretch(path, start, stop, kind, text[start:stop].rstrip())
            case "member" if _is_member(node):
                yield VerifiedStretch(path, start, end, kind, text[start:end])
            case "block" if node.type in {"block", "statement_block"} and node.named_child_count:
                first, last = node.named_children[0], node.named_children[-1]
                start, end = syntax.start(first), syntax.end(last)
                if end - start <= _LONGEST_BLOCK:
                    yield VerifiedStretch(path, start, end, kind, text[start:end])


def nodes(root: Node) -> Iterator[Node]:
    """A node and all its descendants; parents come before their children."""
    pending = [root]
    while pending:
        node = pending.pop()
        yield node
        pending += node.children


def _is_member(node: Node) -> bool:
    """Whether a node is the name of a member after its dot."""
    parent = node.parent
    return parent is not None and any(parent.child_by_field_name(name) == node for name in ("property", "attribute"))


def _changes(syntax: Syntax) -> Iterator[VerifiedStretch]:
    """All changes in a file, of all kinds."""
    text, path = syntax.document.text, path_in(syntax)
    for node in nodes(syntax.root):
        change = draw_change(syntax, node)
        if change is None:
            continue
        kind, (first, last), new = change
        stop = text.find("\n", last)
        stop = len(text) if stop < 0 else stop
        if "\n" not in text[first:last]:
            yield VerifiedStretch(path, first, stop, kind, (new + text[last:stop]).rstrip())


def draw_change(syntax: Syntax, node: Node) -> tuple[str, tuple[int, int], str] | None:
    """A change of a node that is probably an error: its kind, the span that it replaces, and the new text.

    None if the node is of no kind that is changed.
    """
    text, parent, span = syntax.document.text, node.parent, syntax.span(node)
    renamed = f"{text[slice(*span)]}Zork"
    if parent is None:
        return None
    if _is_member(node):
        return None if _is_assigned(node) else ("member", span, renamed)
    if _is_imported(node, parent):
        return "import", span, renamed
    if node.type == "identifier" and parent.type in _USES:
        return "name", span, renamed
    if node.type in {"arguments", "argument_list"} and node.named_child_count and parent.type in _USES:
        last = node.named_children[-1]
        before = node.named_children[-2] if node.named_child_count > 1 else None
        start = syntax.end(before) if before is not None else span[0] + 1
        return "argument left out", (start, syntax.end(last)), ""
    if node.type in _NUMBERS and _role(parent):
        return f"type of {_role(parent)}", span, '"zork"'
    if node.type == "string" and _role(parent):
        quote = text[span[1] - 1]
        if syntax.start(node) % 2:  # half of the strings get another type, half another text
            return f"type of {_role(parent)}", span, "404"
        return "literal of a union", span, f"{quote}zork{quote}"
    return None


def _role(parent: Node) -> str:
    """What a literal is to its parent; empty where it is something else, such as a key, docstring or module's path."""
    match parent.type:
        case "variable_declarator" | "assignment" | "assignment_expression" | "public_field_definition":
            return "initialiser"
        case "return_statement":
            return "return value"
        case "arguments" | "argument_list" | "keyword_argument":
            return "argument"
        case "pair" | "array" | "list" | "binary_expression" | "comparison_operator" | "ternary_expression":
            return "operand"
        case _:
            return ""


def _is_imported(node: Node, parent: Node) -> bool:
    """Whether a node is a name that a statement imports."""
    statement = parent.parent if parent.type == "aliased_import" else parent
    return statement is not None and statement.type in _IMPORTS and node in parent.children_by_field_name("name")


def _is_assigned(member: Node) -> bool:
    """Whether a member is assigned to. A change of its name would be no error there, but at its uses."""
    assignment = member.parent.parent if member.parent is not None else None
    return assignment is not None and assignment.child_by_field_name("left") == member.parent
