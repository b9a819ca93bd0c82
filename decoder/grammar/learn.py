"""Learns the automaton in a compiled lex function by running it on short words.

All states of a generated lexer are numbered, and it can be started in each of them. Its callbacks show what it does
with a word. States that behave alike on every probing word count as one state. If a character leads two such states to
states that some word tells apart, this character followed by this word becomes a probing word, too. The algorithm is
Moore's minimisation, with queries in place of a table.

    python -m decoder.grammar.learn              # the pinned grammars, into decoder/grammar/lexer_dfa
    python -m decoder.grammar.learn tsx -o FILE  # one of them
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import threading
import time
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from context_index.symbols import Language
from decoder.grammar.compiled import GrammarError
from decoder.grammar.dfa import ASCII, NO_TOKEN, CharacterMove, Dfa, Row
from decoder.grammar.lex_function import MARK, SKIP, LexFunction, Trace, Word
from decoder.grammar.lexer import save
from decoder.grammar.pinned import capsule, shipped_path
from decoder.grammar.tables import NO_LEXING, Tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_LAST_CODE_POINT = 0x10FFFF
_SURROGATES = range(0xD800, 0xE000)
_DEAD_STATES_AT_THE_END = 64
"""After so many numbers in a row to which the function does not react, it is taken to have no more states."""
_WORDS_PER_ROUND = 40
"""The most probing words that are added before all states are compared again."""
_SAMPLE = 3000
"""So many random non-ASCII characters of two ranges are tried in every state, and all others in a few states only."""


_Vector = tuple[Trace, ...]
"""What a state of a lex function does with each probing word."""


class Learner:
    """Finds the minimal automaton of one lex function.

    Args:
        roots: The states of the function in which a parser starts it.
    """

    def __init__(self, function: LexFunction, roots: Sequence[int]) -> None:
        self._trace = function.trace
        self._roots = roots
        self._count = self._count_states()
        self._starts, self._classes, beyond = self._character_classes()
        self._alphabet = [*range(1, ASCII), *beyond]
        self._words: list[Word] = [(), *((code,) for code in self._alphabet)]
        """The probing words."""

    def learn(self) -> Dfa:
        """The automaton. Each two of its states differ on some probing word.

        The vector of a state of the function is what it does with each probing word. States with equal vectors are one
        state of the automaton, numbered in the order in which their vectors were first seen.
        """
        while True:
            numbers: dict[_Vector, int] = {}
            number_of = [numbers.setdefault(self._vector(state), len(numbers)) for state in range(self._count)]
            vectors = list(numbers)
            identify = _Identifier(self._trace, self._words, vectors)
            rows = [[identify(state, code) for code in self._alphabet] for state in range(self._count)]
            new_words = self._distinguishing_words(rows, number_of, vectors)
            if not new_words:
                return self._automaton(rows, number_of, vectors)
            self._words += new_words[:_WORDS_PER_ROUND]

    def _vector(self, state: int) -> _Vector:
        return tuple(self._trace(state, word) for word in self._words)

    def _count_states(self) -> int:
        """How many states the function has. A number that is no state does nothing with any word."""
        words: list[Word] = [(), *((code,) for code in range(1, ASCII)), (0x4E2D,)]
        last = max(self._roots)
        state = 0
        while state <= last + _DEAD_STATES_AT_THE_END:
            if state > last and any(self._trace(state, word) for word in words):
                last = state
            state += 1
        return last + 1

    def _character_classes(self) -> tuple[list[int], list[int], list[int]]:
        """The classes of non-ASCII characters that all states treat alike.

        Returns:
            The first code point of each run of characters of one class, the class of each run, and one character of
            each class. The first two are `Dfa.class_starts` and `Dfa.class_of_run`.
        """
        draw = random.Random(1)  # noqa: S311 - a fixed sample, not a secret
        sample = [0x85, 0xA0, 0xB7, 0xE9, 0x300, 0x660, 0x2028, 0x2029, 0x3000, 0x4E2D, 0xFEFF, 0xFFFF, 0x1F600]
        sample += [draw.randrange(ASCII, _LAST_CODE_POINT + 1) for _ in range(_SAMPLE)]
        sample += [draw.randrange(ASCII, 0x3000) for _ in range(_SAMPLE)]
        sample = [code for code in sample if code not in _SURROGATES]
        witnesses = self._witnesses(sample)
        class_of: dict[tuple[Trace, ...], int] = {}
        """By what the witnesses do with a character, its class."""
        starts: list[int] = []
        classes: list[int] = []
        examples: list[int] = []
        for code in range(ASCII, _LAST_CODE_POINT + 1):
            if code in _SURROGATES:  # no characters: they go with the run before them
                continue
            answer = tuple(self._trace(state, (code,)) for state in witnesses)
            number = class_of.setdefault(answer, len(class_of))
            if number == len(examples):
                examples.append(code)
            if not classes or classes[-1] != number:
                starts.append(code)
                classes.append(number)
        return starts, classes, examples

    def _witnesses(self, sample: Iterable[int]) -> list[int]:
        """A few states that together distinguish all characters of the sample that any state distinguishes."""
        groups = [list(sample)]
        witnesses: list[int] = []
        for state in range(self._count):
            split: list[list[int]] = []
            for group in groups:
                by_answer: dict[Trace, list[int]] = defaultdict(list)
                for code in group:
                    by_answer[self._trace(state, (code,))].append(code)
                split += by_answer.values()
            if len(split) > len(groups):
                witnesses.append(state)
                groups = split
        return witnesses

    def _distinguishing_words(
        self, rows: list[list[CharacterMove | None]], number_of: list[int], vectors: list[_Vector]
    ) -> list[Word]:
        """Words that distinguish states which behaved alike so far, but lead to different states.

        Args:
            rows: For each state of the function, where the characters of the alphabet lead.
            number_of: For each state of the function, its state of the automaton.
            vectors: For each state of the automaton, what it does with each probing word.

        Raises:
            GrammarError: The function does not always do the same.
        """
        first_of: dict[int, int] = {}
        new_words: dict[Word, None] = {}
        known = set(self._words)
        for state, number in enumerate(number_of):
            first = first_of.setdefault(number, state)
            for code, move, first_move in zip(self._alphabet, rows[state], rows[first], strict=True):
                if move == first_move:
                    continue
                if move is None or first_move is None:
                    raise GrammarError("a lex function that answers the same question differently")
                traces = zip(self._words, vectors[move.target], vectors[first_move.target], strict=True)
                word = (code, *next(word for word, trace, first_trace in traces if trace != first_trace))
                if word not in known:
                    new_words[word] = None
                break
        return list(new_words)

    def _automaton(self, rows: list[list[CharacterMove | None]], number_of: list[int], vectors: list[_Vector]) -> Dfa:
        """One state for each vector, with the moves of the first state of the function that has it.

        Args:
            rows: As for `_distinguishing_words`, and likewise the others.
        """
        table: list[Row] = []
        accepts: list[int] = []
        for vector in vectors:
            without_text = vector[0]  # the first probing word is empty
            accepts.append(without_text[0] - MARK if without_text and without_text[0] >= MARK else NO_TOKEN)
        for number in range(len(vectors)):
            row = rows[number_of.index(number)]
            table.append([None, *(move and move._replace(token=accepts[move.target]) for move in row)])
        return Dfa(
            rows=table,
            accepts=accepts,
            roots={root: number_of[root] for root in self._roots},
            class_starts=self._starts,
            class_of_run=self._classes,
        )


class _Identifier:
    """Finds the state that a character leads to, by asking only words that still split the candidates."""

    def __init__(self, trace: Callable[[int, Word], Trace], words: list[Word], vectors: list[_Vector]) -> None:
        self._trace = trace
        self._all_states = (1 << len(vectors)) - 1
        self._tests: list[tuple[Word, dict[Trace, int]]] = []
        """Each probing word with, by trace, the states that have this trace, as a bit set; the most traces first."""
        for column, word in enumerate(words):
            masks: dict[Trace, int] = defaultdict(int)
            for number, vector in enumerate(vectors):
                masks[vector[column]] |= 1 << number
            self._tests.append((word, masks))
        self._tests.sort(key=lambda test: -len(test[1]))

    def __call__(self, state: int, code: int) -> CharacterMove | None:
        """The move from a state of the function by a character, to a state of the automaton; None for no move.

        Raises:
            GrammarError: No state, or more than one, does what the function does after the character.
        """
        # an event is MARK and a token where the text so far is one, and then what the function does with the character
        events = self._trace(state, (code,))
        marks = 1 if events and events[0] >= MARK else 0
        if len(events) <= marks:
            return None
        candidates = self._all_states
        for word, masks in self._tests:
            if all(candidates & mask in (0, candidates) for mask in masks.values()):
                continue
            candidates &= masks.get(self._trace(state, (code, *word))[marks + 1 :], 0)
            if candidates & (candidates - 1) == 0:  # one at most is left
                break
        if candidates == 0 or candidates & (candidates - 1):
            raise GrammarError(f"a lex function that goes from {state} by {code:#x} to no state of its own")
        return CharacterMove(candidates.bit_length() - 1, events[marks] == SKIP)


def learn(tables: Tables) -> tuple[Dfa, dict[str, int]]:
    """The automaton of a grammar's tokens, and its keywords by word. Takes 10 s to minutes, so `save` the result."""
    roots = sorted({mode.lex_state for mode in tables.modes if mode.lex_state != NO_LEXING})
    tokens = Learner(LexFunction(tables.raw.lex_function), roots).learn()
    keyword_function = tables.raw.keyword_lex_function
    return tokens, Learner(LexFunction(keyword_function), [0]).learn().words() if keyword_function else {}


def _end_with_input() -> None:
    """End this process when standard input ends."""
    while os.read(sys.stdin.fileno(), 1):  # not through a buffer, whose lock could not be had at the end
        pass
    os._exit(1)  # the parent has ended; files are written whole or not at all


def main() -> None:
    """The command line: learn the lexers of the installed grammars and write their files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("languages", nargs="*", type=Language, default=list(Language))
    parser.add_argument("-o", "--output", type=Path, help="where to write the one language asked for")
    parser.add_argument("--end-with-input", action="store_true", help="end as soon as standard input does")
    arguments = parser.parse_args()
    if arguments.output and len(arguments.languages) != 1:
        parser.error("--output takes one language; name it, or leave --output out")
    if arguments.end_with_input:
        threading.Thread(target=_end_with_input, daemon=True).start()
    for language in arguments.languages:
        started = time.perf_counter()
        tables = Tables(capsule(language))
        path = arguments.output or shipped_path(language)
        tokens, keywords = learn(tables)
        save(path, tokens, keywords, tables.fingerprint())
        seconds = time.perf_counter() - started
        size = path.stat().st_size
        sys.stdout.write(f"{language}: {len(tokens.rows)} states, {size:,} bytes, {seconds:.1f} s\n")


if __name__ == "__main__":
    main()
