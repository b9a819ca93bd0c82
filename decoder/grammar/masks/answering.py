"""Answers to questions about texts: found on a watched copy of the stack, and kept for all stacks that say the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from decoder.grammar.masks.plans import Question
from decoder.grammar.masks.remembered import Answers
from decoder.grammar.masks.watched import Watch
from decoder.grammar.version import Version

if TYPE_CHECKING:
    from collections.abc import Callable

    from decoder.grammar.by_state import ByState
    from decoder.grammar.masks.paths import Paths
    from decoder.grammar.masks.plans import Indices, Mask, Point
    from decoder.grammar.masks.remembered import Memory, Way
    from decoder.grammar.stack import Node


class Answering:
    """The answers under one grammar: texts, and the numbers of tokens that were no answer."""

    def __init__(self, memory: Memory, reads: ByState[int], paths: Paths) -> None:
        """With `reads`, the same for states in which texts are read alike."""
        self._memory = memory
        self._reads = reads
        self._paths = paths
        self._found: list[tuple[Indices, int]] = []
        """What answers are the numbers of."""
        self._numbers: dict[tuple[int, int], int] = {}

    def question(self, ask: Callable[[Point, Mask], None], *, by_table: bool, is_word: bool = False) -> Question:
        """A question that nobody has asked yet."""
        return Question(ask, by_table, self.none(), {} if is_word else None)

    def none(self) -> Answers:
        """Room for answers to one question."""
        return Answers(self._memory)

    def texts(self, question: Question, word: str, way: Way, point: Point) -> Indices:
        """Texts that may follow: what is remembered for the cells that the answer depends on, or else found now."""
        answers = question.answers
        if word and question.by_word is not None:
            answers = question.by_word.setdefault(word, self.none())
        known = answers.find(way)
        if known is not None:
            return self._found[known][0]
        watch, watched = self.watched(point)
        mask = point.texts.none()
        question.ask(watched, mask)
        return self.keep(answers, way, watch, mask)[0]

    def known(self, answers: Answers, way: Way) -> tuple[Indices, int] | None:
        """What is remembered for a stack: texts, and the numbers of tokens that were no answer."""
        number = answers.find(way)
        return None if number is None else self._found[number]

    def watched(self, point: Point, node: Node | None = None) -> tuple[Watch, Point]:
        """A point on a copy of the stack that notes how deep it is looked into."""
        old = point.version
        watch = Watch(old.node if node is None else node, self._reads)
        return watch, point._replace(version=Version(watch.node, old.position, old.saved, old.lexeme, old.declined))

    def keep(self, answers: Answers, way: Way, watch: Watch, mask: Mask, others: int = 0) -> tuple[Indices, int]:
        """Remember an answer."""
        texts = self._paths.shared(np.flatnonzero(mask).astype(np.int32))
        key = (id(texts), others)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._found)
            self._found.append((texts, others))
        asked, is_merged = watch.told()
        if not is_merged:
            answers.keep(way, asked, number)
        return self._found[number]
