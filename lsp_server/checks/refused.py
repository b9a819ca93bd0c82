"""What compilers of JavaScript and TypeScript refuse of a tree that tree-sitter takes, and only a tree can tell.

What tokens alone can tell is refused while it is written (`decoder.grammar.stricter`); what one node and its parts
tell is in `lsp_server.checks.refusals`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from context_index import ModuleKind, ancestors, module_kind, pattern_names
from lsp_server.checks.refusals import RULES, RULES_AROUND
from lsp_server.checks.refusals.brackets import closes_more, is_unbalanced
from lsp_server.checks.refusals.exports import is_exported_twice, is_named_twice
from lsp_server.checks.refusals.rule import (
    FUNCTIONS,
    is_constructor,
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
    from lsp_server.checks.refusals.rule import Rules

_MODULES = frozenset({"program", "internal_module", "module", "ambient_declaration", "export_statement"})
_FIELDS = {"field_definition": "property", "public_field_definition": "name"}
_PARAMETERS = frozenset({"formal_parameters", "required_parameter", "optional_parameter"})
_JOINING = frozenset({"|", "&"})
_HAS_SUPER = frozenset({"method_definition", *_FIELDS, "class_static_block"})
_OWN_THIS = FUNCTIONS - {"arrow_function", "method_definition"} | {"program"}
_OF_CLASSES = frozenset({"static", "accessibility_modifier", "override_modifier", "readonly"})
_OF_CODE = _OF_CLASSES - {"readonly"} | {"async"}
_OF_SURROUNDINGS = frozenset(
    {
        *("return_statement", "break_statement", "continue_statement", "await_expression", "yield_expression"),
        *("super", "private_property_identifier", "import_statement", "export_statement"),
    }
)
"""What depends on what is around it."""


def is_refused(syntax: Syntax, start: int, end: int) -> bool:
    """Whether something that begins between two places of a text is refused."""
    if syntax.language.is_python:
        return False
    if is_unbalanced(syntax, start, end):
        return True
    first, last = syntax.byte(start), syntax.byte(end)
    parameters = _parameters_around(syntax, first)
    if parameters is not None and _are_no_parameters(syntax, parameters):
        return True
    inner = syntax.root.descendant_for_byte_range(first, last)
    around = () if inner is None else (inner, *ancestors(inner))
    if any(
        _refuses(RULES_AROUND, syntax, node)
        for node in (*around, *_beginning_behind(syntax, last), _before(syntax, start))
    ):
        return True
    if any(
        (node.start_byte >= first and _refuses(_RULES, syntax, node)) or _refuses(RULES, syntax, node)
        for node in _touched(syntax.root, first, last)
    ):
        return True
    return closes_more(syntax.document.text[start:end]) and any(
        node.type in _OF_SURROUNDINGS and (_refuses(_RULES, syntax, node) or _refuses(RULES, syntax, node))
        for node in _touched(syntax.root, last, syntax.root.end_byte)
    )


def _before(syntax: Syntax, start: int) -> Node:
    """The last of what stands before a place, which it may make something else of: `new` a name, by `=`."""
    place = syntax.byte(len(syntax.document.text[:start].rstrip()))
    return syntax.root.descendant_for_byte_range(max(place - 1, 0), place) or syntax.root


def _parameters_around(syntax: Syntax, place: int) -> Node | None:
    """The parameters that a place is among."""
    node = syntax.root.descendant_for_byte_range(place, place)
    while node is not None and node.type not in ("formal_parameters", "statement_block", "class_body"):
        node = node.parent
    return node if node is not None and node.type == "formal_parameters" else None


def _are_no_parameters(syntax: Syntax, node: Node) -> bool:
    """Whether parameters have one name twice, or one that must be given follows one that need not."""
    names = [syntax.text(name) for name in pattern_names(node)]
    kinds = [child.type for child in node.named_children if _must_be_given(child)]
    return len(names) != len(set(names)) or "required_parameter" in kinds[_first(kinds, "optional_parameter") :]


def _beginning_behind(syntax: Syntax, place: int) -> Iterator[Node]:
    """The nodes that begin with the next token behind a place: what ends above may leave a statement to them."""
    node: Node | None = syntax.root
    while node is not None:
        later = (child for child in node.children if child.end_byte > place and child.type != "comment")
        node = next(later, None)
        if node is not None and node.start_byte >= place:
            yield node


def _must_be_given(parameter: Node) -> bool:
    """Whether it counts for the order: not one with a value, and not the rest."""
    pattern = parameter.child_by_field_name("pattern")
    is_rest = pattern is not None and pattern.type == "rest_pattern"
    return parameter.child_by_field_name("value") is None and not is_rest


def _first(kinds: Sequence[str], wanted: str) -> int:
    return kinds.index(wanted) if wanted in kinds else len(kinds)


def _is_value(node: Node) -> bool:
    """Whether it is what a parameter is by default."""
    before = node.prev_sibling
    return before is not None and before.type == "="


def _refuses(rules: Rules, syntax: Syntax, node: Node) -> bool:
    rule = rules.get(node.type)
    return rule is not None and rule(syntax, node)


def _is_parameter(_: Syntax, node: Node) -> bool:
    """A member where a parameter's name must stand."""
    return node.parent is not None and node.parent.type in _PARAMETERS and not _is_value(node)


def _has_modifier(_: Syntax, node: Node) -> bool:
    """A method of an object that has a modifier of a class's."""
    of_object = node.parent is not None and node.parent.type == "object"
    return of_object and any(child.type in _OF_CLASSES for child in node.children)


def _has_modifier_of_code(_: Syntax, node: Node) -> bool:
    """A member of an interface or of a type with a modifier that only what is executed has."""
    of_type = node.parent is not None and node.parent.type in ("interface_body", "object_type")
    return of_type and any(child.type in _OF_CODE for child in node.children)


def _is_second(_: Syntax, node: Node) -> bool:
    """One of two among its siblings."""
    return node.parent is not None and [child.type for child in node.parent.children].count(node.type) > 1


def _is_second_constructor(syntax: Syntax, node: Node) -> bool:
    """The constructor of a class that has another one, both with a body."""
    if node.parent is None or not is_constructor(syntax, node):
        return False
    return sum(child.type == node.type and is_constructor(syntax, child) for child in node.parent.children) > 1


def _is_called_constructor(syntax: Syntax, node: Node) -> bool:
    name = node.child_by_field_name(_FIELDS[node.type])
    return name is not None and syntax.text(name).strip("'\"") == "constructor"


def _has_no_value(syntax: Syntax, node: Node) -> bool:
    """A `const` without a value."""
    declaration = node.parent
    if node.child_by_field_name("value") is not None or declaration is None:
        return False
    is_const = syntax.text(declaration).startswith("const")
    return is_const and not is_declared_only(syntax, node)


def _joins_nothing(_: Syntax, node: Node) -> bool:
    """`| | A`."""
    following = node.next_sibling
    return following is not None and bool(following.children) and following.children[0].type in _JOINING


def _imports_default(syntax: Syntax, node: Node) -> bool:
    """`default` under no other name."""
    name = node.child_by_field_name("name")
    return node.child_by_field_name("alias") is None and name is not None and syntax.text(name) == "default"


def _is_indexed_below(_: Syntax, node: Node) -> bool:
    """A type whose index stands on another line."""
    return node.parent is not None and node.parent.type in ("lookup_type", "array_type") and _is_on_new_line(node)


def _follows_joining(node: Node) -> bool:
    before = node.prev_sibling
    return before is not None and before.type in _JOINING


def _is_on_new_line(node: Node) -> bool:
    before = node.prev_sibling
    return before is not None and before.end_point[0] < node.start_point[0]


def _has_super(syntax: Syntax, node: Node) -> bool:
    """Whether a class around, or an object's method, has what `super` stands for: a call only in a constructor."""
    use, found = node.parent, node.parent
    while found is not None and found.type not in _HAS_SUPER and found.type not in _OWN_THIS:
        found = found.parent
    if use is None or found is None or found.type not in _HAS_SUPER:
        return found is not None and found.type == "ERROR"
    if use.type != "call_expression":
        return use.type in ("member_expression", "subscript_expression") and is_field(node, "object")
    return is_constructor(syntax, found)


def _awaits_in_script(syntax: Syntax, node: Node) -> bool:
    """`await` outside of functions, in what Node takes for a CommonJS module."""
    return _is_in_script(syntax) and not _is_in_function(node)


def _is_in_script(syntax: Syntax) -> bool:
    return not is_typed(syntax) and module_kind(syntax) is ModuleKind.COMMON_JS


def _imports_in_script(syntax: Syntax, node: Node) -> bool:
    """The first `import` of a file that has `require` or `exports`, which no module has."""
    return not is_typed(syntax) and module_kind(syntax, without=node) is ModuleKind.COMMON_JS


def _is_in_function(node: Node) -> bool:
    return nearest(node, FUNCTIONS) is not None


def _is_in_module(node: Node) -> bool:
    """Whether it stands in a file or a namespace, not in a function or below a condition."""
    parent = node.parent
    if parent is not None and parent.type == "statement_block":
        return _is_of_namespace(parent)
    return parent is None or parent.type in _MODULES


def _is_of_namespace(block: Node) -> bool:
    """Whether a block is what a namespace has; one on the next line is a statement of its own to the grammar."""
    before = block.prev_named_sibling
    while before is not None and before.type in ("expression_statement", "comment"):
        before = before.prev_named_sibling if before.type == "comment" else before.named_child(0)
    is_behind = before is not None and before.type in ("internal_module", "module")
    return is_behind or (block.parent is not None and block.parent.type in _MODULES - {"program", "export_statement"})


def _touched(node: Node, start: int, end: int) -> Iterator[Node]:
    """Nodes that begin in a stretch of bytes, or of which a part does."""
    pending = [node]
    while pending:
        around = pending.pop()
        inner = [child for child in around.children if child.end_byte > start and child.start_byte < end]
        if around.start_byte >= start or any(start <= child.start_byte for child in inner):
            yield around
        pending += reversed(inner)


_RULES: Final[Rules] = {
    "export_statement": lambda syntax, node: not _is_in_module(node) or is_exported_twice(syntax, node),
    "export_specifier": is_named_twice,
    "import_statement": lambda syntax, node: not _is_in_module(node) or _imports_in_script(syntax, node),
    "member_expression": _is_parameter,
    "subscript_expression": _is_parameter,
    "method_definition": lambda syntax, node: _has_modifier(syntax, node) or _is_second_constructor(syntax, node),
    "method_signature": _has_modifier_of_code,
    "property_signature": _has_modifier_of_code,
    "formal_parameters": _are_no_parameters,
    "switch_default": _is_second,
    "type_annotation": lambda _, node: node.parent is not None and node.parent.type == "parenthesized_expression",
    "union_type": lambda _, node: node.children[0].type in _JOINING and _follows_joining(node),
    "intersection_type": lambda _, node: node.children[0].type in _JOINING and _follows_joining(node),
    "|": _joins_nothing,
    "&": _joins_nothing,
    "[": _is_indexed_below,
    "import_specifier": _imports_default,
    "super": lambda syntax, node: not _has_super(syntax, node),
    "return_statement": lambda syntax, node: not _is_in_function(node) and is_module(syntax),
    "await_expression": _awaits_in_script,
    "for_in_statement": lambda syntax, node: "await" in words(node) and _awaits_in_script(syntax, node),
    "meta_property": lambda syntax, node: node.children[0].type == "import" and _is_in_script(syntax),
    "variable_declarator": _has_no_value,
    **dict.fromkeys(_FIELDS, _is_called_constructor),
}
