"""Suggestions at the pauses of replays: how often they are right, when somebody asks and when nobody does.

    inscope bench replays --set fitting --sample 40                        asked, some pauses of each language and state
    inscope bench replays --set fitting --sample 40 --unconstrained        beside the model alone, in pairs
    inscope bench replays --set fitting --eagerness balanced quiet         unasked, too
    inscope bench replays --out DIRECTORY                                  goes on where an earlier run ended

At each frozen pause (`inscope bench pauses`) the product is asked as a person asks it, and checkers are waited for, so
that nothing is decided by time. *Right* is a suggestion with which the cursor's line becomes what was typed up to its
end, blanks there aside. Where nothing more came on the line, silence is right, and so is a text that leaves the line
alone; these pauses are counted apart. The model alone has no constraint, verifier or menu; its n-grams it keeps.

A suggestion that is shown is judged in the finished file. `meaning` decides what its errors mean, in this order:

- *Put back* (`_put_back`): after the text comes the true rest of the file. It is what followed the text, if the person
  typed just that; else what followed the line; or, where only that parses, what followed the block.
- *Error* (`JudgedProject.new_errors`): `tsc -p` or `ty check`, and `node --check` or `compile`, report there what they
  do not report of the intact file. Each error is listed.
- *Clash* (`_clashes`): the text declares a name, or has a key, that the rest has, too. It is not counted as an error.
- *Does not parse* (`is_syntax`): one of the errors is of syntax. The file counts as not judged.
- *Unseen* (`_visible`, `_seen`): nobody can see the errors at the pause. Without the statements and members below that
  are missing then, the file has none, or only on the lines that are missing. Mutants are judged so, too
  (`benchmarks/unfinished.py`).
- *Unseen*, too (`_awaits_module`): a name is imported, or handed on, from a module that is not named yet.

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
from benchmarks.places import Place
from benchmarks.shares import Estimate, mean, share
from benchmarks.suggestions_judges import Error, Finished, JudgedProject, is_syntax, lines_around
from benchmarks.timing import machine_line
from benchmarks.unfinished_mutants import pruned
from benchmarks.verification_places import nodes
from context_index import Edit, Syntax, Workspace, ancestors, continues_identifier, parse
from decoder import SamplingOptions
from lsp_server.engine.menu.order import ordered
from lsp_server.engine.model_host import ModelHost, ModelSettings
from lsp_server.engine.service import Service
from lsp_server.engine.site import Site
from lsp_server.engine.suggestion import CompletionRequest, Eagerness
from lsp_server.engine.verification import Candidate
from lsp_server.engine.verification.candidate import Applied

ASKED, ALONE, MENU = "asked", "model alone", "menu"
_FINE, WRONG, _CLASH, _UNPARSED, _UNSEEN = "fine", "error", "clash", "does not parse", "unseen"
"""See the module's text."""
_READING = 20.0
"""Seconds in which the names and n-grams of a package are counted, before anything is asked there."""
_SHOWN = 90
"""Characters of a text that are printed with its errors."""


@dataclass(frozen=True, slots=True)
class ReplayAnswer:
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
class ReplayRow:
    """An answer at its pause, and what it is worth."""

    pause: Pause
    answer: ReplayAnswer

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
        return not self.is_silent and first_word(self.answer.text) == first_word(self.pause.rest)

    @property
    def is_exact(self) -> bool:
        """Whether it is what was typed next up to its own end, a word's."""
        return is_exact(self.pause, self.answer.text)

    def _line(self, text: str, replaces: int) -> str:
        """The line after the cursor, with a text there."""
        return (text + self.pause.below[replaces:]).partition("\n")[0].rstrip()


def is_exact(pause: Pause | Place, text: str) -> bool:
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
            append(folder / "answers.jsonl", asdict(_answer(pause, row, service)))
    finally:
        workspace.close()


def _answer(pause: Pause, row: str, service: Service) -> ReplayAnswer:
    syntax = parse(pause.document)
    service.workspace.update(syntax.document)
    if row == MENU:
        return ReplayAnswer(pause.name, row, _first_entry(pause, syntax, service), 0, (), "", "", 0.0)
    eagerness = None if row in {ASKED, ALONE} else Eagerness(row)
    request = CompletionRequest(
        syntax, pause.offset, SamplingOptions(), constrained=row != ALONE, eagerness=eagerness, imports=row != ALONE
    )
    found = service.complete(request)
    service.workspace.forget(syntax.document.uri)
    return ReplayAnswer(
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
    site = Site(service.workspace, syntax, pause.offset)
    found = service.candidates(site)
    scores = service.rank(site, found.start, [one.text for one in found.items], Event())
    prior = service.prior_scores(site, found)
    text = syntax.document.text
    entries = ordered(found.items, scores, text, found.start, pause.offset, prior=prior)
    service.workspace.forget(syntax.document.uri)
    typed = text[found.start : pause.offset]
    return entries[0].text.removeprefix(typed) if entries and entries[0].text.startswith(typed) else ""


def append(path: Path, row: Mapping[str, object]) -> None:
    """Add a line of JSON to a file."""
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row, ensure_ascii=False) + "\n")


def lines(path: Path) -> Iterator[str]:
    """The whole lines of a file; none where there is none."""
    if path.is_file():
        yield from path.read_text("utf-8").split("\n")[:-1]


def _kept(folder: Path) -> list[ReplayAnswer]:
    found = (json.loads(line) for line in lines(folder / "answers.jsonl"))
    return [ReplayAnswer(**{**row, "edits": tuple(map(tuple, row["edits"]))}) for row in found]


def read(asked: Sequence[Pause], folder: Path) -> list[ReplayRow]:
    """What a folder has of some pauses."""
    by_name = {pause.name: pause for pause in asked}
    return [ReplayRow(by_name[one.pause], one) for one in _kept(folder) if one.pause in by_name]


# Judging


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the judges say of a finished file."""

    errors: tuple[Error, ...]
    """The new ones."""
    is_seen: bool
    """Whether one of them is there without what is missing at the pause."""


def _judge(root: Path, here: Sequence[Pause], folder: Path) -> None:
    """Judge what was shown to somebody who asked."""
    known = _verdicts(folder)
    shown = [one for one in read(here, folder) if one.answer.row == ASKED and not one.is_silent]
    unknown = [one for one in shown if one.pause.name not in known]
    if not unknown:
        return
    with tempfile.TemporaryDirectory() as scratch:
        project = JudgedProject(root, Path(scratch), is_python=here[0].language == "python")
        for name, verdict in verdicts_of(unknown, project):
            row = {"pause": name, "errors": [asdict(one) for one in verdict.errors], "is_seen": verdict.is_seen}
            append(folder / "verdicts.jsonl", row)


def verdicts_of(shown: Sequence[ReplayRow], project: JudgedProject) -> Iterator[tuple[str, Verdict]]:
    """By pause: what the judges say of one text there; nothing where the file cannot be finished."""
    files = [file for one in shown if (file := _finished(one)) is not None]
    errors = {file.name: errors for file, errors in project.new_errors(files)} if files else {}
    wrong = {one.pause.name: one for one in shown if errors.get(one.pause.name)}
    visible = [file for one in wrong.values() if (file := _visible(one)) is not None]
    seen = {file.name: _seen(wrong[file.name], file, errors[file.name]) for file in files if file.name in wrong}
    seen |= {file.name: _seen(wrong[file.name], file, found) for file, found in project.new_errors(visible)}
    for name, found in errors.items():
        yield name, Verdict(found, seen.get(name, True))


def _finished(one: ReplayRow) -> Finished | None:
    """The file with the text and its true rest; None where it parses neither after the line nor after the block."""
    applied = _put_back(one)
    return None if applied is None else _judged_file(one, applied, one.pause.text)


def _visible(one: ReplayRow) -> Finished | None:
    """The same without the statements and members below that are missing; None where that does not parse."""
    pause = one.pause
    applied = _applied(one, pruned(pause, ""))
    return None if applied.syntax.errors else _judged_file(one, applied, pruned(pause, pause.rest))


def _judged_file(one: ReplayRow, applied: Applied, before: str) -> Finished:
    file = one.pause.path.relative_to(one.pause.root).as_posix()
    extent, around = lines_around(applied)
    return Finished(one.pause.name, file, before, applied.document.text, extent, around)


def _seen(one: ReplayRow, file: Finished, found: Sequence[Error]) -> bool:
    """Whether an error is anywhere but on the lines that are missing at the pause."""
    missing = _missing_lines(one.pause, file)
    return any(error.line not in missing for error in found)


def _missing_lines(pause: Pause, file: Finished) -> range:
    """The lines of a finished file, from 1, that the document at the pause does not have: those below the text's.

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


def _put_back(one: ReplayRow) -> Applied | None:
    """The text in the intact file, in place of what was typed next there; None where the file does not parse with it.

    First, if the person typed just that text, it takes its own place: `len(` goes before `rows)`. Else it stands for
    the rest of the line; and last, for that of the block, as a text of several lines may.
    """
    pause, text = one.pause, one.answer.text
    is_typed = pause.text.startswith(text, pause.offset) and not one.answer.replaces
    for typed_next in ([text] if is_typed else []) + [pause.rest] + ([pause.block_rest] if pause.block_rest else []):
        applied = _applied(one, pause.text[: pause.offset] + pause.text[pause.offset + len(typed_next) :])
        if not applied.syntax.errors:
            return applied
    return None


def _applied(one: ReplayRow, torn: str) -> Applied:
    """A file that lacks what was typed next, with the text and the imports above it.

    At the pause the text may also replace what follows the cursor, mostly a bracket that the editor has closed. Where
    the person typed that bracket as part of the rest, it is missing in this file as well: nothing else is replaced.
    """
    pause, answer = one.pause, one.answer
    edits = tuple(Edit(*each) for each in answer.edits if each[1] <= pause.offset)
    is_there = pause.below[: answer.replaces] == torn[pause.offset : pause.offset + answer.replaces]
    candidate = Candidate(pause.offset, answer.text, answer.replaces if is_there else 0, edits)
    return Applied(parse(document(pause.path, torn)), candidate)


def _verdicts(folder: Path) -> dict[str, Verdict]:
    found = (json.loads(line) for line in lines(folder / "verdicts.jsonl"))
    return {row["pause"]: Verdict(tuple(Error(**one) for one in row["errors"]), row["is_seen"]) for row in found}


def _clashes(one: ReplayRow) -> bool:
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
        fields = (node.child_by_field_name(field) for field in ("name", "left", "key", "pattern"))
        name = next((field for field in fields if field is not None), None)
        if node.type == "jsx_attribute" or (node.type == "default" and not node.child_count):
            name = node.children[0] if node.child_count else node
        if name is not None and start <= syntax.start(name) < end:
            found.add(syntax.text(name))
    return found


# Tables


def first_word(text: str) -> str:
    """The first run of characters of names."""
    start = next((at for at, character in enumerate(text) if continues_identifier(character)), len(text))
    return "".join(takewhile(continues_identifier, text[start:]))


def _cells(found: Sequence[ReplayRow]) -> Iterator[tuple[str, str, list[ReplayRow]]]:
    """By language and state, then pooled over the states of a language."""
    for language in pauses.LANGUAGES:
        for state in (*pauses.STATES, "all"):
            here = [one for one in found if one.pause.language == language and state in (one.pause.state, "all")]
            if here:
                yield language, state, here
    yield "all", "all", list(found)


def _table(found: Sequence[ReplayRow], verdicts: Mapping[str, Verdict]) -> Iterator[str]:
    titles = ("n", "right, %", "silent, %", "first word right, %", "right alone, %", "paired difference")
    more = ("nothing more came", "silent or right there, %", "judged of shown", "new errors", "unseen", "clashes")
    yield f"| language | state | {' | '.join((*titles, *more))} |"
    yield "|---" * (2 + len(titles) + len(more)) + "|"
    alone = {one.pause.name: one for one in found if one.answer.row == ALONE}
    for language, state, here in _cells([one for one in found if one.answer.row == ASKED]):
        cells = (*_figures(here, alone), *_judged(here, verdicts))
        yield f"| {language} | {state} | {' | '.join(map(str, cells))} |"


def _figures(here: Sequence[ReplayRow], alone: Mapping[str, ReplayRow]) -> Sequence[object]:
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


def _judged(here: Sequence[ReplayRow], verdicts: Mapping[str, Verdict]) -> Sequence[object]:
    shown = [one for one in here if not one.is_silent]
    counts = Counter(meaning(one, verdicts[one.pause.name]) for one in shown if one.pause.name in verdicts)
    return f"{sum(counts.values()) - counts[_UNPARSED]} of {len(shown)}", counts[WRONG], counts[_UNSEEN], counts[_CLASH]


def meaning(one: ReplayRow, verdict: Verdict) -> str:
    """What the new errors of a finished file mean."""
    if not verdict.errors:
        return _FINE
    if _clashes(one):
        return _CLASH
    if any(is_syntax(error.code) for error in verdict.errors):
        return _UNPARSED
    return WRONG if verdict.is_seen and not _awaits_module(one) else _UNSEEN


def _awaits_module(one: ReplayRow) -> bool:
    """Whether the text stands among the names of an import, or of an export, whose module is named after it."""
    applied = _put_back(one)
    if applied is None:
        return False
    start, end = applied.inserted
    around = ancestors(applied.syntax.node_at(start, end))
    sources = (node.child_by_field_name("source") for node in around)
    return any(source is not None and applied.syntax.start(source) >= end for source in sources)


def _unasked(found: Sequence[ReplayRow], title: str) -> Iterator[str]:
    yield f"\n{title}\n"
    yield "| language | state | pauses | shown, % | exact of shown, % | net characters saved per 100 |"
    yield "|---" * 6 + "|"
    for language, state, here in _cells(found):
        shown = [one for one in here if not one.is_silent]
        cells = (len(here), share(not one.is_silent for one in here), share(one.is_exact for one in shown))
        net = saved([(one.pause, one.answer.text) for one in here])
        yield f"| {language} | {state} | {' | '.join(map(str, (*cells, net)))} |"


def saved(texts: Sequence[tuple[Pause | Place, str]]) -> Estimate:
    """Net characters for 100 typed: a ratio of sums; its error is that of the mean of what each place adds to it."""
    typed = sum(len(place.rest) for place, _ in texts) / max(1, len(texts))
    net = [(1 if is_exact(place, text) else -1) * len(text.strip()) for place, text in texts]
    ratio = sum(net) / len(net) / typed if typed else 0.0
    rests = [len(place.rest) for place, _ in texts]
    error = mean((one - ratio * rest) / typed for one, rest in zip(net, rests, strict=True)).error if typed else 0.0
    return Estimate(100 * ratio, 100 * error)


def _errors(found: Sequence[ReplayRow], verdicts: Mapping[str, Verdict]) -> Iterator[str]:
    for one in found:
        if one.answer.row != ASKED or one.pause.name not in verdicts:
            continue
        verdict = verdicts[one.pause.name]
        for error in verdict.errors:
            said = f"{error.judge} {error.code} {error.message}"
            text = one.answer.text[:_SHOWN]
            yield f"{meaning(one, verdict)}: {one.pause.name} ({one.answer.verified}) {text!r}: {said}"


if __name__ == "__main__":
    sys.exit(main())
