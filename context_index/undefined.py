"""Names that a program refers to and nothing in it declares.

The difference between the answers before and after a change is what the change introduced: a misunderstanding is in
both. Type checkers know more; this needs none, and takes milliseconds.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from itertools import chain

from context_index.scopes import Scope, names_at, scopes_at
from context_index.syntax import Node, Syntax, ancestors

_PRIVATE = "private_property_identifier"
_IDENTIFIERS = frozenset({"identifier", "shorthand_property_identifier", "type_identifier", _PRIVATE})
_NO_REFERENCE = frozenset({
    "aliased_import", "dotted_name", "export_specifier", "import_clause", "import_specifier", "import_statement",
    "jsx_attribute", "jsx_namespace_name", "keyword_argument", "keyword_pattern", "lambda_parameters", "meta_property",
    "namespace_export", "namespace_import", "nested_identifier", "nested_type_identifier", "parameters",
    "typed_parameter", "list_splat_pattern", "dictionary_splat_pattern", "type_parameter",
    "default_parameter", "typed_default_parameter", "formal_parameters", "required_parameter", "optional_parameter",
})  # fmt: skip
"""Parents whose identifiers are not references, except for one in the field `value`."""
_NOT_FIELDS = frozenset({"attribute", "property", "name", "label", "parameter"})
_ELEMENTS = frozenset({"jsx_opening_element", "jsx_self_closing_element"})
_NAME_REFERS = frozenset({"decorator", "generic_type", *_ELEMENTS})
"""Nodes whose field `name` is looked up."""
_OWN_SCOPES = frozenset({
    "function_definition", "class_definition", "lambda", "list_comprehension", "set_comprehension",
    "dictionary_comprehension", "generator_expression", "function_declaration", "function_expression", "arrow_function",
    "generator_function_declaration", "generator_function", "method_definition", "class_declaration", "class",
    "class_body", "statement_block", "for_statement", "for_in_statement", "catch_clause", "switch_body", "module",
    "program", "type_alias_declaration", "interface_declaration", "function_signature", "method_signature",
    "abstract_class_declaration", "function_type", "internal_module", "mapped_type_clause", "conditional_type",
    "block", "decorator", "parameters", "formal_parameters", "infer_type",
})  # fmt: skip
"""Nodes that may open a scope; too many only cost some time."""


def undefined_names(
    syntax: Syntax, known: Container[str], part: tuple[int, int] | None = None
) -> Mapping[str, tuple[int, int]]:
    """Names that are referred to and visible neither there nor in `known`, each with the first such place.

    Private names of ECMAScript, `#name`, are among them: a class around declares them (ECMA-262 §15.7.1).

    Args:
        part: Offsets; only references that share a character with what is between them count.
    """
    start, end = (0, len(syntax.document.text)) if part is None else part
    scopes: dict[int, list[Scope]] = {}
    missing: dict[str, Node] = {}
    for node, around in _references(syntax.root, syntax.byte(start), syntax.byte(end)):
        text = syntax.text(node)
        if (
            text in known
            or _is_intrinsic(node, text)
            or (text in missing and missing[text].start_byte < node.start_byte)
        ):
            continue
        if node.type == _PRIVATE:
            if not _is_private_member(syntax, node):
                missing[text] = node
            continue
        if around.id not in scopes:  # those of its first reference, which nearly all others share
            scopes[around.id] = scopes_at(syntax, syntax.start(node))
        name = syntax.language.record.name_of(text)
        if not (_declares(scopes[around.id], name) or _declares(scopes_at(syntax, syntax.start(node)), name)):
            missing[text] = node
    return {name: syntax.span(node) for name, node in missing.items()}


def _is_intrinsic(node: Node, name: str) -> bool:
    """Whether a name is that of an element of the platform, such as `div`, which JSX writes in lower case."""
    return name[:1].islower() and node.parent is not None and node.parent.type in _ELEMENTS


def _is_private_member(syntax: Syntax, name: Node) -> bool:
    """Whether a class around declares a private name; in a file that does not parse, whether the file has it again."""
    text = syntax.text(name)
    if syntax.errors:
        return syntax.document.text.count(text) > 1
    members = chain.from_iterable(one.children for one in ancestors(name) if one.type == "class_body")
    names = (one.child_by_field_name("name") or one.child_by_field_name("property") for one in members)
    return any(one is not None and syntax.text(one) == text for one in names)


def _declares(scopes: Iterable[Scope], name: str) -> bool:
    return any(name in scope.bindings for scope in scopes)


def names_from_outside(syntax: Syntax) -> frozenset[str]:
    """Names that stay visible in a text, whatever becomes of its functions' bodies.

    These are the names that it refers to and does not declare, and those of its outermost scope.
    """
    return frozenset(undefined_names(syntax, ())) | names_at(syntax, len(syntax.document.text)).keys()


def _references(root: Node, first: int, last: int) -> Iterator[tuple[Node, Node]]:
    """Identifiers between two bytes that are looked up, each with the innermost node around it that may be a scope."""
    pending = [(root, root)]
    while pending:
        node, scope = pending.pop()
        scope = node if node.type in _OWN_SCOPES else scope
        for index, child in enumerate(node.children):
            if child.end_byte <= first or child.start_byte >= last:
                continue
            if child.type not in _IDENTIFIERS:
                if child.child_count:
                    pending.append((child, scope))
            elif child.end_byte > child.start_byte and (
                node.field_name_for_child(index) == "value"
                or (node.type not in _NO_REFERENCE and not _names_a_part(node, index))
            ):
                yield child, scope


def _names_a_part(node: Node, index: int) -> bool:
    """Whether the child is the name of a member or of a declaration, and no reference."""
    field = node.field_name_for_child(index)
    if node.children[index].type == _PRIVATE:
        return node.type.endswith("_definition")
    return field in _NOT_FIELDS and node.type not in _NAME_REFERS
