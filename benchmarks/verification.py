"""What verification refuses of real code, and what it catches of mutants; other programs judge the finished files.

    inscope bench verification --set heldout --out FILE

Acceptance: the rest of a line, a member or a block is taken out of a file and verified where it was. Recall: a line is
changed (a name, a member, an argument, a literal, an import); those changes count for which `tsc -p` or `ty check`, as
processes of their own over the finished files, report an error that the intact file lacks. An error counts as the
text's own where it is on the lines of what the text became part of. A mutant whose errors are all elsewhere in the file
is counted in a row of its own, since such errors are reported and do not reject. FILE gets every refusal of real code,
with its cause as far as the judge knows it, and every mutant that was missed.
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
from benchmarks.documents import document, text_of
from benchmarks.shares import share
from benchmarks.timing import machine, machine_line
from benchmarks.verification_judges import BrokenMutant, ProjectJudge
from benchmarks.verification_places import KINDS, VerifiedStretch, mutants, parsed_files, real_places
from context_index import Document, Workspace, parse
from lsp_server.engine.verification import Candidate, Rejected, Rejection, Unanswered, Unverified, Verified, Verifier
from lsp_server.engine.verification.candidate import Applied

_MOST_FILES = 60
"""Of a package, so that a large one is read in reasonable time."""
_SYNTAX = "syntax"
_LISTS = {"refusals", "elsewhere", "missed"}
"""The parts of a report that are too long to print."""
ELSEWHERE = "errors elsewhere only"
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
        """One more place."""
        self.asked += 1
        self.refused += isinstance(found, Rejected)
        self.elsewhere += isinstance(found, Verified) and bool(found.errors_elsewhere)
        self.milliseconds.append(taken)

    def row(self) -> dict[str, float]:
        """For programs: in per cent with the standard error."""
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
    recall: dict[str, VerdictTally] = field(default_factory=dict)
    refusals: list[dict[str, object]] = field(default_factory=list)
    elsewhere: list[dict[str, object]] = field(default_factory=list)
    """Real code that is accepted and has new errors elsewhere in the file: the price of having those bind."""
    missed: list[dict[str, object]] = field(default_factory=list)
    unverified: Counter[str] = field(default_factory=Counter)
    """By reason, the places that are not counted because the checker judges nothing there, as in unreachable code."""

    def report(self) -> dict[str, object]:
        """For programs."""
        return {
            "acceptance": _rows(self.acceptance),
            "causes": Counter(str(one["cause"]) for one in self.refusals),
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
            here = [
                VerifiedStretch(one.path, one.offset, one.offset + len(one.rest), "line", one.rest)
                for one in frozen
                if one.root == root
            ]
            _package(root, language, here, results, arguments, share=len(roots))
        figures = report[language] = results.report()
        short = {key: value for key, value in figures.items() if key not in _LISTS}
        print(language, json.dumps(short, indent=1))
        if arguments.out:
            arguments.out.write_text(json.dumps(report, indent=1, ensure_ascii=False), "utf-8")
    print(machine_line())
    return 0


def _package(
    root: Path,
    language: str,
    frozen: Sequence[VerifiedStretch],
    results: Results,
    arguments: argparse.Namespace,
    *,
    share: int,
) -> None:
    """One package: a share of what is to be drawn in a language."""
    chance = random.Random(f"{arguments.seed} {root.name}")  # noqa: S311 -- draws places
    files = parsed_files(places.sources(language, root), _MOST_FILES, chance)
    each = -(-arguments.count // share)
    real = [
        *frozen,
        *(place for kind in KINDS if kind != "line" or not frozen for place in real_places(files, kind, each, chance)),
    ]
    drawn = mutants(files, -(-arguments.mutants // share), chance)
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
        """Real code: each refusal is kept, with its cause."""
        for place in real:
            verdict = self._verdict(place, place.kind, results.acceptance, results.unverified)
            if verdict is None:
                continue
            said = verdict.rejections if isinstance(verdict, Rejected) else verdict.errors_elsewhere
            if not said:
                continue
            cause = _cause(said, place, judge.intact.get(judge.name(place), {}))
            if cause == UNEXPLAINED:  # `tsc -p` stops at errors of syntax, and says nothing of types then
                cause = _cause(said, place, self._reported(place.file))
            kept = results.refusals if isinstance(verdict, Rejected) else results.elsewhere
            kept.append({**_described(place), "cause": cause, "said": _said(said)})

    def catch(self, wrong: Iterable[BrokenMutant], results: Results) -> None:
        """Mutants that the judge calls wrong: those that are not refused are kept."""
        for one in wrong:
            place = one.place
            is_here = one.is_at(*_lines(place))
            kind = place.kind if is_here else ELSEWHERE
            verdict = self._verdict(place, kind, results.recall, results.unverified)
            if isinstance(verdict, Verified) and is_here:
                elsewhere = _said(verdict.errors_elsewhere)
                results.missed.append(
                    {**_described(place), "level": verdict.level, "elsewhere": elsewhere, "judge": one.said}
                )

    def _reported(self, path: Path) -> set[tuple[str, str]]:
        """What the verifier's checker itself says of the intact file."""
        intact = document(path, text_of(path))
        found = self.workspace.checker_of(intact).ask(intact, lambda asked: asked.diagnostics()).result()
        return {(one.code, one.message.partition("\n")[0]) for one in found if one.is_error}

    def _verdict(
        self, place: VerifiedStretch, kind: str, tallies: dict[str, VerdictTally], unverified: Counter[str]
    ) -> Verified | Rejected | None:
        """What is said of the text at its place, which is counted by kind; None where nothing judges it.

        Raises:
            SystemExit: the checker does not answer.
        """
        syntax = parse(_without(place))
        baseline = self.verifier.baseline(syntax)
        baseline.verify(Candidate(place.start, ""))  # the checker has read the file; what is timed is a question
        started = time.perf_counter()
        verdict = baseline.verify(Candidate(place.start, place.text))
        taken = (time.perf_counter() - started) * 1e3
        self.workspace.forget(syntax.document.uri)
        if isinstance(verdict, Unanswered):
            raise SystemExit(f"error: {verdict.why}")
        if isinstance(verdict, Unverified):
            unverified[verdict.why] += 1
            return None
        tallies.setdefault(kind, VerdictTally()).add(verdict, taken)
        return verdict


def _lines(place: VerifiedStretch) -> tuple[int, int]:
    """The lines of what a text becomes part of, in the file with it, counted from 1."""
    applied = Applied(parse(_without(place)), Candidate(place.start, place.text))
    with_it = applied.document.text
    starts, ends = zip(*applied.extent, strict=True)
    return with_it.count("\n", 0, min(starts)) + 1, with_it.count("\n", 0, max(ends)) + 1


def _cause(rejections: Iterable[Rejection], place: VerifiedStretch, intact: Collection[tuple[str, str]]) -> str:
    """Where a refusal of real code belongs: to the checker, if that says the same of the intact file."""
    said = {(one.code, one.message.partition("\n")[0]) for one in rejections}
    if all(one in intact for one in said):
        return IN_INTACT
    if {code for code, _ in said} == {_SYNTAX}:
        return SHIFTED
    return (
        SUPPRESSED
        if any(mark in place.text for mark in ("@ts-", "type: ignore", "noqa", "pyright:", "ty:"))
        else UNEXPLAINED
    )


def _without(place: VerifiedStretch) -> Document:
    """The file without the text of a place."""
    text = text_of(place.file)
    return document(place.file, text[: place.start] + text[place.end :])


def _described(place: VerifiedStretch) -> dict[str, object]:
    line = text_of(place.file)[: place.start].count("\n") + 1
    return {"kind": place.kind, "place": f"{place.file}:{line}", "text": place.text[:100]}


def _said(rejections: Iterable[Rejection]) -> list[list[str]]:
    return [[one.code, one.message] for one in rejections]


def _rows(tallies: Mapping[str, VerdictTally]) -> dict[str, dict[str, float]]:
    own = {kind: tally for kind, tally in tallies.items() if kind != ELSEWHERE}
    whole = VerdictTally(
        sum(one.asked for one in own.values()),
        sum(one.refused for one in own.values()),
        sum(one.elsewhere for one in own.values()),
        [taken for one in own.values() for taken in one.milliseconds],
    )
    return {kind: tally.row() for kind, tally in sorted(tallies.items())} | {"all": whole.row()}


if __name__ == "__main__":
    sys.exit(main())
