"""The edit that imports a name, written in the style of the file's other imports.

It extends an import of the same module where there is one. Else it goes below the last import, or to the top: after a
shebang, a licence comment, a docstring and directives. Knows one file's tree; the module of the name is given.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from context_index.exports import Import, imports_of
from context_index.exports.declarations import VARIABLES
from context_index.exports.nodes import literal, required
from context_index.languages.ecmascript.module_kind import kind_by_name, module_kind
from context_index.languages.parts import part
from context_index.symbols import Importable, ModuleKind
from context_index.syntax import Node, Syntax
from context_index.text import Edit

_PATTERN_NAMES = frozenset(
    {"shorthand_property_identifier_pattern", "pair_pattern", "object_assignment_pattern"},
)
"""Parts of a destructuring pattern after which another name may be added; after a rest none may."""
_MAY_END_STATEMENT = re.compile(r"^(?!\s*(?:\*|//|/\*)).*[\w$)\]'\"`;]\s*$")
"""Lines of scripts with which a statement may end; they show whether the file writes semicolons."""


def import_edit(syntax: Syntax, wanted: Importable, around: ModuleKind | None = None) -> Edit:
    """The edit of `syntax.document` after which `wanted.text` is in scope.

    Args:
        around: The kind of scripts that do not state their own; with None, unknown, an `import` is written.
    """
    joined = None if wanted.is_default or wanted.is_module else _added_to_import(syntax, wanted)
    return joined or _new_statement(syntax, wanted, imports_of(syntax), around)


def _added_to_import(syntax: Syntax, wanted: Importable) -> Edit | None:
    """The name added to an import of the same module, after its last name; None where no import can take it."""
    for statement in syntax.top_level:
        for module, names in _import_lists(syntax, statement):
            if module == wanted.module and names:
                place = syntax.end(names[-1])
                return Edit(place, place, f", {wanted.text}")
    return None


def _import_lists(syntax: Syntax, statement: Node) -> Iterator[tuple[str | None, Sequence[Node]]]:
    """The lists of names that a top-level statement imports: the module of each, and the nodes of its names.

    A module is None where it is no plain string. Imports of types, and statements with errors, have no lists.
    """
    if statement.has_error or any(child.type == "type" for child in statement.children):
        return
    if statement.type == "import_from_statement" and (module := statement.child_by_field_name("module_name")):
        yield "".join(syntax.text(module).split()), statement.children_by_field_name("name")
    elif statement.type == "import_statement":
        clause = _child(statement, "import_clause")
        braces = _child(clause, "named_imports") if clause is not None else None
        if braces is not None:
            source = literal(syntax, statement.child_by_field_name("source"))
            yield source, [child for child in braces.named_children if child.type == "import_specifier"]
    elif statement.type in VARIABLES:
        for declarator in statement.named_children:
            target, value = declarator.child_by_field_name("name"), declarator.child_by_field_name("value")
            if target is not None and target.type == "object_pattern" and value and value.type == "call_expression":
                names = [child for child in target.named_children if child.type in _PATTERN_NAMES]
                yield required(syntax, value), names


def _child(node: Node, kind: str) -> Node | None:
    return next((child for child in node.children if child.type == kind), None)


def _new_statement(syntax: Syntax, wanted: Importable, imports: Sequence[Import], around: ModuleKind | None) -> Edit:
    """A new import below the last one, or at the top of the file."""
    text, newline = syntax.document.text, syntax.document.newline
    statement = _statement(syntax, wanted, imports, around)
    if imports:
        place = _line_end(text, _end_of_last_import(syntax, imports[-1].line))
        return Edit(place, place, newline + statement)
    place = _first_import_place(syntax)
    before = newline if place and not text[:place].endswith("\n") else ""
    after = newline if text[place:].startswith(("\n", "\r\n")) or not text[place:].strip() else newline * 2
    return Edit(place, place, before + statement + after)


def _statement(syntax: Syntax, wanted: Importable, imports: Sequence[Import], around: ModuleKind | None) -> str:
    """The statement that imports a name, with quotes and semicolons as in the file's other imports, or other lines."""
    rules = part(syntax.language, "imports")
    statement: str = "" if rules is None else rules.statement(wanted)
    if statement:
        return statement
    lines = {statement.line for statement in imports}
    import_nodes = [node for node in syntax.top_level if syntax.line(node) in lines and node.type != "comment"]
    written = [syntax.text(node) for node in import_nodes] or syntax.document.text.split("\n")
    quote = '"' if sum('"' in line for line in written) > sum("'" in line for line in written) else "'"
    semicolons = [line.rstrip().endswith(";") for line in written if _MAY_END_STATEMENT.search(line)]
    end = ";" if not semicolons or sum(semicolons) * 3 >= len(semicolons) else ""
    name = wanted.text if wanted.is_default or wanted.is_module else f"{{ {wanted.text} }}"
    if _requires(syntax, imports, around):
        return f"const {name} = require({quote}{wanted.module}{quote}){end}"
    name = f"* as {name}" if wanted.is_module else name
    return f"import {name} from {quote}{wanted.module}{quote}{end}"


def _requires(syntax: Syntax, imports: Sequence[Import], around: ModuleKind | None) -> bool:
    """Whether a script imports with `require`.

    Its name decides, else its imports, else the rest of it, else the kind of the scripts around it.
    """
    if not syntax.language.record.has_module_systems:
        return False
    if imports and kind_by_name(syntax) is None:
        return all(statement.is_require for statement in imports)
    return (module_kind(syntax) or around) is ModuleKind.COMMON_JS


def _end_of_last_import(syntax: Syntax, last_line: int) -> int:
    """Where the text of the last import ends, with all that begins on one of its lines.

    Args:
        last_line: The line on which the last import begins.
    """
    end = 0
    for node in syntax.top_level:
        if syntax.line(node) > last_line:
            break
        end = max(end, syntax.end(node))
        last_line = max(last_line, syntax.document.position(end).line)
    return end


def _line_end(text: str, place: int) -> int:
    """The end of the line at `place`, before its line break."""
    end = text.find("\n", place)
    end = len(text) if end < 0 else end
    return end - 1 if text[end - 1 : end] == "\r" and end > place else end


def _first_import_place(syntax: Syntax) -> int:
    """Where a file's first import belongs: after a shebang, comments, a docstring, directives, `__future__`."""
    text, place = syntax.document.text, 0
    for node in syntax.top_level:
        is_future = node.type == "future_import_statement"
        is_text = node.type == "expression_statement" and node.children and node.children[0].type == "string"
        if node.type not in ("comment", "hash_bang_line") and not (is_text or is_future):
            break
        place = text.find("\n", syntax.end(node)) + 1 or len(text)
    return place
