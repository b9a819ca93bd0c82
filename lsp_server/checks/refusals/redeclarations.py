"""Names that one scope declares twice, exports of nothing, and imported types that the file uses as values."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto
from itertools import islice
from typing import TYPE_CHECKING, Final

from context_index import ancestors, pattern_names
from lsp_server.checks.refusals.rule import (
    FUNCTIONS,
    PATTERNS,
    Rules,
    is_declared_only,
    is_field,
    is_module,
    is_typed,
    nearest,
    words,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from context_index import Node, Syntax

_FUNCTIONS: Final = FUNCTIONS | {"class_body", "internal_module", "module"}
"""What has variables of its own."""
_BLOCKS: Final = frozenset(
    {"program", "statement_block", "switch_body", "for_statement", "for_in_statement", "class_static_block"}
)
_NAMED: Final = frozenset({"function_declaration", "generator_function_declaration", "class_declaration"})
_DECLARING: Final = PATTERNS | {
    *("variable_declarator", "for_in_statement", "import_clause", "import_specifier", "namespace_import"),
    *("formal_parameters", "required_parameter", "optional_parameter", "arrow_function", "pair_pattern"),
    *("assignment_pattern", "object_assignment_pattern", "catch_clause", *_NAMED),
}
_NO_VALUES: Final = frozenset(
    {
        *("type_query", "nested_type_identifier", "export_specifier", "import_specifier", "ambient_declaration"),
        "computed_property_name",
    }
)
_BINDING: Final = frozenset({"required_parameter", "optional_parameter", "arrow_function", "catch_clause"}) | PATTERNS
_USED: Final = frozenset({"identifier", "shorthand_property_identifier"})
_TAKEN_OUT: Final = "shorthand_property_identifier_pattern"
_DEEPEST_QUERY: Final = 6
"""Members of which the type may be asked for."""


class _Kind(Enum):
    """How a name is declared."""

    VAR = auto()
    LEXICAL = auto()
    FUNCTION = auto()
    PARAMETER = auto()


@dataclass(frozen=True, slots=True)
class _Declared:
    name: Node
    kind: _Kind
    block: Node
    """The innermost one around; of a parameter, the function's body."""


def _is_declared_twice(syntax: Syntax, node: Node) -> bool:
    """A name that is declared there and that the same scope has already."""
    text = syntax.text(node)
    if node.parent is None or node.parent.type not in _DECLARING or syntax.document.text.count(text) < 2:  # noqa: PLR2004 - one is itself
        return False
    found = _declarations(node)
    own = next((one for one in found if one.name == node), None)
    if own is None:
        return False
    others = [one for one in found if one.name != node and syntax.text(one.name) == text]
    return any(_collide(own, other, syntax) or _collide(other, own, syntax) for other in others)


def _declarations(node: Node) -> list[_Declared]:
    """All declarations of the function, or of the file, that declares a name."""
    start = node.parent if node.parent is not None and node.parent.type in _NAMED else node
    root = nearest(start, _FUNCTIONS | {"program"})
    return [] if root is None or root.type in ("class_body", "ERROR") else list(_of_function(root))


def _of_function(root: Node) -> Iterator[_Declared]:
    body = root if root.type == "program" else root.child_by_field_name("body")
    if body is None or body.type not in _BLOCKS:
        return
    parameters = root.child_by_field_name("parameters") or root.child_by_field_name("parameter")
    if parameters is not None:
        for name in pattern_names(parameters):
            yield _Declared(name, _Kind.PARAMETER, body)
    work = [(child, body) for child in body.named_children]
    while work:
        node, block = work.pop()
        yield from _declared_by(node, block, body)
        if node.type not in _FUNCTIONS:
            inner = node if node.type in _BLOCKS else block
            work += [(child, inner) for child in node.named_children if child.named_child_count]


def _declared_by(node: Node, block: Node, body: Node) -> Iterator[_Declared]:
    if node.type in ("lexical_declaration", "variable_declaration"):
        kind = _Kind.LEXICAL if node.type == "lexical_declaration" else _Kind.VAR
        for declarator in node.named_children:
            if declarator.type == "variable_declarator" and (name := declarator.child_by_field_name("name")):
                yield from (_Declared(one, kind, block) for one in pattern_names(name))
    elif node.type == "for_in_statement" and (word := node.child_by_field_name("kind")) is not None:
        if (left := node.child_by_field_name("left")) is not None:
            kind = _Kind.VAR if word.type == "var" else _Kind.LEXICAL
            yield from (_Declared(one, kind, node) for one in pattern_names(left))
    elif node.type in _NAMED and (name := node.child_by_field_name("name")) is not None:
        is_plain = node.type == "function_declaration" and "async" not in words(node)
        kind = _Kind.LEXICAL if node.type == "class_declaration" else _Kind.FUNCTION
        if kind is _Kind.FUNCTION and not is_plain and block != body:
            kind = _Kind.LEXICAL
        yield _Declared(name, kind, block)
    elif node.type == "catch_clause" and (caught := node.child_by_field_name("parameter")) is not None:
        inner = node.child_by_field_name("body") or block
        kind = _Kind.PARAMETER if caught.type == "identifier" else _Kind.LEXICAL
        yield from (_Declared(one, kind, inner) for one in pattern_names(caught))
    elif node.type == "import_statement" and "type" not in words(node):
        yield from (_Declared(one, _Kind.LEXICAL, block) for one in _imported(node))


def _imported(statement: Node) -> Iterator[Node]:
    for clause in statement.named_children:
        for part in clause.named_children if clause.type == "import_clause" else ():
            if part.type == "identifier":
                yield part
            elif part.type == "namespace_import":
                yield from part.named_children[-1:]
            for one in part.named_children if part.type == "named_imports" else ():
                name = one.child_by_field_name("alias") or one.child_by_field_name("name")
                if name is not None and name.type == "identifier":
                    yield name


def _collide(one: _Declared, other: _Declared, syntax: Syntax) -> bool:
    """Whether the first, which is lexical, leaves no place for the second."""
    if is_typed(syntax) and _Kind.FUNCTION in (one.kind, other.kind):
        return False  # overloads, merged namespaces, and types that are imported under the name
    if one.kind is _Kind.FUNCTION and other.kind is _Kind.FUNCTION:
        return one.block == other.block and is_module(syntax) and one.block.type == "program"
    if one.kind is _Kind.FUNCTION and other.kind is _Kind.VAR:
        around = one.block.parent
        is_lexical = is_module(syntax) if around is None else around.type not in _FUNCTIONS
        return is_lexical and _is_within(other.name, one.block)
    if one.kind is not _Kind.LEXICAL:
        return False
    if other.kind is _Kind.VAR:
        return _is_within(other.name, one.block)
    return one.block == other.block


def _is_within(node: Node, block: Node) -> bool:
    return block.start_byte <= node.start_byte and node.end_byte <= block.end_byte


def _exports_nothing(syntax: Syntax, node: Node) -> bool:
    """`export { a }` of what the file does not declare."""
    statement = node.parent.parent if node.parent is not None else None
    name = node.child_by_field_name("name")
    if statement is None or statement.child_by_field_name("source") is not None or name is None or is_typed(syntax):
        return False
    own = nearest(node, {"program"})
    if own is None or syntax.root.has_error or name.type == "string":
        return False
    text = syntax.text(name)
    return all(syntax.text(one.name) != text or not _is_at_top(one, own) for one in _of_function(own))


def _is_at_top(one: _Declared, root: Node) -> bool:
    return one.kind is _Kind.VAR or one.block == root


def _is_value_elsewhere(syntax: Syntax, node: Node) -> bool:
    """A name that is imported as a type, and a value in the file."""
    name = node.child_by_field_name("alias") or node.child_by_field_name("name")
    statement = nearest(node, {"import_statement"})
    if name is None or statement is None or not ({"type"} & (words(node) | words(statement))):
        return False
    uses = _uses(syntax, syntax.text(name), statement)
    return any(_is_value(use) and not is_declared_only(syntax, use) for use in uses)


def _is_type_alone(syntax: Syntax, node: Node) -> bool:
    """A value that the file imports as a type."""
    if not is_typed(syntax) or not _is_value(node) or is_declared_only(syntax, node):
        return False
    text = syntax.text(node)
    for statement in syntax.root.named_children:
        if statement.type == "import_statement":
            for name in _imported(statement):
                if syntax.text(name) == text:
                    own = name.parent is not None and "type" in words(name.parent)
                    is_alone = own or "type" in words(statement)
                    return is_alone and node in _uses(syntax, text, statement)
    return False


def _uses(syntax: Syntax, name: str, statement: Node) -> list[Node]:
    """Where something of that name is used, if nothing in the file but an import has the name."""
    text = syntax.document.text
    places = [match.span() for match in re.finditer(rf"(?<![\w$])(?<!(?<!\.)\.){re.escape(name)}(?![\w$])", text)]
    nodes = [syntax.root.descendant_for_byte_range(syntax.byte(start), syntax.byte(end)) for start, end in places]
    found = [node for node in nodes if node is not None and node.type in _USED | {_TAKEN_OUT}]
    outside = [node for node in found if not _is_within(node, statement) and node.parent is not None]
    return [] if any(map(_is_binding, outside)) else outside


def _is_value(node: Node) -> bool:
    return not any(around.type in _NO_VALUES for around in islice(ancestors(node), _DEEPEST_QUERY))


def _is_binding(node: Node) -> bool:
    parent = node.parent
    if parent is not None and parent.type == "arrow_function":
        return is_field(node, "parameter")
    return parent is not None and (
        node.type == _TAKEN_OUT
        or parent.type in _BINDING
        or (parent.type in ("variable_declarator", *_NAMED) and is_field(node, "name"))
    )


RULES: Final[Rules] = {
    "identifier": lambda syntax, node: _is_declared_twice(syntax, node) or _is_type_alone(syntax, node),
    "type_identifier": _is_declared_twice,
    "shorthand_property_identifier": _is_type_alone,
    "shorthand_property_identifier_pattern": _is_declared_twice,
    "export_specifier": _exports_nothing,
    "import_specifier": _is_value_elsewhere,
}
