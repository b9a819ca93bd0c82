"""Sets the model in the text of a configuration file, and leaves everything else in it as it is, comments included.

TOML's parser is asked for all of it: where a statement ends, what it sets, and whether the new text says what it
should. A text for which no change does that is not changed. Knows no files.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass

from lsp_server.settings.table import accepted, named

MODEL = "model"
_KEYS = (MODEL, f"{MODEL}.name", "name")
"""How the model is spelled in a file: at the top and in `[inscope]`, beside other keys of the table `model`, in it."""


class NoPlaceError(Exception):
    """No single change of the text would set the model and nothing else."""


@dataclass(frozen=True, slots=True)
class _Statement:
    """Some lines that TOML reads as a whole: a key and its value, the head of a table, or nothing."""

    begin: int
    end: int
    """The number of its first line, and of the line after it."""
    text: str
    """Without the end of its last line."""
    head: str
    """The head of the table that it is in, or its own; empty at the top."""

    @property
    def is_head(self) -> bool:
        """Whether it begins a table; no key begins with a bracket."""
        return self.text.lstrip().startswith("[")

    @property
    def sets(self) -> frozenset[str]:
        """The settings that it gives."""
        return named(tomllib.loads(self.text if self.is_head else f"{self.head}\n{self.text}"))


def with_model(text: str, model: str | None) -> str:
    """The text of a configuration file in which the model is `model`.

    Args:
        model: As the setting `model` takes it; None for the built-in one, for which the setting is taken out.

    Raises:
        tomllib.TOMLDecodeError: the text is no TOML.
        NoPlaceError: it cannot be set by a change of one statement.
    """
    before, _ = accepted(tomllib.loads(text))
    wanted = {name: value for name, value in before.items() if name != MODEL}
    if model is not None:
        wanted[MODEL] = model
    candidates = (text, *_candidates(text, model))
    for candidate in candidates:
        if _settings(candidate) == wanted:
            return candidate
    raise NoPlaceError


def _settings(text: str) -> object:
    """What a text sets; None where it is no TOML, or gives the model a value that does not fit."""
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None
    values, _ = accepted(table)
    return values if (MODEL in values) == (MODEL in named(table)) else None


def _candidates(text: str, model: str | None) -> Iterator[str]:
    """Texts that may be right: the statement that sets the model replaced, else one added."""
    lines = text.split("\n")
    statements = list(_statements(lines))
    for statement in statements:
        if not statement.is_head and statement.sets == {MODEL}:
            returned = "\r" if lines[statement.end - 1].endswith("\r") else ""
            new = [] if model is None else [_replaced(statement.text, model) + returned]
            yield "\n".join([*lines[: statement.begin], *new, *lines[statement.end :]])
    if model is None:
        return
    returned = "\r" if "\r\n" in text else ""
    for place in _places(statements):
        for key in _KEYS:
            added = f"{key} = {_spelled(model)}{returned}"
            yield "\n".join([*lines[:place], added, *(lines[place:] or [""])])


def _statements(lines: list[str]) -> Iterator[_Statement]:
    """The statements of a text that is TOML."""
    begin, head = 0, ""
    for end in range(1, len(lines) + 1):
        text = "\n".join(lines[begin:end]).removesuffix("\r")
        try:
            tomllib.loads(text)
        except tomllib.TOMLDecodeError:  # its value goes on in the next line
            continue
        if text.lstrip().startswith("["):
            head = text
        yield _Statement(begin, end, text, head)
        begin = end


def _places(statements: list[_Statement]) -> Iterator[int]:
    """Numbers of lines before which a statement may be added: after those of the top, and after each table's head."""
    top = [one.end for one in statements if not one.head and tomllib.loads(one.text)]
    yield top[-1] if top else 0
    yield from (one.end for one in statements if one.is_head)


def _replaced(statement: str, model: str) -> str:
    """The statement with the same key, the new value, and the comment after the old one."""
    key = statement.partition("=")[0]
    return f"{key.rstrip()} = {_spelled(model)}{_comment(statement)}"


def _comment(text: str) -> str:
    """What comes after the value of a statement: blanks and a comment."""
    value = tomllib.loads(text)
    for end in (place for place, character in enumerate(text) if character == "#"):
        try:
            is_whole = tomllib.loads(text[:end]) == value
        except tomllib.TOMLDecodeError:  # the sign is in the value
            continue
        if is_whole:
            return text[len(text[:end].rstrip()) :]
    return text[len(text.rstrip()) :]


def _spelled(text: str) -> str:
    """A text as TOML's basic string; JSON escapes all but one of the characters that must be."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
