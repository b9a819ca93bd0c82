"""What a rewrite would lose: functions, classes, constants and exports that nobody asked to be rid of.

And what it would declare twice. Knows trees and the words of an instruction. Only names count that others may use: of
modules and of classes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from context_index import assigns_exports, exports
from lsp_server.rewriting.words import WORD

if TYPE_CHECKING:
    from collections.abc import Iterator

    from context_index import Node, Syntax

_DECLARES: Final = frozenset(
    {
        *("function_declaration", "generator_function_declaration", "class_declaration", "abstract_class_declaration"),
        *("interface_declaration", "type_alias_declaration", "enum_declaration", "method_definition"),
        *("function_definition", "class_definition"),
    }
)
_CONSTANT: Final = re.compile(r"[A-Z][A-Z\d]*_?[A-Z\d][A-Z\d_]*")
_FUNCTIONS: Final = frozenset({"arrow_function", "function_expression", "class"})
_BINDS: Final = frozenset({"assignment", "variable_declarator"})
_OPEN: Final = frozenset(
    {
        *("program", "module", "class_body", "block"),
        *("export_statement", "lexical_declaration", "variable_declaration"),
        *("class_declaration", "class_definition", "abstract_class_declaration", "decorated_definition"),
        *("if_statement", "try_statement", "expression_statement"),
    }
)
"""What names of modules and classes are looked for in."""
_TARGETS: Final = ("name", "left", "property")
"""Fields in which a name stands that is given something: by declarations, assignments and fields of classes."""
_ONCE: Final = _DECLARES - {"interface_declaration"} | {"variable_declarator"}
_OF_IMPORTS: Final = frozenset({"from", "__future__", "import", "as"})
_WRAPS: Final = frozenset({"export_statement", "lexical_declaration", "variable_declaration"})
_MAY_REPEAT: Final = frozenset({"get", "set", "static"})
_REMOVES: Final = re.compile(
    r"\b(?:remov|delet|drop(?!down)|strip(?!e)|inlin|merg|mov(?:e|ing)|split|replac|clean|unused|dead|simplif|combin|join"
    r"|shorten|rid\b|without)",
    re.IGNORECASE,
)
_RENAMES: Final = re.compile(r"\brenam|\bname[ds]?\b|_case\b|\bcamel|\bsnake|\bpascal|\bprefix|\bsuffix", re.IGNORECASE)
_HIDES: Final = re.compile(r"export|\bprivate|\binternal|\bhid(?:e|ing)", re.IGNORECASE)


def lost(before: Syntax, after: Syntax, instruction: str) -> list[str]:
    """Names of modules and classes that a rewrite would take away, sorted; none where the instruction asks for it.

    A function or a class may become whatever else has its name: an arrow in a field, a call's result, an import.
    """
    had, has = set(_declared(before.root)), set(_given(after.root))
    gone = had - has | _effects(before) - _effects(after)
    if not _HIDES.search(instruction):
        gone |= _exported(before) - _exported(after)
    missing = gone.difference(WORD.findall(instruction))
    if not missing or _REMOVES.search(instruction):
        return []
    are_renamed = _RENAMES.search(instruction) is not None and len(has - set(_given(before.root))) >= len(gone)
    return [] if are_renamed else sorted(missing)


def repeated(before: Syntax, after: Syntax) -> list[str]:
    """Names that a rewrite would declare twice in one place where the file did not, sorted."""
    had = set(_twice(before.root))
    return sorted({name for name in _twice(after.root) if name not in had})


def _twice(root: Node) -> Iterator[str]:
    """What is declared twice among the same statements; overloads, accessors and what is decorated may be."""
    seen = set[tuple[int, str]]()
    for node in _nodes(root):
        if node.type not in _ONCE or any(child.type in _MAY_REPEAT for child in node.children):
            continue
        around, name = node.parent, node.child_by_field_name("name")
        if around is not None and around.type in _WRAPS:
            around = around.parent
        if around is None or around.type == "decorated_definition" or name is None:
            continue
        key = around.id, _text(name)
        if key in seen:
            yield key[1]
        seen.add(key)


def _nodes(root: Node) -> Iterator[Node]:
    """What stands in a module, and in its classes, not in functions."""
    work = [root]
    while work:
        node = work.pop()
        yield node
        if node.type in _OPEN:
            work += node.named_children


def _declared(root: Node) -> Iterator[str]:
    """Functions, classes, types, and constants that are spelled so."""
    for node in _nodes(root):
        name = node.child_by_field_name("left" if node.type == "assignment" else "name")
        if name is not None and (node.type in _DECLARES or _is_function(node) or _is_constant(node, name)):
            yield _text(name)


def _is_constant(node: Node, name: Node) -> bool:
    return node.type in _BINDS and _CONSTANT.fullmatch(_text(name)) is not None


def _effects(syntax: Syntax) -> set[str]:
    """What a module of Python has that no name refers to: its documentation, and what it takes `from __future__`."""
    if not syntax.language.is_python:
        return set()
    first = next((node for node in syntax.root.named_children if node.type != "comment"), None)
    is_said = first is not None and first.type == "expression_statement" and first.named_children[0].type == "string"
    future = (node for node in syntax.root.children if node.type == "future_import_statement")
    return {name for node in future for name in WORD.findall(_text(node)) if name not in _OF_IMPORTS} | (
        {"__doc__"} if is_said else set()
    )


def _is_function(node: Node) -> bool:
    """Whether a variable is one."""
    value = node.child_by_field_name("value") if node.type == "variable_declarator" else None
    return value is not None and value.type in _FUNCTIONS


def _given(root: Node) -> Iterator[str]:
    """Whatever has a name, imports among them."""
    yield from _declared(root)
    for node in _nodes(root):
        if node.type.startswith("import"):
            yield from WORD.findall(_text(node))
        for target in filter(None, map(node.child_by_field_name, _TARGETS)):
            yield from WORD.findall(_text(target))


def _exported(syntax: Syntax) -> set[str]:
    """The names that others can import; of scripts all, as what they export may be told anywhere."""
    if syntax.language.is_python:
        return set()
    names = {syntax.text(name) for child in syntax.root.children for name in exports(child, every=True)} - {"default"}
    return names | set(_given(syntax.root)) if assigns_exports(syntax) else names


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")
