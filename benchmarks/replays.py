"""Suggestions at the pauses of replays: how often they are right, when somebody asks and when nobody does.

    inscope bench replays --set fitting --sample 40                        asked, some pauses of each language and state
    inscope bench replays --set fitting --sample 40 --unconstrained        beside the model alone, in pairs
    inscope bench replays --set fitting --eagerness balanced quiet         unasked, too
    inscope bench replays --out DIRECTORY                                  goes on where an earlier run ended

At each frozen pause (`inscope bench pauses`) the product is asked as a person asks it, and waits for its checkers, so
that no deadline decides anything. A suggestion is *right* if it makes the cursor's line what was typed up to its end,
blanks there aside. Where nothing more came on the line, silence is right, and so is a text that leaves the line alone;
these pauses are counted apart. The model alone has no constraint, verifier or menu, but keeps its n-grams.

A suggestion that is shown is judged in the finished file: the file with the text and the true rest put back after it
(`_put_back`). The true rest is what followed the text, if the person typed just that; else what followed the line; or
what followed the block, if the file parses only with that. The judges are `tsc -p` or `ty check`, and `node --check` or
`compile`. Errors are new if they are not reported of the intact file (`JudgedProject.new_errors`). Each is listed, and
`meaning` decides what they mean, in this order:

- *Clash* (`_clashes`): the text declares a name, or has a key, that the true rest has, too. This is no error.
- *Does not parse* (`is_syntax`): one of the errors is of syntax. The file counts as not judged.
- *Unseen* (`_visible`, `_seen`): nobody can see the errors at the pause. They are only on lines that are missing then,
  or the file has none without the statements and members that are missing. `benchmarks/unfinished.py` judges mutants in
  the same way.
- *Unseen*, too (`_may_be_mended`): what was typed after the text may make its names right, as the module of an import,
  the value of a pattern or the rest of an object may. Of mutants the same is said (`benchmarks/unfinished_mutants.py`).
- *Error*: everything else.

Of a text that is not judged, `--unclosed` lists what the checker reports of the file as it is then, unclosed: the
errors of meaning that touch the text and are not there without it. Each is for somebody to read.

If nobody asked (`--eagerness`), a suggestion is exact if it is what was typed next up to its own end. Net characters
saved are those of the exact suggestions minus those of all others, for 100 characters that were typed next on these
lines. The same is printed for what the model alone writes (`--unconstrained`), and for the first entry of the menu
(`--menu`), always taken.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import takewhile
from pathlib import Path
from threading import Event

from benchmarks import json_lines, pauses
from benchmarks.documents import document, reported_errors
from benchmarks.pauses import Pause
from benchmarks.places import Place
from benchmarks.shares import Estimate, mean, share
from benchmarks.suggestions_judges import Error, Finished, JudgedProject, is_syntax, lines_around
from benchmarks.timing import machine_line
from benchmarks.unfinished_mutants import may_be_mended, pruned
from benchmarks.verification_places import nodes
from context_index import Diagnostic, Document, Edit, Syntax, Workspace, continues_identifier, identifiers, parse
from decoder import SamplingOptions
from lsp_server.engine.menu.order import ordered
from lsp_server.engine.model_host import ModelHost, ModelSettings
from lsp_server.engine.service import Service
from lsp_server.engine.site import Site
from lsp_server.engine.suggestion import CompletionRequest, Eagerness
from lsp_server.engine.verification import Candidate
from lsp_server.engine.verification.applied import Applied

ASKED, ALONE, MENU = "asked", "model alone", "menu"
_FINE, WRONG, _CLASH, _UNPARSED, _UNSEEN = "fine", "error", "clash", "does not parse", "unseen"
"""What new errors mean; see the module's docstring."""
_READING_S = 20.0
"""The most seconds in which the names and n-grams of a package are counted, before anything is asked there."""
_SHOWN = 90
"""Characters of a text that are printed with its errors."""


@dataclass(frozen=True, slots=True)
class ReplayAnswer:
    """What was answered at a pause in one way of asking; a line of a file."""

    pause: str
    row: str
    """`ASKED`, `ALONE`, `MENU` (its first entry), or an eagerness."""
    text: str
    replaces: int
    """Characters after the cursor that the text replaces."""
    edits: tuple[tuple[int, int, str], ...]
    """Start, end and new text of each edit that comes with the text: its imports."""
    withheld: str
    """Why nothing is shown; empty where something is."""
    verified: str
    """The level to which the text is verified."""
    probability: float
    features: tuple[tuple[int, Mapping[str, float]], ...] = ()
    """The length of each beginning of the model's text, and what the calibration weighs of it; only for `ASKED`."""
    readable: tuple[int, ...] = ()
    """The lengths of the beginnings that may be shown if nobody asked."""


@dataclass(frozen=True, slots=True)
class ReplayRow:
    """An answer at its pause, and whether it is right."""

    pause: Pause
    answer: ReplayAnswer

    @property
    def is_silent(self) -> bool:
        """Whether nothing is shown."""
        return not self.answer.text.strip()

    @property
    def is_right(self) -> bool:
        """Whether the cursor's line becomes what was typed up to its end."""
        return self._line(self.answer.text, self.answer.replaces) == self._line(self.pause.rest, 0)

    @property
    def is_first_right(self) -> bool:
        """Whether a text is shown whose first word is the one that was typed next."""
        return not self.is_silent and first_word(self.answer.text) == first_word(self.pause.rest)

    @property
    def is_exact(self) -> bool:
        """Whether the text is what was typed next, up to its own end."""
        return is_exact(self.pause, self.answer.text)

    def _line(self, text: str, replaces: int) -> str:
        """The rest of the cursor's line with a text inserted, without blanks at the end."""
        return (text + self.pause.below[replaces:]).partition("\n")[0].rstrip()


def is_exact(pause: Pause | Place, text: str) -> bool:
    """Whether a text is what was typed next, up to its own end, which must not be within a word; blanks there aside."""
    text, following = text.rstrip(), pause.text[pause.offset :]
    is_whole = not (continues_identifier(text[-1:]) and continues_identifier(following[len(text) : len(text) + 1]))
    return following.startswith(text) and is_whole


def main() -> int:
    """Ask, judge, and print the tables."""
    arguments = _arguments()
    sampled = pauses.sample(pauses.load(arguments.set, arguments.language, arguments.state), arguments.sample)
    peers = ([ALONE] if arguments.unconstrained else []) + ([MENU] if arguments.menu else [])
    ways = [ASKED, *peers, *map(str, arguments.eagerness)]
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.out or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        measure(sampled, ways, folder, arguments.model, judges=not arguments.no_judges)
        rows = read(sampled, folder)
        verdicts = _verdicts(folder)
        if arguments.unclosed:
            print("\n".join(_unclosed_lines(rows, verdicts)))
    print("\n".join(_table(rows, verdicts)))
    for way in (*peers, *arguments.eagerness):
        print("\n".join(_unasked_table([row for row in rows if row.answer.row == way], way)))
    print("\n".join(_error_lines(rows, verdicts)))
    print(machine_line())
    return 0


def _arguments() -> argparse.Namespace:
    parser = pauses.parser(__doc__)
    parser.add_argument(
        "--eagerness", nargs="*", type=Eagerness, default=[], help="ask as an editor does by itself, too"
    )
    parser.add_argument("--unconstrained", action="store_true", help="ask the model alone, too")
    parser.add_argument("--menu", action="store_true", help="take the menu's first entry, too")
    parser.add_argument("--no-judges", action="store_true", help="do not judge finished files")
    parser.add_argument("--unclosed", action="store_true", help="list errors in the unclosed files that are not judged")
    parser.add_argument("--model", help="default: the built-in one")
    parser.add_argument("--out", type=Path, help="where everything is kept, and from where it goes on")
    return parser.parse_args()


# Asking


def measure(asked: Sequence[Pause], rows: Sequence[str], folder: Path, model: str | None, *, judges: bool) -> None:
    """Package by package, ask at the pauses that have no answer in the folder, and judge answers without a verdict.

    Args:
        rows: The ways of asking, as in `ReplayAnswer.row`.
        model: None for the built-in one.
        judges: False to judge nothing.
    """
    by_root: dict[Path, list[Pause]] = defaultdict(list)
    for pause in asked:
        by_root[pause.root].append(pause)
    host = ModelHost(ModelSettings(name=model, device="cpu", idle_unload_seconds=None))
    try:
        for number, (root, of_root) in enumerate(by_root.items(), 1):
            print(f"{number} of {len(by_root)}: {root.name}", file=sys.stderr)
            _ask(root, of_root, rows, folder, host)
            if judges:
                _judge(root, of_root, folder)
    finally:
        host.close()


def _ask(root: Path, of_root: Sequence[Pause], rows: Sequence[str], folder: Path, host: ModelHost) -> None:
    """Ask at the pauses of one package in the ways that have no answer yet, and append the answers to the folder's."""
    known = {(answer.pause, answer.row) for answer in _answers(folder)}
    left = [(pause, row) for pause in of_root for row in rows if (pause.name, row) not in known]
    if not left:
        return
    workspace = Workspace((root,))
    workspace.index()
    service = Service(workspace, host)
    try:
        service.read_name_counts(_READING_S)
        for pause, row in left:
            json_lines.append(folder / "answers.jsonl", asdict(_answer(pause, row, service)))
    finally:
        workspace.close()


def _answer(pause: Pause, row: str, service: Service) -> ReplayAnswer:
    """The answer at a pause in one way of asking."""
    syntax = parse(pause.document)
    service.workspace.update(syntax.document)
    if row == MENU:
        return ReplayAnswer(pause.name, row, _first_entry(pause, syntax, service), 0, (), "", "", 0.0)
    eagerness = None if row in {ASKED, ALONE} else Eagerness(row)
    request = CompletionRequest(
        syntax, pause.offset, SamplingOptions(), constrained=row != ALONE, eagerness=eagerness, imports=row != ALONE
    )
    suggestion = service.complete(request)
    service.workspace.forget(syntax.document.uri)
    return ReplayAnswer(
        pause=pause.name,
        row=row,
        text=suggestion.text,
        replaces=suggestion.replaces,
        edits=tuple((edit.start, edit.end, edit.text) for edit in suggestion.additional_edits),
        withheld=str(suggestion.withheld or ""),
        verified=str(suggestion.verified),
        probability=suggestion.probability,
        features=tuple(suggestion.features.items()) if row == ASKED else (),
        readable=suggestion.readable,
    )


def _first_entry(pause: Pause, syntax: Syntax, service: Service) -> str:
    """The first entry of the menu, without the part that is typed; empty if it does not begin with what is typed."""
    site = Site(service.workspace, syntax, pause.offset)
    candidates = service.candidates(site)
    start = candidates.start
    texts = [candidate.text for candidate in candidates.items]
    scores = service.ranker(site, start, max_tokens=64).rank(texts, Event())
    prior = service.prior_scores(site, candidates)
    text = syntax.document.text
    entries = ordered(candidates.items, scores, text, start, pause.offset, prior=prior)
    service.workspace.forget(syntax.document.uri)
    typed = text[start : pause.offset]
    return entries[0].text.removeprefix(typed) if entries and entries[0].text.startswith(typed) else ""


def _answers(folder: Path) -> list[ReplayAnswer]:
    """All answers that a folder has."""
    rows = json_lines.rows(folder / "answers.jsonl")
    return [ReplayAnswer(**{**row, "edits": tuple(map(tuple, row["edits"]))}) for row in rows]


def read(asked: Sequence[Pause], folder: Path) -> list[ReplayRow]:
    """The answers that a folder has at some pauses."""
    by_name = {pause.name: pause for pause in asked}
    return [ReplayRow(by_name[answer.pause], answer) for answer in _answers(folder) if answer.pause in by_name]


# Judging


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the judges say of a finished file."""

    errors: tuple[Error, ...]
    """The new ones."""
    is_seen: bool
    """Whether one of them can be seen at the pause; meaningless without errors."""


def _judge(root: Path, of_root: Sequence[Pause], folder: Path) -> None:
    """Judge the texts that were shown in one package in the way `ASKED`, and append the verdicts to the folder's."""
    known = _verdicts(folder)
    shown = [row for row in read(of_root, folder) if row.answer.row == ASKED and not row.is_silent]
    unknown = [row for row in shown if row.pause.name not in known]
    if not unknown:
        return
    with tempfile.TemporaryDirectory() as scratch:
        project = JudgedProject(root, Path(scratch), is_python=of_root[0].language == "python")
        for name, verdict in verdicts_of(unknown, project):
            errors = [asdict(error) for error in verdict.errors]
            json_lines.append(folder / "verdicts.jsonl", {"pause": name, "errors": errors, "is_seen": verdict.is_seen})


def verdicts_of(shown: Sequence[ReplayRow], project: JudgedProject) -> Iterator[tuple[str, Verdict]]:
    """The name of each pause and the verdict on its one text; a file that cannot be finished has none.

    A text whose finished file has errors is judged a second time, without the statements and members that are missing
    at the pause. What that says of the errors counts, if the file parses without them.
    """
    files = [file for row in shown if (file := _finished(row)) is not None]
    errors_by_name = {file.name: errors for file, errors in project.new_errors(files)} if files else {}
    wrong = {row.pause.name: row for row in shown if errors_by_name.get(row.pause.name)}
    visible = [file for row in wrong.values() if (file := _visible(row)) is not None]
    seen = {file.name: _seen(wrong[file.name], file, errors_by_name[file.name]) for file in files if file.name in wrong}
    seen |= {file.name: _seen(wrong[file.name], file, errors) for file, errors in project.new_errors(visible)}
    for name, errors in errors_by_name.items():
        yield name, Verdict(errors, seen.get(name, True))


def _finished(row: ReplayRow) -> Finished | None:
    """The file with the text and its true rest; None if it does not parse with any of the rests."""
    applied = _put_back(row)
    return None if applied is None else _judged_file(row, applied, row.pause.text)


def _visible(row: ReplayRow) -> Finished | None:
    """The file with the text, without the statements and members that are missing; None if that does not parse."""
    pause = row.pause
    applied = _applied(row, pruned(pause, ""))
    return None if applied.syntax.errors else _judged_file(row, applied, pruned(pause, pause.rest))


def _judged_file(row: ReplayRow, applied: Applied, before: str) -> Finished:
    """What the judges need of a file with a text in it; `before` is the text that its errors are compared with."""
    file = row.pause.path.relative_to(row.pause.root).as_posix()
    extent, around = lines_around(applied)
    return Finished(row.pause.name, file, before, applied.document.text, extent, around)


def _seen(row: ReplayRow, file: Finished, errors: Sequence[Error]) -> bool:
    """Whether an error is anywhere but on the lines that are missing at the pause."""
    missing = _missing_lines(row.pause, file)
    return any(error.line not in missing for error in errors)


def _missing_lines(pause: Pause, file: Finished) -> range:
    """The lines of a finished file, from 1, that the document at the pause lacks: those between the text and `below`.

    With `b = ^` typed so far, the text `2`, and `print(a)` below the cursor, these are lines 3 and 4:

        1  a = 1
        2  b = 2
        3  c = 3
        4  d = 4
        5  print(a)
    """
    # the file before has the true rest of the line at the cursor; the one after has the text, and perhaps imports above
    length = max(0, len(file.after) - len(file.before) + len(pause.rest))
    last_of_text = _line_at(file.after, pause.offset + length)
    below_cursor = len(pause.text) - pause.resumes
    first_below = _line_at(file.after, max(0, len(file.after) - below_cursor))
    return range(last_of_text + 1, first_below)


def _line_at(text: str, offset: int) -> int:
    """The line of an offset, from 1."""
    return text.count("\n", 0, offset) + 1


def _put_back(row: ReplayRow) -> Applied | None:
    """The text in the intact file, in place of what was typed next there; None if the file does not parse in any way.

    If the person typed just that text, it first replaces itself: `len(` goes before `rows)`. Else it replaces the rest
    of the line; and if that does not parse, the rest of the block, as a text of several lines may.
    """
    pause, text = row.pause, row.answer.text
    is_typed = pause.text.startswith(text, pause.offset) and not row.answer.replaces
    for typed_next in ([text] if is_typed else []) + [pause.rest] + ([pause.block_rest] if pause.block_rest else []):
        applied = _applied(row, pause.text[: pause.offset] + pause.text[pause.offset + len(typed_next) :])
        if not applied.syntax.errors:
            return applied
    return None


def _applied(row: ReplayRow, torn: str) -> Applied:
    """A file that lacks what was typed next, with the text and the imports above it.

    At the pause the text may also replace what follows the cursor, mostly a bracket that the editor has closed. If the
    person typed that bracket as part of the rest, this file lacks it too, and the text replaces nothing.
    """
    pause, candidate = row.pause, _candidate(row)
    is_there = pause.below[: candidate.replaces] == torn[pause.offset : pause.offset + candidate.replaces]
    return Applied(parse(document(pause.path, torn)), candidate if is_there else replace(candidate, replaces=0))


def _unclosed_lines(rows: Sequence[ReplayRow], verdicts: Mapping[str, Verdict]) -> Iterator[str]:
    """A line for each error of an unclosed file that touches its text; last of all, how many files were asked about."""
    unjudged = [
        row
        for row in rows
        if row.answer.row == ASKED and not row.is_silent and _is_unjudged(row, verdicts.get(row.pause.name))
    ]
    by_root: dict[Path, list[ReplayRow]] = defaultdict(list)
    for row in unjudged:
        by_root[row.pause.root].append(row)
    with_errors = 0
    for root, of_root in by_root.items():
        workspace = Workspace((root,))
        try:
            for row in of_root:
                reported = list(_unclosed_errors(row, workspace))
                with_errors += bool(reported)
                for error in reported:
                    yield f"unclosed: {row.pause.name} {row.answer.text[:_SHOWN]!r}: {error.code} {error.message}"
        finally:
            workspace.close()
    yield f"unclosed: {len(unjudged)} texts were not judged; {with_errors} have an error of meaning that touches them"


def _is_unjudged(row: ReplayRow, verdict: Verdict | None) -> bool:
    """Whether the finished file cannot be put together, or does not parse."""
    return verdict is None or meaning(row, verdict) == _UNPARSED


def _unclosed_errors(row: ReplayRow, workspace: Workspace) -> Iterator[Diagnostic]:
    """The errors of meaning that touch a text in the document at the pause, and are not there without it."""
    applied = Applied(parse(row.pause.document), _candidate(row))
    extent, around = lines_around(applied)
    file = Finished(row.pause.name, "", row.pause.document.text, applied.document.text, extent, around)
    before = Counter((error.code, error.message) for error in _reported(row.pause.document, workspace))
    for error in _reported(applied.document, workspace):
        before[error.code, error.message] -= 1
        touches = file.touches(_line_at(file.after, error.start), error.code)
        if before[error.code, error.message] < 0 and touches:
            yield error


def _reported(checked: Document, workspace: Workspace) -> Iterator[Diagnostic]:
    """The errors of meaning that the project's checker reports of a document."""
    return (error for error in reported_errors(checked, workspace) if not error.is_syntax)


def _candidate(row: ReplayRow) -> Candidate:
    """What is shown at a pause, with its imports above it."""
    edits = tuple(Edit(*edit) for edit in row.answer.edits if edit[1] <= row.pause.offset)
    return Candidate(row.pause.offset, row.answer.text, row.answer.replaces, edits)


def _verdicts(folder: Path) -> dict[str, Verdict]:
    """The verdicts that a folder has, by the pause's name."""
    rows = json_lines.rows(folder / "verdicts.jsonl")
    return {row["pause"]: Verdict(tuple(Error(**error) for error in row["errors"]), row["is_seen"]) for row in rows}


def _clashes(row: ReplayRow) -> bool:
    """Whether the text declares a name, or has a key, that the true rest after it has, too."""
    applied = _put_back(row)
    if applied is None:
        return False
    start, end = applied.inserted
    declared_below = _declared(applied.syntax, end, len(applied.document.text))
    return bool(_declared(applied.syntax, start, end) & declared_below)


def _declared(syntax: Syntax, start: int, end: int) -> set[str]:
    """The names and keys that a part of a file declares or assigns; `default` for a default export."""
    declared = set()
    for node in nodes(syntax.root):
        fields = (node.child_by_field_name(field) for field in ("name", "left", "key", "pattern"))
        name = next((field for field in fields if field is not None), None)
        if node.type == "jsx_attribute" or (node.type == "default" and not node.child_count):
            name = node.children[0] if node.child_count else node
        if name is not None and start <= syntax.start(name) < end:
            declared.add(syntax.text(name))
    return declared


# Tables


def first_word(text: str) -> str:
    """The first run of characters that names consist of; empty if there is none."""
    start = next((at for at, character in enumerate(text) if continues_identifier(character)), len(text))
    return "".join(takewhile(continues_identifier, text[start:]))


def _cells(rows: Sequence[ReplayRow]) -> Iterator[tuple[str, str, list[ReplayRow]]]:
    """The rows of each language and state, of all states of each language, and last of all languages."""
    for language in pauses.LANGUAGES:
        for state in (*pauses.STATES, "all"):
            in_cell = [row for row in rows if row.pause.language == language and state in (row.pause.state, "all")]
            if in_cell:
                yield language, state, in_cell
    yield "all", "all", list(rows)


def _table(rows: Sequence[ReplayRow], verdicts: Mapping[str, Verdict]) -> Iterator[str]:
    """The table of the way `ASKED`, beside the model alone where that was asked."""
    titles = ("n", "right, %", "silent, %", "first word right, %", "right alone, %", "paired difference")
    more = ("nothing more came", "silent or right there, %", "judged of shown", "new errors", "unseen", "clashes")
    yield f"| language | state | {' | '.join((*titles, *more))} |"
    yield "|---" * (2 + len(titles) + len(more)) + "|"
    alone = {row.pause.name: row for row in rows if row.answer.row == ALONE}
    for language, state, in_cell in _cells([row for row in rows if row.answer.row == ASKED]):
        cells = (*_figures(in_cell, alone), *_judged_figures(in_cell, verdicts))
        yield f"| {language} | {state} | {' | '.join(map(str, cells))} |"


def _figures(in_cell: Sequence[ReplayRow], alone: Mapping[str, ReplayRow]) -> Sequence[object]:
    """The figures that need no judge; `alone` has the model's answers by the pause's name."""
    with_rest = [row for row in in_cell if row.pause.rest]
    without_rest = [row for row in in_cell if not row.pause.rest]
    pairs = [(row, alone[row.pause.name]) for row in with_rest if row.pause.name in alone]
    return (
        len(with_rest),
        share(row.is_right for row in with_rest),
        share(row.is_silent for row in with_rest),
        share(row.is_first_right for row in with_rest),
        share(by_model.is_right for _, by_model in pairs),
        mean(100 * (row.is_right - by_model.is_right) for row, by_model in pairs),
        len(without_rest),
        share(row.is_right for row in without_rest),
    )


def _judged_figures(in_cell: Sequence[ReplayRow], verdicts: Mapping[str, Verdict]) -> Sequence[object]:
    """How many of the shown texts are judged, and how many of these have new errors, unseen errors and clashes."""
    shown = [row for row in in_cell if not row.is_silent]
    counts = Counter(meaning(row, verdicts[row.pause.name]) for row in shown if row.pause.name in verdicts)
    return f"{sum(counts.values()) - counts[_UNPARSED]} of {len(shown)}", counts[WRONG], counts[_UNSEEN], counts[_CLASH]


def meaning(row: ReplayRow, verdict: Verdict) -> str:
    """What the new errors of a finished file mean; see the module's docstring."""
    if not verdict.errors:
        return _FINE
    if _clashes(row):
        return _CLASH
    if any(is_syntax(error.code) for error in verdict.errors):
        return _UNPARSED
    return WRONG if verdict.is_seen and not _may_be_mended(row) else _UNSEEN


def _may_be_mended(row: ReplayRow) -> bool:
    """Whether what was typed after the text may make each name in it right."""
    applied = _put_back(row)
    if applied is None:
        return False
    names = list(identifiers(applied.syntax, applied.inserted))
    return bool(names) and all(may_be_mended(applied.syntax, name, applied.inserted[1]) for name in names)


def _unasked_table(rows: Sequence[ReplayRow], title: str) -> Iterator[str]:
    """The table of a way in which nobody asks, or of a peer."""
    yield f"\n{title}\n"
    yield "| language | state | pauses | shown, % | exact of shown, % | net characters saved per 100 |"
    yield "|---" * 6 + "|"
    for language, state, in_cell in _cells(rows):
        shown = [row for row in in_cell if not row.is_silent]
        cells = (len(in_cell), share(not row.is_silent for row in in_cell), share(row.is_exact for row in shown))
        net = saved([(row.pause, row.answer.text) for row in in_cell])
        yield f"| {language} | {state} | {' | '.join(map(str, (*cells, net)))} |"


def saved(texts: Sequence[tuple[Pause | Place, str]]) -> Estimate:
    """Net characters saved for 100 that were typed, with the standard error of a ratio of two sums.

    The texts that are exact save their characters, and all others cost theirs.
    """
    typed = sum(len(place.rest) for place, _ in texts) / max(1, len(texts))
    net = [(1 if is_exact(place, text) else -1) * len(text.strip()) for place, text in texts]
    ratio = sum(net) / len(net) / typed if typed else 0.0
    rests = [len(place.rest) for place, _ in texts]
    residuals = ((gain - ratio * rest) / typed for gain, rest in zip(net, rests, strict=True))
    error = mean(residuals).error if typed else 0.0
    return Estimate(100 * ratio, 100 * error)


def _error_lines(rows: Sequence[ReplayRow], verdicts: Mapping[str, Verdict]) -> Iterator[str]:
    """A line for each new error: what it means, where it is, and what the judge says."""
    for row in rows:
        if row.answer.row != ASKED or row.pause.name not in verdicts:
            continue
        verdict = verdicts[row.pause.name]
        for error in verdict.errors:
            said = f"{error.judge} {error.code} {error.message}"
            text = row.answer.text[:_SHOWN]
            yield f"{meaning(row, verdict)}: {row.pause.name} ({row.answer.verified}) {text!r}: {said}"


if __name__ == "__main__":
    sys.exit(main())
