"""All texts of a vocabulary that may come next, thousands of them decided by one question.

    masker = Masker(tables, reader, texts)  # of an automaton; once for a vocabulary: filled as states are met
    masker.mask(state)                      # bool [len(texts)]: what `state.feed` accepts

The texts are asked about in groups that stand or fall together (`questions`), and each answer is remembered by the
cells of the stack that it depends on (`watched`), so a mask is mostly a union of sets that are known. Semantics is left
out: with one, two words are not alike; then the mask has every text that may come next, and more.
"""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from decoder.grammar.automaton import Automaton
from decoder.grammar.lr import Stepper
from decoder.grammar.paths import Texts
from decoder.grammar.questions import Question, Questions
from decoder.grammar.state import NULL
from decoder.grammar.version import Version, Window
from decoder.grammar.watched import Answers, Watch, WatchedNode, cells

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    import numpy.typing as npt

    from decoder.grammar.questions import Point
    from decoder.grammar.reader import Reader
    from decoder.grammar.state import State
    from decoder.grammar.tables import Tables

    Mask = npt.NDArray[np.bool_]
    Packed = npt.NDArray[np.uint8]

_HEAD: Final = 8
_TAIL: Final = 2
"""Of a long beginning of a token, so many characters mostly do."""
_PLANS_KEPT: Final = 1024
"""Kinds of places; beyond so many, all that is remembered is dropped."""


class _Plan(NamedTuple):
    """All questions of one kind of point."""

    questions: list[tuple[Question, Answers[Packed]]]
    declined: Packed | None
    """The texts that the external scanner leaves to the table lexer; None for all."""


class Masker:
    """The masks of one vocabulary under one grammar. Several threads may ask."""

    def __init__(self, tables: Tables, reader: Reader, texts: Iterable[str]) -> None:
        self._reader = reader
        self._tables = tables
        self._lock = Lock()
        texts = tuple(texts)
        self._refused = [index for index, text in enumerate(texts) if NULL in text]
        self._begin(texts)

    def _begin(self, texts: Iterable[str]) -> None:
        """Remember nothing."""
        own = Automaton(self._tables, self._reader, Stepper(self._tables))
        self._questions = Questions(own)
        self._texts = Texts(texts)
        self._plans: dict[Hashable, _Plan] = {}
        self._sets: dict[bytes, Packed] = {}
        self._short: dict[Hashable, str] = {}

    def mask(self, state: State) -> Mask:
        """Bool [number of texts]: which of them `state.feed` accepts. The empty text is one of them."""
        found = np.zeros((len(self._texts.all) + 7) // 8, dtype=np.uint8)
        with self._lock:
            for version in state.versions:
                self._add(version, state.window, found)
        mask = np.unpackbits(found, count=len(self._texts.all)).view(np.bool_)
        mask[self._refused] = False
        return mask

    def _add(self, version: Version, window: Window, found: Packed) -> None:
        """What may follow one version, from what is remembered."""
        version, window = self._canonical(version, window)
        key = self._key(version, window)
        stack = cells(version.node)
        plan = self._plans.get(key)
        if plan is None:
            if len(self._plans) >= _PLANS_KEPT:
                self._begin(self._texts.all)
            plan = self._plans[key] = self._plan(self._questions.point(version, window, self._texts))
        by_table = found if plan.declined is None else np.zeros_like(found)
        for question, answers in plan.questions:
            known = answers.find(stack)
            packed = self._ask(question, version, window, answers, stack) if known is None else known[0]
            target = by_table if question.by_table else found
            np.bitwise_or(target, packed, out=target)
        if plan.declined is not None:
            found |= by_table & plan.declined

    def _ask(
        self,
        question: Question,
        version: Version,
        window: Window,
        answers: Answers[Packed],
        stack: Sequence[Hashable],
    ) -> Packed:
        watch = Watch()
        node = WatchedNode(version.node, watch)
        watched = Version(node, version.position, version.saved, version.lexeme, version.declined)
        answer = self._texts.none()
        question.ask(self._questions.point(watched, window, self._texts), answer)
        packed = np.packbits(answer)
        packed = self._sets.setdefault(packed.tobytes(), packed)
        if not watch.is_merged:
            answers.keep(stack[: watch.cells], packed)
        return packed

    def _canonical(self, version: Version, window: Window) -> tuple[Version, Window]:
        """The same with no more text than matters."""
        position, stand_in = version.position, version.stand_in
        place = window.place(position)
        pending = window.text[position:]
        if stand_in is not None:
            pending = stand_in.text + window.text[stand_in.upto :]
        lexeme = version.lexeme
        if version.declined and lexeme is not None:
            short = Window(pending, place.column, place.at_start)
            return Version(version.node, 0, version.saved, lexeme.moved(position), declined=True), short
        mode = self._tables.modes[version.node.state]
        is_spelled = version.node.state in self._tables.spelled
        if mode.external_state and len(pending) > 1 and not is_spelled and not place.at_start:
            pending = self._shortened(version, pending)
        return Version(version.node, 0, version.saved), Window(pending, place.column, place.at_start)

    def _shortened(self, version: Version, pending: str) -> str:
        """A text that leaves both lexers where `pending` does, the same for all such."""
        mode = self._tables.modes[version.node.state]
        going_on = self._reader.going_on(mode, version.saved, pending)
        if going_on is None:
            return pending
        key = (mode, version.saved, going_on)
        short = self._short.get(key)
        if short is None:
            short = pending[:_HEAD] + pending[-_TAIL:] if len(pending) > _HEAD + _TAIL else pending
            if self._reader.going_on(mode, version.saved, short) != going_on:
                short = pending
            self._short[key] = short
        return short

    def _key(self, version: Version, window: Window) -> Hashable:
        """What questions and answers depend on beside the stack."""
        state, saved, text = version.node.state, version.saved, window.text
        lexeme = version.lexeme
        if not version.declined or lexeme is None:
            return state, saved, text, window.at_start
        written = text[lexeme.start :]
        if (
            lexeme.token_end == len(text)
            and state not in self._tables.spelled
            and not self._questions.may_be_keyword(written)
        ):
            return state, saved, lexeme.state, bool(written), lexeme.token
        return state, saved, lexeme.state, text

    def _plan(self, point: Point) -> _Plan:
        questions = list(self._questions.questions(point))
        declined: Packed | None = None
        if any(question.by_table for question in questions) and self._questions.asks_scanner(point.version):
            allowed = point.texts.none()
            allowed[self._questions.declined(point)] = True
            declined = np.packbits(allowed)
        return _Plan([(question, Answers()) for question in questions], declined)
