"""The names under which statements of a JavaScript or TypeScript module export something, from the tree alone.

The other modules of this package know what a name refers to and follow re-exports.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from context_index.scopes.javascript_patterns import pattern_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from context_index.syntax import Node, Syntax

_VALUES: Final = frozenset({"function_declaration", "generator_function_declaration", "class_declaration"})
VARIABLES: Final = frozenset({"variable_declaration", "lexical_declaration"})
_OTHERS: Final = frozenset(
    {
        *("interface_declaration", "type_alias_declaration", "enum_declaration", "function_signature"),
        *("abstract_class_declaration", "internal_module", "import_alias"),
    }
)
"""Declarations that may share their name with others, but not with a list of exports."""


def exported_names(syntax: Syntax, offset: int) -> frozenset[str]:
    """The names that a module exports, `default` included, without the name at an offset; none in Python."""
    if syntax.language.is_python or "export" not in syntax.document.text:
        return frozenset()
    place = syntax.byte(offset)
    names = (name for child in syntax.root.children for name in exports(child, every=True))
    return frozenset(syntax.text(name).strip("'\"") for name in names if not name.start_byte <= place <= name.end_byte)


def exports(statement: Node, *, every: bool = False) -> Iterator[Node]:
    """The nodes of the names that a statement exports: in braces, of a namespace, `default`, and of declared values.

    Args:
        every: Also names that may be declared several times, as types and overloads may.
    """
    if statement.type != "export_statement":
        return
    for part in statement.children:
        if part.type == "namespace_export":
            yield from part.named_children
        for one in part.named_children if part.type == "export_clause" else ():
            if (name := one.child_by_field_name("alias") or one.child_by_field_name("name")) is not None:
                yield name
    declared = statement.child_by_field_name("declaration")
    words = {child.type for child in statement.children}
    if declared is None or declared.type in _VALUES:
        yield from (child for child in statement.children if child.type == "default")
    if declared is not None and "default" not in words:
        yield from declares(declared, every=every)


def declares(declaration: Node, *, every: bool = False) -> Iterator[Node]:
    """The names of values that a declaration declares; with `every`, also those of types, overloads and the like."""
    if declaration.type == "ambient_declaration" and every:
        for child in declaration.named_children:
            yield from declares(child, every=True)
    if declaration.type in _VALUES or (every and declaration.type in _OTHERS):
        name = declaration.child_by_field_name("name") or next(iter(declaration.named_children), None)
        yield from () if name is None else (name,)
    for declarator in declaration.named_children if declaration.type in VARIABLES else ():
        if (name := declarator.child_by_field_name("name")) is not None:
            yield from pattern_names(name)
