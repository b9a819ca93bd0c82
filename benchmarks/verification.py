"""What verification refuses of real code, and what it catches of mutants; other programs judge the finished files.

    inscope bench verification --set heldout --out FILE

acceptance  The rest of a line, a member or a block is taken out of a file and verified where it was.
recall      A line is changed: a name, a member, an argument, a literal or an import. Such a mutant counts if `tsc -p`
            or `ty check`, as processes of their own over the finished files, report an error that the intact file
            lacks. If none of these errors is on a line of what the text became part of, the mutant is counted in a row
            of its own, as the product reports such errors and does not reject for them.

FILE gets every refusal of real code, with its cause as far as the judge knows it, and every mutant that was missed.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from benchmarks import places
from benchmarks.documents import document, reported_errors, text_of
from benchmarks.shares import share
from benchmarks.timing import machine, machine_line
from benchmarks.verification_judges import BrokenMutant, ProjectJudge
from benchmarks.verification_places import KINDS, VerifiedStretch, mutants, parsed_files, real_places
from context_index import Document, Workspace, parse
from lsp_server.engine.verification import Candidate, Rejected, Rejection, Unanswered, Unverified, Verified, Verifier
from lsp_server.engine.verification.applied import Applied

_MOST_FILES = 60
"""Files that are read of a package, so that a large one takes a reasonable time."""
_SYNTAX = "syntax"
"""The code of our own rejections for syntax."""
_LISTS = {"refusals", "elsewhere", "missed"}
"""The fields of a report that are too long to print."""
ELSEWHERE = "errors elsewhere only"
"""The kind of mutants whose errors are all elsewhere. The next four are causes of refusals of real code."""
IN_INTACT = "the checker reports it in the intact file"
SUPPRESSED = "a comment in the text silences it in the intact file"
SHIFTED = "it breaks the file's syntax"
UNEXPLAINED = "unexplained"


@dataclass(slots=True)
class VerdictTally:
    """Verdicts over some places."""

    asked: int = 0
    refused: int = 0
    elsewhere: int = 0
    """Accepted, with an error reported elsewhere in the file."""
    milliseconds: list[float] = field(default_factory=list)

    def add(self, found: Verified | Rejected, taken: float) -> None:
        """Count the verdict at one more place, and the milliseconds that it took."""
        self.asked += 1
        self.refused += isinstance(found, Rejected)
        self.elsewhere += isinstance(found, Verified) and bool(found.errors_elsewhere)
        self.milliseconds.append(taken)

    def row(self) -> dict[str, float]:
        """The figures as data; the share of refusals is in per cent, with its standard error."""
        refused = share(number < self.refused for number in range(self.asked))
        return {
            "asked": self.asked,
            "refused": self.refused,
            "percent": round(refused.value, 2),
            "error": round(refused.error, 2),
            "elsewhere only": self.elsewhere,
            "median_ms": round(median(self.milliseconds), 1) if self.milliseconds else 0.0,
        }


@dataclass(slots=True)
class Results:
    """All verdicts of a language."""

    acceptance: dict[str, VerdictTally] = field(default_factory=dict)
    """By kind of real code."""
    recall: dict[str, VerdictTally] = field(default_factory=dict)
    """By kind of mutant."""
    refusals: list[dict[str, object]] = field(default_factory=list)
    """Real code that is refused."""
    elsewhere: list[dict[str, object]] = field(default_factory=list)
    """Real code that is accepted and has new errors elsewhere in the file; it would be refused if those counted."""
    missed: list[dict[str, object]] = field(default_factory=list)
    """Mutants with errors on their lines that are accepted."""
    unverified: Counter[str] = field(default_factory=Counter)
    """By reason, the places that are not counted because the checker judges nothing there, as in unreachable code."""

    def report(self) -> dict[str, object]:
        """The figures and lists as data."""
        return {
            "acceptance": _rows(self.acceptance),
            "causes": Counter(str(refusal["cause"]) for refusal in self.refusals),
            "recall": _rows(self.recall),
            "unverified": self.unverified,
            "refusals": self.refusals,
            "elsewhere": self.elsewhere,
            "missed": self.missed,
        }


def main() -> int:
    """Measure, and print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", choices=places.NAMES, default="heldout", help="of packages (default: heldout)")
    parser.add_argument("--language", choices=places.LANGUAGES, action="append", help="default: all")
    parser.add_argument("--count", type=int, default=240, help="members, and blocks, beside the frozen rests of lines")
    parser.add_argument("--mutants", type=int, default=600, help="drawn; those that the judge calls wrong count")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=("acceptance", "recall"))
    parser.add_argument("--out", type=Path, help="where everything is written, every refusal among it")
    arguments = parser.parse_args()
    report: dict[str, object] = {"machine": machine()}
    for language in arguments.language or places.LANGUAGES:
        roots = list(places.packages(arguments.set, language).values())
        frozen = places.load(arguments.set, language)
        results = Results()
        for root in roots:
            rests_of_lines = [
                VerifiedStretch(place.path, place.offset, place.offset + len(place.rest), "line", place.rest)
                for place in frozen
                if place.root == root
            ]
            _measure_package(root, language, rests_of_lines, results, arguments, packages=len(roots))
        figures = report[language] = results.report()
        short = {key: value for key, value in figures.items() if key not in _LISTS}
        print(language, json.dumps(short, indent=1))
        if arguments.out:
            arguments.out.write_text(json.dumps(report, indent=1, ensure_ascii=False), "utf-8")
    print(machine_line())
    return 0


def _measure_package(
    root: Path,
    language: str,
    rests_of_lines: Sequence[VerifiedStretch],
    results: Results,
    arguments: argparse.Namespace,
    *,
    packages: int,
) -> None:
    """Measure in one package, and add to the results.

    Args:
        rests_of_lines: The frozen places of the package; if it has none, rests of lines are drawn like other kinds.
        packages: How many packages share what is to be drawn in the language.
    """
    rng = random.Random(f"{arguments.seed} {root.name}")  # noqa: S311 -- draws places
    files = parsed_files(places.sources(language, root), _MOST_FILES, rng)
    count = -(-arguments.count // packages)
    kinds = [kind for kind in KINDS if kind != "line" or not rests_of_lines]
    real = [*rests_of_lines, *(place for kind in kinds for place in real_places(files, kind, count, rng))]
    drawn = mutants(files, -(-arguments.mutants // packages), rng)
    workspace = Workspace((root,))
    workspace.index()
    try:
        measurement = Measurement(Verifier(workspace), workspace)
        with tempfile.TemporaryDirectory() as scratch:
            judge = ProjectJudge(root, Path(scratch))
            if arguments.only != "recall":
                measurement.accept(real, judge, results)
            wrong = judge.wrong(drawn) if arguments.only != "acceptance" else []
            measurement.catch(wrong, results)
    finally:
        workspace.close()


@dataclass(slots=True)
class Measurement:
    """The verifier of one package, and what is asked of it."""

    verifier: Verifier
    workspace: Workspace

    def accept(self, real: Iterable[VerifiedStretch], judge: ProjectJudge, results: Results) -> None:
        """Verify real code; each refusal is added to the results with its cause, and so are errors elsewhere."""
        for place in real:
            verdict = self._verify(place, place.kind, results.acceptance, results.unverified)
            if verdict is None:
                continue
            errors = verdict.rejections if isinstance(verdict, Rejected) else verdict.errors_elsewhere
            if not errors:
                continue
            cause = _cause(errors, place, judge.intact.get(judge.name(place), {}))
            if cause == UNEXPLAINED:  # `tsc -p` stops at errors of syntax, and then reports none of types
                cause = _cause(errors, place, self._reported(place.file))
            rows = results.refusals if isinstance(verdict, Rejected) else results.elsewhere
            rows.append({**_describe(place), "cause": cause, "said": _messages(errors)})

    def catch(self, wrong: Iterable[BrokenMutant], results: Results) -> None:
        """Verify mutants that the judge calls wrong; those that are not refused are added to the results."""
        for mutant in wrong:
            place = mutant.place
            is_here = mutant.is_at(*_lines(place))
            kind = place.kind if is_here else ELSEWHERE
            verdict = self._verify(place, kind, results.recall, results.unverified)
            if isinstance(verdict, Verified) and is_here:
                elsewhere = _messages(verdict.errors_elsewhere)
                results.missed.append(
                    {**_describe(place), "level": verdict.level, "elsewhere": elsewhere, "judge": mutant.said}
                )

    def _reported(self, path: Path) -> set[tuple[str, str]]:
        """Code and first line of the message of each error that the verifier's checker reports of an intact file."""
        intact = document(path, text_of(path))
        errors = reported_errors(intact, self.workspace)
        return {(error.code, error.message.partition("\n")[0]) for error in errors}

    def _verify(
        self, place: VerifiedStretch, kind: str, tallies: dict[str, VerdictTally], unverified: Counter[str]
    ) -> Verified | Rejected | None:
        """The verdict on a text at its place, counted under `kind`; None, and counted by reason, if nothing judges it.

        Raises:
            SystemExit: the checker does not answer.
        """
        syntax = parse(_without(place))
        baseline = self.verifier.baseline(syntax)
        baseline.verify(Candidate(place.start, ""))  # lets the checker read the file, which is not to be timed
        started = time.perf_counter()
        verdict = baseline.verify(Candidate(place.start, place.text))
        milliseconds = (time.perf_counter() - started) * 1e3
        self.workspace.forget(syntax.document.uri)
        if isinstance(verdict, Unanswered):
            raise SystemExit(f"error: {verdict.why}")
        if isinstance(verdict, Unverified):
            unverified[verdict.why] += 1
            return None
        tallies.setdefault(kind, VerdictTally()).add(verdict, milliseconds)
        return verdict


def _lines(place: VerifiedStretch) -> tuple[int, int]:
    """The first and last line, from 1, of what a text becomes part of, in the file with the text."""
    applied = Applied(parse(_without(place)), Candidate(place.start, place.text))
    whole = applied.document.text
    starts, ends = zip(*applied.extent, strict=True)
    return whole.count("\n", 0, min(starts)) + 1, whole.count("\n", 0, max(ends)) + 1


def _cause(rejections: Iterable[Rejection], place: VerifiedStretch, intact: Collection[tuple[str, str]]) -> str:
    """Why real code is refused; `intact` has code and message of each error that is reported of the intact file."""
    messages = {(rejection.code, rejection.message.partition("\n")[0]) for rejection in rejections}
    if all(message in intact for message in messages):
        return IN_INTACT
    if {code for code, _ in messages} == {_SYNTAX}:
        return SHIFTED
    is_silenced = any(mark in place.text for mark in ("@ts-", "type: ignore", "noqa", "pyright:", "ty:"))
    return SUPPRESSED if is_silenced else UNEXPLAINED


def _without(place: VerifiedStretch) -> Document:
    """The file without the text of a place."""
    text = text_of(place.file)
    return document(place.file, text[: place.start] + text[place.end :])


def _describe(place: VerifiedStretch) -> dict[str, object]:
    """A place as data, for people to look at."""
    line = text_of(place.file)[: place.start].count("\n") + 1
    return {"kind": place.kind, "place": f"{place.file}:{line}", "text": place.text[:100]}


def _messages(rejections: Iterable[Rejection]) -> list[list[str]]:
    """Code and message of each, as data."""
    return [[rejection.code, rejection.message] for rejection in rejections]


def _rows(tallies: Mapping[str, VerdictTally]) -> dict[str, dict[str, float]]:
    """The figures of each kind, and of all kinds but `ELSEWHERE` together."""
    summed = [tally for kind, tally in tallies.items() if kind != ELSEWHERE]
    whole = VerdictTally(
        sum(tally.asked for tally in summed),
        sum(tally.refused for tally in summed),
        sum(tally.elsewhere for tally in summed),
        [milliseconds for tally in summed for milliseconds in tally.milliseconds],
    )
    return {kind: tally.row() for kind, tally in sorted(tallies.items())} | {"all": whole.row()}


if __name__ == "__main__":
    sys.exit(main())
