"""The import that an entry of the menu brings: the checker's own quick fix, where it offers the entry's module.

The checker knows how its project writes specifiers. It is asked when a person looks at the entry, about the document
with the entry in it. Where it offers the name only from a module that passes it on, such as one that the file imports
from already, that import is taken.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

from context_index import NODE_PREFIX, module_kind, path_of
from lsp_server.engine.verification.repairs import imported, with_imports_of_checker

if TYPE_CHECKING:
    from collections.abc import Callable

    from context_index import (
        Checker,
        Diagnostic,
        Document,
        Edit,
        Importable,
        ModuleKind,
        Query,
        Syntax,
        Workspace,
    )
    from lsp_server.engine.verification.candidate import Applied

T = TypeVar("T")


def offered_import(
    workspace: Workspace, checker: Checker, applied: Applied, wanted: Importable, seconds: float
) -> tuple[Edit, ...]:
    """The checker's edits that import a name from its module, with offsets of the document without the entry.

    Empty where it offers none.

    Raises:
        CheckerError: the checker fails.
        TimeoutError: the checker takes longer than `seconds`.
    """
    until = time.monotonic() + seconds

    def ask(document: Document, question: Callable[[Query], T]) -> T:
        return checker.ask(document, question).result(max(0.0, until - time.monotonic()))

    def errors(asked: Query) -> tuple[Diagnostic, ...]:
        """Errors in the entry, or at the module's name before its dot: at `fs`, where `readFile` completes `fs.rea`."""
        (start, end), text = applied.inserted, applied.document.text
        up_to_entry = (one for one in asked.diagnostics() if one.is_error and one.start < end)
        return tuple(one for one in up_to_entry if one.start >= start or text[one.start : one.end] == wanted.text)

    before, kind_of_neighbours = imported(applied.syntax), workspace.module_kind(applied.document)
    names = {"*", "default"} if wanted.is_module else {"default"} if wanted.is_default else {wanted.text}
    passed_on: tuple[Edit, ...] = ()
    with_imports = with_imports_of_checker(applied, ask(applied.overlay, errors), ask, most=None)  # None: of all fixes
    for repaired in with_imports:
        if _contradicts(repaired.syntax, kind_of_neighbours):
            continue
        new = imported(repaired.syntax) - before
        modules = [module for module, name in new if name in names]
        if any(_is_same(workspace, applied.document, module, wanted.module) for module in modules):
            return repaired.candidate.edits
        if not passed_on and any(_passes_on(workspace, applied.document, module, wanted) for module in modules):
            passed_on = repaired.candidate.edits
    return passed_on


def _contradicts(syntax: Syntax, kind_of_neighbours: ModuleKind | None) -> bool:
    """Whether a script's imports make it a module of another kind than its package and the files around it.

    For a script that has no import yet, TypeScript 7 may offer `import` where all other files of the package use
    `require`, or the reverse: without a `tsconfig.json` or `jsconfig.json` it does not look at the package.
    """
    kind = module_kind(syntax) if syntax.language.record.has_module_systems else None
    return None not in {kind, kind_of_neighbours} and kind is not kind_of_neighbours


def _is_same(workspace: Workspace, document: Document, module: str, wanted: str) -> bool:
    """Whether two specifiers in a document name the same module."""
    if module.removeprefix(NODE_PREFIX) == wanted.removeprefix(NODE_PREFIX):
        return True
    if not document.language.record.specifiers_are_paths:
        return False
    path = path_of(document.uri)
    files = [None if path is None else workspace.module_file(path, one) for one in (module, wanted)]
    return files[0] is not None and files[0] == files[1]


def _passes_on(workspace: Workspace, document: Document, module: str, wanted: Importable) -> bool:
    """Whether another module exports the very declaration that an entry's module does, and does not import the file.

    If it imports the file, the two import each other in a circle: while the file is loaded, such a module has not yet
    run to its end, and the name may be missing there.
    """
    path = path_of(document.uri)
    if path is None or wanted.is_module:
        return False
    if document.language.record.exports_imports and not _is_parent(module, wanted.module):
        return False  # in Python any module that imports the name exports it, too: only a parent passes it on by intent
    name = "default" if wanted.is_default else wanted.text
    declared = [workspace.declared(path, one, name) for one in (module, wanted.module)]
    is_passed_on = declared[0] is not None and declared[0] == declared[1]
    return is_passed_on and workspace.module_file(path, module) not in workspace.importers(path)


def _is_parent(module: str, wanted: str) -> bool:
    """Whether a module is a package around the wanted one, in the same spelling: `a` for `a.b`, `.` for `.b`."""
    return wanted.startswith(module.removesuffix(".") + ".")
