"""What holding a decode step to all rules costs beside the model's forward, the waiting for a type checker left out.

    inscope bench scope_cost --root node_modules --places 60

Lines and blocks of real files are taken out and written again at their own places, in tokens, through everything that
a request's constraint asks: brackets, syntax, names in scope, and a type checker whose answers are there at once
(nothing is known, so every place is asked about and none refused). Each place has three requests: the first that the
document ever had there (`fresh`), the same once more (`again`), and one after a name was added to the scope
(`changed scope`).
Processor time, so that others on the machine count little, with garbage collected as in the server, in a process that
has answered a few requests elsewhere.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from statistics import mean, median

from benchmarks.constraint_vocabulary import tokenizer
from benchmarks.grammar_corpus import installed_python, sources
from benchmarks.real_continuations import Place, places
from benchmarks.syntax_rule import SyntaxConstraint
from benchmarks.timing import line, machine, machine_line
from context_index.globals import global_names
from context_index.scopes import caveats_at, names_at
from context_index.symbols import Language, Name, NameKind, Origin, SymbolContext
from context_index.syntax import parse
from context_index.text import Document
from decoder.constraint.balance import Balance
from decoder.constraint.documents import DocumentStates
from decoder.constraint.protocol import Refusal
from decoder.constraint.scope import ScopeConstraint, prepare
from decoder.constraint.state import ConstraintState
from lsp_server.cli.values import existing
from lsp_server.garbage_collection import freeze_objects

KINDS = ("syntax alone", "fresh", "again", "changed scope")
_LARGEST = 20_000
_PER_FILE = 4
_ADDED = "added_to_the_scope"
_WARM = 20
"""Places that are not counted: what a process looks up in the grammar's tables, it looks up once."""


@dataclass(slots=True)
class Tally:
    """Seconds of processor time."""

    set_up: list[float] = field(default_factory=list)
    steps: list[float] = field(default_factory=list)

    def figures(self) -> dict[str, float]:
        """Microseconds a step, and milliseconds to make the constraint."""
        ordered = sorted(self.steps)
        return {
            "steps": len(ordered),
            "mean us": round(mean(ordered) * 1e6, 1),
            "p50": round(median(ordered) * 1e6, 1),
            "p99": round(ordered[int(len(ordered) * 0.99)] * 1e6, 1),
            "set-up ms": round(median(self.set_up) * 1e3, 2),
        }


@dataclass(frozen=True, slots=True)
class Request:
    """A place, and all that is known there."""

    place: Place
    symbols: SymbolContext
    prefix: str
    suffix: str
    pieces: tuple[str, ...]

    def constraint(self, states: DocumentStates, symbols: SymbolContext, *, names: bool) -> ConstraintState | None:
        """As a completion makes it; None where the automaton finds no way in."""
        language, text, at = symbols.language, self.prefix + self.suffix, len(self.prefix)
        entry = states.enter(str(self.place.source.path), language, text, at)
        balance = Balance.at(self.prefix, self.suffix, python=language.is_python)
        if not names:
            syntax = SyntaxConstraint.of(entry)
            return None if syntax is None else ConstraintState((balance, syntax))
        if entry.state is None:
            return None
        scope = ScopeConstraint.of(entry, symbols)
        return ConstraintState((balance, scope))


def requests(language: Language, roots: Sequence[Path], count: int, seed: int) -> Iterator[Request]:
    """Places of real files, lines and blocks in turn."""
    draw = random.Random(seed)  # noqa: S311 - reproducible, no secret
    tokens = tokenizer(32_000)
    left = count
    for number, source in enumerate(sources(language, list(roots), seed, largest=_LARGEST)):
        for place in islice(places(source, draw, blocks=number % 2 == 1), min(_PER_FILE, left)):
            prefix, suffix = source.text[: place.start], source.text[place.end :]
            syntax = parse(Document(source.path.as_uri(), language, prefix + suffix))
            names = {**global_names(language), **names_at(syntax, place.start)}
            symbols = SymbolContext(language, names, complete=not caveats_at(syntax, place.start))
            pieces = tuple(tokens.decode([token]) for token in tokens.encode(place.text).ids)
            if "".join(pieces) == place.text:
                left -= 1
                yield Request(place, symbols, prefix, suffix, pieces)
        if not left:
            return


def written(request: Request, states: DocumentStates, symbols: SymbolContext, tally: Tally, *, names: bool) -> None:
    """Make a constraint and advance it over the text."""
    started = time.thread_time()
    constraint = request.constraint(states, symbols, names=names)
    tally.set_up.append(time.thread_time() - started)
    if constraint is None:
        return
    for piece in request.pieces:
        started = time.thread_time()
        following = constraint.advance(piece.encode())
        tally.steps.append(time.thread_time() - started)
        if isinstance(following, Refusal):
            return
        constraint = following


def measure(language: Language, roots: Sequence[Path], count: int, seed: int) -> dict[str, Tally]:
    """All requests of a language; a document's states are there, as where its file is open."""
    tallies = {kind: Tally() for kind in KINDS}
    prepare(language)
    freeze_objects()
    for number, request in enumerate(requests(language, roots, count + _WARM, seed)):
        if number == _WARM:
            tallies = {kind: Tally() for kind in KINDS}
        states = DocumentStates()
        states.read_ahead(str(request.place.source.path), language, request.prefix + request.suffix)
        symbols = request.symbols
        changed = replace(
            symbols, names={**symbols.names, _ADDED: Name(_ADDED, NameKind.VARIABLE, Origin.LOCAL, distance=0)}
        )
        for kind, known in zip(KINDS, (symbols, symbols, symbols, changed), strict=True):
            written(request, states, known, tallies[kind], names=kind != KINDS[0])
    return tallies


def main() -> None:
    """Measure, and print a row for each language and kind of request."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=existing, action="append", help="where scripts are looked for: a node_modules")
    parser.add_argument("--languages", type=Language, nargs="*", choices=list(Language))
    parser.add_argument("--places", type=int, default=60, help="per language")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    scripts = (Language.JAVASCRIPT, Language.TYPESCRIPT) if arguments.root else ()
    found = {}
    for language in arguments.languages or (*scripts, Language.PYTHON):
        roots = installed_python() if language.is_python else arguments.root
        tallies = measure(language, roots, arguments.places, arguments.seed)
        found[str(language)] = {kind: tally.figures() for kind, tally in tallies.items()}
    if arguments.json:
        print(json.dumps({"machine": machine(), "figures": found}))
        return
    print(machine_line())
    for name, rows in found.items():
        line(name, *next(iter(rows.values())))
        for kind, figures in rows.items():
            line(f"  {kind}", *(f"{value:,}" for value in figures.values()))


if __name__ == "__main__":
    main()
