"""Sets the model in the text of a configuration file, and leaves everything else in it as it is, comments included.

Candidates for the new text are made and TOML's parser reads each: the first that sets the model and changes no other
setting is taken. The parser also says where a statement ends and what it sets, so no syntax of TOML is known here.
`installation/model_choice` calls `with_model`. Knows no files.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass

from lsp_server.settings.table import accepted, named

MODEL = "model"
_KEYS = (MODEL, f"{MODEL}.name", "name")
"""The keys that set the model: at the top or in `[inscope]`, there beside other keys `model.…`, and in `[model]`."""


class NoPlaceError(Exception):
    """No single change of the text would set the model and nothing else."""


@dataclass(frozen=True, slots=True)
class _Statement:
    """The fewest lines that TOML reads as a whole: a key and its value, the head of a table, a comment, or a blank."""

    begin: int
    end: int
    """The numbers of its first line, and of the line after it, from 0."""
    text: str
    """Without the line end of its last line."""
    head: str
    """The head of the table that it is in, or that it is; empty at the top of the file."""

    @property
    def is_head(self) -> bool:
        """Whether it is the head of a table; no key begins with a bracket."""
        return self.text.lstrip().startswith("[")

    @property
    def sets(self) -> frozenset[str]:
        """The names of the settings to which it gives a value."""
        return named(tomllib.loads(self.text if self.is_head else f"{self.head}\n{self.text}"))


def with_model(text: str, model: str | None) -> str:
    """The text of a configuration file, changed so that the model is `model`.

    Args:
        model: As the setting `model` takes it; None for the built-in one, for which the setting is taken out.

    Raises:
        tomllib.TOMLDecodeError: the text is no TOML.
        NoPlaceError: the model cannot be set by a change of one statement.
    """
    before, _ = accepted(tomllib.loads(text))
    wanted = {name: value for name, value in before.items() if name != MODEL}
    if model is not None:
        wanted[MODEL] = model
    for candidate in (text, *_candidates(text, model)):
        if _settings(candidate) == wanted:
            return candidate
    raise NoPlaceError


def _settings(text: str) -> object:
    """What a text sets, by the setting's name; None if it is no TOML, or gives the model a value that does not fit."""
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None
    values, _ = accepted(table)
    return values if (MODEL in values) == (MODEL in named(table)) else None


def _candidates(text: str, model: str | None) -> Iterator[str]:
    """New texts that may be right: first with a statement that sets the model replaced or removed, then with one added.

    Lines keep their ends, of which some may have a carriage return.
    """
    lines = text.split("\n")
    statements = list(_statements(lines))
    for statement in statements:
        if not statement.is_head and statement.sets == {MODEL}:
            carriage_return = "\r" if lines[statement.end - 1].endswith("\r") else ""
            new = [] if model is None else [_replaced(statement.text, model) + carriage_return]
            yield "\n".join([*lines[: statement.begin], *new, *lines[statement.end :]])
    if model is None:
        return
    carriage_return = "\r" if "\r\n" in text else ""
    for place in _places(statements):
        for key in _KEYS:
            added = f"{key} = {_spelled(model)}{carriage_return}"
            yield "\n".join([*lines[:place], added, *(lines[place:] or [""])])


def _statements(lines: list[str]) -> Iterator[_Statement]:
    """The statements of a text that is TOML, in order; together they have all lines."""
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
    """Numbers of lines before which a statement may be added: after the last key at the top, and after each head."""
    top = [statement.end for statement in statements if not statement.head and tomllib.loads(statement.text)]
    yield top[-1] if top else 0
    yield from (statement.end for statement in statements if statement.is_head)


def _replaced(statement: str, model: str) -> str:
    """The statement with the same key, the new value, and the comment after the old one."""
    key = statement.partition("=")[0]
    return f"{key.rstrip()} = {_spelled(model)}{_comment(statement)}"


def _comment(statement: str) -> str:
    """What comes after the value of a statement: blanks and a comment."""
    value = tomllib.loads(statement)
    for end in (place for place, character in enumerate(statement) if character == "#"):
        try:
            is_whole = tomllib.loads(statement[:end]) == value
        except tomllib.TOMLDecodeError:  # the sign is in the value
            continue
        if is_whole:
            return statement[len(statement[:end].rstrip()) :]
    return statement[len(statement.rstrip()) :]


def _spelled(text: str) -> str:
    """A text as TOML's basic string; JSON escapes all but one of the characters that must be."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
