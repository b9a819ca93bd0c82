"""The edit that imports a name, written in the style of the file's other imports.

It extends an import of the same module where there is one. Else it goes below the last import of its group (the
standard library, packages, relative imports) if the file has these in order, or below the last import; or to the top:
after a shebang, a licence comment, a docstring and directives. Knows one file's tree; the module of the name is given.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from typing import NamedTuple

from context_index.exports import Import, imports_of
from context_index.exports.nodes import VARIABLES, literal, required
from context_index.languages.ecmascript.module_kind import kind_by_name, module_kind
from context_index.languages.parts import part
from context_index.symbols import Importable, ModuleKind
from context_index.syntax import Node, Syntax, nodes_of
from context_index.text import Edit

_PATTERN_NAMES = frozenset(
    {"shorthand_property_identifier_pattern", "pair_pattern", "object_assignment_pattern"},
)
"""Parts of a destructuring pattern after which another name may be added; after a rest none may."""
_MAY_END_WITH_SEMICOLON = ("import_statement", "expression_statement", *VARIABLES)
"""Statements of scripts that show whether the file writes semicolons."""
_IMPORTS = frozenset({"import_statement", "import_from_statement", "expression_statement", *VARIABLES})
"""Statements that import by themselves, and not in a block."""
_SAMPLES = 100
"""The most statements, and the most strings, of a file without imports that show how it is written."""


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
    """A new import where its group is, or at the top of the file."""
    text, newline = syntax.document.text, syntax.document.newline
    statement = _statement(syntax, wanted, imports, around)
    if imports:
        line, is_below, empty_lines = _neighbour(syntax, imports, wanted.module)
        parted = newline * (1 + empty_lines)
        if not is_below:
            start = syntax.document.lines[line]
            return Edit(start, start, statement + parted)
        place = _line_end(text, _end_of_last_import(syntax, line))
        return Edit(place, place, parted + statement)
    place = _first_import_place(syntax)
    before = newline if place and not text[:place].endswith("\n") else ""
    after = newline if text[place:].startswith(("\n", "\r\n")) or not text[place:].strip() else newline * 2
    return Edit(place, place, before + statement + after)


class _Line(NamedTuple):
    """A line with an import that is in no block."""

    line: int
    end: int
    """The line on which the statement ends."""
    group: int


def _neighbour(syntax: Syntax, imports: Sequence[Import], module: str) -> tuple[int, bool, int]:
    """The line of the import next to which one of a module goes, whether below it, and the empty lines between both."""
    rules = part(syntax.language, "imports")
    lines = _grouped(syntax, imports, module)
    if rules is None or not lines:
        return imports[-1].line, True, 0
    group = lines.pop().group
    above = [each for each in lines if each.group <= group]
    if above and above[-1].group == group:
        return above[-1].line, True, 0
    borders = [(one, other) for one, other in pairwise(lines) if one.group != other.group]
    is_parted = any(other.line > one.end + 1 for one, other in borders) if borders else rules.GROUPS_ARE_PARTED
    neighbour = above[-1] if above else lines[0]
    return neighbour.line, bool(above), int(is_parted)


def _grouped(syntax: Syntax, imports: Sequence[Import], module: str) -> list[_Line]:
    """The imports that are in no block, and at the end one of a module; empty if the file has no order of groups.

    If only relative imports have their place, all others are one group.
    """
    rules = part(syntax.language, "imports")
    statements = {syntax.line(node): node for node in syntax.top_level if node.type in _IMPORTS}
    at = [each for each in imports if each.line in statements]
    if rules is None or not at:
        return []
    ends = [syntax.document.position(syntax.end(statements[each.line])).line for each in at]
    groups = [rules.group(specifier) for specifier in (*(each.module for each in at), module)]
    for numbers in (groups, [int(number == max(groups)) for number in groups]):
        if all(one <= other for one, other in pairwise(numbers[:-1])):
            lines = [_Line(each.line, end, group) for each, end, group in zip(at, ends, numbers[:-1], strict=True)]
            return [*lines, _Line(-1, -1, numbers[-1])]
    return []


def _statement(syntax: Syntax, wanted: Importable, imports: Sequence[Import], around: ModuleKind | None) -> str:
    """The statement that imports a name, as the file's other imports are written."""
    rules = part(syntax.language, "imports")
    statement: str = "" if rules is None else rules.statement(wanted)
    if statement:
        return statement
    quote, end = _style(syntax, imports)
    name = wanted.text if wanted.is_default or wanted.is_module else f"{{ {wanted.text} }}"
    if _requires(syntax, imports, around):
        return f"const {name} = require({quote}{wanted.module}{quote}){end}"
    name = f"* as {name}" if wanted.is_module else name
    return f"import {name} from {quote}{wanted.module}{quote}{end}"


def _style(syntax: Syntax, imports: Sequence[Import]) -> tuple[str, str]:
    """The quote of a script's strings, and the semicolon or nothing with which its statements end.

    The imports show both; in a script without imports, a sample of its statements and strings does. A script that shows
    nothing has `'` and semicolons.
    """
    lines = {statement.line for statement in imports}
    statements = [node for node in syntax.top_level if syntax.line(node) in lines and node.type != "comment"]
    strings = [string for statement in statements for string in nodes_of(syntax, "string", within=statement)]
    if not statements:
        ended = (node for node in nodes_of(syntax, *_MAY_END_WITH_SEMICOLON) if not _is_in_head(node))
        statements = list(islice(ended, _SAMPLES))
        strings = list(islice(nodes_of(syntax, "string"), _SAMPLES))
    double_quoted = sum(syntax.text(string).startswith('"') for string in strings)
    semicolons = sum(node.children[-1].type == ";" for node in statements if node.children)
    return '"' if double_quoted * 2 > len(strings) else "'", ";" if semicolons * 3 >= len(statements) else ""


def _is_in_head(node: Node) -> bool:
    """Whether a statement is in the head of a `for`, where a semicolon must come after it."""
    return node.parent is not None and node.parent.type == "for_statement"


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
