"""Reads a file, or a text that a request gives for it, as a document; errors say why it cannot be one."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from context_index import (
    SOURCE_SUFFIXES,
    Document,
    Language,
    Position,
    PositionError,
    Syntax,
    language_of,
    parse,
)
from lsp_server.engine.served_languages import missing_parser, served
from lsp_server.errors import ErrorCode, RequestError
from lsp_server.paths import check_file, unreadable

if TYPE_CHECKING:
    from collections.abc import Callable

    from lsp_server.engine.wire.file_place import FilePlace

MAX_BYTES = 5_000_000
"""The most bytes of a file. One of this size is parsed in about a second, and the first completion in it, which reads
all statements, takes half a minute (33 s in 2.8 MB of short ones) unless there is a deadline. Nobody edits larger files
by hand; the language server serves documents of up to a million characters."""

_NOTEBOOK = ".ipynb"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
"""Byte order marks of UTF-16, in which zero bytes do not mean a binary file."""


def syntax_at(place: FilePlace, text: str | None = None) -> tuple[Syntax, int]:
    """The document of a place, parsed, and the place's offset in it; see `document_at`."""
    document, offset = document_at(place, text)
    return parse(document), offset


def document_at(place: FilePlace, text: str | None = None) -> tuple[Document, int]:
    """The document of a place, and the place's offset in it.

    Args:
        text: Read instead of the file, which then need not exist.

    Raises:
        RequestError: the file or the text cannot be read, or does not have the place.
    """
    path = absolute(place.file)
    text = read_text(path, place.file, check=_language) if text is None else checked_text(text, place.file)
    document = Document(path.as_uri(), _language(place.file), text)
    try:
        offset = document.offset(Position(place.line - 1, place.column - 1))
    except PositionError as error:
        raise RequestError(ErrorCode.POSITION_OUTSIDE, f"'{place.file}' has {error}") from error
    return document, offset


def absolute(file: str) -> Path:
    """The absolute path of a file, with no `..` in it: TypeScript exits if a URI has one.

    Links in the folder are resolved, but not the file itself if it is a link.
    """
    folder, name = os.path.split(file)
    return Path(os.path.realpath(folder), name)


def read_text(path: Path, shown: str, *, check: Callable[[str], object] = lambda _shown: None) -> str:
    """The text of a file, without a byte order mark and with its own line ends.

    Args:
        shown: The path as it was written, for messages.
        check: Called with `shown` before an existing file is read; raises an error if such a file is not wanted.

    Raises:
        RequestError: there is no such file, it cannot be read, it is too large, or it is not UTF-8.
    """
    check_file(path, shown)
    check(shown)
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise unreadable(shown, error) from error
    if len(data) > MAX_BYTES:
        raise _too_large(shown)
    if not data.startswith(_UTF16) and b"\0" in data:
        raise RequestError(ErrorCode.BINARY, f"'{shown}' is a binary file, not source text")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1  # `data` may have a byte order mark before that
        raise RequestError(
            ErrorCode.NOT_UTF8, f"'{shown}' is not UTF-8 (line {line}); save it as UTF-8 first"
        ) from error


def checked_text(text: str, shown: str) -> str:
    """A text that came in a request, checked as a file's text is.

    Raises:
        RequestError: the text is too large, or holds half of a surrogate pair.
    """
    try:
        size = len(text.encode("utf-8"))
    except UnicodeEncodeError as error:
        raise RequestError(
            ErrorCode.NOT_UTF8, f"the text for '{shown}' holds half of a surrogate pair at character {error.start + 1}"
        ) from error
    if size > MAX_BYTES:
        raise _too_large(shown)
    return text


def _too_large(shown: str) -> RequestError:
    return RequestError(
        ErrorCode.TOO_LARGE, f"'{shown}' is larger than {MAX_BYTES / 1e6:.0f} MB; such files are not read"
    )


def check_is_no_notebook(shown: str) -> None:
    """Check that a file is not a notebook.

    Raises:
        RequestError: it is one; the message says how its code can be given instead.
    """
    if Path(shown).suffix == _NOTEBOOK:
        raise RequestError(
            ErrorCode.UNKNOWN_LANGUAGE,
            f"'{shown}' is a notebook, which only editors read: give the code of its cells, one after another, as the "
            f"'text' of a line of --batch whose 'file' is '{Path(shown).with_suffix('.py')}'",
        )


def _language(shown: str) -> Language:
    """The language of a file, by its name.

    Raises:
        RequestError: no installed parser reads it.
    """
    if language := language_of(shown):
        return language
    check_is_no_notebook(shown)
    if why := missing_parser(shown):
        raise RequestError(ErrorCode.UNKNOWN_LANGUAGE, why)
    raise RequestError(
        ErrorCode.UNKNOWN_LANGUAGE,
        f"the language of '{shown}' is not supported; {served()} are ({' '.join(SOURCE_SUFFIXES)})",
    )
