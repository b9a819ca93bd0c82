"""Mutants of what was typed next at a pause: the rest of its line with one thing in it changed.

The changes are those of `benchmarks/verification_places.py`, and changes of any other name that is used, a module's
name, a spread, a class's own member, a key of a pattern and a comment's end. The tree of the intact file says whether
what is written below may still mend a change.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, zip_longest

from benchmarks.pauses import Pause
from benchmarks.verification_places import draw_change, nodes
from context_index import Node, Syntax, ancestors

Change = tuple[str, tuple[int, int], str]
"""The kind of a change, the start and end of what it replaces, and the new text."""
_OBJECTS = frozenset({"object", "dictionary"})
_SPREADS = frozenset({"spread_element", "list_splat", "dictionary_splat"})
_NAMES = frozenset({"identifier", "type_identifier"})
_DECLARING = ("name", "left", "pattern", "parameter", "alias")
"""Fields of nodes that hold names which the node declares or assigns."""
_SUFFIX = "Zork"
"""What is added to a name, so that nothing has it."""
_COMMENTS = 1 / 5
"""The share of mutants with a comment's end that is kept; they are easy, as a parser alone refuses them."""
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
    """The intact file without the member of a class that the mutant renames; empty for mutants of other kinds."""


def mutants(pause: Pause, count: int, seed: int = 1) -> list[Mutant]:
    """Up to `count` random mutants of a pause, whose kinds take turns."""
    rng = random.Random(f"{seed} {pause.name}")  # noqa: S311 - a reproducible draw
    by_kind: dict[str, list[Mutant]] = {}
    for mutant in {mutant.text: mutant for mutant in _all_mutants(pause)}.values():
        by_kind.setdefault(mutant.kind, []).append(mutant)
    kinds = sorted(by_kind)
    shuffled = [rng.sample(by_kind[kind], len(by_kind[kind])) for kind in rng.sample(kinds, len(kinds))]
    in_turn = [mutant for turn in zip_longest(*shuffled) for mutant in turn if mutant is not None]
    return [mutant for mutant in in_turn if mutant.kind != _COMMENT or rng.random() < _COMMENTS][:count]


def _all_mutants(pause: Pause) -> Iterator[Mutant]:
    """Every mutant of a pause; several may have one text."""
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
    change = draw_change(syntax, node)
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
    """The node of the module that a statement imports from, if it has one."""
    fields = (statement.child_by_field_name(name) for name in ("source", "module_name"))
    return [field for field in fields if field is not None]


def _is_use(node: Node) -> bool:
    """Whether a node uses a name, of a value or a type, and neither declares nor assigns, imports nor exports it."""
    parent = node.parent
    if parent is None or node.type not in _NAMES:
        return False
    is_declared = any(parent.child_by_field_name(field) == node for field in _DECLARING)
    is_declared = is_declared and parent.type != "jsx_self_closing_element"
    is_moved = any(ancestor.type.startswith(("import", "export")) for ancestor in islice(ancestors(node), 3))
    return not (is_declared or is_moved or any(word in parent.type for word in ("parameter", "pattern")))


def _is_member_of_class(node: Node) -> bool:
    return node.parent is not None and node.parent.type == "class_body"


def _is_mendable(syntax: Syntax, node: Node, kind: str, last: int) -> bool:
    """Whether what is written after `last`, where the mutant ends, may make the change of a node right.

    The rest of a call may bring the argument that the mutant leaves out.
    """
    if kind == _LEFT_OUT and not _awaits_module(syntax, node, last):
        return syntax.end(node) > last
    return may_be_mended(syntax, node, last)


def may_be_mended(syntax: Syntax, node: Node, last: int) -> bool:
    """Whether what is written after `last` may make a wrong name, or what stands around it, right.

    That may be the module of an import, the value of a pattern, the next overload, or the rest of an object literal.
    """
    if _awaits_module(syntax, node, last):
        return True
    nodes_around = [node, *ancestors(node)]
    if any(_is_open_pattern(syntax, around, last) for around in nodes_around):
        return True
    if any(around.type == "function_signature" for around in nodes_around):
        return True
    return _is_key(node) and any(around.type in _OBJECTS and syntax.end(around) > last for around in nodes_around)


def _awaits_module(syntax: Syntax, node: Node, last: int) -> bool:
    """Whether a node is in an import or export whose module is named after `last`."""
    sources = (around.child_by_field_name("source") for around in (node, *ancestors(node)))
    return any(source is not None and syntax.start(source) >= last for source in sources)


def _is_open_pattern(syntax: Syntax, node: Node, last: int) -> bool:
    """Whether a node is a pattern that ends, or whose value begins, after `last`."""
    if not node.type.endswith("_pattern"):
        return False
    value = None if node.parent is None else node.parent.child_by_field_name("value")
    return syntax.end(node) > last or (value is not None and syntax.start(value) >= last)


def _is_key(node: Node) -> bool:
    """Whether a node is a key of an object literal, a shorthand included."""
    parent = node.parent
    return node.type == "shorthand_property_identifier" or (
        parent is not None and parent.type == "pair" and parent.child_by_field_name("key") == node
    )


def _without(text: str, span: tuple[int, int]) -> str:
    return text[: span[0]] + text[span[1] :]


def pruned(pause: Pause, text: str) -> str:
    """The intact file with a text in place of the rest of the line, without missing statements and members.

    Whole statements and members below the line are removed from all blocks around the pause, so that nothing that they
    declare is known, and what is left of the file is whole.
    """
    syntax, last = pause.syntax, pause.offset + len(pause.rest)
    leaf = syntax.node_at(pause.offset)
    spans = [span for node in (leaf, *ancestors(leaf)) for span in _missing(syntax, node, last, pause.resumes)]
    whole = pause.text
    for span in sorted(set(spans), reverse=True):
        whole = _without(whole, span)
    return whole[: pause.offset] + text + whole[last:]


def _missing(syntax: Syntax, block: Node, last: int, resumes: int) -> Sequence[tuple[int, int]]:
    """The spans of a block's children that begin at `last` or later and end at `resumes` or before."""
    if block.parent is not None and not block.type.endswith(("block", "body")):
        return ()
    spans = (syntax.span(child) for child in block.named_children)
    return [(start, end) for start, end in spans if last <= start and end <= resumes]
