"""Names that a suggestion uses above the place where it gives them their value.

The decoder refuses a name that nothing above declares. One that has a meaning farther out may be written, and a
declaration of the same name below it makes it another: `const a = b; const b = 1` where a `b` is around.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, Final

from context_index import NameKind, ancestors, names_at
from lsp_server.checks.references import WORD, Reference, refers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from context_index import Name, Node, Syntax

_TIMELESS: Final = frozenset({"type_query", "export_specifier", "enum_body"})
"""What is there from the beginning, as types and a list of constants are, or asked for at the end, as exports are."""
_NEAR: Final = 4
_HANDLERS: Final = frozenset({"except_clause", "except_group_clause"})
_TURNED: Final = frozenset(
    {
        *("conditional_expression", "list_comprehension", "set_comprehension", "dictionary_comprehension"),
        "generator_expression",
    }
)
"""Python: what begins with what is evaluated last."""
_PATTERNS: Final = frozenset(
    {
        *("pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern", "as_pattern_target", "tuple", "list"),
        *("array_pattern", "rest_pattern", "object_pattern", "parenthesized_expression"),
    }
)
_TAKEN_OUT: Final = "shorthand_property_identifier_pattern"
_NAMED: Final = frozenset(
    {
        *("class_declaration", "abstract_class_declaration", "enum_declaration"),
        *("class_definition", "function_definition", "import_statement", "dotted_name", "aliased_import"),
    }
)
_PARAMETERS: Final = frozenset({"formal_parameters", "parameters", "lambda_parameters"})
_PARAMETER: Final = frozenset({"required_parameter", "optional_parameter"})
_FUNCTIONS: Final = frozenset({"function_definition", "lambda"})
_SCOPES: Final = _FUNCTIONS | {"class_definition", "module"}
_TARGETS: Final = {
    "assignment": "left",
    "for_statement": "left",
    "for_in_clause": "left",
    "as_pattern": "alias",
    "named_expression": "name",
    "variable_declarator": "name",
    "for_in_statement": "left",
    "assignment_pattern": "left",
    "pair_pattern": "value",
}
"""By what gives a name its value, the field in which the name stands."""


def used_early(syntax: Syntax, start: int, end: int, *, torn: bool = False) -> Iterator[Reference]:
    """References between two places of a finished text to what the text there declares only behind them.

    Not in code that runs later, and not to what need not have a value there.

    Args:
        torn: Whether the file was torn without the text, so that no tree told what has a value there: in Python names
            that the text does not declare are looked at, too.
    """
    document = syntax.document
    words = [(found.group(), *found.span()) for found in WORD.finditer(document.text, start, end)]
    counts = Counter(name for name, _, _ in words)
    lines = range(document.position(start).line, document.position(end).line + 1)
    caught = list(_without_value(syntax, words, torn=torn and not syntax.errors)) if syntax.language.is_python else []
    yield from caught
    found = [(name, offset, stop, syntax.node_at(offset, stop)) for name, offset, stop in words if counts[name] > 1]
    declared = {name for name, _, _, node in found if _declares(node)}
    for name, offset, stop, node in found:
        if name not in declared or Reference(name, offset) in caught or not refers(syntax, offset, stop):
            continue
        if _is_timeless(node) or _is_target(node) or _is_parameter(node):
            continue
        if syntax.language.is_python and (not _is_of_function(node) or _is_named_in_passing(node)):
            continue
        known = names_at(syntax, offset).get(name)
        if known is not None and known.before_declaration and known.line in lines and not _is_var(syntax, known):
            yield Reference(name, offset)


def _without_value(syntax: Syntax, words: list[tuple[str, int, int]], *, torn: bool) -> Iterator[Reference]:
    """Python: names that are not there when they are looked for: `try: import a`, `except a.Error`.

    Where the file was `torn`, so are all others, as what has left its branch by `return` was not known to.
    """
    for name, offset, stop in words:
        node = syntax.node_at(offset, stop)
        if not (_is_caught(node) or (torn and _has_its_time(node))) or not refers(syntax, offset, stop):
            continue
        known = names_at(syntax, offset).get(name)
        if known is not None and known.before_declaration:
            yield Reference(name, offset)


def _is_caught(node: Node) -> bool:
    """Whether it says which exceptions a handler is for."""
    clause = next((around for around in islice(ancestors(node), _NEAR) if around.type in _HANDLERS), None)
    if clause is None:
        return False
    body = next((child for child in clause.named_children if child.type == "block"), None)
    return body is None or node.start_byte < body.start_byte


def _has_its_time(node: Node) -> bool:
    """Whether a name is looked for when its line is reached, and given its value elsewhere."""
    is_given = _is_target(node) or _is_parameter(node) or _is_named_in_passing(node)
    return not is_given and _is_of_function(node)


def _declares(node: Node) -> bool:
    """Whether a name may be declared there, so that it pays to ask where it has its value."""
    parent = node.parent
    is_named = parent is not None and (parent.type in _NAMED and parent.child_by_field_name("name") == node)
    return is_named or node.type == _TAKEN_OUT or _is_target(node)


def _is_timeless(node: Node) -> bool:
    return node.type == "type_identifier" or any(around.type in _TIMELESS for around in islice(ancestors(node), _NEAR))


def _is_of_function(node: Node) -> bool:
    """Python: whether a function's code is the innermost around; a class and a module look farther out for a name."""
    found = next((around.type for around in ancestors(node) if around.type in _SCOPES), "")
    return found in _FUNCTIONS


def _is_named_in_passing(node: Node) -> bool:
    """Python: whether a condition behind it, which is asked before, gives a name its value: `a if (a := b) else c`."""
    work = [around for around in ancestors(node) if around.type in _TURNED]
    while work:
        inner = work.pop()
        name = inner.child_by_field_name("name") if inner.type == "named_expression" else None
        if name is not None and name.text == node.text:
            return True
        work += inner.named_children
    return False


def _is_target(node: Node) -> bool:
    """Whether a name gets a value there."""
    around = node.parent
    while around is not None and around.type in _PATTERNS:
        node, around = around, around.parent
    field = None if around is None else _TARGETS.get(around.type)
    return field is not None and around is not None and around.child_by_field_name(field) == node


def _is_parameter(node: Node) -> bool:
    """Whether a name is a parameter, which tokens alone do not tell far below the head of a class."""
    while node.parent is not None and node.parent.type in _PATTERNS:
        node = node.parent
    parent = node.parent
    if parent is None or parent.type in _PARAMETERS:
        return parent is not None
    return parent.type in _PARAMETER and parent.child_by_field_name("pattern") == node


def _is_var(syntax: Syntax, name: Name) -> bool:
    """JavaScript: whether a name is declared with `var`: it is there above, without a value."""
    if syntax.language.is_python or name.kind is not NameKind.VARIABLE or name.line is None:
        return False
    line = syntax.document.line_text(name.line)
    return re.search(rf"\bvar\b[^;]*(?<![\w$]){re.escape(name.text)}(?![\w$])", line) is not None
