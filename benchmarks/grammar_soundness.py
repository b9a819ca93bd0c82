"""Is what the grammar engine accepts exactly what tree-sitter accepts? Counted on real files.

    inscope bench grammar_soundness prefixes python --count 2000
    inscope bench grammar_soundness mutants javascript --count 5000 --root path/to/node_modules

prefixes     Real files are read in chunks of 1 to 8 characters. Each chunk must be accepted, and each file complete.
mutants      Real files with one token deleted, copied or moved must be refused if tree-sitter finds an error in them,
             and must be accepted if it finds none.
generations  120 random legal tokens are written, which must never get stuck. With at most 64 more tokens the text must
             parse. This is also checked in languages that do not ship with us, if their parsers are installed. If there
             are no files, it starts from nothing and from a sample program.
"""

from __future__ import annotations

import argparse
import random
import time
from bisect import bisect_right
from contextlib import suppress
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
from rich.progress import Progress

from benchmarks.grammar_corpus import TreeJudge, installed_python, mutants, sources
from benchmarks.grammar_generation import check_generations, check_other_generations
from benchmarks.grammar_other_languages import SAMPLES, is_installed
from benchmarks.grammar_tally import GrammarTally
from context_index.symbols import Language
from decoder.grammar import Grammar
from lsp_server.paths import existing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from decoder.grammar import State

_BY_CHARACTER = 20
"""Every so-many-th file is read character by character."""
_WITH_CRLF = 7
"""Every so-many-th file gets Windows line ends, if it still parses with them."""
_PER_FILE = 12
"""Mutants of a file."""


def feed_in_chunks(
    state: State, text: str, draw: random.Random, longest: int, tally: GrammarTally
) -> tuple[State | None, int]:
    """Read a text in chunks of random lengths, up to `longest` characters.

    Returns:
        The state after the text, and its length; or None, and the offset of the chunk that was refused.
    """
    at = 0
    while at < len(text):
        chunk = text[at : at + draw.randint(1, longest)]
        following = tally.advance(state, chunk)
        if following is None:
            return None, at
        state = following
        at += len(chunk)
    return state, at


def states_by_line(grammar: Grammar, text: str) -> list[tuple[int, State]]:
    """The offset of each line and the state there, up to the first line that is refused.

    The mutants of a file are read from these states on, as they share the lines above.
    """
    at, state = 0, grammar.start()
    line_states = [(at, state)]
    for line in text.splitlines(keepends=True):
        following = state.advance(line)
        if following is None:
            break
        at, state = at + len(line), following
        line_states.append((at, state))
    return line_states


def check_prefixes(language: Language, roots: list[Path], seed: int, portable: bool) -> Iterator[GrammarTally]:  # noqa: FBT001 - all checks are called alike
    """Read one file after another; yields the tally after each."""
    grammar = Grammar.load(language, portable=portable)
    judge = TreeJudge.of(language)
    draw = random.Random(seed)  # noqa: S311 - reproducible
    tally = GrammarTally()
    for number, source in enumerate(sources(language, roots, seed)):
        text = source.text
        if number % _WITH_CRLF == 0 and "\r" not in text:
            with_crlf = text.replace("\n", "\r\n")
            if judge.accepts(with_crlf):
                text = with_crlf
        longest = 1 if number % _BY_CHARACTER == 0 else 8
        state, at = feed_in_chunks(grammar.start(), text, draw, longest, tally)
        if state is None or not state.complete():
            excerpt = f"{source.path} at {at}: {text[max(0, at - 60) : at]!r} then {text[at : at + 8]!r}"
            tally.fail("valid, refused", excerpt)
        tally.count("files")
        tally.count("by character", longest == 1)
        tally.count("with CRLF", "\r\n" in text)
        tally.count("with non-ASCII", not text.isascii())
        yield tally


def check_mutants(language: Language, roots: list[Path], seed: int, portable: bool) -> Iterator[GrammarTally]:  # noqa: FBT001 - likewise
    """Break one file after another; yields the tally after each mutant."""
    grammar = Grammar.load(language, portable=portable)
    judge = TreeJudge.of(language)
    draw = random.Random(seed)  # noqa: S311 - reproducible
    tally = GrammarTally()
    for source in sources(language, roots, seed, largest=12_000):
        lines = states_by_line(grammar, source.text)
        for same, mutant in mutants(source, judge, draw, _PER_FILE):
            is_valid = judge.accepts(mutant)
            line_start, line_state = lines[bisect_right(lines, same, key=itemgetter(0)) - 1]
            unchanged = line_state.advance(mutant[line_start:same])
            state, at = (None, 0) if unchanged is None else feed_in_chunks(unchanged, mutant[same:], draw, 8, tally)
            is_accepted = state is not None and state.complete()
            tally.count("valid" if is_valid else "broken")
            excerpt = f"{source.path} at {same}: {mutant[max(0, same - 50) : same + 50]!r}"
            if is_accepted and not is_valid:
                tally.fail("broken, accepted", excerpt)
            if is_valid and not is_accepted:
                tally.fail("valid, refused", f"{excerpt}, refused {at} further on")
            if not is_valid and state is None:
                tally.count("broken, refused before the end")
            yield tally


CHECKS: dict[str, tuple[Callable[[Language, list[Path], int, bool], Iterator[GrammarTally]], str]] = {
    "prefixes": (check_prefixes, "files"),
    "mutants": (check_mutants, "broken"),
    "generations": (check_generations, "generations"),
}
"""Each check, and the count of its tally that `--count` limits."""
OTHERS = tuple(name for name in SAMPLES if name not in tuple(Language))
"""Languages that do not ship with us."""


def _tallies(arguments: argparse.Namespace, parser: argparse.ArgumentParser) -> Iterator[GrammarTally]:
    """Start the check that is asked for; ends the process with a message where it cannot run."""
    name: str = arguments.language
    if name in OTHERS:
        if arguments.check != "generations":
            parser.error(f"of {name} only generations are checked")
        if not is_installed(name):
            parser.error(f"no parser of {name} here: pip install tree-sitter-{name}")
        return check_other_generations(name, arguments.seed, arguments.portable)
    language = Language(name)
    if not (arguments.root or language.family == "python" or arguments.check == "generations"):
        parser.error(f"--root says where files of {name} are, such as a folder of packages")
    roots = arguments.root or installed_python()
    return CHECKS[arguments.check][0](language, roots, arguments.seed, arguments.portable)


def main() -> None:
    """Count, with a progress bar; exit status 1 if anything failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("check", choices=CHECKS)
    parser.add_argument("language", choices=[*Language, *OTHERS])
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--root", type=existing, action="append", help="where files are; for Python what is installed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, help="stop then, with what has been counted: pieces add up")
    parser.add_argument("--portable", action="store_true", help="with the lexer written in Python")
    arguments = parser.parse_args()
    tally, counted = GrammarTally(), CHECKS[arguments.check][1]
    tallies = _tallies(arguments, parser)
    until = time.monotonic() + (arguments.seconds or float("inf"))
    with Progress() as progress, suppress(KeyboardInterrupt):  # what was counted so far is printed
        task = progress.add_task(f"{arguments.check} {arguments.language}", total=arguments.count)
        for tally in tallies:
            done = tally.counts.get(counted, 0)
            progress.update(task, completed=done)
            if done >= arguments.count or time.monotonic() > until:
                break
    for failure in tally.failures:
        print(failure)
    counts = ", ".join(f"{number:,} {what}" for what, number in tally.counts.items())
    memory = psutil.Process().memory_info().rss >> 20
    mean = tally.seconds / max(tally.advances, 1) * 1e6
    advances = f"{tally.advances:,} advances, mean {mean:.0f} us"
    print(f"{arguments.check} {arguments.language}: {counts}; {advances}, {memory} MB")
    raise SystemExit(1 if tally.failures else 0)


if __name__ == "__main__":
    main()
