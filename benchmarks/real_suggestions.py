"""Is real code ever withheld? Lines, rests of lines and blocks of real files, as suggestions at their own places.

    python -m benchmarks.real_suggestions typescript --root path/to/node_modules --count 2000

What was taken out of a file that parses is given to the last looks at a suggestion (`lsp_server.checks.review`), which
parse the file with it and ask whether it is finished and refers to what is there. No model is needed. What is withheld,
or shown in part, is listed with the reason. A text that refers to what nothing in its file declares, such as a test
runner's functions, is counted apart.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import re
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.grammar_corpus import Source, installed_python, sources
from benchmarks.real_continuations import Place, places
from context_index import Document, SymbolContext, depth_at, names_at, parse, undefined_names
from context_index.globals import global_names
from context_index.scopes import caveats_at
from context_index.symbols import Language
from decoder import SamplingOptions
from lsp_server.checks.review import Review
from lsp_server.suggestion import CompletionRequest

KINDS = ("lines", "rests", "blocks")
_LARGEST = 20_000
_CUT = re.compile(r"(?<=[\s.(\[{,])(?=[\w$'\"\[({])")
_WORD = re.compile(r"\w")
_SHOWN = 100
_NEEDED = 0.995


@dataclass(slots=True)
class Tally:
    """What became of the suggestions of one kind."""

    tried: int = 0
    undeclared: int = 0
    """Withheld for a name that nothing in the file declares."""
    reasons: Counter[str] = field(default_factory=Counter)
    told: list[str] = field(default_factory=list)


def taken_out(source: Source, draw: random.Random) -> Iterator[tuple[str, Place]]:
    """Texts of a file, each with its kind; of a line also a rest of it."""
    for blocks in (False, True):
        for place in places(source, draw, blocks=blocks):
            yield "blocks" if blocks else "lines", place
            cuts = [] if blocks else [cut.start() for cut in _CUT.finditer(place.text, 1)]
            if cuts:
                yield "rests", Place(source, place.start + draw.choice(cuts), place.end)


def tell(language: Language, place: Place, tally: Tally) -> None:
    """Give a text to the last looks, and count what they say."""
    text, wanted = place.source.text, place.text.rstrip()
    prefix, suffix = text[: place.start], text[place.end :]
    syntax = parse(Document(place.source.path.as_uri(), language, prefix + suffix))
    names = {**global_names(language), **names_at(syntax, place.start)}
    complete = not caveats_at(syntax, place.start)
    symbols = SymbolContext(language, names, complete=complete, depth=depth_at(syntax, place.start))
    request = CompletionRequest(syntax, place.start, SamplingOptions(), imports=False)
    verdict, judged = Review(request, symbols).of(wanted)
    why = verdict.withheld or judged.withheld or ("" if verdict.text.rstrip() == wanted else "shown in part")
    missing = undefined_names(parse(Document(place.source.path.as_uri(), language, text)), names) if why else ()
    if judged.withheld and any(repr(name) in judged.reason for name in missing):
        tally.undeclared += 1
        return
    tally.tried += 1
    if why:
        line = text.count("\n", 0, place.start) + 1
        tally.reasons[str(why)] += 1
        tally.told.append(f"{why} {judged.reason} {wanted[-_SHOWN:]!r} ({place.source.path}:{line})")


def main() -> int:
    """Measure, print what was withheld, and fail where too much was."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("language", type=Language, choices=list(Language), nargs="?", default=Language.PYTHON)
    parser.add_argument("--root", type=Path, action="append", help="where files are looked for")
    parser.add_argument("--count", type=int, default=2000, help="texts, all kinds together (default: 2000)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=math.inf, help="end after about this time")
    arguments = parser.parse_args()
    draw = random.Random(arguments.seed)  # noqa: S311 - reproducible, no secret
    until = time.monotonic() + arguments.seconds
    tallies = {kind: Tally() for kind in KINDS}
    files = 0
    for source in sources(arguments.language, arguments.root or installed_python(), arguments.seed, largest=_LARGEST):
        if sum(tally.tried for tally in tallies.values()) >= arguments.count or time.monotonic() > until:
            break
        files += 1
        for kind, place in taken_out(source, draw):
            if _WORD.search(place.text):
                tell(arguments.language, place, tallies[kind])
    tried = sum(tally.tried for tally in tallies.values())
    withheld = sum(tally.reasons.total() for tally in tallies.values())
    told = {
        kind: {"tried": one.tried, "undeclared": one.undeclared, "withheld": one.reasons, "which": one.told}
        for kind, one in tallies.items()
    }
    print(json.dumps({"language": arguments.language, "files": files, "share shown": 1 - withheld / max(1, tried)}))
    print(json.dumps(told, indent=1))
    return 0 if withheld <= (1 - _NEEDED) * tried else 1


if __name__ == "__main__":
    raise SystemExit(main())
