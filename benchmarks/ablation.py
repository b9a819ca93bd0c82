"""What each mechanism contributes: suggestions at the same frozen places with and without it, judged by the verifier.

    inscope bench ablation --out DIRECTORY                       every row, and go on where an earlier run ended
    inscope bench ablation --out DIRECTORY --rows "as it is"     one of them
    inscope bench ablation --out DIRECTORY --pauses fitting      at pauses of replays, where the file is unfinished
    inscope bench ablation --sum DIRECTORY                       the tables of what has been measured

The rest of the line is taken out at each place of the held-out set and asked for. At pauses (`inscope bench pauses`) it
is not there yet; those are left out at which nothing more came on the line. Every answer is a line of
`DIRECTORY/ROW.jsonl`, so that rows of several commits are compared in pairs, place by place. Nothing is decided by
time: checkers are waited for, so milliseconds are those of a patient request that reads its prompt anew; the rows take
turns at being the first, as they share all other caches.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from statistics import median

from benchmarks import pauses
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
from lsp_server.engine.verification.candidate import Applied
from lsp_server.engine.verification.closings import DocumentCloser
from lsp_server.engine.verification.judge import Judge
from lsp_server.paths import existing

COUNT = 400
"""Places for each language."""
_READING = 120.0
"""Seconds in which the names and n-grams of a package are counted."""
_WORD = re.compile(r"[^\W\d][\w$]*")


# Rows


@dataclass(frozen=True, slots=True)
class AblationRow:
    """One way of answering: what is changed of a task, or left out of the pipeline."""

    name: str
    constraint: Callable[[CompletionTask, Kept], Makes] | None = None
    ngrams: bool = True
    verifier: bool = True
    menu: bool = True
    """Whether the menu is asked where nothing that was written is accepted."""
    closing: bool = True
    """Whether the verifier closes what is unfinished."""
    opening: bool = True
    """Whether the line is held to opening what a line below closes."""
    budget: SearchBudget | None = None
    """None for the product's own."""
    context: int | None = None
    """Tokens that the model has room for; None for all."""


def _answered(row: AblationRow, service: Service, request: CompletionRequest, kept: Kept) -> Suggestion:
    """The pipeline of `Service.complete`, without what the row goes without."""
    site = Site(service.workspace, request.syntax, request.offset)
    task = service._task(request, site)
    baseline = service.verifier.baseline(request.syntax) if row.verifier else None
    if baseline is not None and not row.closing:
        baseline = _unclosed(baseline, request)
    judge = Judge(request, site, baseline)
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
    if row.menu and row.verifier and constraint is None:  # the menu's texts are written under the product's own
        answer = Fallback(service, task, judge).answered(completion)
    else:
        answer = suggested(task, completion, judge)
    if row.verifier:
        return answer
    text = completion.text.rstrip()
    withheld = None if text else Withheld.EMPTY
    return replace(answer, text=text, withheld=withheld, reason="", additional_edits=(), imports=())


class _NoCloser(DocumentCloser):
    """Closes nothing."""

    def closings(self, applied: Applied) -> Iterator[Applied]:
        """The document with the text in it."""
        yield applied

    def without(self, applied: Applied) -> Applied:
        """The document without it."""
        return Applied(applied.before, replace(applied.candidate, text="", edits=()))


def _unclosed(baseline: Baseline, request: CompletionRequest) -> Baseline:
    """The same without closing, for one request."""
    unclosed = copy(baseline)
    unclosed._closer = _NoCloser(request.syntax.language)
    unclosed._unfinished, unclosed._neutral = {}, {}
    return unclosed


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
    AblationRow("shorter prompt", context=269),
    AblationRow("without scope", hold_to_syntax),
    AblationRow("without syntax and scope", hold_to_nothing),
    AblationRow("model and syntax", hold_to_syntax, ngrams=False, verifier=False),
    AblationRow("and scope", ngrams=False, verifier=False),
)
"""In the order of running and printing. From `as it is` something is left out; to `model alone` the last two rows add
syntax, and then names in scope."""


# Answers


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one place in one row; a line of a file."""

    row: str
    place: str
    language: str
    kind: str
    rest: str
    shown: str
    exact: bool
    first: bool
    """Whether the first identifier is right."""
    withheld: str
    stop: str
    probability: float
    tokens: int
    """Forwards after the prompt was read, one for each token of all outputs."""
    ms: float
    model_ms: float
    checker_ms: float
    verified: str
    """What the verifier says of it: a level, `rejected`, `unanswered`, `unverified`; empty where nothing was shown."""
    inside: tuple[tuple[str, str], ...] = ()
    """Code and message of each new error that touches what the text became part of."""
    elsewhere: tuple[tuple[str, str], ...] = ()
    imports: int = 0
    verify_ms: float = 0.0
    alternatives: tuple[str, ...] = ()


class Counting:
    """A model that counts and times its forwards; everything else is the model's behind it."""

    def __init__(self, model: Model, counts: AblationCounts) -> None:
        self._model, self._counts = model, counts

    @property
    def context(self) -> int:
        """The model's, or the row's smaller one."""
        return self._counts.context or self._model.context

    def __getattr__(self, name: str) -> object:
        return getattr(self._model, name)

    def branch(self) -> Counting:
        """The same counts."""
        return Counting(self._model.branch(), self._counts)

    def forward(self, tokens: Sequence[int], rows: int = 1) -> Logits:
        """A forward of more tokens than a draft has reads the prompt, and does not count."""
        started = time.perf_counter()
        try:
            return self._model.forward(tokens, rows)
        finally:
            self._counts.seconds += time.perf_counter() - started
            self._counts.forwards += len(tokens) <= _LONGEST_DRAFT


_LONGEST_DRAFT = 17


@dataclass(slots=True)
class AblationCounts:
    """Since they were last reset; and the context that the model pretends to have."""

    forwards: int = 0
    seconds: float = 0.0
    context: int | None = None


@dataclass(slots=True)
class AblationBench:
    """One package: its workspace, and the verifier beside it."""

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
        self.service.read_name_counts(_READING)
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
            answer = _answered(row, self.service, request, self.kept)
            forwards, seconds = self.counts.forwards, self.counts.seconds
            key = repr((answer.text, answer.additional_edits))
            if answer.text and key not in verdicts:
                started = time.perf_counter()
                candidate = Candidate(place.offset, answer.text, edits=answer.additional_edits)
                found = self.verifier.verify(syntax, candidate)
                verdicts[key] = found, (time.perf_counter() - started) * 1e3
            verdict, took = verdicts.get(key, (None, 0.0))
            shown = answer.text.rstrip()
            yield Result(
                row=row.name,
                place=place.name,
                language=place.language,
                kind=place.kind,
                rest=place.rest,
                shown=shown,
                exact=shown == place.rest,
                first=bool(shown) and _first(shown) == _first(place.rest),
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
                verify_ms=round(took, 2),
                alternatives=tuple(one.text for one in answer.alternatives),
            )
        self.workspace.forget(syntax.document.uri)


def _first(text: str) -> str:
    found = _WORD.search(text)
    return found[0] if found else ""


def _codes(rejections: Sequence[Rejection]) -> tuple[tuple[str, str], ...]:
    return tuple((one.code, one.message) for one in rejections)


def _verdict_name(verdict: Verified | Rejected | Unverified | Unanswered | None) -> str:
    match verdict:
        case None:
            return ""
        case Verified():
            return str(verdict.level)
        case _:
            return type(verdict).__name__.lower()


# Running


def main() -> int:
    """Measure, or add up."""
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
                found = pauses.sample(pauses.load(arguments.pauses, language), arguments.count // len(pauses.STATES))
                places: Sequence[Place | Pause] = [one for one in found if one.rest]
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
    known = {(one.row, one.place) for one in read([out])}
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
                    turned = missing[number % len(missing) :] + missing[: number % len(missing)] if missing else []
                    for result in bench.results(place, turned):
                        _append(out, result)
            finally:
                bench.workspace.close()
    finally:
        host.close()


def _append(out: Path, result: Result) -> None:
    with (out / f"{result.row.replace(' ', '-')}.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(result), ensure_ascii=False) + "\n")


def read(folders: Iterable[Path]) -> list[Result]:
    """What was measured into folders."""
    lines = (
        line
        for folder in folders
        for path in sorted(folder.glob("*.jsonl"))
        for line in path.open("r", encoding="utf-8")
    )
    return [Result(**json.loads(line)) for line in lines]


# Adding up


def _tables(results: Iterable[Result], against: str) -> Iterator[str]:
    """By language, and for all: a line for each row, with shares in per cent and their standard errors."""
    groups: dict[str, dict[str, dict[str, Result]]] = defaultdict(lambda: defaultdict(dict))
    for one in results:
        for language in (one.language, "all"):
            groups[language][one.row][one.place] = one
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


def _columns(by_place: Mapping[str, Result], base: Mapping[str, Result]) -> dict[str, object]:
    """The figures of a row; `paired` ones are differences to the base at the places that both have."""
    answers = list(by_place.values())
    shown = [one for one in answers if one.shown]
    pairs = [(one, base[place]) for place, one in by_place.items() if place in base]
    return {
        "places": len(answers),
        "shown": share(bool(one.shown) for one in answers),
        "exact": share(one.exact for one in answers),
        "exact of shown": share(one.exact for one in shown),
        "first identifier": share(one.first for one in answers),
        "tokens per shown": round(_tokens_per_shown(answers), 2),
        "refused": share(one.verified == "rejected" for one in shown),
        "exact, paired": mean(100 * (one.exact - other.exact) for one, other in pairs),
        "shown, paired": mean(100 * (bool(one.shown) - bool(other.shown)) for one, other in pairs),
        "tokens, paired": _more([one for one, _ in pairs], [other for _, other in pairs]),
        "ms": round(median(one.ms for one in answers), 1),
    }


def _more(answers: Sequence[Result], others: Sequence[Result]) -> float:
    """How many more tokens a shown suggestion costs than in another row, in per cent."""
    theirs = _tokens_per_shown(others)
    return round(100 * (_tokens_per_shown(answers) / theirs - 1), 1) if theirs else 0.0


def _tokens_per_shown(answers: Sequence[Result]) -> float:
    return sum(one.tokens for one in answers) / max(1, sum(bool(one.shown) for one in answers))


if __name__ == "__main__":
    sys.exit(main())
