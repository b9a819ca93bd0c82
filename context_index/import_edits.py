"""The edit that makes an importable name visible, written as the file writes its other imports.

Joins an import of the same module where there is one, else stands below the last import, else at the top: under a
shebang, a licence comment, a docstring and directives. Knows one file's tree; where a name comes from is told.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from context_index.surfaces import Import, imports_of
from context_index.symbols import Importable
from context_index.syntax import Node, Syntax
from context_index.text import Edit

_NAMED = re.compile(r"\{(?P<inside>[^{}]*?)(?P<end>,?\s*)\}")
_PYTHON_NAMES = re.compile(r"import[ \t]+(?P<names>[^()\n#]*[^()\s#\\])[ \t]*(?:#.*)?$")


def import_edit(syntax: Syntax, wanted: Importable) -> Edit:
    """The edit of `syntax.document` after which `wanted.text` is in scope."""
    imports = imports_of(syntax)
    joined = _joined(syntax, wanted, imports)
    return joined or _new_statement(syntax, wanted, imports)


def _joined(syntax: Syntax, wanted: Importable, imports: Sequence[Import]) -> Edit | None:
    """The name added to an import of the same module; None where none can take it."""
    if wanted.is_default:
        return None
    for found in imports:
        if found.module != wanted.module or found.star or found.is_type:
            continue
        node = _statement_at(syntax, found.line)
        if node is None:
            continue
        place = _python_place(syntax, node) if syntax.language.is_python else _named_place(syntax, node)
        if place is not None:
            return Edit(place, place, f", {wanted.text}")
    return None


def _named_place(syntax: Syntax, node: Node) -> int | None:
    """Behind the last name between the braces of an ES import or a destructured `require`."""
    match = _NAMED.search(syntax.text(node))
    return syntax.start(node) + match.end("inside") if match and match["inside"].strip() else None


def _python_place(syntax: Syntax, node: Node) -> int | None:
    """Behind the last name of a `from` import on one line."""
    text = syntax.text(node)
    match = _PYTHON_NAMES.search(text) if text.startswith("from") and "\n" not in text else None
    return syntax.start(node) + match.end("names") if match else None


def _new_statement(syntax: Syntax, wanted: Importable, imports: Sequence[Import]) -> Edit:
    text, newline = syntax.document.text, "\r\n" if "\r\n" in syntax.document.text else "\n"
    statement = _statement(syntax, wanted, imports)
    last = _statement_at(syntax, imports[-1].line) if imports else None
    if last is not None:
        place = _line_end(text, syntax.end(last))
        return Edit(place, place, newline + statement)
    place = _top(syntax)
    before = newline if place and not text[:place].endswith("\n") else ""
    after = newline if text[place:].startswith(("\n", "\r\n")) or not text[place:].strip() else newline * 2
    return Edit(place, place, before + statement + after)


def _statement(syntax: Syntax, wanted: Importable, imports: Sequence[Import]) -> str:
    if syntax.language.is_python:
        return f"from {wanted.module} import {wanted.text}"
    written = [syntax.document.line_text(found.line) for found in imports] or syntax.document.text.split("\n")
    quote = '"' if sum('"' in line for line in written) > sum("'" in line for line in written) else "'"
    semicolons = [line.rstrip().endswith(";") for line in written if line.rstrip()]
    end = ";" if not semicolons or sum(semicolons) * 3 >= len(semicolons) else ""
    name = wanted.text if wanted.is_default else f"{{ {wanted.text} }}"
    if imports and all(found.is_require for found in imports):
        return f"const {name} = require({quote}{wanted.module}{quote}){end}"
    return f"import {name} from {quote}{wanted.module}{quote}{end}"


def _statement_at(syntax: Syntax, line: int) -> Node | None:
    """The top-level statement that spans a line."""
    return next((node for node in syntax.root.children if node.start_point[0] <= line <= node.end_point[0]), None)


def _line_end(text: str, place: int) -> int:
    """The end of the line at `place`, before its line break."""
    end = text.find("\n", place)
    end = len(text) if end < 0 else end
    return end - 1 if text[end - 1 : end] == "\r" and end > place else end


def _top(syntax: Syntax) -> int:
    """Where a file's first import belongs: behind a shebang, comments, a docstring, directives, `__future__`."""
    text, place = syntax.document.text, 0
    for node in syntax.root.children:
        is_future = node.type == "future_import_statement"
        is_text = node.type == "expression_statement" and node.children and node.children[0].type == "string"
        if node.type not in ("comment", "hash_bang_line") and not (is_text or is_future):
            break
        place = text.find("\n", syntax.end(node)) + 1 or len(text)
    return place
