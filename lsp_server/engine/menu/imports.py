"""The import that an entry of the menu brings: the checker's own quick fix for the entry's module.

The checker knows how its project writes specifiers. When a person looks at an entry, `completionItem/resolve` asks it
about the document with the entry in it. If the checker offers the name only from a module that re-exports it, such as
one from which the file imports already, that import is taken.
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
    from lsp_server.engine.verification.applied import Applied

T = TypeVar("T")


def offered_import(
    workspace: Workspace, checker: Checker, applied: Applied, wanted: Importable, seconds: float
) -> tuple[Edit, ...]:
    """The checker's edits that import a name from its module, with offsets of the document without the entry.

    Empty where the checker offers none.

    Args:
        applied: The document with the entry in it.
        wanted: The entry's name and module.
        seconds: The time for all questions together.

    Raises:
        CheckerError: the checker fails.
        TimeoutError: the checker takes longer than `seconds`.
    """
    until = time.monotonic() + seconds

    def ask(document: Document, question: Callable[[Query], T]) -> T:
        return checker.ask(document, question).result(max(0.0, until - time.monotonic()))

    def errors(query: Query) -> tuple[Diagnostic, ...]:
        """Errors in the entry, or at the module's name before its dot: at `fs`, where `readFile` completes `fs.rea`."""
        (start, end), text = applied.inserted, applied.document.text
        before_end = (error for error in query.diagnostics() if error.is_error and error.start < end)
        return tuple(
            error for error in before_end if error.start >= start or text[error.start : error.end] == wanted.text
        )

    before, kind_of_neighbours = imported(applied.syntax), workspace.module_kind(applied.document)
    names = {"*", "default"} if wanted.is_module else {"default"} if wanted.is_default else {wanted.text}
    re_export: tuple[Edit, ...] = ()  # the import from the first module that re-exports the name
    with_imports = with_imports_of_checker(applied, ask(applied.overlay, errors), ask, most=None)  # None: of all fixes
    for repaired in with_imports:
        if _contradicts(repaired.syntax, kind_of_neighbours):
            continue
        new = imported(repaired.syntax) - before
        modules = [module for module, name in new if name in names]
        if any(_is_same(workspace, applied.document, module, wanted.module) for module in modules):
            return repaired.candidate.edits
        if not re_export and any(_re_exports(workspace, applied.document, module, wanted) for module in modules):
            re_export = repaired.candidate.edits
    return re_export


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
    if path is None:
        return False
    file = workspace.module_file(path, module)
    return file is not None and file == workspace.module_file(path, wanted)


def _re_exports(workspace: Workspace, document: Document, module: str, wanted: Importable) -> bool:
    """Whether another module exports the same declaration as the entry's module, and does not import the document.

    A module that imports the document would form a circle with it. While the document is loaded, such a module has not
    run to its end yet, and the name may be missing there.
    """
    path = path_of(document.uri)
    if path is None or wanted.is_module:
        return False
    if document.language.record.exports_imports and not _is_parent(module, wanted.module):
        return False  # in Python any module that imports the name exports it, too: only a parent does so by intent
    name = "default" if wanted.is_default else wanted.text
    declaration = workspace.declared(path, module, name)
    is_re_exported = declaration is not None and declaration == workspace.declared(path, wanted.module, name)
    return is_re_exported and workspace.module_file(path, module) not in workspace.importers(path)


def _is_parent(module: str, wanted: str) -> bool:
    """Whether a module is a package around the wanted one, in the same spelling: `a` for `a.b`, `.` for `.b`."""
    return wanted.startswith(module.removesuffix(".") + ".")
