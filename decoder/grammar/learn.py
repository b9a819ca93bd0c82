"""Learns the automaton in a compiled lex function by running it on short words.

All states of a generated lexer are numbered, and it can be started in each of them. Its callbacks show what it does
with a word. States that behave alike on every probing word count as one state; where two of them lead to states that
do not, the word that tells those apart, one character longer, becomes a probing word. This is Moore's minimisation
with queries in place of a table.

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
from decoder.grammar.dfa import ASCII, NO_TOKEN, CharacterMove, Dfa, Row, save
from decoder.grammar.lex_function import MARK, SKIP, LexFunction, Trace, Word
from decoder.grammar.pinned import capsule, shipped_path
from decoder.grammar.tables import NO_LEXING, Tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_LAST_CODE_POINT = 0x10FFFF
_SURROGATES = range(0xD800, 0xE000)
_DEAD_STATES_AT_THE_END = 64
"""So many numbers in a row without any reaction: the function has no more states."""
_WORDS_PER_ROUND = 40
_SAMPLE = 3000
"""Non-ASCII characters tried in every state; the others are then classified by a few states."""


class Learner:
    """Finds the minimal automaton of one lex function."""

    def __init__(self, function: LexFunction, roots: Sequence[int]) -> None:
        self._trace = function.trace
        self._roots = roots
        self._count = self._count_states()
        self._starts, self._classes, beyond = self._character_classes()
        self._alphabet = [*range(1, ASCII), *beyond]
        self._words: list[Word] = [(), *((code,) for code in self._alphabet)]

    def learn(self) -> Dfa:
        """The automaton; some probing word distinguishes each two of its states.

        A state of the function is known by its vector, what it does with each probing word. States with equal vectors
        are one state of the automaton, numbered in the order in which their vectors were first seen.
        """
        while True:
            vectors = [tuple(self._trace(state, word) for word in self._words) for state in range(self._count)]
            numbers: dict[tuple[Trace, ...], int] = {}
            number_of = [numbers.setdefault(vector, len(numbers)) for vector in vectors]
            identify = _Identifier(self._trace, self._words, list(numbers))
            rows = [[identify(state, code) for code in self._alphabet] for state in range(self._count)]
            new_words = self._distinguishing_words(rows, number_of, list(numbers))
            if not new_words:
                return self._automaton(rows, number_of, list(numbers))
            self._words += new_words[:_WORDS_PER_ROUND]

    def _count_states(self) -> int:
        """How many states the function has: a number that is no state does nothing with any word."""
        words: list[Word] = [(), *((code,) for code in range(1, ASCII)), (0x4E2D,)]
        last = max(self._roots)
        state = 0
        while state <= last + _DEAD_STATES_AT_THE_END:
            if state > last and any(self._trace(state, word) for word in words):
                last = state
            state += 1
        return last + 1

    def _character_classes(self) -> tuple[list[int], list[int], list[int]]:
        """Runs of non-ASCII characters that all states treat alike: first code points, classes, examples."""
        draw = random.Random(1)  # noqa: S311 - a fixed sample, not a secret
        sample = [0x85, 0xA0, 0xB7, 0xE9, 0x300, 0x660, 0x2028, 0x2029, 0x3000, 0x4E2D, 0xFEFF, 0xFFFF, 0x1F600]
        sample += [draw.randrange(ASCII, _LAST_CODE_POINT + 1) for _ in range(_SAMPLE)]
        sample += [draw.randrange(ASCII, 0x3000) for _ in range(_SAMPLE)]
        sample = [code for code in sample if code not in _SURROGATES]
        witnesses = self._witnesses(sample)
        known: dict[tuple[Trace, ...], int] = {}
        starts: list[int] = []
        classes: list[int] = []
        examples: list[int] = []
        for code in range(ASCII, _LAST_CODE_POINT + 1):
            number = classes[-1] if code in _SURROGATES else None
            if number is None:
                answer = tuple(self._trace(state, (code,)) for state in witnesses)
                number = known.setdefault(answer, len(known))
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
        self, rows: list[list[CharacterMove | None]], number_of: list[int], vectors: list[tuple[Trace, ...]]
    ) -> list[Word]:
        """Words that distinguish states which behaved alike so far, but lead to different states."""
        first_of: dict[int, int] = {}
        new_words: dict[Word, None] = {}
        known = set(self._words)
        for state, number in enumerate(number_of):
            other = first_of.setdefault(number, state)
            for code, mine, theirs in zip(self._alphabet, rows[state], rows[other], strict=True):
                if mine == theirs:
                    continue
                if mine is None or theirs is None:
                    raise GrammarError("a lex function that answers the same question differently")
                ends = zip(self._words, vectors[mine.target], vectors[theirs.target], strict=True)
                word = (code, *next(word for word, a, b in ends if a != b))
                if word not in known:
                    new_words[word] = None
                break
        return list(new_words)

    def _automaton(
        self, rows: list[list[CharacterMove | None]], number_of: list[int], vectors: list[tuple[Trace, ...]]
    ) -> Dfa:
        """One state of the automaton for each vector, with the moves of a state of the function that has it."""
        table: list[Row] = []
        accepts: list[int] = []
        for vector in vectors:
            at_once = vector[0]
            accepts.append(at_once[0] - MARK if at_once and at_once[0] >= MARK else NO_TOKEN)
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

    def __init__(
        self, trace: Callable[[int, Word], Trace], words: list[Word], vectors: list[tuple[Trace, ...]]
    ) -> None:
        self._trace = trace
        self._everything = (1 << len(vectors)) - 1
        self._tests: list[tuple[Word, dict[Trace, int]]] = []
        for column, word in enumerate(words):
            masks: dict[Trace, int] = defaultdict(int)
            for number, vector in enumerate(vectors):
                masks[vector[column]] |= 1 << number
            self._tests.append((word, masks))
        self._tests.sort(key=lambda test: -len(test[1]))

    def __call__(self, state: int, code: int) -> CharacterMove | None:
        events = self._trace(state, (code,))
        marks = 1 if events and events[0] >= MARK else 0
        if len(events) <= marks:
            return None
        candidates = self._everything
        for word, masks in self._tests:
            if all(candidates & mask in (0, candidates) for mask in masks.values()):
                continue
            candidates &= masks.get(self._trace(state, (code, *word))[marks + 1 :], 0)
            if candidates & (candidates - 1) == 0:
                break
        if candidates == 0 or candidates & (candidates - 1):
            raise GrammarError(f"a lex function that goes from {state} by {code:#x} to no state of its own")
        return CharacterMove(candidates.bit_length() - 1, events[marks] == SKIP)


def learn(tables: Tables) -> tuple[Dfa, dict[str, int]]:
    """The automaton and the keywords of a grammar. Takes 10 s to minutes; the result is worth keeping."""
    roots = sorted({mode.lex_state for mode in tables.modes if mode.lex_state != NO_LEXING})
    tokens = Learner(LexFunction(tables.raw.lex_function), roots).learn()
    keywords = tables.raw.keyword_lex_function
    return tokens, Learner(LexFunction(keywords), [0]).learn().words() if keywords else {}


def _end_with_input() -> None:
    while os.read(sys.stdin.fileno(), 1):  # not through a buffer, whose lock could not be had at the end
        pass
    os._exit(1)  # the parent has ended; files are written whole or not at all


def main() -> None:
    """Write the automata of the installed grammars."""
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
