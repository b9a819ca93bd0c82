"""Names that a program refers to and nothing in it declares.

The names in the answer after a change, but not in the one before, are what the change introduced: a name that is
misread here is in both. Type checkers know more; this module needs none, and takes milliseconds.

The judge (`lsp_server/engine/verification`) asks `undefined_names` where it looks names up without a checker. A rewrite
asks for `names_from_outside`.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from itertools import chain

from context_index.scopes import Scope, names_at, scopes_at
from context_index.syntax import Node, Syntax, ancestors

_PRIVATE = "private_property_identifier"
"""ECMAScript's `#name`."""
_EXPORTED = "export_specifier"
_IDENTIFIERS = frozenset({"identifier", "shorthand_property_identifier", "type_identifier", _PRIVATE})
"""The types of nodes that may refer to a name."""
_NO_REFERENCE = frozenset({
    "aliased_import", "dotted_name", _EXPORTED, "import_clause", "import_specifier", "import_statement",
    "jsx_attribute", "jsx_namespace_name", "keyword_argument", "keyword_pattern", "lambda_parameters", "meta_property",
    "namespace_export", "namespace_import", "nested_identifier", "nested_type_identifier", "parameters",
    "typed_parameter", "list_splat_pattern", "dictionary_splat_pattern", "type_parameter",
    "default_parameter", "typed_default_parameter", "formal_parameters", "required_parameter", "optional_parameter",
})  # fmt: skip
"""Parents whose identifiers are not references, except for one in the field `value`: the `b` of `f(a=b)`."""
_NAMING_FIELDS = frozenset({"attribute", "property", "name", "label", "parameter"})
"""Fields whose identifier names a member, a label or what is declared, and is not looked up."""
_ELEMENTS = frozenset({"jsx_opening_element", "jsx_self_closing_element"})
_NAME_REFERS = frozenset({"decorator", "generic_type", *_ELEMENTS})
"""Nodes whose field `name` is looked up all the same: the `Cart` of `<Cart />`."""
_OWN_SCOPES = frozenset({
    "function_definition", "class_definition", "lambda", "list_comprehension", "set_comprehension",
    "dictionary_comprehension", "generator_expression", "function_declaration", "function_expression", "arrow_function",
    "generator_function_declaration", "generator_function", "method_definition", "class_declaration", "class",
    "class_body", "statement_block", "for_statement", "for_in_statement", "catch_clause", "switch_body", "module",
    "program", "type_alias_declaration", "interface_declaration", "function_signature", "method_signature",
    "abstract_class_declaration", "function_type", "internal_module", "mapped_type_clause", "conditional_type",
    "block", "decorator", "parameters", "formal_parameters", "infer_type",
})  # fmt: skip
"""Nodes that may open a scope, of all languages; a type too many here only costs some time."""


def undefined_names(
    syntax: Syntax, known: Container[str], part: tuple[int, int] | None = None
) -> Mapping[str, tuple[int, int]]:
    """Names that are referred to where they are not visible, and that `known` lacks, each with its first such range.

    Private names of ECMAScript, `#name`, are among them: a class around must declare them (ECMA-262 §15.7.1). In a
    language without rules for scopes, every name that is referred to is missing.

    Args:
        known: Names that count as visible everywhere, such as globals.
        part: Two offsets; only references that share a character with the text between them count.
    """
    start, end = (0, len(syntax.document.text)) if part is None else part
    scopes: dict[int, list[Scope]] = {}
    missing: dict[str, Node] = {}
    for node, around in _references(syntax.root, syntax.byte(start), syntax.byte(end)):
        text = syntax.text(node)
        is_earlier_known = text in missing and missing[text].start_byte < node.start_byte
        if text in known or _is_intrinsic(node, text) or is_earlier_known:
            continue
        if node.type == _PRIVATE:
            if not _is_private_member(syntax, node):
                missing[text] = node
            continue
        # the scopes at the first reference in a node have nearly all names of the others in it; only for those that
        # they lack the scopes are read again, at the reference itself
        if around.id not in scopes:
            scopes[around.id] = scopes_at(syntax, syntax.start(node))
        name = syntax.language.record.name_of(text)
        if not (_declares(scopes[around.id], name) or _declares(scopes_at(syntax, syntax.start(node)), name)):
            missing[text] = node
    return {name: syntax.span(node) for name, node in missing.items()}


def _is_intrinsic(node: Node, name: str) -> bool:
    """Whether a name is that of an element of the platform, such as `div`: JSX writes these in lower case."""
    return name[:1].islower() and node.parent is not None and node.parent.type in _ELEMENTS


def _is_private_member(syntax: Syntax, name: Node) -> bool:
    """Whether a class around declares a private name.

    In a file with errors the classes around may have no node, so there a second mention of the name is enough.
    """
    text = syntax.text(name)
    if syntax.errors:
        return syntax.document.text.count(text) > 1
    members = chain.from_iterable(body.children for body in ancestors(name) if body.type == "class_body")
    # a field of a class has its name in the field `property` of JavaScript's grammar; all else has it in `name`
    names = (member.child_by_field_name("name") or member.child_by_field_name("property") for member in members)
    return any(declared is not None and syntax.text(declared) == text for declared in names)


def _declares(scopes: Iterable[Scope], name: str) -> bool:
    return any(name in scope.bindings for scope in scopes)


def names_from_outside(syntax: Syntax) -> frozenset[str]:
    """The names that a text refers to and does not declare, and those of its outermost scope.

    They stay visible in the text, whatever becomes of the bodies of its functions.
    """
    return frozenset(undefined_names(syntax, ())) | names_at(syntax, len(syntax.document.text)).keys()


def _references(root: Node, first: int, last: int) -> Iterator[tuple[Node, Node]]:
    """Identifiers between two bytes that are looked up, each with the innermost node around it that may open a scope.

    They come in no order.
    """
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
                or (node.type not in _NO_REFERENCE and not _is_naming(node, index))
                or _is_exported(node, index)
            ):
                yield child, scope


def _is_exported(node: Node, index: int) -> bool:
    """Whether the child at an index is a name of the file that it exports: `Cart` of `export { Cart as Basket }`."""
    clause = node.parent if node.type == _EXPORTED and node.field_name_for_child(index) == "name" else None
    statement = None if clause is None else clause.parent
    return statement is not None and statement.child_by_field_name("source") is None


def _is_naming(node: Node, index: int) -> bool:
    """Whether the child at an index names a member or what is declared, and is no reference.

    A private name is a reference after a dot, and none where a class declares it.
    """
    field = node.field_name_for_child(index)
    if node.children[index].type == _PRIVATE:
        return node.type.endswith("_definition")
    return field in _NAMING_FIELDS and node.type not in _NAME_REFERS
