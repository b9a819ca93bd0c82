"""Holding a decode step to a grammar: what it costs here, and in the engines that compute masks.

    python -m benchmarks.constraint --size 32000 --size 150000
    python -m benchmarks.constraint --size 32000 --masks javascript node_modules --masks python site-packages
    python -m benchmarks.constraint --tokenizer tokenizer.json --masks python site-packages

All engines are driven over the same snippets in the same tokens. A step of ours asks about the tokens that a model
prefers, so a mask is measured apart; so are feeds within long tokens and in real files, and whole prefixes. With
`--masks` nothing but masks is measured: one at each step of real files, which is what they cost in a new process.
Vocabularies are learned on the spot, to any `--size`, or those of a model: `--tokenizer` takes its `tokenizer.json`.
"""

from __future__ import annotations

import argparse
import gc
import random
from itertools import islice
from pathlib import Path
from statistics import mean
from time import perf_counter
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from tokenizers import Tokenizer

from benchmarks.constraint_engines import installed
from benchmarks.constraint_masks import FileRun, file_runs, mask_times, set_up
from benchmarks.constraint_snippets import SNIPPETS
from benchmarks.constraint_vocabulary import tokenizer
from benchmarks.grammar_corpus import installed_python, sources
from context_index.symbols import Language
from decoder.grammar import Grammar, State

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.constraint_engines import Engine

_SIZES = (32_000, 150_000)
"""Tokens of the vocabularies."""
_LONG = 12_000
_FILES = 12
_LONGEST = 3_000
_STEPS = 400
_LARGEST = 20_000
_BAR = 1e-3
"""Seconds that a mask is to take on average."""
_MASKS = 200
"""Places in files at which a mask is asked for."""
_INSIDE = {
    "template": (Language.JAVASCRIPT, "x = `", "some text in a template, "),
    "block comment": (Language.JAVASCRIPT, "x = 1\n/*", "words in a comment\n * "),
    "docstring": (Language.PYTHON, 'x = """', "some words in a docstring\n"),
}


def main() -> None:
    """Measure and print one table for each vocabulary, then the figures of ours alone."""
    arguments = _arguments()
    if arguments.masks:
        for tokens in _tokenizers(arguments):
            for language, folder in arguments.masks:
                _masks_of_files(Language(language), Path(folder), tokens, arguments.files, arguments.steps)
        return
    engines, missing = installed()
    console = Console()
    for sentence in missing:
        console.print(sentence)
    for tokens in _tokenizers(arguments):
        texts = [tokens.encode(snippet).ids for snippet in SNIPPETS]
        _settle()
        console.print(_compared(engines, tokens, texts, arguments.rounds))
        if not arguments.no_masks:
            _masks(console, "the steps of the snippets", Language.JAVASCRIPT, tokens, _steps(tokens, texts))
            _masks(console, "places in installed Python files", Language.PYTHON, tokens, _places())
    _alone(console)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, action="append", help="tokens in the vocabulary (32000 and 150000)")
    parser.add_argument("--tokenizer", type=Path, action="append", help="a tokenizer.json, instead or beside")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--no-masks", action="store_true", help="leave masks out")
    parser.add_argument(
        "--masks", nargs=2, action="append", metavar=("LANGUAGE", "FOLDER"), help="masks at each step of files below it"
    )
    parser.add_argument("--files", type=int, default=_FILES, help="so many of them, with --masks")
    parser.add_argument("--steps", type=int, default=_STEPS, help="of each file, with --masks")
    return parser.parse_args()


def _tokenizers(arguments: argparse.Namespace) -> Iterator[Tokenizer]:
    files = arguments.tokenizer or ()
    for size in arguments.size or (() if files else _SIZES):
        yield tokenizer(size)
    for path in files:
        yield Tokenizer.from_file(str(path))


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


def _masks(console: Console, what: str, language: Language, tokens: Tokenizer, places: list[str]) -> None:
    """What masks cost at some places, the first time and again."""
    _settle()
    times = mask_times(language, tokens, places)
    late = sorted(times.first[len(times.first) // 2 :])
    again = sorted(times.again)
    console.print(
        f"mask at {len(again)} {what}: met before, mean {mean(again) * 1e3:.2f} ms, "
        f"p50 {_at(again, 0.5) * 1e3:.2f}, p99 {_at(again, 0.99) * 1e3:.2f}; "
        f"new, all, mean {mean(times.first) * 1e3:.1f} ms; "
        f"second half, mean {mean(late) * 1e3:.1f} ms, p50 {_at(late, 0.5) * 1e3:.2f}, "
        f"p90 {_at(late, 0.9) * 1e3:.1f}"
    )


def _masks_of_files(language: Language, folder: Path, tokens: Tokenizer, files: int, steps: int) -> None:
    """Masks at each step of files, file by file, from an empty memory on."""
    texts = (source.text for source in islice(sources(language, [folder], seed=7, largest=_LARGEST), files))
    _settle()
    runs: list[FileRun] = []
    masks = set_up(language, tokens)
    print(
        f"{language}, {tokens.get_vocab_size():,} tokens: {masks.masker.kinds:,} kinds of {masks.texts:,} texts, "
        f"set up in {masks.seconds:.2f} s of processor time",
        flush=True,
    )
    for number, run in enumerate(file_runs(masks, tokens, texts, steps), 1):
        runs.append(run)
        ordered = sorted(run.steps)
        print(
            f"{language}, {tokens.get_vocab_size():,} tokens, file {number}: {len(ordered)} masks, "
            f"mean {run.mean * 1e3:.2f} ms, p50 {_at(ordered, 0.5) * 1e3:.2f}, p90 {_at(ordered, 0.9) * 1e3:.2f}, "
            f"p99 {_at(ordered, 0.99) * 1e3:.1f}, over 1 ms {sum(time > _BAR for time in ordered)}; "
            f"{run.size / 1e6:.0f} MB",
            flush=True,
        )
    every = [time for run in runs for time in run.steps]
    print(f"{language}: {len(every)} masks in {len(runs)} files, mean {mean(every) * 1e3:.2f} ms of processor time")


def _steps(tokens: Tokenizer, texts: list[list[int]]) -> list[str]:
    """The snippets as far as written at each step."""
    return [tokens.decode(text[:length]) for text in texts for length in range(len(text))]


def _places() -> list[str]:
    """Beginnings of files, cut anywhere."""
    draw = random.Random(1)  # noqa: S311 - the same each time
    files = list(islice(sources(Language.PYTHON, installed_python(), seed=1, largest=12_000), _FILES))
    return [
        text[: draw.randrange(min(len(text), _LONGEST))] for text in (draw.choice(files).text for _ in range(_MASKS))
    ]


def _alone(console: Console) -> None:
    """Feeds within long tokens, and whole prefixes."""
    for name, (language, head, body) in _INSIDE.items():
        begun = Grammar.load(language).start().feed(head)
        if begun is None:
            raise ValueError(f"{head!r} was refused")
        text = (body * (_LONG // len(body) + 1))[:_LONG]
        times = sorted(_feed_times(begun, text, 2, 5))
        console.print(
            f"feed of 2-5 characters in a {name} of {_LONG:,}: "
            f"mean {mean(times) * 1e6:.1f} us, p50 {_at(times, 0.5) * 1e6:.1f}, p99 {_at(times, 0.99) * 1e6:.1f}"
        )
    files = islice(sources(Language.PYTHON, installed_python(), seed=1, largest=12_000), _FILES)
    times = sorted(
        time for file in files for time in _feed_times(Grammar.load(Language.PYTHON).start(), file.text, 2, 5)
    )
    console.print(
        f"feed of 2-5 characters in {_FILES} installed Python files: "
        f"mean {mean(times) * 1e6:.1f} us, p50 {_at(times, 0.5) * 1e6:.1f}, p99 {_at(times, 0.99) * 1e6:.1f}"
    )
    text = "".join(SNIPPETS) * 60
    times = sorted(_feed_times(Grammar.load(Language.JAVASCRIPT).start(), f"function f() {{\n{text}", 2, 5))
    console.print(f"feed of 2-5 characters in code: mean {mean(times) * 1e6:.1f} us, p99 {_at(times, 0.99) * 1e6:.1f}")
    started = perf_counter()
    Grammar.load(Language.JAVASCRIPT).start().feed(f"function f() {{\n{text}")
    console.print(f"prefix: {len(text) / (perf_counter() - started) / 1e3:,.0f} KB/s")


def _settle() -> None:
    """Let the collector look at nothing that was made before: the listing of a corpus is no part of what is timed."""
    gc.collect()
    gc.freeze()


def _feed_times(state: State, text: str, shortest: int, longest: int) -> list[float]:
    draw = random.Random(1)  # noqa: S311 - the same each time
    times: list[float] = []
    _settle()
    at = 0
    while at < len(text):
        chunk = text[at : at + draw.randint(shortest, longest)]
        started = perf_counter()
        following = state.feed(chunk)
        times.append(perf_counter() - started)
        if following is None:
            raise ValueError(f"{chunk!r} was refused")
        state, at = following, at + len(chunk)
    return times


def _at(ordered: list[float], share: float) -> float:
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)]


if __name__ == "__main__":
    main()
