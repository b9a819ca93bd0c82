"""What verification and the constraint say of C: true rests of lines, and the same with one name changed.

    inscope bench c_family --sources FOLDER            the table, at the frozen places
    inscope bench c_family --sources FOLDER --draw     draw the places, once

FOLDER holds the unpacked sources of three packages of Debian 12 (`apt-get source lua5.4 libyaml zlib`); Lua's are
unpacked without patches (`dpkg-source --skip-patches -x`), and its folder is called `lua-5.4.4`. A place is before a
word of a line in a function's body. Half of the places are in finished files. At the others everything between the rest
of the line and the function's end is missing, the closing brace included.

accepted      The verifier is given the true rest of the line, and accepts it.
intact wrong  Places that are left out, as clangd reports an error at the rest of the line in the intact file.
mutants       A mutant is the rest with one name changed. It counts if clangd reports more errors for it in the
              finished file; `refused` is the share of these that the verifier rejects.
sound         The constraint accepts the true rest to its end.
free          Places at which the text above does not parse, so that the constraint says nothing.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from benchmarks.documents import reported_errors
from benchmarks.shares import share
from benchmarks.timing import machine_line
from context_index import Diagnostic, Document, Language, Node, Syntax, Workspace, parse
from decoder.constraint.protocol import Refusal
from decoder.constraint.scope import ScopeConstraint
from decoder.grammar import Entries
from lsp_server.engine.verification import Candidate, Rejected, Verified, Verifier

_PLACES = Path(__file__).with_name("places") / "c-heldout.jsonl"
_PACKAGES = ("libyaml-0.2.5", "lua-5.4.4", "zlib-1.2.13.dfsg")
_OF_EACH = 50
"""Places of a package in each state: finished or not."""
_SEED = 63
"""By it the places are drawn, so that they are always the same."""
_LARGEST = 200_000
"""Bytes; larger files are left out."""
_WORD = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True, slots=True)
class CPlace:
    """One place: the rest of a line that is taken away. Offsets are code points of the file."""

    package: str
    path: str
    digest: str
    """The hash of the file as it was when the place was drawn."""
    start: int
    end: int
    """The rest of the line, which is taken away, is from `start` to `end`."""
    below: int
    """Where the text after the cursor begins: at `end`, or at the function's end in an unfinished file."""
    mutant: str
    """The rest with one name changed; empty where it has none."""

    @property
    def is_finished(self) -> bool:
        """Whether nothing but the rest is missing."""
        return self.below == self.end


@dataclass(frozen=True, slots=True)
class CResult:
    """What was said at one place."""

    place: CPlace
    is_intact: bool
    """Whether clangd reports no error at the rest of the line in the intact file."""
    is_accepted: bool
    """Whether the verifier accepts the true rest."""
    why: str
    """The rejections' codes and messages; empty where there is none."""
    seconds: float
    """How long the verifier took for the true rest."""
    is_mutant_wrong: bool
    """Whether clangd reports more errors for the mutant than for the true rest."""
    is_mutant_refused: bool
    is_sound: bool | None
    """Whether the constraint accepts the true rest; None where the text above does not parse."""


def main() -> int:
    """Draw the places, or measure at those that were drawn, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sources", type=Path, required=True, help="the folder of the unpacked packages")
    parser.add_argument("--draw", action="store_true", help="draw the places anew instead of measuring")
    parser.add_argument("--sample", type=int, default=0, help="measure at so many places of each package and state")
    parser.add_argument("--examples", type=int, default=0, help="print so many true rests that are refused")
    arguments = parser.parse_args()
    if arguments.draw:
        if _PLACES.exists():
            parser.error(f"the places are drawn already: {_PLACES}")
        rows = (json.dumps(asdict(place)) for place in draw_places(arguments.sources))
        _PLACES.write_text("".join(f"{row}\n" for row in rows), "utf-8")
        return 0
    results = [*measure(arguments.sources, arguments.sample)]
    print("\n".join(_table(results)))
    refused = [result for result in results if result.is_intact and not result.is_accepted]
    for result in refused[: arguments.examples]:
        print(json.dumps({**asdict(result.place), "why": result.why}))
    print(machine_line())
    return 0


# Drawing


def draw_places(sources: Path) -> Iterator[CPlace]:
    """Draw the places by a fixed seed: equally many of each package and state."""
    draw = random.Random(_SEED)  # noqa: S311 -- a sample
    for package in _PACKAGES:
        files = [file for file in sorted((sources / package).rglob("*.c")) if file.stat().st_size < _LARGEST]
        for is_finished in (True, False):
            taken: set[tuple[Path, int]] = set()
            while len(taken) < _OF_EACH:
                path = draw.choice(files)
                place = _drawn_in(path, sources / package, draw, is_finished=is_finished)
                if place is not None and (path, place.end) not in taken:
                    taken.add((path, place.end))
                    yield place


def _drawn_in(path: Path, root: Path, draw: random.Random, *, is_finished: bool) -> CPlace | None:
    """A place in a file; None where what was drawn is no identifier of code, or has a comment after it."""
    text = _text(path)
    syntax = parse(Document(path.as_uri(), Language.C, text))
    bodies = [body for node in syntax.root.children if (body := _body(node)) is not None]
    if not bodies:
        return None
    body_start, body_end = syntax.span(draw.choice(bodies))
    line_starts = [start for start in syntax.document.lines if body_start < start < body_end]
    line_start = draw.choice(line_starts) if line_starts else 0
    line_end = text.find("\n", line_start)
    words = [word.start() for word in _WORD.finditer(text, line_start, line_end)] if line_start else []
    if not words or syntax.node_at(words[0]).type in ("comment", "string_content"):
        return None
    start = draw.choice(words)
    rest = text[start:line_end].rstrip()
    if "/*" in rest or "//" in rest or rest.endswith("\\") or syntax.node_at(start).type != "identifier":
        return None
    changed = draw.choice([*_WORD.finditer(rest)])
    mutant = f"{rest[: changed.end()]}q{rest[changed.end() :]}"
    end = start + len(rest)
    below = end if is_finished else body_end
    return CPlace(root.name, path.relative_to(root).as_posix(), _digest(text), start, end, below, mutant)


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "replace").replace("\r\n", "\n")


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:16]


def _body(node: Node) -> Node | None:
    """The body of a function's definition; None for any other node."""
    return node.child_by_field_name("body") if node.type == "function_definition" else None


# Measuring


def places(sample: int = 0) -> list[CPlace]:
    """The places that were drawn; with a sample, only the first so many of each package and state."""
    rows = [CPlace(**json.loads(line)) for line in _PLACES.read_text("utf-8").splitlines()]
    counts: Counter[tuple[str, bool]] = Counter()
    sampled = []
    for place in rows:
        counts[place.package, place.is_finished] += 1
        if not sample or counts[place.package, place.is_finished] <= sample:
            sampled.append(place)
    return sampled


def measure(sources: Path, sample: int) -> Iterator[CResult]:
    """Measure at each place, one package after the other."""
    wanted = places(sample)
    for package in _PACKAGES:
        of_package = [place for place in wanted if place.package == package]
        with closing(Workspace([sources / package])) as workspace:
            verifier = Verifier(workspace)
            for place in of_package:
                yield _result(place, sources / package, workspace, verifier)
        print(f"{package}: {len(of_package)} places", file=sys.stderr)


def _result(place: CPlace, root: Path, workspace: Workspace, verifier: Verifier) -> CResult:
    """Ask clangd, the verifier and the constraint about one place.

    Raises:
        SystemExit: the file is not the one at which the place was drawn.
    """
    path = root / place.path
    text = _text(path)
    if _digest(text) != place.digest:
        raise SystemExit(f"{path} is not the file at which the place was drawn")
    rest = text[place.start : place.end]
    syntax = parse(Document(path.as_uri(), Language.C, text[: place.start] + text[place.below :]))
    errors = reported_errors(Document(path.as_uri(), Language.C, text), workspace)
    mutated = text[: place.start] + place.mutant + text[place.end :]
    mutant_errors = reported_errors(Document(path.as_uri(), Language.C, mutated), workspace)
    at_rest = _count_touching(errors, place.start, len(rest))
    is_mutant_wrong = _count_touching(mutant_errors, place.start, len(place.mutant)) > at_rest
    began = time.perf_counter()
    verdict = verifier.verify(syntax, Candidate(place.start, rest))
    seconds = time.perf_counter() - began
    rejections = verdict.rejections if isinstance(verdict, Rejected) else ()
    mutant_verdict = verifier.verify(syntax, Candidate(place.start, place.mutant)) if is_mutant_wrong else None
    return CResult(
        place,
        is_intact=not at_rest,
        is_accepted=isinstance(verdict, Verified),
        why=", ".join(f"{rejection.code}: {rejection.message}" for rejection in rejections),
        seconds=seconds,
        is_mutant_wrong=is_mutant_wrong,
        is_mutant_refused=isinstance(mutant_verdict, Rejected),
        is_sound=_is_sound(workspace, syntax, place.start, rest),
    )


def _count_touching(errors: Iterable[Diagnostic], start: int, length: int) -> int:
    """How many of the errors touch the `length` code points from `start`."""
    return sum(error.start <= start + length and max(error.end, error.start + 1) > start for error in errors)


@lru_cache(maxsize=4)
def _entries(_uri: str) -> Entries:
    """The automaton's states in one file; its places share those of the lines above them."""
    return Entries(Language.C)


def _is_sound(workspace: Workspace, syntax: Syntax, offset: int, rest: str) -> bool | None:
    """Whether the constraint accepts the true rest; None where the text above does not parse."""
    entry = _entries(syntax.document.uri).enter(syntax.document.text, offset)
    if entry.state is None:
        return None
    state = ScopeConstraint.of(entry, workspace.context(syntax, offset)).advance(rest)
    return not isinstance(state, Refusal)


def _table(results: Sequence[CResult]) -> Iterator[str]:
    """A row for finished files, and one for unfinished ones; see the module's docstring for the columns."""
    yield "| file | true rests | accepted, % | intact wrong | mutants | refused, % | ms, p50 / p95 | sound | free |"
    yield "|---" * 9 + "|"
    for is_finished, name in ((True, "finished"), (False, "unfinished")):
        of_state = [result for result in results if result.place.is_finished is is_finished]
        intact = [result for result in of_state if result.is_intact]
        mutants = [result for result in of_state if result.is_mutant_wrong]
        times = sorted(result.seconds * 1e3 for result in of_state)
        sound = [result.is_sound for result in of_state if result.is_sound is not None]
        cells = (
            name, len(intact), share(result.is_accepted for result in intact), len(of_state) - len(intact),
            len(mutants), share(result.is_mutant_refused for result in mutants),
            f"{statistics.median(times):.0f} / {times[int(0.95 * (len(times) - 1))]:.0f}",
            f"{sum(sound)} of {len(sound)}", len(of_state) - len(sound),
        )  # fmt: skip
        yield f"| {' | '.join(map(str, cells))} |"


if __name__ == "__main__":
    raise SystemExit(main())
