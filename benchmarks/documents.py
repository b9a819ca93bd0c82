"""Texts of files with their line ends as they are, documents of such texts, and what checkers report of them.

For all benchmarks that read code.
"""

from __future__ import annotations

from pathlib import Path

from context_index import Diagnostic, Document, Workspace, language_of


def text_of(path: Path) -> str:
    """The text of a file, its line ends as they are.

    Raises:
        OSError: the file cannot be read.
        UnicodeDecodeError: it is not UTF-8.
    """
    return path.read_bytes().decode("utf-8")


def document(path: Path, text: str) -> Document:
    """A document with this text at the path of a file, in the language of the file's name.

    Raises:
        ValueError: no supported language has files of this name.
    """
    language = language_of(path.name)
    if language is None:
        raise ValueError(f"{path} is in no language that is known here")
    return Document(path.as_uri(), language, text)


def reported_errors(checked: Document, workspace: Workspace) -> list[Diagnostic]:
    """The errors that the checker of a document's project reports of it; waits for every answer.

    Raises:
        CheckerError: there is no checker, or it has no answer.
    """
    answer = workspace.checker_of(checked).ask(checked, lambda query: query.diagnostics())
    return [diagnostic for diagnostic in answer.result() if diagnostic.is_error]
