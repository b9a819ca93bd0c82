"""Suggestions as they are shown, judged in the finished file by programs that are not ours.

    inscope bench suggestions --out DIRECTORY              every language; goes on where an earlier run ended
    inscope bench suggestions --out DIRECTORY --count 100  as many places of each
    inscope bench suggestions --sum DIRECTORY              the table of what has been measured

At each frozen place the rest of the line is taken out and asked for, as a person asks for it: no probability is too
low, and checkers are waited for, so that no deadline decides anything. What is shown is inserted into the file with all
edits that come with it. Then `tsc -p` or `ty check`, and `node --check` or `compile`, judge the file, as processes of
their own. `benchmarks/suggestions_judges.py` says which of their errors count as new. Every answer is a line of
`DIRECTORY/answers.jsonl`, every verdict a line of `DIRECTORY/verdicts.jsonl`.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import zip_longest
from pathlib import Path

from benchmarks import json_lines
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

_READING_S = 20.0
"""The most seconds in which the names and n-grams of a package are counted, before anything is asked there."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A cursor in a file of a project, at which a suggestion is asked for."""

    name: str
    """A key that is the same in every run."""
    root: Path
    path: Path
    language: str
    kind: str
    text: str
    """The file as it is when the suggestion is asked for."""
    offset: int
    rest: str = ""
    """What the authors wrote at the cursor, and `text` lacks."""

    @classmethod
    def of(cls, place: Place) -> Spot:
        """A frozen place, without the rest of its line."""
        shared = place.name, place.root, place.path, place.language, place.kind
        return cls(*shared, place.torn, place.offset, place.rest)


@dataclass(frozen=True, slots=True)
class PlaceAnswer:
    """What was answered at a place; a line of a file."""

    place: str
    language: str
    kind: str
    text: str
    replaces: int
    """Characters after the cursor that the text replaces."""
    imports: int
    """Edits that come with the text."""
    withheld: str
    """Why nothing was shown; empty where something was."""
    reason: str
    verified: str
    """The level to which the text is verified."""
    exact: bool
    """Whether the text is what the authors wrote."""
    file: Finished | None
    """The file with the suggestion, for the judges; None where nothing was shown."""


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
    """Package by package, ask at the spots that have no answer in the folder, and judge answers without a verdict.

    The packages' languages take turns, so that a run that ends early is a sample of all languages.

    Args:
        model: None for the built-in one.
    """
    by_root: dict[Path, list[Spot]] = defaultdict(list)
    for spot in spots:
        by_root[spot.root].append(spot)
    roots = [[root for root, of_root in by_root.items() if of_root[0].language == language] for language in LANGUAGES]
    in_turn = [root for turn in zip_longest(*roots) for root in turn if root is not None]
    host = ModelHost(ModelSettings(name=model, device="cpu", idle_unload_seconds=None))
    known = {answer.place: answer for answer in answers(folder)}
    judged = verdicts(folder)
    try:
        for root in in_turn:
            of_root = by_root[root]
            unasked = [spot for spot in of_root if spot.name not in known]
            for answer in _ask(root, unasked, host) if unasked else ():
                known[answer.place] = answer
                json_lines.append(folder / "answers.jsonl", asdict(answer))
            unjudged = [known[spot.name].file for spot in of_root if spot.name not in judged]
            files = [file for file in unjudged if file is not None]
            for file, errors in _judge(root, files, is_python=of_root[0].language == "python") if files else ():
                row = {"place": file.name, "errors": [asdict(error) for error in errors]}
                json_lines.append(folder / "verdicts.jsonl", row)
    finally:
        host.close()


def _ask(root: Path, spots: Sequence[Spot], host: ModelHost) -> Iterator[PlaceAnswer]:
    """Ask at the spots of one package, in their order."""
    workspace = Workspace((root,))
    workspace.index()
    service = Service(workspace, host)
    try:
        service.read_name_counts(_READING_S)
        for spot in spots:
            syntax = parse(document(spot.path, spot.text))
            workspace.update(syntax.document)
            request = CompletionRequest(syntax, spot.offset, SamplingOptions())
            suggestion = service.complete(request)
            text, replaces, edits = suggestion.text, suggestion.replaces, suggestion.additional_edits
            candidate = Candidate(spot.offset, text, replaces, edits)
            file = finished(spot.name, root, syntax, candidate, workspace) if text else None
            workspace.forget(syntax.document.uri)
            yield PlaceAnswer(
                place=spot.name,
                language=spot.language,
                kind=spot.kind,
                text=text,
                replaces=replaces,
                imports=len(edits),
                withheld=str(suggestion.withheld or ""),
                reason=suggestion.reason,
                verified=str(suggestion.verified),
                exact=text.rstrip() == spot.rest,
                file=file,
            )
    finally:
        workspace.close()


def _judge(root: Path, files: Sequence[Finished], *, is_python: bool) -> Iterator[tuple[Finished, tuple[Error, ...]]]:
    """The new errors of each file of one package."""
    with tempfile.TemporaryDirectory() as scratch:
        yield from JudgedProject(root, Path(scratch), is_python=is_python).new_errors(files)


def answers(folder: Path) -> list[PlaceAnswer]:
    """The answers that a folder has so far."""
    read = []
    for row in json_lines.rows(folder / "answers.jsonl"):
        file = row["file"]
        if file is not None:
            pairs = {name: tuple(map(tuple, file[name])) for name in ("extent", "around", "reported")}
            file = Finished(**{**file, **pairs})
        read.append(PlaceAnswer(**{**row, "file": file}))
    return read


def verdicts(folder: Path) -> dict[str, tuple[Error, ...]]:
    """The new errors at each place that a folder has a verdict of so far; mostly none."""
    rows = json_lines.rows(folder / "verdicts.jsonl")
    return {row["place"]: tuple(Error(**error) for error in row["errors"]) for row in rows}


def table(asked: Sequence[PlaceAnswer], judged: Mapping[str, Sequence[Error]]) -> Iterator[str]:
    """A row for each language, and after them a line for each new error.

    Args:
        judged: The new errors by place; a place without a verdict is missing.
    """
    yield (
        "| language | places | shown % | exact % | judged | with a new error | another slip in a torn file "
        "| verified: types, names, syntax |"
    )
    yield "|---|---|---|---|---|---|---|---|"
    for language in (*LANGUAGES, "all"):
        of_language = [answer for answer in asked if language in (answer.language, "all")]
        if not of_language:
            continue
        shown = [answer for answer in of_language if answer.text]
        with_verdict = [answer for answer in shown if answer.place in judged]
        with_errors = [answer for answer in with_verdict if judged[answer.place]]
        wrong = sum(any(error.touches for error in judged[answer.place]) for answer in with_errors)
        levels = (sum(answer.verified == level for answer in shown) for level in ("types", "names", "syntax"))
        cells = (
            f"{language} | {len(of_language)}",
            str(share(bool(answer.text) for answer in of_language)),
            str(share(answer.exact for answer in of_language)),
            f"{len(with_verdict)} | {wrong} | {len(with_errors) - wrong} | {', '.join(map(str, levels))}",
        )
        yield f"| {' | '.join(cells)} |"
    for answer in asked:
        for error in judged.get(answer.place, ()):
            yield f"{answer.place} ({answer.verified}) {answer.text!r}: {error.judge} {error.code} {error.message}"


if __name__ == "__main__":
    sys.exit(main())
