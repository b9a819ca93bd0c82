"""The user's own configuration file, as the choice of a model reads it: its place, its text and its settings."""

from __future__ import annotations

import tomllib
from pathlib import Path

from lsp_server.errors import ErrorCode, RequestError
from lsp_server.paths import unreadable
from lsp_server.settings.files import FOLDER, MOST_BYTES, own_file
from lsp_server.settings.table import Settings, accepted, applied


def configuration_file() -> Path:
    """The user's own configuration file, which need not exist.

    Raises:
        RequestError: there can be none.
    """
    file = own_file()
    if file is None:
        raise RequestError(
            ErrorCode.MALFORMED_REQUEST,
            f"there is no configuration file of your own, as the variable {FOLDER} is empty; unset it",
        )
    return file


def configuration_text(file: Path) -> str:
    """The text of the user's file; empty if there is none.

    Raises:
        RequestError: it cannot be read, or is not TOML.
    """
    try:
        with file.open("rb") as stream:
            data = stream.read(MOST_BYTES + 1)
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise unreadable(str(file), error) from error
    if len(data) > MOST_BYTES:
        raise RequestError(ErrorCode.TOO_LARGE, f"'{file}' is larger than {MOST_BYTES:,} bytes and is not read")
    try:
        text = data.decode()
        tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise RequestError(ErrorCode.NOT_UTF8, f"'{file}' is not UTF-8; correct it first") from error
    except (ValueError, RecursionError) as error:
        raise RequestError(ErrorCode.MALFORMED_REQUEST, f"'{file}' is not TOML ({error}); correct it first") from error
    return text


def settings_of(text: str) -> Settings:
    """The settings that a configuration file's text makes of the defaults."""
    return applied(Settings(), accepted(tomllib.loads(text))[0])
