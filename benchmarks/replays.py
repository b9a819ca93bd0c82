"""Suggestions at the pauses of replays: how often they are right, when somebody asks and when nobody does.

    inscope bench replays --set fitting --sample 40                        asked, some pauses of each language and state
    inscope bench replays --set fitting --sample 40 --unconstrained        beside the model alone, in pairs
    inscope bench replays --set fitting --eagerness balanced quiet         unasked, too
    inscope bench replays --out DIRECTORY                                  goes on where an earlier run ended

At each frozen pause (`inscope bench pauses`) the product is asked as a person asks it, and checkers are waited for, so
that nothing is decided by time. *Right* is a suggestion with which the cursor's line becomes what was typed up to its
end, blanks there aside. Where nothing more came on the line, silence is right, and so is a text that leaves the line
alone; these pauses are counted apart. The model alone has no constraint, verifier or menu; its n-grams it keeps.

Judged are shown suggestions in finished files: the true rest of the file is put back after the text, from the end of
the line on or, where only that parses, of the block. `tsc -p` or `ty check`, and `node --check` or `compile`, must
report no error there that the intact file lacks (`benchmarks/suggestions_judges.py`). Each error is listed. Where the
text declares a name, or has a key, that the rest has, too, it is called a clash and not counted; where one of the
others is of syntax, the file does not parse and is not judged. Told apart are errors that nobody can see at the pause,
as with mutants (`benchmarks/unfinished.py`): the same file without the statements and members below that are missing
has none, or only in what is missing.

Unasked (`--eagerness`), a suggestion is exact if it is what was typed next up to its own end. Net characters saved are
those of the exact ones minus those of all others, for 100 characters that were typed next on these lines. Beside it,
what the model alone writes (`--unconstrained`) and the menu's first entry (`--menu`), taken blindly.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import takewhile
from pathlib import Path
from threading import Event

from benchmarks import pauses
from benchmarks.documents import document
from benchmarks.pauses import Pause
from benchmarks.shares import Estimate, mean, share
from benchmarks.suggestions_judges import Error, Finished, Project, is_syntax, lines_around
from benchmarks.timing import machine_line
from benchmarks.unfinished_mutants import pruned
from benchmarks.verification_places import nodes
from context_index import Edit, Syntax, Workspace, continues_identifier, parse
from decoder import SamplingOptions
from lsp_server.menu.order import ordered
from lsp_server.model_host import ModelHost, ModelSettings
from lsp_server.service import Service
from lsp_server.suggestion import CompletionRequest, Eagerness
from lsp_server.verification import Candidate
from lsp_server.verification.candidate import Applied

ASKED, ALONE, MENU = "asked", "model alone", "menu"
_FINE, _WRONG, _CLASH, _TORN, _UNSEEN = "fine", "error", "clash", "does not parse", "unseen"
_READING = 20.0
"""Seconds in which a package is read for what it says again."""
_SHOWN = 90
"""Characters of a text that are printed with its errors."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What was answered at a pause in one way of asking; a line of a file."""

    pause: str
    row: str
    """`ASKED`, `ALONE`, `MENU` (its first entry, taken blindly), or an eagerness."""
    text: str
    replaces: int
    edits: tuple[tuple[int, int, str], ...]
    """Imports that come with it."""
    withheld: str
    verified: str
    probability: float
    features: tuple[tuple[int, Mapping[str, float]], ...] = ()
    """Of each beginning of what the model wrote, by its length; of `ASKED` alone."""
    readable: tuple[int, ...] = ()
    """The lengths of those that may be shown unasked."""


@dataclass(frozen=True, slots=True)
class Row:
    """An answer at its pause, and what it is worth."""

    pause: Pause
    answer: Answer

    @property
    def is_silent(self) -> bool:
        """Whether nothing is shown."""
        return not self.answer.text.strip()

    @property
    def is_right(self) -> bool:
        """Whether the cursor's line is what was typed up to its end."""
        return self._line(self.answer.text, self.answer.replaces) == self._line(self.pause.rest, 0)

    @property
    def is_first_right(self) -> bool:
        """Whether the first word is."""
        return not self.is_silent and _first_word(self.answer.text) == _first_word(self.pause.rest)

    @property
    def is_exact(self) -> bool:
        """Whether it is what was typed next up to its own end, a word's."""
        return is_exact(self.pause, self.answer.text)

    def _line(self, text: str, replaces: int) -> str:
        """The line after the cursor, with a text there."""
        return (text + self.pause.below[replaces:]).partition("\n")[0].rstrip()


def is_exact(pause: Pause, text: str) -> bool:
    """Whether a text is what was typed next up to its own end, a word's; blanks at its end aside."""
    text, following = text.rstrip(), pause.text[pause.offset :]
    is_whole = not (continues_identifier(text[-1:]) and continues_identifier(following[len(text) : len(text) + 1]))
    return following.startswith(text) and is_whole


def main() -> int:
    """Ask, judge, and print the tables."""
    arguments = _arguments()
    found = pauses.sample(pauses.load(arguments.set, arguments.language, arguments.state), arguments.sample)
    others = ([ALONE] if arguments.unconstrained else []) + ([MENU] if arguments.menu else [])
    rows = [ASKED, *others, *map(str, arguments.eagerness)]
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.out or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        measure(found, rows, folder, arguments.model, judges=not arguments.no_judges)
        answered = read(found, folder)
        verdicts = _verdicts(folder)
    print("\n".join(_table(answered, verdicts)))
    for row in (*others, *arguments.eagerness):
        print("\n".join(_unasked([one for one in answered if one.answer.row == row], row)))
    print("\n".join(_errors(answered, verdicts)))
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
    parser.add_argument("--model", help="default: the built-in one")
    parser.add_argument("--out", type=Path, help="where everything is kept, and from where it goes on")
    return parser.parse_args()


# Asking


def measure(asked: Sequence[Pause], rows: Sequence[str], folder: Path, model: str | None, *, judges: bool) -> None:
    """Package by package: ask for what has no answer yet, and judge what has no verdict."""
    by_root: dict[Path, list[Pause]] = defaultdict(list)
    for pause in asked:
        by_root[pause.root].append(pause)
    host = ModelHost(ModelSettings(name=model, device="cpu", idle_unload_seconds=None))
    try:
        for number, (root, here) in enumerate(by_root.items(), 1):
            print(f"{number} of {len(by_root)}: {root.name}", file=sys.stderr)
            _ask(root, here, rows, folder, host)
            if judges:
                _judge(root, here, folder)
    finally:
        host.close()


def _ask(root: Path, here: Sequence[Pause], rows: Sequence[str], folder: Path, host: ModelHost) -> None:
    known = {(one.pause, one.row) for one in _kept(folder)}
    left = [(pause, row) for pause in here for row in rows if (pause.name, row) not in known]
    if not left:
        return
    workspace = Workspace((root,))
    workspace.index()
    service = Service(workspace, host)
    try:
        service.read_name_counts(_READING)
        for pause, row in left:
            _append(folder / "answers.jsonl", asdict(_answer(pause, row, service)))
    finally:
        workspace.close()


def _answer(pause: Pause, row: str, service: Service) -> Answer:
    syntax = parse(pause.document)
    service.workspace.update(syntax.document)
    if row == MENU:
        return Answer(pause.name, row, _first_entry(pause, syntax, service), 0, (), "", "", 0.0)
    eagerness = None if row in {ASKED, ALONE} else Eagerness(row)
    request = CompletionRequest(
        syntax, pause.offset, SamplingOptions(), constrained=row != ALONE, eagerness=eagerness, imports=row != ALONE
    )
    found = service.complete(request)
    service.workspace.forget(syntax.document.uri)
    return Answer(
        pause=pause.name,
        row=row,
        text=found.text,
        replaces=found.replaces,
        edits=tuple((one.start, one.end, one.text) for one in found.additional_edits),
        withheld=str(found.withheld or ""),
        verified=str(found.verified),
        probability=found.probability,
        features=tuple(found.features.items()) if row == ASKED else (),
        readable=found.readable,
    )


def _first_entry(pause: Pause, syntax: Syntax, service: Service) -> str:
    """The first entry of the menu, without what is typed of it; nothing where it is spelled otherwise."""
    found = service.candidates(syntax, pause.offset)
    scores = service.rank(syntax, found.start, pause.offset, [one.text for one in found.items], Event())
    prior = service.prior_scores(syntax, found, pause.offset)
    text = syntax.document.text
    entries = ordered(found.items, scores, text, found.start, pause.offset, prior=prior)
    service.workspace.forget(syntax.document.uri)
    typed = text[found.start : pause.offset]
    return entries[0].text.removeprefix(typed) if entries and entries[0].text.startswith(typed) else ""


def _append(path: Path, row: Mapping[str, object]) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row, ensure_ascii=False) + "\n")


def _lines(path: Path) -> Iterator[str]:
    if path.is_file():
        yield from path.read_text("utf-8").split("\n")[:-1]


def _kept(folder: Path) -> list[Answer]:
    found = (json.loads(line) for line in _lines(folder / "answers.jsonl"))
    return [Answer(**{**row, "edits": tuple(map(tuple, row["edits"]))}) for row in found]


def read(asked: Sequence[Pause], folder: Path) -> list[Row]:
    """What a folder has of some pauses."""
    by_name = {pause.name: pause for pause in asked}
    return [Row(by_name[one.pause], one) for one in _kept(folder) if one.pause in by_name]


# Judging


def _judge(root: Path, here: Sequence[Pause], folder: Path) -> None:
    """Judge what was shown to somebody who asked."""
    known = _verdicts(folder)
    shown = [one for one in read(here, folder) if one.answer.row == ASKED and not one.is_silent]
    files = [file for one in shown if one.pause.name not in known and (file := _finished(one)) is not None]
    if not files:
        return
    with tempfile.TemporaryDirectory() as scratch:
        project = Project(root, Path(scratch), is_python=here[0].language == "python")
        errors = {file.name: errors for file, errors in project.new_errors(files)}
        wrong = {one.pause.name: one for one in shown if errors.get(one.pause.name)}
        visible = [file for one in wrong.values() if (file := _visible(one)) is not None]
        seen = {file.name: _seen(wrong[file.name], file, found) for file, found in project.new_errors(visible)}
        for name, found in errors.items():
            row = {"pause": name, "errors": [asdict(one) for one in found], "is_seen": seen.get(name, True)}
            _append(folder / "verdicts.jsonl", row)


def _finished(one: Row) -> Finished | None:
    """The file with the text and its true rest; None where it parses neither after the line nor after the block."""
    applied = _put_back(one)
    return None if applied is None else _judged_file(one, applied, one.pause.text)


def _visible(one: Row) -> Finished | None:
    """The same without the statements and members below that are missing; None where that does not parse."""
    pause = one.pause
    applied = _applied(one, pruned(pause, ""))
    return None if applied.syntax.errors else _judged_file(one, applied, pruned(pause, pause.rest))


def _judged_file(one: Row, applied: Applied, before: str) -> Finished:
    file = one.pause.path.relative_to(one.pause.root).as_posix()
    extent, around = lines_around(applied)
    return Finished(one.pause.name, file, before, applied.document.text, extent, around)


def _seen(one: Row, file: Finished, found: Sequence[Error]) -> bool:
    """Whether an error is anywhere but on the lines that are missing at the pause."""
    moved = len(file.after) - len(file.before) + len(one.pause.rest)
    ends = file.after.count("\n", 0, one.pause.offset + max(0, moved)) + 1
    resumes = len(file.after) - (len(one.pause.text) - one.pause.resumes)
    missing = range(ends + 1, file.after.count("\n", 0, max(0, resumes)) + 1)
    return any(error.line not in missing for error in found)


def _put_back(one: Row) -> Applied | None:
    """The text in the file that lacks nothing but the true rest of the line, or of the block."""
    pause = one.pause
    for taken in (pause.rest, *([pause.block_rest] if pause.block_rest else [])):
        applied = _applied(one, pause.text[: pause.offset] + pause.text[pause.offset + len(taken) :])
        if not applied.syntax.errors:
            return applied
    return None


def _applied(one: Row, torn: str) -> Applied:
    """A file that lacks what was typed next, with the text and the imports above it."""
    pause, answer = one.pause, one.answer
    edits = tuple(Edit(*each) for each in answer.edits if each[1] <= pause.offset)
    goes_on = pause.below[: answer.replaces] == torn[pause.offset : pause.offset + answer.replaces]
    candidate = Candidate(pause.offset, answer.text, answer.replaces if goes_on else 0, edits)
    return Applied(parse(document(pause.path, torn)), candidate)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the judges say of a finished file."""

    errors: tuple[Error, ...]
    is_seen: bool
    """Whether one of them is there without what is missing at the pause."""


def _verdicts(folder: Path) -> dict[str, Verdict]:
    found = (json.loads(line) for line in _lines(folder / "verdicts.jsonl"))
    return {row["pause"]: Verdict(tuple(Error(**one) for one in row["errors"]), row["is_seen"]) for row in found}


def _clashes(one: Row) -> bool:
    """Whether the text declares a name, or has a key, that the rest which is put back has, too."""
    applied = _put_back(one)
    if applied is None:
        return False
    start, end = applied.inserted
    theirs = _declared(applied.syntax, end, len(applied.document.text))
    return bool(_declared(applied.syntax, start, end) & theirs)


def _declared(syntax: Syntax, start: int, end: int) -> set[str]:
    """The names that nodes of a part of a file have or are assigned to, and the keys; `default` of what is exported."""
    found = set()
    for node in nodes(syntax.root):
        fields = (node.child_by_field_name(field) for field in ("name", "left", "key"))
        name = next((field for field in fields if field is not None), None)
        if node.type == "jsx_attribute" or (node.type == "default" and not node.child_count):
            name = node.children[0] if node.child_count else node
        if name is not None and start <= syntax.start(name) < end:
            found.add(syntax.text(name))
    return found


# Tables


def _first_word(text: str) -> str:
    """The first run of characters of names."""
    start = next((at for at, character in enumerate(text) if continues_identifier(character)), len(text))
    return "".join(takewhile(continues_identifier, text[start:]))


def _cells(found: Sequence[Row]) -> Iterator[tuple[str, str, list[Row]]]:
    """By language and state, then pooled over the states of a language."""
    for language in pauses.LANGUAGES:
        for state in (*pauses.STATES, "all"):
            here = [one for one in found if one.pause.language == language and state in (one.pause.state, "all")]
            if here:
                yield language, state, here
    yield "all", "all", list(found)


def _table(found: Sequence[Row], verdicts: Mapping[str, Verdict]) -> Iterator[str]:
    titles = ("n", "right, %", "silent, %", "first word right, %", "right alone, %", "paired difference")
    more = ("nothing more came", "silent or right there, %", "judged of shown", "new errors", "unseen", "clashes")
    yield f"| language | state | {' | '.join((*titles, *more))} |"
    yield "|---" * (2 + len(titles) + len(more)) + "|"
    alone = {one.pause.name: one for one in found if one.answer.row == ALONE}
    for language, state, here in _cells([one for one in found if one.answer.row == ASKED]):
        cells = (*_figures(here, alone), *_judged(here, verdicts))
        yield f"| {language} | {state} | {' | '.join(map(str, cells))} |"


def _figures(here: Sequence[Row], alone: Mapping[str, Row]) -> Sequence[object]:
    asked = [one for one in here if one.pause.rest]
    ended = [one for one in here if not one.pause.rest]
    pairs = [(one, alone[one.pause.name]) for one in asked if one.pause.name in alone]
    return (
        len(asked),
        share(one.is_right for one in asked),
        share(one.is_silent for one in asked),
        share(one.is_first_right for one in asked),
        share(other.is_right for _, other in pairs),
        mean(100 * (one.is_right - other.is_right) for one, other in pairs),
        len(ended),
        share(one.is_right for one in ended),
    )


def _judged(here: Sequence[Row], verdicts: Mapping[str, Verdict]) -> Sequence[object]:
    shown = [one for one in here if not one.is_silent]
    counts = Counter(_verdict(one, verdicts[one.pause.name]) for one in shown if one.pause.name in verdicts)
    return f"{sum(counts.values()) - counts[_TORN]} of {len(shown)}", counts[_WRONG], counts[_UNSEEN], counts[_CLASH]


def _verdict(one: Row, verdict: Verdict) -> str:
    """What the new errors of a finished file mean."""
    if not verdict.errors:
        return _FINE
    if _clashes(one):
        return _CLASH
    if any(is_syntax(error.code) for error in verdict.errors):
        return _TORN
    return _WRONG if verdict.is_seen else _UNSEEN


def _unasked(found: Sequence[Row], title: str) -> Iterator[str]:
    yield f"\n{title}\n"
    yield "| language | state | pauses | shown, % | exact of shown, % | net characters saved per 100 |"
    yield "|---" * 6 + "|"
    for language, state, here in _cells(found):
        shown = [one for one in here if not one.is_silent]
        cells = (len(here), share(not one.is_silent for one in here), share(one.is_exact for one in shown))
        yield f"| {language} | {state} | {' | '.join(map(str, (*cells, _saved(here))))} |"


def _saved(here: Sequence[Row]) -> Estimate:
    """A ratio of sums; its standard error is that of the mean of what each pause adds to it."""
    typed = sum(len(one.pause.rest) for one in here) / max(1, len(here))
    saved = [(1 if one.is_exact else -1) * len(one.answer.text.strip()) for one in here]
    ratio = sum(saved) / len(saved) / typed if typed else 0.0
    rests = [len(one.pause.rest) for one in here]
    error = mean((one - ratio * rest) / typed for one, rest in zip(saved, rests, strict=True)).error if typed else 0.0
    return Estimate(100 * ratio, 100 * error)


def _errors(found: Sequence[Row], verdicts: Mapping[str, Verdict]) -> Iterator[str]:
    for one in found:
        if one.answer.row != ASKED or one.pause.name not in verdicts:
            continue
        verdict = verdicts[one.pause.name]
        for error in verdict.errors:
            said = f"{error.judge} {error.code} {error.message}"
            text = one.answer.text[:_SHOWN]
            yield f"{_verdict(one, verdict)}: {one.pause.name} ({one.answer.verified}) {text!r}: {said}"


if __name__ == "__main__":
    sys.exit(main())
