"""What a rename comes to in one file: where a name stands, as what, and what takes its place.

A name and a member that are spelled alike are two things: `total` in `total + line.total`. One of them is renamed, and
what must not follow is kept by its old name (`{ total }` becomes `{ total: amount }`, `from a import total` gets an
`as`). Reads the tree alone, so all variables of that name count as one, and all members do.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from context_index.text import Edit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from context_index.syntax import Node, Syntax

_MEMBERS: Final = frozenset({"property_identifier", "private_property_identifier"})
_SHORTHAND: Final = frozenset({"shorthand_property_identifier", "shorthand_property_identifier_pattern"})
_NAMES: Final = frozenset({"identifier", "type_identifier"})
_FUNCTIONS: Final = frozenset({"function_definition", "lambda"})
_PARAMETERS: Final = frozenset({"parameters", "lambda_parameters"})

_DECLARES: Final = frozenset(
    {
        *("method_definition", "public_field_definition", "field_definition", "property_signature", "method_signature"),
        *("abstract_method_signature", "function_definition", "assignment"),
    }
)
_OWNERS: Final = frozenset(
    {"class_definition", "class_declaration", "class", "abstract_class_declaration", "interface_declaration"}
)
_KEYED: Final = frozenset({"pair", "jsx_attribute", "keyword_argument"})
_SELF: Final = frozenset({"self", "cls"})
_DECLARED: Final = frozenset({"name", "property", "left"})


@dataclass(frozen=True)
class Uses:
    """Where a name stands in the code of a file."""

    syntax: Syntax
    names: tuple[Node, ...]
    """As a variable, a function, a class, a type, a parameter; and what says a parameter's name in a call."""
    members: tuple[Node, ...]
    """As a method, a field, a property; and behind a dot."""

    @cached_property
    def others(self) -> tuple[Node, ...]:
        """The members that need not be those which the file declares: `row.total` beside a class with a `total`."""
        owners = {_owner(self.syntax, node, _OWNERS) for node in self.members if self.declares(node)}
        if not owners:
            return ()
        return tuple(node for node in self.members if not (self.declares(node) or self._is_of(node, owners)))

    def renamed(self, new: str, *, members: bool) -> list[Edit]:
        """The edits that rename all names, or all members but `others`, in order."""
        sure = (node for node in self.members if node not in self.others)
        nodes = (*sure, *filter(_is_short, self.names)) if members else self.names
        edits = (self._edit(node, new, members=members) for node in nodes)
        return sorted(edits, key=lambda edit: edit.start)

    def _is_of(self, member: Node, owners: set[str]) -> bool:
        """Whether a member stands behind `this`, or behind a name that is said to be of one of these classes."""
        receiver = member.parent and member.parent.child_by_field_name("object")
        if receiver is None:
            return member.parent is not None and member.parent.type in _KEYED
        if receiver.type != "identifier" or self.syntax.text(receiver) in _SELF:
            return receiver.type in {"this", "super"} or self.syntax.text(receiver) in _SELF
        owner = "|".join(map(re.escape, owners))
        made = (
            rf"(?<![\w$.]){re.escape(self.syntax.text(receiver))}\s*(?::|[:?]*\s*=\s*(?:new\s+)?)\s*(?:{owner})\b(?!\[)"
        )
        return re.search(made, self.syntax.document.text) is not None

    @staticmethod
    def declares(member: Node) -> bool:
        """Whether a member is one that a class or a type of the file has."""
        around = member.parent
        return around is not None and around.type in _DECLARES and _field(member) in _DECLARED

    def _edit(self, node: Node, new: str, *, members: bool) -> Edit:
        start, end = self.syntax.span(node)
        if members and _is_short(node):
            return Edit(start, start, f"{new}: ")
        if node.type == "private_property_identifier":
            return Edit(start + 1, end, new)
        if _is_short(node) and not _is_exported(self.syntax, node):
            return Edit(end, end, f": {new}")
        if _is_imported(node):
            return Edit(end, end, f" as {new}")
        return Edit(start, end, new)


def uses(syntax: Syntax, name: str) -> Uses:
    """Where a name stands in the code; strings and comments are none."""
    names: list[Node] = []
    members: list[Node] = []
    labels: list[Node] = []
    private: list[Node] = []
    for node in _identifiers(syntax, name):
        if node.type == "private_property_identifier":
            private.append(node)
        elif node.type in _MEMBERS or _is_python_member(node):
            members.append(node)
        elif _is_label(node):
            labels.append(node)
        else:
            names.append(node)
    for label in labels:
        if _calls_with(syntax, label, names):
            names.append(label)
        elif _makes_with(syntax, label, members):
            members.append(label)
    if not any(map(Uses.declares, members)) and any(map(Uses.declares, private)):
        members = private  # what a class keeps for itself is spelled `#name`
    return Uses(syntax, tuple(names), tuple(members))


def _identifiers(syntax: Syntax, name: str) -> Iterator[Node]:
    wanted = {name.encode(), f"#{name}".encode()}
    pending = [syntax.root]
    while pending:
        node = pending.pop()
        pending += reversed(node.children)
        if (node.type in _NAMES or node.type in _MEMBERS or node.type in _SHORTHAND) and node.text in wanted:
            yield node


def _is_short(node: Node) -> bool:
    return node.type in _SHORTHAND


def _is_exported(syntax: Syntax, node: Node) -> bool:
    """Whether it is a key of `module.exports = { ... }`, which is called as what it exports."""
    held = node.parent.parent if node.parent is not None else None
    left = held.child_by_field_name("left") if held is not None and held.type == "assignment_expression" else None
    return left is not None and syntax.text(left) in {"module.exports", "exports"}


def _is_imported(node: Node) -> bool:
    """Whether it is what another module calls it; behind `as` is what this one does."""
    if node.parent is None:
        return False
    if node.parent.type == "import_specifier":
        return node.parent.child_by_field_name("alias") is None
    statement = node.parent.parent if node.parent.type == "dotted_name" else None
    return statement is not None and statement.type in {"import_statement", "import_from_statement"}


def _field(node: Node) -> str | None:
    """The field of its parent in which a node stands."""
    around = node.parent
    return None if around is None else around.field_name_for_child(around.children.index(node))


def _is_python_member(node: Node) -> bool:
    """Whether an identifier of Python stands behind a dot, or is bound in the body of a class."""
    around = node.parent
    if around is None:
        return False
    if around.type == "attribute":
        return _field(node) == "attribute"
    statement: Node | None
    if around.type == "function_definition" and _field(node) == "name":
        statement = around.parent if around.parent and around.parent.type == "decorated_definition" else around
    elif around.type == "assignment" and _field(node) == "left":
        statement = around.parent
    else:
        return False
    block = statement.parent if statement is not None else None
    return block is not None and block.parent is not None and block.parent.type == "class_definition"


def _is_label(node: Node) -> bool:
    return node.parent is not None and node.parent.type == "keyword_argument" and _field(node) == "name"


def _called(syntax: Syntax, label: Node) -> str:
    """What an argument by name is handed to."""
    arguments = label.parent.parent if label.parent is not None else None
    call = arguments.parent if arguments is not None else None
    function = call.child_by_field_name("function") if call is not None else None
    if function is not None and function.type == "attribute":
        function = function.child_by_field_name("attribute")
    return "" if function is None else syntax.text(function)


def _calls_with(syntax: Syntax, label: Node, names: list[Node]) -> bool:
    """Whether a function of the file that is called so has a parameter of the name."""
    called = _called(syntax, label)
    return any(
        called == _owner(syntax, node, _FUNCTIONS)
        or (_owner(syntax, node, _FUNCTIONS) == "__init__" and called == _owner(syntax, node, {"class_definition"}))
        for node in names
        if _is_parameter(node)
    )


def _makes_with(syntax: Syntax, label: Node, members: list[Node]) -> bool:
    """Whether a class of the file that is called so has a field of the name."""
    called = _called(syntax, label)
    fields = (node for node in members if node.parent is not None and node.parent.type == "assignment")
    return any(called == _owner(syntax, node, {"class_definition"}) for node in fields)


def _is_parameter(node: Node) -> bool:
    around: Node | None = node.parent
    if around is not None and around.type not in _PARAMETERS:
        around = around.parent if _field(node) != "value" else None
    return around is not None and around.type in _PARAMETERS


def _owner(syntax: Syntax, node: Node, kinds: frozenset[str] | set[str]) -> str:
    """The name of the innermost function or class around a node."""
    around: Node | None = node.parent
    while around is not None and around.type not in kinds:
        around = around.parent
    name = None if around is None else around.child_by_field_name("name")
    return "" if name is None else syntax.text(name)
