"""What the verifier says of a text at a pause, compared with what the checker itself says of finished files.

A part of `inscope bench unfinished`, whose docstring says which texts and mutants count, and of `inscope bench
refusals`. The checker is asked through the workspace, as the verifier asks it; only the files differ.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from pathlib import Path

from benchmarks.documents import document, reported_errors
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
from lsp_server.engine.verification.applied import Applied

_ROUNDS = 6
"""How often names are declared and the text is verified again; a checker reports some only when others are known."""
_FUTURE = "future_import_statement"
_TYPED = (Language.TYPESCRIPT, Language.TSX)
_UNRESOLVED = "inscope_removed"
"""A module that does not exist. A name that Python imports from it is of unknown type, and may be used as a type."""


class TrueTextOutcome(StrEnum):
    """What became of a true text."""

    ACCEPTED = "accepted"
    REFUSED = "refused"
    APART = "apart"
    """It is refused only for names that the removed part declares; once they are declared, it is accepted."""
    INTACT = "intact"
    """The checker reports an error there in the intact file, too."""
    UNVERIFIED = "unverified"
    """No checker judged it."""


class MutantVerdict(StrEnum):
    """What the checker says of a mutant; `JudgedPackage.judge` has the steps."""

    WRONG = "wrong"
    """The finished file has an error because of it that can be seen at the pause."""
    HARMLESS = "harmless"
    """The finished file has no new error that touches it."""
    UNSEEN = "unseen"
    """Nobody can see it at the pause: without what the removed part declares no error is left, or only in that part."""
    UNVERIFIED = "unverified"
    """No checker judges the text at the pause."""
    MENDABLE = "mendable"
    """What is written after it may make it right."""


@dataclass(frozen=True, slots=True)
class JudgedTrueText:
    """A true text, and what was said of it."""

    pause: Pause
    what: str
    """`line`, `part` or `block`."""
    text: str
    outcome: TrueTextOutcome
    level: str
    """The verifier's level if it accepts the text: `types`, `names` or `syntax`; else `rejected` or `unverified`."""
    messages: tuple[tuple[str, str], ...] = ()
    """Code and message of each rejection."""
    names: tuple[str, ...] = ()
    """The names that were declared, if the outcome is `APART`."""


@dataclass(frozen=True, slots=True)
class JudgedMutant:
    """A mutant that the checker calls wrong, and what the verifier says of it; or why it does not count."""

    mutant: Mutant
    verdict: MutantVerdict
    is_refused: bool = False
    """Whether the verifier refuses it at the pause."""
    level: str = ""
    """The verifier's level if it accepts a wrong mutant: `types`, `names` or `syntax`; else empty."""
    messages: tuple[tuple[str, str], ...] = ()
    """Code, and first line of the message, of each new error that touches the mutant in the finished file."""


@dataclass(slots=True)
class JudgedPackage:
    """One package: its workspace, and its verifier."""

    root: Path
    workspace: Workspace = field(init=False)
    verifier: Verifier = field(init=False)
    reports: dict[Document, Sequence[Diagnostic]] = field(default_factory=dict)
    """The errors that the checker reports of whole files, kept as many texts share a file."""

    def __post_init__(self) -> None:
        self.workspace = Workspace((self.root,))
        self.workspace.index()
        self.verifier = Verifier(self.workspace)

    def close(self) -> None:
        """End its checkers."""
        self.workspace.close()

    def true_texts(self, pause: Pause) -> Iterator[JudgedTrueText]:
        """Judge the true rest of the line, its part up to a blank, and the true rest of the block, if any."""
        if pause.rest:
            yield self.line(pause)
        if pause.rest_part:
            yield self._judge_true(pause, "part", pause.rest_part, 0)
        if pause.block_rest:
            yield self._judge_true(pause, "block", pause.block_rest, pause.block_replaces)

    def line(self, pause: Pause) -> JudgedTrueText:
        """Judge the true rest of the line."""
        return self._judge_true(pause, "line", pause.rest, 0)

    def _judge_true(self, pause: Pause, what: str, text: str, replaces: int) -> JudgedTrueText:
        """Judge a true text, which replaces so many characters after the cursor."""
        verdict = self.verify(pause.document, Candidate(pause.offset, text, replaces))
        level = str(verdict.level) if isinstance(verdict, Verified) else type(verdict).__name__.lower()
        if self._has_error(pause, pause.offset, pause.offset + len(text)):
            return JudgedTrueText(pause, what, text, TrueTextOutcome.INTACT, level)
        if not isinstance(verdict, Rejected):
            is_verified = isinstance(verdict, Verified)
            outcome = TrueTextOutcome.ACCEPTED if is_verified else TrueTextOutcome.UNVERIFIED
            return JudgedTrueText(pause, what, text, outcome, level)
        messages = tuple((rejection.code, rejection.message) for rejection in verdict.rejections)
        known = set(map(_code_and_line, self._errors(pause.intact)))
        if all((code, _first_line(message)) in known for code, message in messages):
            return JudgedTrueText(pause, what, text, TrueTextOutcome.INTACT, level, messages)
        names = self._names_needed(pause, text, replaces, verdict)
        outcome = TrueTextOutcome.APART if names else TrueTextOutcome.REFUSED
        return JudgedTrueText(pause, what, text, outcome, level, messages, names)

    def judge(self, mutant: Mutant) -> JudgedMutant:
        """Judge a mutant, in these steps until one decides.

        1. It is harmless if the finished file has no new error that touches it.
        2. It is mendable if what is written after it may mend each of these errors.
        3. It is unseen if none of these errors is left without the declarations of the removed part.
        4. Else the verifier is asked at the pause. If no checker judges there, the mutant is unverified.
        5. Else it is wrong.
        """
        messages = tuple(map(_code_and_line, self._errors_of(mutant)))
        if not messages:
            return JudgedMutant(mutant, MutantVerdict.HARMLESS)
        if mutant.is_mendable or not self._lasting(messages, mutant):
            return JudgedMutant(mutant, MutantVerdict.MENDABLE, messages=messages)
        if not self._errors_seen(mutant):
            return JudgedMutant(mutant, MutantVerdict.UNSEEN, messages=messages)
        verdict = self.verify(mutant.pause.document, Candidate(mutant.pause.offset, mutant.text))
        if isinstance(verdict, Unverified):
            return JudgedMutant(mutant, MutantVerdict.UNVERIFIED, messages=messages)
        level = str(verdict.level) if isinstance(verdict, Verified) else ""
        return JudgedMutant(mutant, MutantVerdict.WRONG, isinstance(verdict, Rejected), level, messages)

    def verify(self, before: Document, candidate: Candidate) -> Verification:
        """The verifier's verdict on a text in a document.

        Raises:
            SystemExit: the checker does not answer.
        """
        verdict = self.verifier.verify(parse(before), candidate)
        self.workspace.forget(before.uri)
        if isinstance(verdict, Unanswered):
            raise SystemExit(f"error: {verdict.why}")
        return verdict

    # The checker on finished files

    def _errors(self, finished: Document) -> Sequence[Diagnostic]:
        """The errors that the checker reports of a document."""
        if finished not in self.reports:
            self.reports[finished] = reported_errors(finished, self.workspace)
        return self.reports[finished]

    def _has_error(self, pause: Pause, start: int, end: int) -> bool:
        """Whether the checker reports an error between two offsets of the intact file."""
        return any(error.start < end and start < error.end for error in self._errors(pause.intact))

    def _errors_of(self, mutant: Mutant) -> Sequence[Diagnostic]:
        """The errors of the finished file that touch the mutant, and that the intact file lacks."""
        finished = mutant.pause.put_back(mutant.text)
        return _touching(mutant, finished, self._new_errors(mutant.pause, mutant.pause.text, finished))

    def _lasting(self, messages: Sequence[tuple[str, str]], mutant: Mutant) -> Sequence[tuple[str, str]]:
        """The errors that no member of the class mends that may be written below.

        If the mutant renames a member of a class, uses of the old name are errors. The intact file without the member
        has these errors, too; they go once a member of that name is written.
        """
        if not mutant.lacking:
            return messages
        known = set(map(_code_and_line, self._errors(document(mutant.pause.path, mutant.lacking))))
        return [message for message in messages if message not in known]

    def _errors_seen(self, mutant: Mutant) -> Sequence[Diagnostic]:
        """The new errors that touch the mutant in the file without what the removed part declares.

        Errors within what is left of the removed part are not among them.
        """
        pause = mutant.pause
        whole = pruned(pause, mutant.text)
        new = self._new_errors(pause, pruned(pause, pause.rest), whole)
        start, end = pause.offset + len(mutant.text), len(whole) - (len(pause.text) - pause.resumes)
        return [error for error in _touching(mutant, whole, new) if not (start <= error.start and error.end <= end)]

    def _new_errors(self, pause: Pause, before: str, after: str) -> Sequence[Diagnostic]:
        """The errors of a pause's file with the text `after` that it lacks with the text `before`.

        Of errors that are equal in both, those are new that are more than before.
        """
        known = Counter(map(_code_and_line, self._errors(document(pause.path, before))))
        new = []
        for error in self._errors(document(pause.path, after)):
            known[_code_and_line(error)] -= 1
            if known[_code_and_line(error)] < 0:
                new.append(error)
        return new

    # Names of the removed part

    def _names_needed(self, pause: Pause, text: str, replaces: int, rejected: Rejected) -> tuple[str, ...]:
        """The names of the removed part that must be declared for the text to be accepted; none if that is not enough.

        The names at which the rejections are, as far as the removed part has them, are declared, and the text is
        verified again, a few times.
        """
        removed = _identifiers(pause.syntax, pause.offset + len(text), pause.resumes)
        names: dict[str, bool] = {}
        """The names that are declared, and whether each is a member of something."""
        for _ in range(_ROUNDS):
            before, offset = _with_declarations(pause, names)
            with_text = before[:offset] + text + before[offset + replaces :]
            wanted = dict(_name_at(with_text, rejection) for rejection in rejected.rejections)
            new = {name: is_member for name, is_member in wanted.items() if name in removed and name not in names}
            if not new:
                return ()
            names |= new
            before, offset = _with_declarations(pause, names)
            verdict = self.verify(document(pause.path, before), Candidate(offset, text, replaces))
            if not isinstance(verdict, Rejected):
                return tuple(names)
            rejected = verdict
        return ()


def _touching(mutant: Mutant, whole: str, errors: Sequence[Diagnostic]) -> Sequence[Diagnostic]:
    """The errors of a file with a mutant in it that share a character with what the mutant became part of."""
    pause, end = mutant.pause, mutant.pause.offset + len(mutant.text)
    torn = parse(document(pause.path, whole[: pause.offset] + whole[end:]))
    extent = Applied(torn, Candidate(pause.offset, mutant.text)).extent
    return [error for error in errors if any(error.start < end and start < error.end for start, end in extent)]


@lru_cache(maxsize=256)
def _identifiers(syntax: Syntax, start: int, end: int) -> frozenset[str]:
    """The texts of all tokens between two offsets of a file, among which are its names."""
    texts, pending = set(), [syntax.root]
    while pending:
        node = pending.pop()
        if syntax.end(node) > start and syntax.start(node) < end:
            pending += node.children
            if not node.child_count:
                texts.add(syntax.text(node))
    return frozenset(texts)


def _name_at(text: str, rejection: Rejection) -> tuple[str, bool]:
    """The name that a rejection is at, and whether it is a member of something."""
    receiver, dot, name = text[rejection.start : rejection.end].rpartition(".")
    return name, bool(dot) or text[: rejection.start].rstrip().endswith(".") or bool(receiver)


def _with_declarations(pause: Pause, names: Mapping[str, bool]) -> tuple[str, int]:
    """The document's text with names declared as of unknown type, and the offset of the pause in it.

    Members are declared in the class around the pause, other names at the file's top.
    """
    document_text = pause.document.text
    not_members = [name for name, is_member in names.items() if not is_member]
    members = [name for name, is_member in names.items() if is_member]
    lines = [line for name in not_members for line in _declarations(pause, name)]
    insertions = [(_top(pause.syntax), "".join(f"{line}\n" for line in lines))]
    body = _class_body(pause.syntax, pause.offset)
    if members and body is not None:
        insertions.append((body, "".join(_member(pause, name, body) for name in members)))
    offset = pause.offset
    for at, text in sorted(insertions, reverse=True):
        if at <= pause.offset:
            document_text, offset = document_text[:at] + text + document_text[at:], offset + len(text)
    return document_text, offset


def _declarations(pause: Pause, name: str) -> Sequence[str]:
    """The lines that declare a name, as a value and as a type, in the pause's language."""
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
    """Where a file's first declaration may be: after its imports from `__future__`."""
    futures = [syntax.end(node) + 1 for node in syntax.root.children if node.type == _FUTURE]
    return max(futures, default=0)


def _class_body(syntax: Syntax, offset: int) -> int | None:
    """Where the members of the innermost class around an offset begin; None if there is no class."""
    leaf = syntax.node_at(offset)
    for node in (leaf, *ancestors(leaf)):
        if node.parent is not None and node.parent.type.startswith("class") and node.type.endswith(("block", "body")):
            return syntax.start(node) if syntax.language.family == "python" else syntax.end(node.children[0])
    return None


def _code_and_line(error: Diagnostic) -> tuple[str, str]:
    """The code of an error and the first line of its message; errors of two texts are equal if these are."""
    return error.code, _first_line(error.message)


def _first_line(message: str) -> str:
    return message.partition("\n")[0]
