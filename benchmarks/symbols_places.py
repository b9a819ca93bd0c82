"""Real files and the references in them, at which `inscope bench symbols` compares our names with a judge's.

The grammar alone decides what is a reference, so that no rule of ours about scopes decides what is measured.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from context_index.symbols import Language
from context_index.syntax import Node, Syntax, parse
from context_index.text import Document

SUFFIXES = {
    "javascript": (".js", ".mjs", ".cjs", ".jsx"),
    "typescript": (".ts", ".mts", ".cts", ".tsx"),
    "python": (".py",),
}
SMALLEST, LARGEST = 500, 120_000
"""Characters of a file that is neither a stub nor a table."""
LONGEST_LINE = 400
"""Characters of a line, in a file that is not minified."""
_ODD = ("\r", "\f", "\u2028", "\u2029", "\ufeff", "declare global")
"""What files must not contain: characters that not all judges take for line ends, and declarations for other files."""
_DECLARATIONS = (".d.ts", ".d.mts", ".d.cts")
_IDENTIFIERS = frozenset({"identifier", "type_identifier", "shorthand_property_identifier"})
_NAMED = frozenset({
    "variable_declarator", "function_declaration", "function_expression", "generator_function", "function_signature",
    "generator_function_declaration", "class_declaration", "abstract_class_declaration", "class", "enum_declaration",
    "interface_declaration", "type_alias_declaration", "type_parameter", "internal_module", "module",
    "mapped_type_clause", "index_signature", "tuple_parameter", "optional_tuple_parameter", "jsx_attribute",
})  # fmt: skip
"""Nodes whose field `name` is a new name."""
_BINDS = frozenset({
    "import_specifier", "import_clause", "namespace_import", "namespace_export", "import_require_clause",
    "formal_parameters", "rest_pattern", "array_pattern", "infer_type", "labeled_statement", "nested_type_identifier",
    "object_assignment_pattern",
})  # fmt: skip
"""Nodes whose children are new names, or belong to something else than a scope."""
_FIELDS = {
    "arrow_function": "parameter", "catch_clause": "parameter", "assignment_pattern": "left", "pair_pattern": "value",
    "for_in_statement": "left", "export_specifier": "alias",
}  # fmt: skip
"""Nodes, and which of their fields is a new name."""


@dataclass(frozen=True, slots=True)
class ReferencePlace:
    """A reference in a file."""

    name: str
    start: int
    end: int
    role: str
    """`value`, `type`, or "" if nothing can replace it here, as a shorthand or an assignment's target."""


@dataclass(frozen=True)
class File:
    """One real file."""

    path: Path
    language: Language
    text: str

    @cached_property
    def syntax(self) -> Syntax:
        """The file's tree."""
        return parse(Document(self.path.as_uri(), self.language, self.text))


def files(family: str, roots: Sequence[Path], seed: int) -> Iterator[File]:
    """Files of a family that the grammar reads without an error, in a shuffled order that depends on the seed alone.

    Each text comes once. Small, large, minified and odd files are left out, and files of declarations.
    """
    suffixes = SUFFIXES[family]
    paths = sorted({path for root in roots for path in root.rglob("*") if path.name.endswith(suffixes)})
    random.Random(seed).shuffle(paths)  # noqa: S311 - a reproducible order
    seen: set[int] = set()
    for path in paths:
        if path.name.endswith((".min.js", ".min.mjs", *_DECLARATIONS)) or not path.is_file():
            continue
        try:
            text = path.read_bytes().decode("utf-8")
        except UnicodeDecodeError:
            continue
        is_usual = SMALLEST <= len(text) <= LARGEST and max(map(len, text.split("\n"))) <= LONGEST_LINE
        if not is_usual or hash(text) in seen or any(odd in text for odd in _ODD):
            continue
        seen.add(hash(text))
        file = File(path, _language(family, path), text)
        if not file.syntax.root.has_error:
            yield file


def _language(family: str, path: Path) -> Language:
    return Language.TSX if path.suffix == ".tsx" else Language(family)


def script_references(file: File) -> list[ReferencePlace]:
    """The identifiers of a JavaScript or TypeScript file that refer to something in scope, in order."""
    syntax, references = file.syntax, []
    pending = [(syntax.root, syntax.root)]
    while pending:
        node, parent = pending.pop()
        if node.type in _IDENTIFIERS and _refers(node, parent):
            role = _role(node, parent)
            references.append(ReferencePlace(syntax.text(node), syntax.start(node), syntax.end(node), role))
        pending.extend((child, node) for child in node.children)
    return sorted(references, key=lambda place: place.start)


def _refers(node: Node, parent: Node) -> bool:
    """Whether an identifier refers to something in scope, and is neither a new name nor a member of something else."""
    kind = parent.type
    if kind == "nested_type_identifier":  # `a.B` as a type: `a` is in scope, `B` is a member
        return node.type == "identifier"
    if kind in _BINDS:  # `import { a }`, `const [a] = pair`, `a: while (b)`: new
        return False
    if kind in _NAMED and node == parent.child_by_field_name("name"):  # `function a() {}`, `class A {}`: a new name
        return False
    if kind in _FIELDS and node == parent.child_by_field_name(_FIELDS[kind]):  # `a => b`: `a` is new, `b` refers
        return False
    if kind in {"required_parameter", "optional_parameter"}:  # `(a = b) => 1` in TypeScript: only `b` refers
        return node == parent.child_by_field_name("value")
    if kind == "export_specifier":  # `export { a }` refers to `a`, `export { a } from "b"` to a name of `b`
        statement = parent.parent.parent if parent.parent is not None else None
        return statement is not None and statement.child_by_field_name("source") is None
    if kind in {"jsx_opening_element", "jsx_closing_element", "jsx_self_closing_element"}:  # `<Row>`; `<p>` is HTML's
        return (node.text or b"")[:1].isupper()
    if kind == "export_statement":  # `export default a` refers, `export as namespace a` does not
        return not any(child.type == "namespace" for child in parent.children)
    if kind == "import_alias":  # `import a = b.c`: `a` is new
        return node != parent.named_children[0]
    return True


_PLAIN_TYPES = frozenset({"type_annotation", "union_type", "intersection_type", "type_arguments", "array_type"})
"""Parents under which the grammar allows `[a, typeof b]` in place of a type's name."""
_NO_STAND_IN = frozenset({
    "export_specifier", "jsx_opening_element", "jsx_closing_element", "jsx_self_closing_element", "update_expression",
    "augmented_assignment_expression", "nested_identifier", "nested_type_identifier", "type_query", "import_alias",
    "type_predicate", "asserts", "expression_statement", "decorator", "export_statement", "extends_clause",
    "generic_type", "instantiation_expression", "for_in_statement", "enum_assignment", "computed_property_name",
})  # fmt: skip
"""Parents under which the grammar, or the checker, allows no `(null! as A, b)` in place of a value's name."""


def _role(node: Node, parent: Node) -> str:
    """See `ReferencePlace.role`. `symbols_typescript.with_names` replaces the references that have one."""
    if node.type == "type_identifier":
        return "type" if parent.type in _PLAIN_TYPES else ""
    if node.type != "identifier" or parent.type in _NO_STAND_IN or node == parent.child_by_field_name("left"):
        return ""
    if _begins_statement(node, parent):
        return ""
    return "value"


def _begins_statement(node: Node, parent: Node) -> bool:
    """Whether an identifier is the first word of a statement.

    An `(a, b)` in its place might be read as the arguments of a call of what the line before ends with.
    """
    ancestor: Node | None = parent
    while ancestor is not None and ancestor.start_byte == node.start_byte:
        if ancestor.type == "expression_statement":
            return True
        ancestor = ancestor.parent
    return False
