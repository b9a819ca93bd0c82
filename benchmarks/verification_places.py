"""What verification is asked about: real code taken out of files, and changed lines."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.documents import document
from context_index import Node, Syntax, parse, path_of

KINDS = ("line", "member", "block")
_LONGEST_FILE = 100_000
_LONGEST_BLOCK = 600
_USES = frozenset({"call", "call_expression", "argument_list", "arguments", "binary_expression", "binary_operator"})
_NUMBERS = frozenset({"number", "integer", "float"})
_IMPORTS = frozenset({"import_specifier", "import_from_statement"})


@dataclass(frozen=True)
class VerifiedStretch:
    """A stretch of a file, and what stands there in the finished file: the real text, or a mutant."""

    file: Path
    start: int
    end: int
    kind: str
    text: str


def parsed(path: Path) -> Syntax | None:
    """The tree of a file; None where it is too large or has an error."""
    with path.open(encoding="utf-8", errors="replace", newline="") as file:
        text = file.read()
    if len(text) > _LONGEST_FILE:
        return None
    syntax = parse(document(path, text))
    return None if syntax.errors else syntax


def parsed_files(paths: Sequence[Path], most: int, chance: random.Random) -> list[Syntax]:
    """The trees of at most so many files, drawn by chance; those that `parsed` passes over are left out."""
    drawn = chance.sample(paths, min(len(paths), most))
    return [syntax for path in drawn if (syntax := parsed(path)) is not None]


def real_places(files: Sequence[Syntax], kind: str, count: int, chance: random.Random) -> list[VerifiedStretch]:
    """Stretches of real code: the rest of a line from a token, a member after its dot, a block's statements."""
    places = [place for syntax in files for place in _stretches(syntax, kind)]
    return chance.sample(places, min(count, len(places)))


def mutants(files: Sequence[Syntax], count: int, chance: random.Random) -> list[VerifiedStretch]:
    """Changed lines: what is inserted is the rest of the line from the place of the change on."""
    by_kind: dict[str, list[VerifiedStretch]] = {}
    for syntax in files:
        for place in _changes(syntax):
            by_kind.setdefault(place.kind, []).append(place)
    each = max(1, count // max(1, len(by_kind)))
    return [place for kind in sorted(by_kind) for place in chance.sample(by_kind[kind], min(each, len(by_kind[kind])))]


def path_in(syntax: Syntax) -> Path:
    """Where a file lies."""
    path = path_of(syntax.document.uri)
    assert path is not None  # noqa: S101 - it was read from there
    return path


def _stretches(syntax: Syntax, kind: str) -> Iterator[VerifiedStretch]:
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
    """A node and all below it."""
    pending = [root]
    while pending:
        node = pending.pop()
        yield node
        pending += node.children


def _is_member(node: Node) -> bool:
    parent = node.parent
    return parent is not None and any(parent.child_by_field_name(name) == node for name in ("property", "attribute"))


def _changes(syntax: Syntax) -> Iterator[VerifiedStretch]:
    text, path = syntax.document.text, path_in(syntax)
    for node in nodes(syntax.root):
        change = changed(syntax, node)
        if change is None:
            continue
        kind, (first, last), new = change
        stop = text.find("\n", last)
        stop = len(text) if stop < 0 else stop
        if "\n" not in text[first:last]:
            yield VerifiedStretch(path, first, stop, kind, (new + text[last:stop]).rstrip())


def changed(syntax: Syntax, node: Node) -> tuple[str, tuple[int, int], str] | None:
    """The kind of a change, what it replaces, and by what."""
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
        is_odd = syntax.start(node) % 2  # half of them get another text, half another type
        return (
            (f"type of {_role(parent)}", span, "404") if is_odd else ("literal of a union", span, f"{quote}zork{quote}")
        )
    return None


def _role(parent: Node) -> str:
    """What a literal is to the node around it; empty where it is a key, a document string or a module's path."""
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
    around = parent.parent if parent.type == "aliased_import" else parent
    return around is not None and around.type in _IMPORTS and node in parent.children_by_field_name("name")


def _is_assigned(member: Node) -> bool:
    """Whether a member is being made rather than looked up: its uses are then wrong, in other places."""
    around = member.parent.parent if member.parent is not None else None
    return around is not None and around.child_by_field_name("left") == member.parent
