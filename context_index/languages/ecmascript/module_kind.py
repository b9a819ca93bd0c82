"""Says whether a script is an ES module or CommonJS, by its own name and text.

Knows one file only; `index` knows its package and the files around it.
"""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Final

from context_index.symbols import ModuleKind, whole_words
from context_index.syntax import Node, Syntax

BY_SUFFIX: Final = {
    **dict.fromkeys((".mjs", ".mts"), ModuleKind.ES),
    **dict.fromkeys((".cjs", ".cts"), ModuleKind.COMMON_JS),
}
"""The kinds of files with a suffix that decides it, whatever the text says."""
MODULE_STATEMENTS: Final = frozenset({"import_statement", "export_statement"})
"""Statements that only an ES module has, in JavaScript."""
_REQUIRE, _EXPORTS, _MODULE, _OBJECT = "require", "exports", "module", "Object"
"""CommonJS's names (Node.js, Modules), and the class whose functions define members: `Object.assign(exports, ...)`."""


def module_kind(syntax: Syntax) -> ModuleKind | None:
    """The kind of a script; None if neither its name nor its text says."""
    if (by_name := kind_by_name(syntax)) is not None:
        return by_name
    if any(child.type in MODULE_STATEMENTS for child in syntax.top_level):
        return ModuleKind.ES
    return ModuleKind.COMMON_JS if _has_common_js_code(syntax) else None


def kind_by_name(syntax: Syntax) -> ModuleKind | None:
    """The kind that the file's suffix decides; None for any other suffix."""
    return BY_SUFFIX.get(PurePosixPath(syntax.document.uri).suffix)


def _has_common_js_code(syntax: Syntax) -> bool:
    """Whether a text uses CommonJS's names: calls `require`, says `module.exports`, or gives `exports` a member."""
    text = syntax.document.text
    places = ((word, start) for word in (_REQUIRE, _EXPORTS) for start in whole_words(text, word))
    nodes = ((word, syntax.node_at(start, start + len(word))) for word, start in places)
    return any(_is_call(node) if word == _REQUIRE else _is_export(syntax, node) for word, node in nodes)


def _is_call(name: Node) -> bool:
    return name.parent is not None and name.parent.child_by_field_name("function") == name


def _is_export(syntax: Syntax, name: Node) -> bool:
    """Whether a node is the `exports` of `module.exports`, `exports.x = 1` or `Object.assign(exports, ...)`."""
    holder = name.parent
    if holder is None or name.type not in ("identifier", "property_identifier"):
        return False
    if holder.type == "arguments":
        call = holder.parent
        function = None if call is None else call.child_by_field_name("function")
        receiver = None if function is None else function.child_by_field_name("object")
        return receiver is not None and syntax.text(receiver) == _OBJECT and holder.named_children[0] == name
    receiver = holder.child_by_field_name("object")
    if holder.child_by_field_name("property") == name:
        return receiver is not None and syntax.text(receiver) == _MODULE
    is_assigned = holder.parent is not None and holder.parent.child_by_field_name("left") == holder
    return (
        receiver == name and is_assigned and holder.parent is not None and holder.parent.type == "assignment_expression"
    )
