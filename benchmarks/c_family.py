"""What verification and the constraint say of C: true rests of lines, and the same with one name changed.

    inscope bench c_family --sources FOLDER            the table, at the frozen places
    inscope bench c_family --sources FOLDER --draw     draw the places, once

FOLDER holds the unpacked sources of three packages of Debian 12 (`apt-get source lua5.4 libyaml zlib`). A place is
before a word of a line in a function's body; half of them are in finished files, half in files whose function ends at
the cursor's line, without what closes it. The verifier is handed the true rest of the line. Left out, their number
given, are places at whose line clangd reports an error in the intact file. A mutant is the rest with one name changed;
those count for which clangd reports a new error on that line of the finished file. *Sound* is the constraint where it
reads the true rest to its end; where the text above does not parse it says nothing, which is counted apart.
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
"""Places of a package in each state."""
_SEED = 63
_LARGEST = 200_000
_WORD = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True, slots=True)
class CPlace:
    """One place: the rest of a line that is taken away."""

    package: str
    path: str
    digest: str
    """Of the file as it was when the place was drawn."""
    start: int
    end: int
    """Of the rest of the line."""
    below: int
    """Where the text goes on after the cursor: the line's end, or the function's in an unfinished file."""
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
    is_accepted: bool
    why: str
    seconds: float
    is_mutant_wrong: bool
    is_mutant_refused: bool
    is_sound: bool | None
    """None where the text above does not parse."""


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
        rows = (json.dumps(asdict(one)) for one in drawn(arguments.sources))
        _PLACES.write_text("".join(f"{row}\n" for row in rows), "utf-8")
        return 0
    found = [*measured(arguments.sources, arguments.sample)]
    print("\n".join(_table(found)))
    refused = [one for one in found if one.is_intact and not one.is_accepted]
    for one in refused[: arguments.examples]:
        print(json.dumps({**asdict(one.place), "why": one.why}))
    print(machine_line())
    return 0


# Drawing


def drawn(sources: Path) -> Iterator[CPlace]:
    """The places, by one seed: equally many of each package and state."""
    draw = random.Random(_SEED)  # noqa: S311 -- a sample
    for package in _PACKAGES:
        files = [one for one in sorted((sources / package).rglob("*.c")) if one.stat().st_size < _LARGEST]
        for is_finished in (True, False):
            taken: set[tuple[Path, int]] = set()
            while len(taken) < _OF_EACH:
                path = draw.choice(files)
                place = _drawn_in(path, sources / package, draw, is_finished=is_finished)
                if place is not None and (path, place.end) not in taken:
                    taken.add((path, place.end))
                    yield place


def _drawn_in(path: Path, root: Path, draw: random.Random, *, is_finished: bool) -> CPlace | None:
    text = path.read_bytes().decode("utf-8", "replace").replace("\r\n", "\n")
    syntax = parse(Document(path.as_uri(), Language.C, text))
    bodies = [body for node in syntax.root.children if (body := _body(node)) is not None]
    if not bodies:
        return None
    start, end = syntax.span(draw.choice(bodies))
    lines = [line for line in syntax.document.lines if start < line < end]
    line = draw.choice(lines) if lines else 0
    stop = text.find("\n", line)
    words = [word.start() for word in _WORD.finditer(text, line, stop)] if line else []
    if not words or syntax.node_at(words[0]).type in ("comment", "string_content"):
        return None
    cut = draw.choice(words)
    rest = text[cut:stop].rstrip()
    if "/*" in rest or "//" in rest or rest.endswith("\\") or syntax.node_at(cut).type != "identifier":
        return None
    names = [*_WORD.finditer(rest)]
    changed = draw.choice(names)
    mutant = f"{rest[: changed.end()]}q{rest[changed.end() :]}"
    digest = sha256(text.encode()).hexdigest()[:16]
    stop = cut + len(rest)
    below = stop if is_finished else end
    return CPlace(root.name, path.relative_to(root).as_posix(), digest, cut, stop, below, mutant)


def _body(node: Node) -> Node | None:
    return node.child_by_field_name("body") if node.type == "function_definition" else None


# Measuring


def places(sample: int = 0) -> list[CPlace]:
    """Those that were drawn; the first of each package and state."""
    rows = [CPlace(**json.loads(line)) for line in _PLACES.read_text("utf-8").splitlines()]
    counts: Counter[tuple[str, bool]] = Counter()
    kept = []
    for one in rows:
        counts[one.package, one.is_finished] += 1
        if not sample or counts[one.package, one.is_finished] <= sample:
            kept.append(one)
    return kept


def measured(sources: Path, sample: int) -> Iterator[CResult]:
    """What is said at each place; one package after the other."""
    wanted = places(sample)
    for package in _PACKAGES:
        here = [one for one in wanted if one.package == package]
        with closing(Workspace([sources / package])) as workspace:
            verifier = Verifier(workspace)
            for place in here:
                yield _at(place, sources / package, workspace, verifier)
        print(f"{package}: {len(here)} places", file=sys.stderr)


def _at(place: CPlace, root: Path, workspace: Workspace, verifier: Verifier) -> CResult:
    path = root / place.path
    text = path.read_bytes().decode("utf-8", "replace").replace("\r\n", "\n")
    if sha256(text.encode()).hexdigest()[:16] != place.digest:
        raise SystemExit(f"{path} is not the file at which the place was drawn")
    rest = text[place.start : place.end]
    document = Document(path.as_uri(), Language.C, text[: place.start] + text[place.below :])
    syntax = parse(document)
    intact = _errors(workspace, Document(path.as_uri(), Language.C, text))
    mutated = text[: place.start] + place.mutant + text[place.end :]
    of_mutant = _errors(workspace, Document(path.as_uri(), Language.C, mutated))
    is_wrong = _touching(of_mutant, place.start, len(place.mutant)) > _touching(intact, place.start, len(rest))
    began = time.perf_counter()
    found = verifier.verify(syntax, Candidate(place.start, rest))
    seconds = time.perf_counter() - began
    other = verifier.verify(syntax, Candidate(place.start, place.mutant)) if is_wrong else None
    return CResult(
        place,
        is_intact=not _touching(intact, place.start, len(rest)),
        is_accepted=isinstance(found, Verified),
        why=", ".join(f"{one.code}: {one.message}" for one in found.rejections) if isinstance(found, Rejected) else "",
        seconds=seconds,
        is_mutant_wrong=is_wrong,
        is_mutant_refused=isinstance(other, Rejected),
        is_sound=_is_sound(workspace, syntax, place.start, rest),
    )


def _errors(workspace: Workspace, document: Document) -> list[Diagnostic]:
    asked = workspace.checker_of(document).ask(document, lambda query: query.diagnostics())
    return [one for one in asked.result() if one.is_error]


def _touching(errors: Iterable[Diagnostic], start: int, length: int) -> int:
    return sum(one.start <= start + length and max(one.end, one.start + 1) > start for one in errors)


@lru_cache(maxsize=4)
def _entries(_uri: str) -> Entries:
    """The states of one file, of which places share what is above them."""
    return Entries(Language.C)


def _is_sound(workspace: Workspace, syntax: Syntax, offset: int, rest: str) -> bool | None:
    entry = _entries(syntax.document.uri).enter(syntax.document.text, offset)
    if entry.state is None:
        return None
    state = ScopeConstraint.of(entry, workspace.context(syntax, offset)).advance(rest)
    return not isinstance(state, Refusal)


def _table(found: Sequence[CResult]) -> Iterator[str]:
    yield "| file | true rests | accepted, % | intact wrong | mutants | refused, % | ms, p50 / p95 | sound | free |"
    yield "|---" * 9 + "|"
    for is_finished, name in ((True, "finished"), (False, "unfinished")):
        here = [one for one in found if one.place.is_finished is is_finished]
        judged = [one for one in here if one.is_intact]
        wrong = [one for one in here if one.is_mutant_wrong]
        times = sorted(one.seconds * 1e3 for one in here)
        read = [one.is_sound for one in here if one.is_sound is not None]
        cells = (
            name, len(judged), share(one.is_accepted for one in judged), len(here) - len(judged), len(wrong),
            share(one.is_mutant_refused for one in wrong),
            f"{statistics.median(times):.0f} / {times[int(0.95 * (len(times) - 1))]:.0f}",
            f"{sum(read)} of {len(read)}", len(here) - len(read),
        )  # fmt: skip
        yield f"| {' | '.join(map(str, cells))} |"


if __name__ == "__main__":
    raise SystemExit(main())
