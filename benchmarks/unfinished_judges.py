"""What the verifier says of a text at a pause, and what the checker itself says of finished files, to compare it with.

The checker is asked in its own process through the workspace, as the verifier asks it; only the files differ.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from pathlib import Path

from benchmarks.documents import document
from benchmarks.pauses import Pause
from benchmarks.unfinished_mutants import Mutant, pruned
from context_index import Diagnostic, Document, Language, Syntax, Workspace, ancestors, parse
from lsp_server.engine.verification import (
    Candidate,
    Rejected,
    Rejection,
    Unanswered,
    Unverified,
    Verification,
    Verified,
    Verifier,
)
from lsp_server.engine.verification.candidate import Applied

_ROUNDS = 6
"""How often names are declared and the text is verified again: a checker reports some only when others are known."""
_FUTURE = "future_import_statement"
_TYPED = (Language.TYPESCRIPT, Language.TSX)
_UNRESOLVED = "inscope_removed"
"""A module that does not exist: a name that Python imports from it is of unknown type, and may be used as a type."""


class TrueTextOutcome(StrEnum):
    """What became of a true text."""

    ACCEPTED = "accepted"
    REFUSED = "refused"
    APART = "apart"
    """It is refused only because names of the removed part are not there: once they are declared, it is accepted."""
    INTACT = "intact"
    """The checker reports an error there in the intact file, too."""
    UNVERIFIED = "unverified"
    """No checker judged it."""


class MutantVerdict(StrEnum):
    """What the judges say of a mutant; `JudgedPackage.judge` has their steps."""

    WRONG = "wrong"
    """The finished file has an error because of it that can be seen at the pause."""
    HARMLESS = "harmless"
    """The finished file has no new error that touches it."""
    UNSEEN = "unseen"
    """Nobody can know at the pause: no error is left, or only in the removed part, once what that declares is gone."""
    UNVERIFIED = "unverified"
    """No checker judges the text at the pause."""
    MENDABLE = "mendable"
    """What is written after it may make it right."""


@dataclass(frozen=True, slots=True)
class JudgedTrueText:
    """A true text, and what was said of it."""

    pause: Pause
    what: str
    """`line` or `block`."""
    text: str
    outcome: TrueTextOutcome
    level: str
    """The verifier's where it accepts the text: `types`, `names` or `syntax`; else `rejected` or `unverified`."""
    messages: tuple[tuple[str, str], ...] = ()
    """Code and message of each rejection."""
    names: tuple[str, ...] = ()
    """Those that were declared, where it is apart."""


@dataclass(frozen=True, slots=True)
class JudgedMutant:
    """A mutant that the judges call wrong, and what the verifier says of it; or why it is left out."""

    mutant: Mutant
    verdict: MutantVerdict
    is_refused: bool = False
    """Whether the verifier refuses it at the pause."""
    level: str = ""
    """The verifier's level where it accepts a wrong one: `types`, `names` or `syntax`; else empty."""
    messages: tuple[tuple[str, str], ...] = ()
    """Code, and first line of the message, of each new error that touches it in the finished file."""


@dataclass(slots=True)
class JudgedPackage:
    """One package: its workspace, and its verifier."""

    root: Path
    workspace: Workspace = field(init=False)
    verifier: Verifier = field(init=False)
    reports: dict[Document, Sequence[Diagnostic]] = field(default_factory=dict)
    """What the checker says of whole files."""

    def __post_init__(self) -> None:
        self.workspace = Workspace((self.root,))
        self.workspace.index()
        self.verifier = Verifier(self.workspace)

    def close(self) -> None:
        """End its checkers."""
        self.workspace.close()

    def true_texts(self, pause: Pause) -> Iterator[JudgedTrueText]:
        """The verdicts about the true rest of the line and of the block, as far as there is one."""
        if pause.rest:
            yield self.line(pause)
        if pause.block_rest:
            yield self._true(pause, "block", pause.block_rest, pause.block_replaces)

    def line(self, pause: Pause) -> JudgedTrueText:
        """The verdict about the true rest of the line."""
        return self._true(pause, "line", pause.rest, 0)

    def _true(self, pause: Pause, what: str, text: str, replaces: int) -> JudgedTrueText:
        found = self.verify(pause.document, Candidate(pause.offset, text, replaces))
        level = str(found.level) if isinstance(found, Verified) else type(found).__name__.lower()
        if self._has_error(pause, pause.offset, pause.offset + len(text)):
            return JudgedTrueText(pause, what, text, TrueTextOutcome.INTACT, level)
        if not isinstance(found, Rejected):
            is_judged = isinstance(found, Verified)
            return JudgedTrueText(
                pause, what, text, TrueTextOutcome.ACCEPTED if is_judged else TrueTextOutcome.UNVERIFIED, level
            )
        messages = tuple((one.code, one.message) for one in found.rejections)
        known = set(map(_message, self._errors(pause.intact)))
        if all((code, _first_line(message)) in known for code, message in messages):
            return JudgedTrueText(pause, what, text, TrueTextOutcome.INTACT, level, messages)
        names = self._names_needed(pause, text, replaces, found)
        return JudgedTrueText(
            pause, what, text, TrueTextOutcome.APART if names else TrueTextOutcome.REFUSED, level, messages, names
        )

    def judge(self, mutant: Mutant) -> JudgedMutant:
        """What the judges say of a mutant; each step is asked where the one before leaves it open.

        1. The finished file has no new error that touches it: harmless.
        2. What is written below it may mend each of these errors: mendable.
        3. None is left once the declarations of the removed part are gone, too: unseen.
        4. Else it is wrong, and the verifier is asked at the pause; where no checker judges there, it is unverified.
        """
        messages = tuple(map(_message, self._errors_of(mutant)))
        if not messages:
            return JudgedMutant(mutant, MutantVerdict.HARMLESS)
        if mutant.is_mendable or not self._lasting(messages, mutant):
            return JudgedMutant(mutant, MutantVerdict.MENDABLE, messages=messages)
        if not self._errors_seen(mutant):
            return JudgedMutant(mutant, MutantVerdict.UNSEEN, messages=messages)
        found = self.verify(mutant.pause.document, Candidate(mutant.pause.offset, mutant.text))
        if isinstance(found, Unverified):
            return JudgedMutant(mutant, MutantVerdict.UNVERIFIED, messages=messages)
        level = str(found.level) if isinstance(found, Verified) else ""
        return JudgedMutant(mutant, MutantVerdict.WRONG, isinstance(found, Rejected), level, messages)

    def verify(self, before: Document, candidate: Candidate) -> Verification:
        """The verifier's answer.

        Raises:
            SystemExit: the checker does not answer.
        """
        found = self.verifier.verify(parse(before), candidate)
        self.workspace.forget(before.uri)
        if isinstance(found, Unanswered):
            raise SystemExit(f"error: {found.why}")
        return found

    # The checker on finished files

    def _errors(self, one: Document) -> Sequence[Diagnostic]:
        """What the checker says of a document."""
        if one not in self.reports:
            found = self.workspace.checker_of(one).ask(one, lambda asked: asked.diagnostics()).result()
            self.reports[one] = [each for each in found if each.is_error]
        return self.reports[one]

    def _has_error(self, pause: Pause, start: int, end: int) -> bool:
        """Whether the checker reports an error in a part of the intact file."""
        return any(one.start < end and start < one.end for one in self._errors(pause.intact))

    def _errors_of(self, mutant: Mutant) -> Sequence[Diagnostic]:
        """The errors of the finished file that touch the mutant, and that the intact file lacks."""
        finished = mutant.pause.put_back(mutant.text)
        return _touching(mutant, finished, self._new_errors(mutant.pause, mutant.pause.text, finished))

    def _lasting(self, messages: Sequence[tuple[str, str]], mutant: Mutant) -> Sequence[tuple[str, str]]:
        """Those of some errors that no member written below takes away.

        If a member of a class has another name, others may miss it; then the intact file without it has these errors,
        too, and they go once the member is written.
        """
        if not mutant.lacking:
            return messages
        known = set(map(_message, self._errors(document(mutant.pause.path, mutant.lacking))))
        return [one for one in messages if one not in known]

    def _errors_seen(self, mutant: Mutant) -> Sequence[Diagnostic]:
        """The errors that touch the mutant when what the removed part declares is gone; not those within that part."""
        pause = mutant.pause
        whole = pruned(pause, mutant.text)
        new = self._new_errors(pause, pruned(pause, pause.rest), whole)
        start, end = pause.offset + len(mutant.text), len(whole) - (len(pause.text) - pause.resumes)
        return [one for one in _touching(mutant, whole, new) if not (start <= one.start and one.end <= end)]

    def _new_errors(self, pause: Pause, before: str, after: str) -> Sequence[Diagnostic]:
        """The errors of one text of a pause's file beyond those of another, equal ones by their number."""
        known = Counter(map(_message, self._errors(document(pause.path, before))))
        found = []
        for one in self._errors(document(pause.path, after)):
            known[_message(one)] -= 1
            if known[_message(one)] < 0:
                found.append(one)
        return found

    # Names of the removed part

    def _names_needed(self, pause: Pause, text: str, replaces: int, found: Rejected) -> tuple[str, ...]:
        """The names of the removed part without which the text is refused, and with which it is accepted; else none."""
        removed = _identifiers(pause.syntax, pause.offset + len(text), pause.resumes)
        names: dict[str, bool] = {}
        for _ in range(_ROUNDS):
            before, offset = _declared(pause, names)
            with_text = before[:offset] + text + before[offset + replaces :]
            wanted = dict(_named(with_text, one) for one in found.rejections)
            new = {name: is_member for name, is_member in wanted.items() if name in removed and name not in names}
            if not new:
                return ()
            names |= new
            before, offset = _declared(pause, names)
            again = self.verify(document(pause.path, before), Candidate(offset, text, replaces))
            if not isinstance(again, Rejected):
                return tuple(names)
            found = again
        return ()


def _touching(mutant: Mutant, whole: str, errors: Sequence[Diagnostic]) -> Sequence[Diagnostic]:
    """Those of some errors of a file with a mutant in it that share a character with what the mutant became part of."""
    pause, end = mutant.pause, mutant.pause.offset + len(mutant.text)
    torn = parse(document(pause.path, whole[: pause.offset] + whole[end:]))
    extent = Applied(torn, Candidate(pause.offset, mutant.text)).extent
    return [one for one in errors if any(one.start < end and start < one.end for start, end in extent)]


@lru_cache(maxsize=256)
def _identifiers(syntax: Syntax, start: int, end: int) -> frozenset[str]:
    """The words of a part of a file that may be names."""
    found, pending = set(), [syntax.root]
    while pending:
        node = pending.pop()
        if syntax.end(node) > start and syntax.start(node) < end:
            pending += node.children
            if not node.child_count:
                found.add(syntax.text(node))
    return frozenset(found)


def _named(text: str, one: Rejection) -> tuple[str, bool]:
    """The name that an error is at, and whether it is a member of something."""
    receiver, dot, name = text[one.start : one.end].rpartition(".")
    return name, bool(dot) or text[: one.start].rstrip().endswith(".") or bool(receiver)


def _declared(pause: Pause, names: Mapping[str, bool]) -> tuple[str, int]:
    """The document with names declared as of unknown type, at its top or in the class around; and the pause in it."""
    before = pause.document.text
    own = [name for name, is_member in names.items() if not is_member]
    members = [name for name, is_member in names.items() if is_member]
    edits = [(_top(pause.syntax), "".join(f"{line}\n" for name in own for line in _declarations(pause, name)))]
    body = _class_body(pause.syntax, pause.offset)
    if members and body is not None:
        edits.append((body, "".join(_member(pause, name, body) for name in members)))
    moved = pause.offset
    for at, text in sorted(edits, reverse=True):
        if at <= pause.offset:
            before, moved = before[:at] + text + before[at:], moved + len(text)
    return before, moved


def _declarations(pause: Pause, name: str) -> Sequence[str]:
    match pause.syntax.language:
        case language if language.family == "python":
            return (f"from {_UNRESOLVED} import {name}",)
        case language if language in _TYPED:
            return (f"declare const {name}: any;", f"type {name} = any;")
        case _:
            return (f"var {name} = /** @type {{any}} */ (undefined);",)


def _member(pause: Pause, name: str, body: int) -> str:
    """The declaration of a class's member, for the beginning of its body."""
    language = pause.syntax.language
    if language.family == "python":
        line = pause.text[pause.text.rfind("\n", 0, body) + 1 : body]
        return f"from {_UNRESOLVED} import {name}\n{line}"
    return f" {name}: any;" if language in _TYPED else f" {name} = /** @type {{any}} */ (undefined);"


def _top(syntax: Syntax) -> int:
    """Where a file's first declaration may stand."""
    futures = [syntax.end(node) + 1 for node in syntax.root.children if node.type == _FUTURE]
    return max(futures, default=0)


def _class_body(syntax: Syntax, offset: int) -> int | None:
    """Where the members of the innermost class around an offset begin."""
    node = syntax.node_at(offset)
    for one in (node, *ancestors(node)):
        if one.parent is not None and one.parent.type.startswith("class") and one.type.endswith(("block", "body")):
            return syntax.start(one) if syntax.language.family == "python" else syntax.end(one.children[0])
    return None


def _message(error: Diagnostic) -> tuple[str, str]:
    """Its code, and the first line of its message: by these, errors of two texts are the same."""
    return error.code, _first_line(error.message)


def _first_line(message: str) -> str:
    return message.partition("\n")[0]
