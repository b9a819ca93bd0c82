"""Holding a decode step to a grammar: what it costs here, and in the engines that compute masks.

    inscope bench constraint --size 32000 --size 150000

All engines are driven over the same snippets in the same tokens. A step of ours asks about the tokens that a model
prefers; what the rare step costs at which all of its best ones are refused is measured apart, at preferences drawn at
random. So are advances within long tokens and in real files, and whole prefixes. Vocabularies are learned on the spot.
"""

from __future__ import annotations

import argparse
import gc
import random
from dataclasses import dataclass
from itertools import islice
from statistics import mean
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np
from rich.console import Console
from rich.table import Table
from tokenizers import Tokenizer

from benchmarks.constraint_engines import installed
from benchmarks.constraint_snippets import SNIPPETS
from benchmarks.constraint_vocabulary import tokenizer
from benchmarks.grammar_corpus import installed_python, sources
from context_index.symbols import Language
from decoder.choice import choose
from decoder.constraint.protocol import Refusal, Report, Rule
from decoder.constraint.state import ConstraintState
from decoder.grammar import Grammar, State
from decoder.models.vocabulary import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.constraint_engines import Engine

_SIZES = (32_000, 150_000)
"""Tokens of the vocabularies."""
_LONG = 12_000
_FILES = 12
_LONGEST = 3_000
_PLACES = 200
"""In files, at which a walk is asked for."""
_INSIDE = {
    "template": (Language.JAVASCRIPT, "x = `", "some text in a template, "),
    "block comment": (Language.JAVASCRIPT, "x = 1\n/*", "words in a comment\n * "),
    "docstring": (Language.PYTHON, 'x = """', "some words in a docstring\n"),
}


def main() -> None:
    """Measure and print one table for each vocabulary, then the figures of ours alone."""
    arguments = _arguments()
    engines, missing = installed()
    console = Console()
    for sentence in missing:
        console.print(sentence)
    for tokens in map(tokenizer, arguments.size or _SIZES):
        texts = [tokens.encode(snippet).ids for snippet in SNIPPETS]
        _settle()
        console.print(_compared(engines, tokens, texts, arguments.rounds))
        _walks(console, "the steps of the snippets", Language.JAVASCRIPT, tokens, _steps(tokens, texts))
        _walks(console, "places in installed Python files", Language.PYTHON, tokens, _places())
    _alone(console)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, action="append", help="tokens in the vocabulary (32000 and 150000)")
    parser.add_argument("--rounds", type=int, default=20)
    return parser.parse_args()


def _compared(engines: Sequence[Engine], tokens: Tokenizer, texts: list[list[int]], rounds: int) -> Table:
    """A row for each engine, ours first."""
    table = Table(title=f"{tokens.get_vocab_size():,} tokens, {sum(map(len, texts))} steps a round")
    times = ("step mean", "p50", "p99", "first round")
    for column in ("engine", *times, "set-up", "scope change", "x ours", "cannot express"):
        table.add_column(column)
    ours = None
    for engine in engines:
        figures = engine.run(tokens, texts * rounds)
        steps = sorted(figures.steps)
        average, first = mean(steps), mean(figures.steps[: sum(map(len, texts))])
        ours = ours or average
        table.add_row(
            engine.name,
            *(f"{seconds * 1e6:,.0f} us" for seconds in (average, _at(steps, 0.5), _at(steps, 0.99), first)),
            f"{figures.set_up * 1e3:.1f} ms",
            "-" if figures.scope_change is None else f"{figures.scope_change * 1e3:.1f} ms",
            f"x{average / ours:.1f}",
            engine.cannot,
        )
    return table


def _walks(console: Console, what: str, language: Language, tokens: Tokenizer, places: list[str]) -> None:
    """What a choice costs whose preferences say nothing of the place."""
    vocabulary, grammar = _vocabulary(tokens), Grammar.load(language)
    draw = np.random.default_rng(1)
    times = []
    for place in places:
        state = grammar.start().advance(place)
        if state is None:
            raise ValueError(f"{place[-60:]!r} was refused")
        constraint = ConstraintState((Parses(state),))
        preferences = draw.normal(size=vocabulary.size)
        started = perf_counter()
        chosen = choose(preferences, constraint, vocabulary)
        if chosen is not None and chosen.walked:
            times.append(perf_counter() - started)
    times.sort()
    console.print(
        f"a walk at {len(times)} of {len(places)} {what}: mean {mean(times) * 1e3:.2f} ms, "
        f"p50 {_at(times, 0.5) * 1e3:.2f}, p99 {_at(times, 0.99) * 1e3:.1f}"
        if times
        else f"no walk at {len(places)} {what}"
    )


@dataclass(frozen=True, slots=True)
class Parses:
    """The rule that what is written parses so far."""

    state: State

    def advance(self, text: str) -> Parses | Refusal:
        """The rule after `text`."""
        state = self.state.advance(text)
        return Refusal(Rule.SYNTAX, text) if state is None else Parses(state)

    def may_stop(self) -> Refusal | None:
        """Nothing is said of the end."""
        return Refusal(Rule.SYNTAX, "the end")

    def report(self) -> Report:
        """Nothing is left open."""
        return Report()


def _vocabulary(tokens: Tokenizer) -> Vocabulary:
    """The tokens that write whole characters; the others write nothing here."""
    pieces = [tokens.decode([token]) for token in range(tokens.get_vocab_size())]
    written = [b"" if "\ufffd" in piece else piece.encode() for piece in pieces]
    return Vocabulary(written, encode=lambda text: tokens.encode(text).ids, special={}, end=frozenset())


def _steps(tokens: Tokenizer, texts: list[list[int]]) -> list[str]:
    """The snippets as far as written at each step."""
    return [tokens.decode(text[:length]) for text in texts for length in range(len(text))]


def _places() -> list[str]:
    """Beginnings of files, cut anywhere."""
    draw = random.Random(1)  # noqa: S311 - the same each time
    files = list(islice(sources(Language.PYTHON, installed_python(), seed=1, largest=12_000), _FILES))
    return [
        text[: draw.randrange(min(len(text), _LONGEST))] for text in (draw.choice(files).text for _ in range(_PLACES))
    ]


def _alone(console: Console) -> None:
    """Advances within long tokens, and whole prefixes."""
    for name, (language, head, body) in _INSIDE.items():
        begun = Grammar.load(language).start().advance(head)
        if begun is None:
            raise ValueError(f"{head!r} was refused")
        text = (body * (_LONG // len(body) + 1))[:_LONG]
        times = sorted(_advance_times(begun, text, 2, 5))
        console.print(
            f"advance of 2-5 characters in a {name} of {_LONG:,}: "
            f"mean {mean(times) * 1e6:.1f} us, p50 {_at(times, 0.5) * 1e6:.1f}, p99 {_at(times, 0.99) * 1e6:.1f}"
        )
    files = islice(sources(Language.PYTHON, installed_python(), seed=1, largest=12_000), _FILES)
    times = sorted(
        time for file in files for time in _advance_times(Grammar.load(Language.PYTHON).start(), file.text, 2, 5)
    )
    console.print(
        f"advance of 2-5 characters in {_FILES} installed Python files: "
        f"mean {mean(times) * 1e6:.1f} us, p50 {_at(times, 0.5) * 1e6:.1f}, p99 {_at(times, 0.99) * 1e6:.1f}"
    )
    text = "".join(SNIPPETS) * 60
    times = sorted(_advance_times(Grammar.load(Language.JAVASCRIPT).start(), f"function f() {{\n{text}", 2, 5))
    console.print(
        f"advance of 2-5 characters in code: mean {mean(times) * 1e6:.1f} us, p99 {_at(times, 0.99) * 1e6:.1f}"
    )
    started = perf_counter()
    Grammar.load(Language.JAVASCRIPT).start().advance(f"function f() {{\n{text}")
    console.print(f"prefix: {len(text) / (perf_counter() - started) / 1e3:,.0f} KB/s")


def _settle() -> None:
    """Let the collector look at nothing that was made before: the listing of a corpus is no part of what is timed."""
    gc.collect()
    gc.freeze()


def _advance_times(state: State, text: str, shortest: int, longest: int) -> list[float]:
    draw = random.Random(1)  # noqa: S311 - the same each time
    times: list[float] = []
    _settle()
    at = 0
    while at < len(text):
        chunk = text[at : at + draw.randint(shortest, longest)]
        started = perf_counter()
        following = state.advance(chunk)
        times.append(perf_counter() - started)
        if following is None:
            raise ValueError(f"{chunk!r} was refused")
        state, at = following, at + len(chunk)
    return times


def _at(ordered: list[float], share: float) -> float:
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)]


if __name__ == "__main__":
    main()
