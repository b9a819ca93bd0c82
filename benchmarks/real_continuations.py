"""Is real code ever refused? Lines and blocks of real files, held to syntax and scope at their own places.

    inscope bench real_continuations javascript --root path/to/node_modules --count 2000

A line, or a block of two to six lines, is taken out of a file that parses. The same text is then written again in its
place, in chunks of 1 to 8 characters, under the constraint with the names that are in scope there. Every refusal is
listed with its rule and name. Refusals of a name that nothing in the file declares, such as a test runner's without its
types, are counted apart: a checker would reject them too.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import Progress

from benchmarks.grammar_corpus import ParsedSource, installed_python, sources
from context_index import language_of
from context_index.globals import global_names
from context_index.scopes import caveats_at, names_at
from context_index.symbols import Language, SymbolContext
from context_index.syntax import parse
from context_index.text import Document
from context_index.undefined import undefined_names
from decoder.constraint.protocol import Constraint, Refusal, Rule
from decoder.constraint.scope import ScopeConstraint
from decoder.grammar import Entries
from decoder.lexical import at_cursor
from lsp_server.paths import existing

if TYPE_CHECKING:
    from collections.abc import Iterator

_PER_FILE = 12
"""Line numbers that are drawn in a file."""
_LARGEST_FILE = 20_000
"""Characters."""
_LONGEST_LINE = 200
"""Characters."""
_LONGEST_BLOCK = 6
"""Lines."""
_LONGEST_CHUNK = 8
"""Characters that are written at a time."""
_SHOWN = 40
"""Characters before a refusal that are printed with it."""
_NEEDED = {"lines": 0.995, "blocks": 0.985}
"""The shares that must be accepted."""


@dataclass(frozen=True, slots=True)
class TakenText:
    """A text that was taken out of a file."""

    source: ParsedSource
    start: int
    end: int

    @property
    def text(self) -> str:
        """What was taken out."""
        return self.source.text[self.start : self.end]


@dataclass(slots=True)
class ContinuationTally:
    """What became of the continuations of one kind."""

    files: int = 0
    tried: int = 0
    accepted: int = 0
    advances: int = 0
    """Chunks that a rule was asked about."""
    seconds: float = 0.0
    """The time of all advances."""
    refusals: list[tuple[TakenText, Refusal, int]] = field(default_factory=list)
    """Each with the number of characters that were accepted before it."""
    undeclared: Counter[str] = field(default_factory=Counter)
    """Names that were refused and that nothing in their file declares."""


def places(source: ParsedSource, draw: random.Random, *, blocks: bool) -> Iterator[TakenText]:
    """Some lines of a file, or blocks of lines that leave no bracket open, without the first line's indentation."""
    text = source.text
    starts = [0, *(at + 1 for at, character in enumerate(text) if character == "\n")]
    for number in draw.sample(range(len(starts)), min(_PER_FILE, len(starts))):
        count = draw.randint(2, _LONGEST_BLOCK) if blocks else 1
        if number + count >= len(starts):
            continue
        lines = [text[starts[n] : starts[n + 1] - 1] for n in range(number, number + count)]
        indentation = len(lines[0]) - len(lines[0].lstrip())
        if not lines[0].strip() or not lines[-1].strip() or max(map(len, lines)) > _LONGEST_LINE:
            continue
        if any(len(line) - len(line.lstrip()) < indentation for line in lines if line.strip()):
            continue
        place = TakenText(source, starts[number] + indentation, starts[number + count] - 1)
        if not blocks or _is_whole(place):
            yield place


def _is_whole(place: TakenText) -> bool:
    """Whether a text begins in code, and closes all brackets that it opens and no others."""
    language = language_of(place.source.path.name) or Language.PYTHON
    before = at_cursor(place.source.text[: place.start], language=language)
    after = at_cursor(place.source.text[: place.end], language=language)
    return before.in_code and before.frames == after.frames


def refusal(
    language: Language, entries: Entries, place: TakenText, draw: random.Random, tally: ContinuationTally
) -> tuple[Refusal, int] | None:
    """The refusal of a text at its own place, and how many characters precede it; None if all of it is accepted."""
    text = place.source.text
    prefix, suffix = text[: place.start], text[place.end :]
    syntax = parse(Document(place.source.path.as_uri(), language, prefix + suffix))
    names = {**global_names(language), **names_at(syntax, place.start)}
    symbols = SymbolContext(language, names, complete=not caveats_at(syntax, place.start))
    entry = entries.enter(prefix + suffix, len(prefix))
    return first_refusal(ScopeConstraint.of(entry, symbols), place.text, draw, tally)


def first_refusal(
    rule: Constraint, written: str, draw: random.Random, tally: ContinuationTally
) -> tuple[Refusal, int] | None:
    """A rule's first refusal of a text that is written in random chunks, and how many characters precede the chunk.

    None if the whole text is accepted. The advances and their time are added to the tally.
    """
    at = 0
    started = time.perf_counter()
    refused = None
    while at < len(written):
        chunk = written[at : at + draw.randint(1, _LONGEST_CHUNK)]
        following = rule.advance(chunk)
        tally.advances += 1
        if isinstance(following, Refusal):
            refused = following, at
            break
        rule, at = following, at + len(chunk)
    tally.seconds += time.perf_counter() - started
    return refused


def _undeclared_name(language: Language, place: TakenText, refused: Refusal, at: int) -> str:
    """The whole name that is refused, if nothing in the file declares it; else nothing.

    The refusal has only as much of the name as was written, so that the name is looked up in the file.
    """
    text, what = place.source.text, refused.what
    start = text.rfind(what, place.start, place.start + at + len(what) + _LONGEST_CHUNK)
    if refused.rule is not Rule.SCOPE or start < 0:
        return ""
    syntax = parse(Document(place.source.path.as_uri(), language, text))
    name = syntax.text(syntax.node_at(start, start + len(what)))
    return name if name in undefined_names(syntax, global_names(language)) else ""


def measure(
    language: Language, roots: list[Path], count: int, seed: int, until: float, *, blocks: bool, progress: Progress
) -> ContinuationTally:
    """Try `count` continuations of one kind; no more files are begun after `until` on `time.monotonic`'s clock."""
    draw = random.Random(seed)  # noqa: S311 - reproducible, no secret
    tally = ContinuationTally()
    task = progress.add_task(f"{language} {'blocks' if blocks else 'lines'}", total=count)
    for source in sources(language, roots, seed, largest=_LARGEST_FILE):
        if tally.tried >= count or time.monotonic() > until:
            break
        tally.files += 1
        entries = Entries(language)
        from_end = sorted(places(source, draw, blocks=blocks), key=lambda place: -place.start)
        for place in from_end:  # `entries` has then read the lines above each place but the first
            refused = refusal(language, entries, place, draw, tally)
            if refused is not None and (name := _undeclared_name(language, place, *refused)):
                tally.undeclared[name] += 1
                continue
            tally.tried += 1
            tally.accepted += refused is None
            if refused is not None:
                tally.refusals.append((place, *refused))
            progress.advance(task)
    return tally


def main() -> int:
    """Measure and print what was refused; 1 if a smaller share than `_NEEDED` was accepted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("language", type=Language, choices=list(Language), nargs="?", default=Language.PYTHON)
    parser.add_argument("--root", type=existing, action="append", help="where files are looked for")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kinds", nargs="*", choices=_NEEDED, default=list(_NEEDED), help="default: both")
    parser.add_argument("--seconds", type=float, default=math.inf, help="end each kind after about this time")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    roots = [root.resolve() for root in arguments.root or installed_python()]
    console = Console(stderr=True)
    result: dict[str, object] = {"language": str(arguments.language)}
    is_enough = True
    with Progress(console=console) as progress:
        for kind in arguments.kinds:
            tally = measure(
                arguments.language,
                roots,
                arguments.count,
                arguments.seed,
                time.monotonic() + arguments.seconds,
                blocks=kind == "blocks",
                progress=progress,
            )
            share = tally.accepted / max(1, tally.tried)
            is_enough = is_enough and share >= _NEEDED[kind]
            result[kind] = {
                "files": tally.files,
                "tried": tally.tried,
                "accepted": tally.accepted,
                "share": round(share, 4),
                "microseconds_per_advance": round(1e6 * tally.seconds / max(1, tally.advances), 1),
                "refused": [_describe(place, refused, at) for place, refused, at in tally.refusals],
                "undeclared": tally.undeclared,
                "classes": Counter(str(refused.rule) for _, refused, _ in tally.refusals),
            }
    print(json.dumps(result, indent=None if arguments.json else 1))
    return 0 if is_enough else 1


def _describe(place: TakenText, refused: Refusal, at: int) -> str:
    """A line for people: what was refused, after what, and where."""
    before = place.text[max(0, at - _SHOWN) : at]
    line = place.source.text.count("\n", 0, place.start) + 1
    return f"{refused.rule} {refused.what!r} after {before!r} ({place.source.path}:{line})"


if __name__ == "__main__":
    raise SystemExit(main())
