"""What each mechanism contributes: suggestions at the same frozen places with and without it, judged by the verifier.

    inscope bench ablation --out DIRECTORY                       every row, and go on where an earlier run ended
    inscope bench ablation --out DIRECTORY --rows "as it is"     one of them
    inscope bench ablation --out DIRECTORY --pauses fitting      at pauses of replays, where the file is unfinished
    inscope bench ablation --sum DIRECTORY                       the tables of what has been measured

A row is one way of answering, such as `without menu`. At each place of the held-out set the rest of the line is taken
out, and each row is asked for it. At a pause (`inscope bench pauses`) the rest is not written yet; pauses after which
nothing more came on the line are left out. Every answer is a line of `DIRECTORY/ROW.jsonl`, so that rows of several
commits are compared in pairs, place by place.

No deadline decides anything: a request waits for its checker, and reads its prompt anew. The milliseconds are those of
such a request. The rows share all other caches, so another row is the first at each place.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from statistics import median

from benchmarks import json_lines, pauses
from benchmarks.ablation_constraints import Makes, hold_to_nothing, hold_to_syntax
from benchmarks.documents import document
from benchmarks.pauses import Pause
from benchmarks.places import LANGUAGES, Place, load
from benchmarks.shares import mean, share
from benchmarks.timing import machine_line
from context_index import Workspace, parse
from decoder import CompletionTask, Kept, Model, ModelOptions, SamplingOptions, SearchBudget, complete, load_model
from decoder.models.model import Logits
from lsp_server.engine.answer import suggested
from lsp_server.engine.fallback import Fallback
from lsp_server.engine.model_host import ModelHost, ModelSettings
from lsp_server.engine.service import Service
from lsp_server.engine.site import Site
from lsp_server.engine.suggestion import CompletionRequest, Extent, Suggestion, Withheld
from lsp_server.engine.verification import (
    Baseline,
    Candidate,
    Rejected,
    Rejection,
    Unanswered,
    Unverified,
    Verified,
    Verifier,
)
from lsp_server.engine.verification.applied import Applied
from lsp_server.engine.verification.closer import DocumentCloser
from lsp_server.engine.verification.judge import Judge, Judgement
from lsp_server.paths import existing

COUNT = 400
"""Places for each language."""
_READING_S = 120.0
"""The most seconds in which the names and n-grams of a package are counted."""
_WORD = re.compile(r"[^\W\d][\w$]*")


# Rows


@dataclass(frozen=True, slots=True)
class AblationRow:
    """One way of answering: what is changed of a task, or left out of the pipeline."""

    name: str
    constraint: Callable[[CompletionTask, Kept], Makes] | None = None
    """Makes the constraint in place of the task's own; None for the task's own."""
    ngrams: bool = True
    verifier: bool = True
    menu: bool = True
    """Whether the menu is asked where nothing that was written is accepted."""
    closing: bool = True
    """Whether the verifier closes what is unfinished."""
    meaning: bool = True
    """Whether texts that nobody means, though they type-check, are last resorts."""
    opening: bool = True
    """Whether the line is held to opening what a line below closes."""
    budget: SearchBudget | None = None
    """None for the product's own."""
    context: int | None = None
    """Tokens of context that the model has; None for as many as the model's own."""


def _answer(row: AblationRow, service: Service, request: CompletionRequest, kept: Kept) -> Suggestion:
    """Answer as `Service.complete` does, without what the row leaves out."""
    site = Site(service.workspace, request.syntax, request.offset)
    task = service._task(request, site)
    baseline = service.verifier.baseline(request.syntax) if row.verifier else None
    if baseline is not None and not row.closing:
        baseline = Baseline(baseline._document, _NoCloser(request.syntax.language), baseline._forms)
    judge = Judge(request, site, baseline) if row.meaning else _MeaningUnasked(request, site, baseline)
    task = replace(
        task,
        ngrams=task.ngrams and row.ngrams,
        opening=task.opening if row.opening else "",
        verify=judge.verify if row.verifier else None,
        budget=row.budget or task.budget,
    )
    constraint = None if row.constraint is None else row.constraint(task, kept)
    completion = service.host.submit(
        lambda model: complete(model, task, request.cancel, kept=kept, constraint=constraint)
    ).result()
    if row.menu and row.verifier and constraint is None:  # the menu's texts are written under the product's constraint
        answer = Fallback(service, task, judge).answered(completion)
    else:
        answer = suggested(task, completion, judge)
    if row.verifier:
        return answer
    text = completion.text.rstrip()
    withheld = None if text else Withheld.EMPTY
    return replace(answer, text=text, withheld=withheld, reason="", additional_edits=(), imports=())


class _MeaningUnasked(Judge):
    """Takes each text that type-checks for one that somebody may mean."""

    def _of_verified(self, candidate: Candidate, verified: Verified) -> Judgement:
        return Judge._of_verified(self, candidate, replace(verified, unmeant=""))


class _NoCloser(DocumentCloser):
    """Closes nothing: every document is judged as it stands."""

    def closings(self, applied: Applied) -> Iterator[Applied]:
        """The document with the text in it, unclosed, as the only way of closing."""
        yield applied

    def without(self, applied: Applied) -> Applied:
        """The document without the text, unclosed."""
        return Applied(applied.before, replace(applied.candidate, text="", edits=()))


ROWS = (
    AblationRow("as it is"),
    AblationRow("model alone", hold_to_nothing, ngrams=False, verifier=False),
    AblationRow("without n-grams", ngrams=False),
    AblationRow("without verifier", verifier=False),
    AblationRow("one candidate", budget=SearchBudget(forwards=0)),
    AblationRow("none ahead", budget=SearchBudget(ahead=0)),
    AblationRow("no more until accepted", budget=SearchBudget()),
    AblationRow("without menu", menu=False),
    AblationRow("without opening", opening=False),
    AblationRow("without closing", closing=False),
    AblationRow("without meaning", meaning=False),
    AblationRow("shorter prompt", context=269),
    AblationRow("without scope", hold_to_syntax),
    AblationRow("without syntax and scope", hold_to_nothing),
    AblationRow("model and syntax", hold_to_syntax, ngrams=False, verifier=False),
    AblationRow("and scope", ngrams=False, verifier=False),
)
"""In the order of running and printing. Most rows leave something out of `as it is`. The last two add to `model alone`:
first syntax, then names in scope as well."""


# Answers


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one place in one row; a line of a file."""

    row: str
    place: str
    language: str
    kind: str
    rest: str
    """The rest of the line as the file's authors wrote it."""
    shown: str
    """The text that was shown; empty where none was."""
    exact: bool
    """Whether `shown` is `rest`."""
    first: bool
    """Whether the first identifier is right."""
    withheld: str
    """Why nothing was shown; empty where something was."""
    stop: str
    probability: float
    tokens: int
    """Forwards after the prompt was read, one for each token of all outputs."""
    ms: float
    model_ms: float
    checker_ms: float
    verified: str
    """The verdict on `shown`: a level, `rejected`, `unanswered` or `unverified`; empty where nothing was shown."""
    inside: tuple[tuple[str, str], ...] = ()
    """Code and message of each new error that touches what the text became part of."""
    elsewhere: tuple[tuple[str, str], ...] = ()
    """Code and message of each other new error."""
    imports: int = 0
    """Edits that the suggestion makes elsewhere in the file."""
    verify_ms: float = 0.0
    """How long the verifier took for `verified`, which is outside of `ms`."""
    alternatives: tuple[str, ...] = ()


class Counting:
    """Wraps a model, and counts and times its forwards; all other attributes are the wrapped model's."""

    def __init__(self, model: Model, counts: AblationCounts) -> None:
        self._model, self._counts = model, counts

    @property
    def context(self) -> int:
        """The row's number of tokens where it has one, else the model's."""
        return self._counts.context or self._model.context

    def __getattr__(self, name: str) -> object:
        return getattr(self._model, name)

    def branch(self) -> Counting:
        """A branch of the model; it adds to the same counts."""
        return Counting(self._model.branch(), self._counts)

    def forward(self, tokens: Sequence[int], rows: int = 1) -> Logits:
        """Time every forward; count those that read no more tokens than a draft, as longer ones read the prompt."""
        started = time.perf_counter()
        try:
            return self._model.forward(tokens, rows)
        finally:
            self._counts.seconds += time.perf_counter() - started
            self._counts.forwards += len(tokens) <= _LONGEST_DRAFT


_LONGEST_DRAFT = 17
"""The most tokens of a forward that checks a draft; longer forwards read a prompt and are not counted."""


@dataclass(slots=True)
class AblationCounts:
    """What was counted for one answer, and the context that the model pretends to have. Reset before each answer."""

    forwards: int = 0
    seconds: float = 0.0
    """Time in all forwards, those of the prompt included."""
    context: int | None = None
    """None for the model's own."""


@dataclass(slots=True)
class AblationBench:
    """One package: its workspace, the service that answers, and a verifier that judges all rows' answers alike."""

    root: Path
    host: ModelHost
    counts: AblationCounts
    workspace: Workspace = field(init=False)
    service: Service = field(init=False)
    verifier: Verifier = field(init=False)
    kept: Kept = field(default_factory=Kept)

    def __post_init__(self) -> None:
        self.workspace = Workspace((self.root,))
        self.workspace.index()
        self.service = Service(self.workspace, self.host)
        self.service.read_name_counts(_READING_S)
        self.verifier = Verifier(self.workspace)

    def results(self, place: Place | Pause, rows: Iterable[AblationRow]) -> Iterator[Result]:
        """Ask each row for the rest of the line."""
        syntax = parse(document(place.path, place.torn))
        self.workspace.update(syntax.document)
        verdicts: dict[str, tuple[Verified | Rejected | Unverified | Unanswered, float]] = {}
        for row in rows:
            request = CompletionRequest(syntax, place.offset, SamplingOptions(), extent=Extent.LINE)
            self.host.submit(lambda model: model.truncate(0)).result()
            self.counts.forwards, self.counts.seconds, self.counts.context = 0, 0.0, row.context
            answer = _answer(row, self.service, request, self.kept)
            forwards, seconds = self.counts.forwards, self.counts.seconds
            key = repr((answer.text, answer.additional_edits))
            if answer.text and key not in verdicts:
                started = time.perf_counter()
                candidate = Candidate(place.offset, answer.text, edits=answer.additional_edits)
                verification = self.verifier.verify(syntax, candidate)
                verdicts[key] = verification, (time.perf_counter() - started) * 1e3
            verdict, verify_ms = verdicts.get(key, (None, 0.0))
            shown = answer.text.rstrip()
            yield Result(
                row=row.name,
                place=place.name,
                language=place.language,
                kind=place.kind,
                rest=place.rest,
                shown=shown,
                exact=shown == place.rest,
                first=bool(shown) and _first_identifier(shown) == _first_identifier(place.rest),
                withheld=str(answer.withheld or ""),
                stop=str(answer.stop),
                probability=answer.probability,
                tokens=forwards,
                ms=round(answer.latency_ms, 2),
                model_ms=round(seconds * 1e3, 2),
                checker_ms=round(answer.checker_ms, 2),
                verified=_verdict_name(verdict),
                inside=_codes(verdict.rejections) if isinstance(verdict, Rejected) else (),
                elsewhere=_codes(verdict.errors_elsewhere) if isinstance(verdict, Verified | Rejected) else (),
                imports=len(answer.additional_edits),
                verify_ms=round(verify_ms, 2),
                alternatives=tuple(alternative.text for alternative in answer.alternatives),
            )
        self.workspace.forget(syntax.document.uri)


def _first_identifier(text: str) -> str:
    """The first identifier or keyword of a text; empty where it has none."""
    match = _WORD.search(text)
    return match[0] if match else ""


def _codes(rejections: Sequence[Rejection]) -> tuple[tuple[str, str], ...]:
    return tuple((rejection.code, rejection.message) for rejection in rejections)


def _verdict_name(verdict: Verified | Rejected | Unverified | Unanswered | None) -> str:
    """The value of `Result.verified` for a verdict; None if nothing was shown."""
    match verdict:
        case None:
            return ""
        case Verified():
            return str(verdict.level)
        case _:
            return type(verdict).__name__.lower()


# Running


def main() -> int:
    """Measure the rows that are wanted, unless only `--sum` is; then print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, help="where each row is kept, and from where it goes on")
    parser.add_argument("--sum", type=existing, nargs="+", help="measure nothing, add up what such folders hold")
    parser.add_argument("--set", default="heldout", help="of places (default: heldout)")
    names = [row.name for row in ROWS]
    parser.add_argument("--pauses", choices=pauses.SETS, help="in place of them, pauses of this set")
    parser.add_argument("--rows", nargs="*", choices=names, default=names)
    parser.add_argument("--languages", nargs="*", choices=LANGUAGES, default=list(LANGUAGES))
    parser.add_argument("--count", type=int, default=COUNT, help=f"places of a language (default: {COUNT})")
    parser.add_argument("--model", help="default: the built-in one")
    parser.add_argument("--against", default="as it is", help="the row that others are compared with, in pairs")
    arguments = parser.parse_args()
    if not arguments.sum and not arguments.out:
        parser.error("either --out or --sum is needed")
    if not arguments.sum:
        for language in arguments.languages:
            if arguments.pauses:
                drawn = pauses.sample(pauses.load(arguments.pauses, language), arguments.count // len(pauses.STATES))
                places: Sequence[Place | Pause] = [pause for pause in drawn if pause.rest]
            else:
                places = load(arguments.set, language)[: arguments.count]
            rows = [row for row in ROWS if row.name in arguments.rows]
            measure(places, rows, arguments.out, arguments.model)
    print("\n".join(_tables(read(arguments.sum or [arguments.out]), arguments.against)))
    print(machine_line())
    return 0


def measure(places: Sequence[Place | Pause], rows: Sequence[AblationRow], out: Path, model: str | None) -> None:
    """Ask each row at each place that `out` does not hold yet, and append the answers there."""
    out.mkdir(parents=True, exist_ok=True)
    known = {(result.row, result.place) for result in read([out])}
    counts = AblationCounts()

    def counting(
        name_or_path: str | None, *, device: str, dtype: str, options: ModelOptions, notify: Callable[[str], None]
    ) -> Model:
        loaded = load_model(name_or_path, device=device, dtype=dtype, options=options, notify=notify)
        return Counting(loaded, counts)  # type: ignore[return-value]

    settings = ModelSettings(name=model, device="cpu", idle_unload_seconds=None)
    host = ModelHost(settings, load=counting)
    by_root: dict[Path, list[Place | Pause]] = defaultdict(list)
    for place in places:
        by_root[place.root].append(place)
    try:
        for root, here in by_root.items():
            left = {place: [row for row in rows if (row.name, place.name) not in known] for place in here}
            if not any(left.values()):
                continue
            bench = AblationBench(root, host, counts)
            try:
                for number, (place, missing) in enumerate(left.items()):
                    first = number % len(missing) if missing else 0
                    for result in bench.results(place, missing[first:] + missing[:first]):
                        _append(out, result)
            finally:
                bench.workspace.close()
    finally:
        host.close()


def _append(out: Path, result: Result) -> None:
    json_lines.append(out / f"{result.row.replace(' ', '-')}.jsonl", asdict(result))


def read(folders: Iterable[Path]) -> list[Result]:
    """The results in all `.jsonl` files of the folders."""
    files = (path for folder in folders for path in sorted(folder.glob("*.jsonl")))
    return [Result(**row) for path in files for row in json_lines.rows(path)]


# Adding up


def _tables(results: Iterable[Result], against: str) -> Iterator[str]:
    """For each language, and for all of them: a table of the rows, with shares in per cent and their standard errors.

    Args:
        against: The name of the row that the `paired` columns compare with.
    """
    groups: dict[str, dict[str, dict[str, Result]]] = defaultdict(lambda: defaultdict(dict))
    for result in results:
        for language in (result.language, "all"):
            groups[language][result.row][result.place] = result
    order = {row.name: number for number, row in enumerate(ROWS)}
    for language, rows in groups.items():
        yield language
        columns = {name: _columns(rows[name], rows.get(against, {})) for name in rows}
        titles = list(next(iter(columns.values())))
        yield f"| row | {' | '.join(titles)} |"
        yield "|---" * (len(titles) + 1) + "|"
        for name in sorted(rows, key=lambda name: order.get(name, len(order))):
            yield f"| {name} | {' | '.join(map(str, columns[name].values()))} |"
        yield ""


def _columns(by_place: Mapping[str, Result], base_by_place: Mapping[str, Result]) -> dict[str, object]:
    """The figures of a row; `paired` ones are differences to the base row at the places that both have."""
    results = list(by_place.values())
    shown = [result for result in results if result.shown]
    pairs = [(result, base_by_place[place]) for place, result in by_place.items() if place in base_by_place]
    return {
        "places": len(results),
        "shown": share(bool(result.shown) for result in results),
        "exact": share(result.exact for result in results),
        "exact of shown": share(result.exact for result in shown),
        "first identifier": share(result.first for result in results),
        "tokens per shown": round(_tokens_per_shown(results), 2),
        "refused": share(result.verified == "rejected" for result in shown),
        "exact, paired": mean(100 * (result.exact - base.exact) for result, base in pairs),
        "shown, paired": mean(100 * (bool(result.shown) - bool(base.shown)) for result, base in pairs),
        "tokens, paired": _extra_tokens([result for result, _ in pairs], [base for _, base in pairs]),
        "ms": round(median(result.ms for result in results), 1),
    }


def _extra_tokens(results: Sequence[Result], base: Sequence[Result]) -> float:
    """How many more tokens a shown suggestion costs than in the base row, in per cent."""
    base_tokens = _tokens_per_shown(base)
    return round(100 * (_tokens_per_shown(results) / base_tokens - 1), 1) if base_tokens else 0.0


def _tokens_per_shown(results: Sequence[Result]) -> float:
    """Tokens of all answers, the withheld included, for each suggestion that is shown."""
    return sum(result.tokens for result in results) / max(1, sum(bool(result.shown) for result in results))


if __name__ == "__main__":
    sys.exit(main())
