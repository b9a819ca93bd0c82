"""Reads the controller of a request: `{language?, source | file, params?}`, from a batch's line or from an editor.

`language` may be left out for a file, whose suffix decides it. `params` is passed to the controller.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from context_index import Language
from decoder import PROGRAM_LANGUAGES, Controller
from lsp_server.errors import ErrorCode, RequestError
from lsp_server.paths import check_file, unreadable

if TYPE_CHECKING:
    from collections.abc import Mapping

LONGEST = 4 << 20
"""The most bytes of a controller or a workspace's configuration; far more than anybody writes."""
_FIELDS = frozenset({"language", "source", "file", "params"})


def controller_of(fields: object) -> Controller | None:
    """The controller that an object of a request describes; None where there is no object.

    Raises:
        RequestError: the object is not understood, or the file cannot be read.
    """
    if fields is None:
        return None
    if not isinstance(fields, dict) or fields.keys() - _FIELDS:
        _refuse("must be an object of language, source or file, and params")
    source, file, language = fields.get("source"), fields.get("file"), fields.get("language")
    params = fields.get("params")
    if params is None:
        params = {}
    if not isinstance(params, dict):
        _refuse("must have an object as its params")
    if (source is None) == (file is None) or not isinstance(source or file, str):
        _refuse("must have either a source or a file, as text")
    if language is not None and language not in PROGRAM_LANGUAGES.values():
        _refuse("knows the languages " + ", ".join(dict.fromkeys(PROGRAM_LANGUAGES.values())))
    if file is not None:
        return controller_in(Path(file), params, None if language is None else Language(language))
    if language is None or source is None:
        _refuse("must name the language of its source")
    return Controller(Language(language), source, params)


def controller_in(path: Path, params: Mapping[str, object], language: Language | None = None) -> Controller:
    """The controller in a file; the file's suffix decides the language, unless it is given.

    Raises:
        RequestError: the file cannot be read, or its language is unknown.
    """
    language = language or PROGRAM_LANGUAGES.get(path.suffix)
    if language is None:
        raise RequestError(
            ErrorCode.UNKNOWN_LANGUAGE, f"'{path}' is no controller; these are {', '.join(PROGRAM_LANGUAGES)} files"
        )
    check_file(path, str(path), "controller")
    try:
        with path.open("rb") as file:
            source = file.read(LONGEST + 1)
    except OSError as error:
        raise unreadable(str(path), error) from error
    if len(source) > LONGEST:
        raise RequestError(ErrorCode.TOO_LARGE, f"the controller '{path}' is larger than {LONGEST >> 20} MiB")
    try:
        return Controller(language, source.decode(), params, path.name)
    except UnicodeDecodeError as error:
        raise RequestError(ErrorCode.NOT_UTF8, f"the controller '{path}' is not UTF-8") from error


def _refuse(what: str) -> NoReturn:
    """Raise the error; `what` completes a sentence that begins with "a controller"."""
    raise RequestError(ErrorCode.MALFORMED_REQUEST, f"a controller {what}")
