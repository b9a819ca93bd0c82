"""Mutants of what was typed next at a pause: the rest of its line with one thing in it changed.

The changes are those of `verification_places`, and those to any other name that is used, to a module's name, a spread,
a class's own member, a key of a pattern and a comment's end. What the text below may still mend is told apart, from
the tree of the intact file.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, zip_longest

from benchmarks.pauses import Pause
from benchmarks.verification_places import changed, nodes
from context_index import Node, Syntax, ancestors

Change = tuple[str, tuple[int, int], str]
"""The kind of a change, what it replaces, and by what."""
_OBJECTS = frozenset({"object", "dictionary"})
_SPREADS = frozenset({"spread_element", "list_splat", "dictionary_splat"})
_NAMES = frozenset({"identifier", "type_identifier"})
_MAKING = ("name", "left", "pattern", "parameter", "alias")
"""Fields that hold what a node makes."""
_SUFFIX = "Zork"
_COMMENTS = 1 / 5
"""How often the end of a comment is tried: a parser alone refuses it."""
_LEFT_OUT, _COMMENT, _PATTERN = "argument left out", "comment closed", "key of a pattern"
_MEMBER = "member of a class"


@dataclass(frozen=True, slots=True)
class Mutant:
    """A wrong text for a pause."""

    pause: Pause
    kind: str
    text: str
    is_mendable: bool
    """Whether what is written after it may make it right."""
    lacking: str = ""
    """The intact file without the member of a class whose name is changed, which may still be written after it."""


def mutants(pause: Pause, count: int, seed: int = 1) -> list[Mutant]:
    """Some changes of the rest of the line, of kinds that differ as far as there are several."""
    chance = random.Random(f"{seed} {pause.name}")  # noqa: S311 - a reproducible draw
    by_kind: dict[str, list[Mutant]] = {}
    for one in {one.text: one for one in _mutants(pause)}.values():
        by_kind.setdefault(one.kind, []).append(one)
    kinds = sorted(by_kind)
    shuffled = [chance.sample(by_kind[kind], len(by_kind[kind])) for kind in chance.sample(kinds, len(kinds))]
    in_turn = [one for several in zip_longest(*shuffled) for one in several if one is not None]
    return [one for one in in_turn if one.kind != _COMMENT or chance.random() < _COMMENTS][:count]


def _mutants(pause: Pause) -> Iterator[Mutant]:
    syntax, first, last = pause.syntax, pause.offset, pause.offset + len(pause.rest)
    for node in nodes(syntax.root):
        if syntax.end(node) <= first or syntax.start(node) >= last:
            continue
        for kind, (start, end), new in _changes(syntax, node):
            if first <= start and end <= last:
                text = pause.text[first:start] + new + pause.text[end:last]
                lacking = _without(pause.text, syntax.span(node)) if kind == _MEMBER else ""
                yield Mutant(pause, kind, text, is_mendable=_is_mendable(syntax, node, kind, last), lacking=lacking)
    if pause.rest and syntax.language.family != "python":
        is_mendable = not pause.below.strip()  # with more on the line it may be a factor: `* /expression/`
        yield Mutant(pause, _COMMENT, f"{pause.rest} */", is_mendable=is_mendable)


def _changes(syntax: Syntax, node: Node) -> Iterator[Change]:
    """All changes of one node."""
    change = changed(syntax, node)
    if change is not None:
        yield change
    elif _is_use(node):
        yield "reference", syntax.span(node), f"{syntax.text(node)}{_SUFFIX}"
    if node.parent is not None and node in _modules(node.parent):
        at = syntax.end(node) - (node.type == "string")
        yield "module", (at, at), _SUFFIX
    if node.type in _SPREADS and node.child_count > 1:
        mark = node.children[0]
        yield "spread", syntax.span(mark), ""
    if _is_member_of_class(node) and (name := node.child_by_field_name("name")) is not None:
        yield _MEMBER, syntax.span(name), f"{syntax.text(name)}{_SUFFIX}"
    if node.type == "shorthand_property_identifier_pattern":
        yield _PATTERN, syntax.span(node), f"{syntax.text(node)}{_SUFFIX}"


def _modules(statement: Node) -> Sequence[Node]:
    """What a statement imports from."""
    fields = (statement.child_by_field_name(name) for name in ("source", "module_name"))
    return [field for field in fields if field is not None]


def _is_use(node: Node) -> bool:
    """Whether a name is referred to, a type's too, and not made there: by a declaration, a parameter or a pattern."""
    parent = node.parent
    if parent is None or node.type not in _NAMES:
        return False
    is_made = any(parent.child_by_field_name(field) == node for field in _MAKING)
    is_made = is_made and parent.type != "jsx_self_closing_element"
    is_moved = any(one.type.startswith(("import", "export")) for one in islice(ancestors(node), 3))
    return not (is_made or is_moved or any(part in parent.type for part in ("parameter", "pattern")))


def _is_member_of_class(node: Node) -> bool:
    return node.parent is not None and node.parent.type == "class_body"


def _is_mendable(syntax: Syntax, node: Node, kind: str, last: int) -> bool:
    """Whether a text that ends at `last` leaves open what the change is wrong in.

    An argument that is left out of a call, a key of an object literal, a pattern without its value, an overload, a name
    that is imported from a module that is not named yet.
    """
    around = [node, *ancestors(node)]
    sources = (one.child_by_field_name("source") for one in around)
    if any(source is not None and syntax.start(source) >= last for source in sources):
        return True
    if kind == _LEFT_OUT:
        return syntax.end(node) > last
    if any(_is_open_pattern(syntax, one, last) for one in around):
        return True
    if any(one.type == "function_signature" for one in around):
        return True
    return _is_key(node) and any(one.type in _OBJECTS and syntax.end(one) > last for one in around)


def _is_open_pattern(syntax: Syntax, node: Node, last: int) -> bool:
    """Whether a pattern's value, or its end, is still to come."""
    if not node.type.endswith("_pattern"):
        return False
    value = None if node.parent is None else node.parent.child_by_field_name("value")
    return syntax.end(node) > last or (value is not None and syntax.start(value) >= last)


def _is_key(node: Node) -> bool:
    parent = node.parent
    return node.type == "shorthand_property_identifier" or (
        parent is not None and parent.type == "pair" and parent.child_by_field_name("key") == node
    )


def _without(text: str, span: tuple[int, int]) -> str:
    return text[: span[0]] + text[span[1] :]


def pruned(pause: Pause, text: str) -> str:
    """The intact file with a text in place of the rest, without the statements and members below that are missing.

    Those in the blocks around the pause, from the one after the one that is being written on: nothing that they declare
    is known then, and what is left is whole.
    """
    syntax, last = pause.syntax, pause.offset + len(pause.rest)
    node = syntax.node_at(pause.offset)
    around = (node, *ancestors(node))
    spans = [span for one in around for span in _missing(syntax, one, last, pause.resumes)]
    whole = pause.text
    for span in sorted(set(spans), reverse=True):
        whole = _without(whole, span)
    return whole[: pause.offset] + text + whole[last:]


def _missing(syntax: Syntax, block: Node, last: int, resumes: int) -> Sequence[tuple[int, int]]:
    """The children of a block that begin after a place and end in what is removed."""
    if block.parent is not None and not block.type.endswith(("block", "body")):
        return ()
    spans = (syntax.span(child) for child in block.named_children)
    return [(start, end) for start, end in spans if last <= start and end <= resumes]
