"""Which tokens may come next as far as syntax goes, without making anybody wait beyond a deadline.

What a mask needs of a vocabulary (`decoder.grammar.masks`) takes a tenth of a second to find, with 128,000 tokens
several tenths. So a thread of its own finds it, as soon as somebody may need it (`begin`) or else needs it; who is late
by then goes on without.
"""

from __future__ import annotations

from concurrent.futures import Future, wait
from functools import lru_cache
from threading import Lock, Thread
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from decoder.constraint.guard import complete_characters
from decoder.grammar.masks import LateError, Masker

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from decoder.constraint.guard import Guard
    from decoder.grammar import Grammar
    from decoder.grammar.reader import Reader
    from decoder.grammar.tables import Tables
    from decoder.models.vocabulary import Vocabulary

_LOOK_SECONDS: Final = 0.01
"""How often who waits asks whether it is late."""
_BEGINNING: Final = Lock()


def parsing_tokens(
    guard: Guard, vocabulary: Vocabulary, is_late: Callable[[], object] = bool
) -> npt.NDArray[np.bool_] | None:
    """Bool [vocabulary.size]: no token that the guard accepts is left out, and none after which nothing parses is in.

    None where no automaton reads along, within a character or a word that is owed, and once it is late.
    """
    state = None if guard.owed or guard.partial else guard.syntax()
    if state is None:
        return None
    try:
        found = _waited_for(_found(state.automaton.tables, state.automaton.reader, vocabulary), is_late)
        mask = found.masker.mask(state, is_late)
    except LateError:
        return None
    possible = np.zeros(vocabulary.size, dtype=np.bool_)
    possible[found.texts.ids] = mask[found.texts.text_of]
    possible[list(vocabulary.end)] = True
    return possible


def begin(grammar: Grammar, vocabulary: Vocabulary) -> None:
    """Have found what masks need, on another thread."""
    _found(grammar.tables, grammar.automaton.reader, vocabulary)


class _Texts(NamedTuple):
    """What tokens write, as far as whole characters go."""

    texts: tuple[str, ...]
    ids: npt.NDArray[np.intp]
    """The tokens that may stand at the beginning of a character."""
    text_of: npt.NDArray[np.intp]
    """For each of these tokens, its text."""


class _Found(NamedTuple):
    """What masks over one vocabulary need under one grammar."""

    texts: _Texts
    masker: Masker


def _waited_for(finding: Future[_Found], is_late: Callable[[], object]) -> _Found:
    """What is being found.

    Raises:
        LateError: That takes until it is late.
    """
    while not wait([finding], _LOOK_SECONDS).done:
        if is_late():
            raise LateError
    return finding.result()


def _found(tables: Tables, reader: Reader, vocabulary: Vocabulary) -> Future[_Found]:
    with _BEGINNING:
        return _begun(tables, reader, vocabulary)


@lru_cache(maxsize=4)
def _begun(tables: Tables, reader: Reader, vocabulary: Vocabulary) -> Future[_Found]:
    """One for all suggestions: each has an automaton of its own, over the same tables and lexers."""
    finding: Future[_Found] = Future()

    def find() -> None:
        try:
            texts = _texts(vocabulary)
            finding.set_result(_Found(texts, Masker(tables, reader, texts.texts)))
        except BaseException as fault:  # noqa: BLE001 - raised where the mask is needed
            with _BEGINNING:
                _begun.cache_clear()  # who asks next has it tried again
            finding.set_exception(fault)

    Thread(target=find, name="inscope-masks", daemon=True).start()
    return finding


@lru_cache(maxsize=4)
def _texts(vocabulary: Vocabulary) -> _Texts:
    index: dict[str, int] = {}
    ids: list[int] = []
    text_of: list[int] = []
    for token, written in enumerate(vocabulary.token_bytes):
        try:
            text: str | None = written.decode()
        except UnicodeDecodeError:
            text, _ = complete_characters(written)
        if written and text is not None:
            ids.append(token)
            text_of.append(index.setdefault(text, len(index)))
    return _Texts(tuple(index), np.array(ids, dtype=np.intp), np.array(text_of, dtype=np.intp))
