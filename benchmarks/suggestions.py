"""Suggestions as they are shown, judged in the finished file by programs that are not ours.

    inscope bench suggestions --out DIRECTORY              every language; goes on where an earlier run ended
    inscope bench suggestions --out DIRECTORY --count 100  as many places of each
    inscope bench suggestions --sum DIRECTORY              the table of what has been measured

The rest of a line is taken out at each frozen place and asked for, as a person asks for it (invoked: no least
probability), and checkers are waited for, so that nothing is decided by time. What is shown goes into the file with all
that comes with it. Then `tsc -p` or `ty check`, and `node --check` or `compile`, as processes of their own, must report
no error on the lines of what the text became part of, or right after it, that the file had neither before nor intact,
and none of syntax anywhere. Where the file parsed neither before nor after, errors of syntax elsewhere are counted on
their own: of several slips a parser reports another one first. Every answer is a line of `DIRECTORY/answers.jsonl`,
every verdict one of `DIRECTORY/verdicts.jsonl`.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from benchmarks.documents import document
from benchmarks.places import LANGUAGES, NAMES, Place, load
from benchmarks.shares import share
from benchmarks.suggestions_judges import Error, Finished, JudgedProject, finished
from benchmarks.timing import machine_line
from context_index import Workspace, parse
from decoder import SamplingOptions
from lsp_server.engine.model_host import ModelHost, ModelSettings
from lsp_server.engine.service import Service
from lsp_server.engine.suggestion import CompletionRequest
from lsp_server.engine.verification import Candidate
from lsp_server.paths import existing

_READING = 20.0
"""Seconds in which the names and n-grams of a package are counted, before anything is asked there."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A cursor in a file of a project, as it is asked about."""

    name: str
    root: Path
    path: Path
    language: str
    kind: str
    text: str
    offset: int
    rest: str = ""
    """What the authors wrote there."""

    @classmethod
    def of(cls, place: Place) -> Spot:
        """A frozen place, without the rest of its line."""
        at = place.name, place.root, place.path, place.language, place.kind
        return cls(*at, place.torn, place.offset, place.rest)


@dataclass(frozen=True, slots=True)
class PlaceAnswer:
    """What was answered at a place; a line of a file."""

    place: str
    language: str
    kind: str
    text: str
    replaces: int
    imports: int
    withheld: str
    reason: str
    verified: str
    exact: bool
    file: Finished | None
    """Where something was shown."""


def main() -> int:
    """Ask, judge and add up."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, help="where everything is kept, and from where it goes on")
    parser.add_argument("--sum", type=existing, help="measure nothing, add up what such a folder holds")
    parser.add_argument("--set", default="heldout", choices=NAMES, help="of places (default: heldout)")
    parser.add_argument("--languages", nargs="*", choices=LANGUAGES, default=list(LANGUAGES))
    parser.add_argument("--count", type=int, default=600, help="places of a language (default: 600)")
    parser.add_argument("--model", help="default: the built-in one")
    arguments = parser.parse_args()
    if not arguments.sum and not arguments.out:
        parser.error("either --out or --sum is needed")
    folder = arguments.sum or arguments.out
    if arguments.out:
        folder.mkdir(parents=True, exist_ok=True)
        places = [
            place for language in arguments.languages for place in load(arguments.set, language)[: arguments.count]
        ]
        measure([Spot.of(place) for place in places], folder, arguments.model)
    for line in table(answers(folder), verdicts(folder)):
        print(line)
    print(machine_line())
    return 0


def measure(spots: Sequence[Spot], folder: Path, model: str | None = None) -> None:
    """Package by package, the languages in turn: ask for what has no answer yet, and judge what has no verdict."""
    by_root: dict[Path, list[Spot]] = defaultdict(list)
    for spot in spots:
        by_root[spot.root].append(spot)
    roots = [[root for root, here in by_root.items() if here[0].language == language] for language in LANGUAGES]
    in_turn = [root for some in zip_longest(*roots) for root in some if root is not None]
    host = ModelHost(ModelSettings(name=model, device="cpu", idle_unload_seconds=None))
    known = {one.place: one for one in answers(folder)}
    judged = verdicts(folder)
    try:
        for root in in_turn:
            here = by_root[root]
            asked = [spot for spot in here if spot.name not in known]
            for answer in _answers(root, asked, host) if asked else ():
                known[answer.place] = answer
                _append(folder / "answers.jsonl", asdict(answer))
            shown = [known[spot.name].file for spot in here if spot.name not in judged]
            files = [one for one in shown if one is not None]
            for file, errors in _judged(root, files, is_python=here[0].language == "python") if files else ():
                _append(folder / "verdicts.jsonl", {"place": file.name, "errors": [asdict(one) for one in errors]})
    finally:
        host.close()


def _answers(root: Path, spots: Sequence[Spot], host: ModelHost) -> Iterator[PlaceAnswer]:
    workspace = Workspace((root,))
    workspace.index()
    service = Service(workspace, host)
    try:
        service.read_name_counts(_READING)
        for spot in spots:
            syntax = parse(document(spot.path, spot.text))
            workspace.update(syntax.document)
            request = CompletionRequest(syntax, spot.offset, SamplingOptions())
            found = service.complete(request)
            candidate = Candidate(spot.offset, found.text, found.replaces, found.additional_edits)
            file = finished(spot.name, root, syntax, candidate, workspace) if found.text else None
            workspace.forget(syntax.document.uri)
            yield PlaceAnswer(
                place=spot.name,
                language=spot.language,
                kind=spot.kind,
                text=found.text,
                replaces=found.replaces,
                imports=len(found.additional_edits),
                withheld=str(found.withheld or ""),
                reason=found.reason,
                verified=str(found.verified),
                exact=found.text.rstrip() == spot.rest,
                file=file,
            )
    finally:
        workspace.close()


def _judged(root: Path, files: Sequence[Finished], *, is_python: bool) -> Iterator[tuple[Finished, tuple[Error, ...]]]:
    with tempfile.TemporaryDirectory() as scratch:
        yield from JudgedProject(root, Path(scratch), is_python=is_python).new_errors(files)


def _append(path: Path, row: Mapping[str, object]) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row, ensure_ascii=False) + "\n")


def answers(folder: Path) -> list[PlaceAnswer]:
    """What a folder holds so far."""
    found = []
    for row in _rows(folder / "answers.jsonl"):
        file = row["file"]
        if file is not None:
            pairs = {name: tuple(map(tuple, file[name])) for name in ("extent", "around", "reported")}
            file = Finished(**{**file, **pairs})
        found.append(PlaceAnswer(**{**row, "file": file}))
    return found


def verdicts(folder: Path) -> dict[str, tuple[Error, ...]]:
    """What a folder holds so far, by place."""
    rows = _rows(folder / "verdicts.jsonl")
    return {row["place"]: tuple(Error(**one) for one in row["errors"]) for row in rows}


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.open(encoding="utf-8")] if path.is_file() else []


def table(asked: Sequence[PlaceAnswer], judged: Mapping[str, Sequence[Error]]) -> Iterator[str]:
    """What was shown, and how it was judged; then each error."""
    yield (
        "| language | places | shown % | exact % | judged | with a new error | another slip in a torn file "
        "| verified: types, names, syntax |"
    )
    yield "|---|---|---|---|---|---|---|---|"
    for language in (*LANGUAGES, "all"):
        here = [one for one in asked if language in (one.language, "all")]
        if not here:
            continue
        shown = [one for one in here if one.text]
        of_them = [one for one in shown if one.place in judged]
        wrong = [any(error.touches for error in judged[one.place]) for one in of_them if judged[one.place]]
        levels = (sum(one.verified == level for one in shown) for level in ("types", "names", "syntax"))
        cells = (
            f"{language} | {len(here)}",
            str(share(bool(one.text) for one in here)),
            str(share(one.exact for one in here)),
            f"{len(of_them)} | {sum(wrong)} | {len(wrong) - sum(wrong)} | {', '.join(map(str, levels))}",
        )
        yield f"| {' | '.join(cells)} |"
    for one in asked:
        for error in judged.get(one.place, ()):
            yield f"{one.place} ({one.verified}) {one.text!r}: {error.judge} {error.code} {error.message}"


if __name__ == "__main__":
    sys.exit(main())
