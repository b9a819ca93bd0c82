"""Holding a decode step to a grammar: what it costs here, and in the engines that compute masks.

    inscope bench constraint --size 32000 --size 150000

All engines are driven over the same snippets in the same tokens. A step of ours asks about the tokens that a model
prefers. Three things are measured for ours alone: the rare step at which all preferred tokens are refused and the
vocabulary is walked, at preferences drawn at random; advances within long tokens and in real files; and reading a whole
prefix. Vocabularies are learned on the spot.
"""

from __future__ import annotations

import argparse
import gc
import random
from itertools import islice
from statistics import mean
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np
from rich.console import Console
from rich.table import Table
from tokenizers import Tokenizer

from benchmarks.constraint_engines import find_engines
from benchmarks.constraint_snippets import SNIPPETS
from benchmarks.constraint_vocabulary import tokenizer
from benchmarks.grammar_corpus import installed_python, sources
from benchmarks.syntax_rule import SyntaxConstraint
from benchmarks.timing import percentile
from context_index.symbols import Language
from decoder.choice import choose
from decoder.constraint.state import ConstraintState
from decoder.grammar import Grammar, State
from decoder.models.vocabulary import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.constraint_engines import ConstraintEngine

_WIDTH = 180
"""Columns of the table, which does not depend on a terminal's width."""
_SIZES = (32_000, 150_000)
"""Tokens of the vocabularies."""
_LONG = 12_000
"""Characters of a long token."""
_FILES = 12
"""Installed Python files that are read."""
_LONGEST = 3_000
"""The most characters of a file before a place."""
_PLACES = 200
"""Places in files at which a walk is asked for."""
_INSIDE = {
    "template": (Language.JAVASCRIPT, "x = `", "some text in a template, "),
    "block comment": (Language.JAVASCRIPT, "x = 1\n/*", "words in a comment\n * "),
    "docstring": (Language.PYTHON, 'x = """', "some words in a docstring\n"),
}
"""Kinds of long tokens: the language, the text up to the token's inside, and a text that is repeated there."""


def main() -> None:
    """Measure and print one table for each vocabulary, then the figures of ours alone."""
    arguments = _arguments()
    engines, missing = find_engines()
    console = Console(width=_WIDTH)
    for sentence in missing:
        console.print(sentence)
    for tokens in map(tokenizer, arguments.size or _SIZES):
        texts = [tokens.encode(snippet).ids for snippet in SNIPPETS]
        _settle()
        console.print(_compare(engines, tokens, texts, arguments.rounds))
        print(_time_walks("steps of the snippets", Language.JAVASCRIPT, tokens, _steps(tokens, texts)))
        print(_time_walks("places in installed Python files", Language.PYTHON, tokens, _places()))
    _print_ours_alone()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, action="append", help="tokens in the vocabulary (32000 and 150000)")
    parser.add_argument("--rounds", type=int, default=20)
    return parser.parse_args()


def _compare(engines: Sequence[ConstraintEngine], tokens: Tokenizer, texts: list[list[int]], rounds: int) -> Table:
    """Drive each engine over the texts in all rounds; a table with a row for each, ours first."""
    in_a_round = sum(map(len, texts))
    table = Table(title=f"{tokens.get_vocab_size():,} tokens, {in_a_round} steps a round")
    times = ("step mean", "p50", "p99", "first round")
    for column in ("engine", *times, "set-up", "scope change", "x ours", "cannot express"):
        table.add_column(column)
    ours = None
    for engine in engines:
        figures = engine.run(tokens, texts * rounds)
        steps = figures.steps
        average = mean(steps)
        ours = ours or average
        seconds = average, percentile(steps, 0.5), percentile(steps, 0.99), mean(steps[:in_a_round])
        table.add_row(
            engine.name,
            *(f"{value * 1e6:,.0f} us" for value in seconds),
            f"{figures.set_up * 1e3:.1f} ms",
            "-" if figures.scope_change is None else f"{figures.scope_change * 1e3:.1f} ms",
            f"x{average / ours:.1f}",
            engine.cannot,
        )
    return table


def _time_walks(what: str, language: Language, tokens: Tokenizer, places: list[str]) -> str:
    """What a choice costs if the model's preferences are random, so that the vocabulary is walked.

    Args:
        what: What the places are, for the line that is returned.
        places: The text before each place.

    Raises:
        ValueError: the grammar refuses the text before a place.
    """
    vocabulary, grammar = _vocabulary(tokens), Grammar.load(language)
    draw = np.random.default_rng(1)
    times = []
    for place in places:
        state = grammar.start().advance(place)
        if state is None:
            raise ValueError(f"{place[-60:]!r} was refused")
        constraint = ConstraintState((SyntaxConstraint(state),))
        preferences = draw.normal(size=vocabulary.size)
        started = perf_counter()
        chosen = choose(preferences, constraint, vocabulary)
        if chosen is not None and chosen.walked:
            times.append(perf_counter() - started)
    return f"walks at {len(times)} of {len(places)} {what}: {_microseconds(times)}"


def _vocabulary(tokens: Tokenizer) -> Vocabulary:
    """The vocabulary of a tokenizer, in which tokens that write a part of a character write nothing."""
    pieces = [tokens.decode([token]) for token in range(tokens.get_vocab_size())]
    written = [b"" if "\ufffd" in piece else piece.encode() for piece in pieces]
    return Vocabulary(written, encode=lambda text: tokens.encode(text).ids, special={}, end=frozenset())


def _steps(tokens: Tokenizer, texts: list[list[int]]) -> list[str]:
    """The text before each token of each snippet."""
    return [tokens.decode(text[:length]) for text in texts for length in range(len(text))]


def _places() -> list[str]:
    """Beginnings of installed Python files, each cut at a random character."""
    draw = random.Random(1)  # noqa: S311 - the same each time
    files = list(islice(sources(Language.PYTHON, installed_python(), seed=1, largest=12_000), _FILES))
    return [
        text[: draw.randrange(min(len(text), _LONGEST))] for text in (draw.choice(files).text for _ in range(_PLACES))
    ]


def _print_ours_alone() -> None:
    """Time advances within long tokens and in whole files, and the reading of a whole prefix; print each."""
    for name, (language, head, body) in _INSIDE.items():
        inside = Grammar.load(language).start().advance(head)
        if inside is None:
            raise ValueError(f"{head!r} was refused")
        text = (body * (_LONG // len(body) + 1))[:_LONG]
        print(f"advances of 2 to 5 characters in a {name} of {_LONG:,}: {_microseconds(_advance_times(inside, text))}")
    files = islice(sources(Language.PYTHON, installed_python(), seed=1, largest=12_000), _FILES)
    python, javascript = (Grammar.load(language).start() for language in (Language.PYTHON, Language.JAVASCRIPT))
    times = [seconds for file in files for seconds in _advance_times(python, file.text)]
    print(f"the same in {_FILES} installed Python files: {_microseconds(times)}")
    text = "function f() {\n" + "".join(SNIPPETS) * 60
    print(f"the same in JavaScript: {_microseconds(_advance_times(javascript, text))}")
    started = perf_counter()
    javascript.advance(text)
    print(f"reading {len(text):,} characters at once: {len(text) / (perf_counter() - started) / 1e3:,.0f} KB/s")


def _microseconds(times: list[float]) -> str:
    """Mean, median and 99th percentile of times in seconds, as text."""
    if not times:
        return "none"
    cells = {"mean": mean(times), "p50": percentile(times, 0.5), "p99": percentile(times, 0.99)}
    return ", ".join(f"{name} {seconds * 1e6:,.1f} us" for name, seconds in cells.items())


def _settle() -> None:
    """Exempt all objects that exist now from garbage collection: walking a corpus is no part of what is timed."""
    gc.collect()
    gc.freeze()


def _advance_times(state: State, text: str) -> list[float]:
    """Seconds of each advance over a text in chunks of 2 to 5 characters.

    Raises:
        ValueError: a chunk was refused.
    """
    draw = random.Random(1)  # noqa: S311 - the same each time
    times: list[float] = []
    _settle()
    at = 0
    while at < len(text):
        chunk = text[at : at + draw.randint(2, 5)]
        started = perf_counter()
        following = state.advance(chunk)
        times.append(perf_counter() - started)
        if following is None:
            raise ValueError(f"{chunk!r} was refused")
        state, at = following, at + len(chunk)
    return times


if __name__ == "__main__":
    main()
