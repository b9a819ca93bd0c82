"""What does nothing: a name as a statement, a value that a comma drops, a list of imports without names.

Knows trees and nothing of models. Each rule was held against installed packages, whose own lines it must let stand.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from context_index import ancestors

if TYPE_CHECKING:
    from collections.abc import Iterator

    from context_index import Node
    from lsp_server.checks.said_twice import Written

STATEMENTS: Final = frozenset({"expression_statement"})
SEQUENCES: Final = frozenset({"sequence_expression"})
LISTS_OF_NAMES: Final = frozenset({"named_imports", "export_clause"})
ALIASES: Final = frozenset({"import_alias"})
VARIABLES: Final = frozenset({"variable_declarator"})
FIELDS: Final = frozenset({"property_signature", "public_field_definition", "field_definition"})
_BEGINS: Final = frozenset({b"const", b"let", b"var", b"function", b"return", b"import", b"export", b"if", b"for"})
"""Words that begin a statement, and may name a member."""
LOOPS: Final = frozenset({"for_statement", "for_in_clause"})
_REFERENCES: Final = frozenset({"identifier", "member_expression"})
_VALUES: Final = _REFERENCES | {
    *("subscript_expression", "array", "as_expression", "non_null_expression", "arrow_function", "number"),
    "template_string",
}
"""Of 399,103 lines of scripts 29 were such, of 53,334 statements of Python one was a name."""
_ACTS: Final = frozenset(
    {
        *("call_expression", "new_expression", "await_expression", "yield_expression", "update_expression"),
        *("assignment_expression", "augmented_assignment_expression"),
    }
)
_DROPPED: Final = _REFERENCES | {"string", "template_string", "subscript_expression", "binary_expression"}
"""Not numbers: `(0, f)()` calls without `this`."""
STRINGS: Final = frozenset({"string"})
_PLACE: Final = re.compile(rb"\$\{[\w$.]+")
_PLACE_IN_QUOTES: Final = re.compile(rb"""['"][^'"`\n]*\$\{""")
_BLANKS: Final = re.compile(rb"[{,](?:[ \t]{2,}|[ \t]*\t[ \t]*)\}$")
"""The end of a list on one line that nobody writes: between its blanks a name was refused."""
_CHOOSES: Final = frozenset({"||", "&&", "??"})
_LATER: Final = frozenset(
    {
        *("function_expression", "arrow_function", "function_declaration", "generator_function", "class_body"),
        *("method_definition", "generator_function_declaration"),
    }
)
_UNSURE: Final = _LATER | {"unary_expression", "ternary_expression"}
_FUNCTIONS: Final = _LATER | {"program"}
_NAMES: Final = frozenset({"identifier", "shorthand_property_identifier_pattern"})


def does_nothing(written: Written, node: Node) -> bool:
    """Whether a whole statement was written that only names something.

    In Python to read a member may raise, and `try` may be there to see whether there is a name.
    """
    inner = node.named_children
    if not written.ends(node) or node.start_byte < written.first or written.syntax.errors or len(inner) != 1:
        return False
    around = None if node.parent is None else node.parent.parent
    is_tried = around is not None and around.type == "try_statement"
    return inner[0].type in _VALUES and not is_tried and not _acts(inner[0])


def _acts(node: Node) -> bool:
    """Whether something is done for a value: `a.f() as B`; what a function would do is not."""
    work = [node]
    while work:
        node = work.pop()
        if node.type in _ACTS:
            return True
        if node.type not in _LATER:
            work += node.named_children
    return False


def drops_value(written: Written, node: Node) -> bool:
    """Whether what stands before a comma is a value that nobody gets: `(a, b)`."""
    inner = [one for one in node.named_children if one.type != "comment"]
    return written.ends(node) and any(one.type in _DROPPED and not _acts(one) for one in inner[:-1])


def names_nothing(written: Written, node: Node) -> bool:
    """Whether a list of imports or exports of another module is empty, or ends with blanks that stand for a name."""
    is_new = written.first < node.end_byte and node.start_byte < written.last
    if not is_new or node.parent is None:
        return False
    return _BLANKS.search(node.text or b"") is not None or (not node.named_children and _has_source(node))


def is_made_of_itself(written: Written, node: Node) -> bool:
    """Scripts: whether `var a` gets its first value from `a`, which has none: `var a = a.b`, not `var a = a || {}`.

    `var a = a` gives it none whatever else there is.
    """
    name, value, declaration = node.child_by_field_name("name"), node.child_by_field_name("value"), node.parent
    if name is None or value is None or name.type != "identifier" or not written.ends(node):
        return False
    if declaration is None or declaration.type != "variable_declaration":
        return False
    if value.text == name.text:
        return True
    return any(one.text == name.text for one in _evaluated(value)) and not _is_bound_besides(node, name)


def is_no_template(written: Written, node: Node) -> bool:
    """Scripts: whether `${name}` is text, in quotes that make no template, in a file that has no such text."""
    first, last = written.first, written.last
    if written.syntax.language.is_python or not written.ends(node) or node.start_byte < first:
        return False
    if _PLACE.search(node.text or b"") is None:
        return False
    text = written.syntax.root.text or b""
    return not any(one.end() <= first or one.start() >= last for one in _PLACE_IN_QUOTES.finditer(text))


def is_begun_as_statement(written: Written, node: Node) -> bool:
    """Scripts: whether a member is declared that was to be a statement: `const;` and no more."""
    name = node.child_by_field_name("name") or node.child_by_field_name("property")
    is_bare = node.child_by_field_name("type") is None and node.child_by_field_name("value") is None
    return written.ends(node) and name is not None and is_bare and name.text in _BEGINS


def is_alias_of_itself(written: Written, node: Node) -> bool:
    """TypeScript: whether an import gives a name to a part of what has it: `import a = a.B`."""
    inner = node.named_children
    whole = inner[-1].text or b""
    return len(inner) > 1 and written.ends(node) and whole.partition(b".")[0] == inner[0].text


def loops_over_itself(written: Written, node: Node) -> bool:
    """Python: whether a loop gives its elements the name of what it goes through: `for a in a`."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None or not written.first < right.end_byte <= written.last:
        return False
    return left.type == right.type == "identifier" and left.text == right.text


def _has_source(node: Node) -> bool:
    """Whether the statement around a list says from where; `export {}` makes a file a module."""
    statement = next((one for one in ancestors(node) if one.type.endswith("_statement")), None)
    return statement is not None and statement.child_by_field_name("source") is not None


def _evaluated(node: Node) -> Iterator[Node]:
    """The references that are read when a value is computed, but for those that ask first whether there is one."""
    work = [node]
    while work:
        node = work.pop()
        if node.type == "identifier":
            yield node
        if node.type not in _UNSURE and not any(child.type in _CHOOSES for child in node.children):
            work += node.named_children


def _is_bound_besides(declarator: Node, name: Node) -> bool:
    """Whether the function around, or the file, binds the name before, too: as a parameter, by another `var`."""
    around = next((one for one in ancestors(declarator) if one.type in _FUNCTIONS), None)
    work = [] if around is None else [around]
    while work:
        node = work.pop()
        is_other = node.type in _NAMES and node.text == name.text and node.start_byte != name.start_byte
        if is_other and _is_binding(node) and (node.start_byte < name.start_byte or _is_hoisted(node)):
            return True
        work += node.named_children
    return False


def _is_hoisted(node: Node) -> bool:
    return node.parent is not None and node.parent.type == "function_declaration"


def _is_binding(node: Node) -> bool:
    """Whether a name is given a value or declared there."""
    parent = node.parent
    if parent is None:
        return False
    fields = ("name", "left", "parameter", "pattern", "alias")
    is_field = any(parent.child_by_field_name(field) == node for field in fields)
    return is_field or parent.type in ("formal_parameters", "rest_pattern", "array_pattern", "object_pattern")
