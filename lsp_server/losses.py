"""What a rewrite would lose: functions, classes and exports that were there, and that nobody asked to be rid of.

Knows trees and the words of an instruction. Only names count that others may use: of modules and of classes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

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
_FUNCTIONS: Final = frozenset({"arrow_function", "function_expression", "class"})
_OPEN: Final = frozenset(
    {
        *(
            "program",
            "module",
            "export_statement",
            "lexical_declaration",
            "variable_declaration",
            "class_body",
            "block",
        ),
        *("class_declaration", "class_definition", "abstract_class_declaration", "decorated_definition"),
        *("if_statement", "try_statement"),
    }
)
"""What names of modules and classes are looked for in."""
_WORD: Final = re.compile(r"[^\W\d][\w$]*|\$[\w$]*")
_REMOVES: Final = re.compile(
    r"\b(?:remov|delet|drop|strip|inlin|merg|mov|split|replac|clean|unused|dead|simplif|combin|join|shorten|rid\b|without)",
    re.IGNORECASE,
)
_RENAMES: Final = re.compile(r"\brenam|\bname[ds]?\b|_case\b|\bcamel|\bsnake|\bpascal|\bprefix|\bsuffix", re.IGNORECASE)


def lost(before: Syntax, after: Syntax, instruction: str) -> list[str]:
    """Names of modules and classes that a rewrite would take away, sorted; none where the instruction asks for it."""
    had, has = set(_declared(before.root)), set(_declared(after.root))
    missing = {name for name in had - has if name not in _WORD.findall(instruction)}
    if not missing or _REMOVES.search(instruction):
        return []
    are_renamed = _RENAMES.search(instruction) is not None and len(has - had) >= len(had - has)
    return [] if are_renamed else sorted(missing)


def _declared(root: Node) -> Iterator[str]:
    work = [root]
    while work:
        node = work.pop()
        name = node.child_by_field_name("name")
        if name is not None and name.text is not None and (node.type in _DECLARES or _is_offered(node)):
            yield name.text.decode("utf-8", "replace")
        if node.type in _OPEN:
            work += node.named_children


def _is_offered(node: Node) -> bool:
    """Whether a variable is a function, or is exported."""
    if node.type != "variable_declarator":
        return False
    value, statement = node.child_by_field_name("value"), node.parent
    is_exported = statement is not None and statement.parent is not None and statement.parent.type == "export_statement"
    return is_exported or (value is not None and value.type in _FUNCTIONS)
