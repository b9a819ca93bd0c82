"""Whether a text of the model may be shown at its place, in which form, and with which imports.

The text gets the file's own white space. With the cursor inside a word it replaces the rest of the word; an end that
repeats the text after the cursor is cut off, if what is left is accepted. Then the compilers judge; where none answers,
syntax and our own scopes do.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from decoder import Rejected as NotAccepted
from lsp_server.documents.model_view import ModelView
from lsp_server.suggestion import Level, Verify, Withheld
from lsp_server.verification.candidate import Applied, Candidate, repeated_length, says_next_line
from lsp_server.verification.own_imports import NO_IMPORTS, AddedImports, add_imports, as_written, nearest
from lsp_server.verification.repairs import imported
from lsp_server.verification.results import SYNTAX, Rejected, Unanswered, Unverified, Verified

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from context_index import SymbolContext
    from lsp_server.suggestion import CompletionRequest
    from lsp_server.verification.baseline import Baseline
    from lsp_server.verification.candidate import Span
    from lsp_server.verification.results import Verification


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether a text may be shown, and what an answer reports about it."""

    text: str
    """In the form in which it may be shown, with the file's white space."""
    withheld: Withheld | None = None
    """Why it may not be shown."""
    reason: str = ""
    level: Level = Level.NONE
    unverified: tuple[str, ...] = ()
    """Members without a definition."""
    note: str = ""
    """What could not be checked."""
    is_open: bool = False
    """Whether it opens brackets that nothing closes yet."""
    is_strict: bool = True
    """Whether it leaves nothing open, and neither errors elsewhere nor a fault of syntax, whatever is still to come."""
    is_last_resort: bool = False
    """Whether the token after the text does not parse, as it did not before."""
    is_circular: bool = False
    """See `Verified.is_circular`; such a text is shown only to somebody who asked."""
    imports: AddedImports = NO_IMPORTS
    rejected: NotAccepted | None = None
    replaces: int = 0
    """Code points after the cursor that the text replaces."""


@dataclass(slots=True)
class Judge:
    """Judges the texts of one request.

    Args:
        baseline: Judges texts in the document; None where no checker is to be asked.
        seconds: How long checkers may take for all texts together; None waits for every answer.
    """

    request: CompletionRequest
    symbols: SymbolContext
    baseline: Baseline | None
    seconds: float | None = None
    deadline: float | None = None
    """The request's, on `time.monotonic`'s clock."""
    waited: float = 0.0
    """Seconds spent waiting for checkers."""
    _judgements: dict[str, Judgement] = field(default_factory=dict)
    _importable: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        importable = self.symbols.importable if self.request.imports else ()
        self._importable = frozenset(one.text for one in importable)

    @property
    def rejections(self) -> tuple[tuple[str, str], ...]:
        """The texts that were not accepted, in order, each with the reason."""
        return tuple(
            (one.text, one.reason) for one in self._judgements.values() if one.rejected is not None and one.text
        )

    def verify(self, text: str) -> NotAccepted | None:
        """Whether the search has to go on; None accepts."""
        judgement = self.of(text)
        if judgement.rejected is None and judgement.is_circular and self.request.eagerness is not None:
            return NotAccepted(whole=True)
        return judgement.rejected or (NotAccepted(last_resort=True) if judgement.is_last_resort else None)

    def verify_strictly(self, text: str) -> NotAccepted | None:
        """`verify` for a text that nobody searched for: it must not leave an error elsewhere in the file, either."""
        judgement = self.of(text)
        return judgement.rejected or (None if judgement.is_strict else NotAccepted())

    def of(self, text: str) -> Judgement:
        """The judgement of a text; each text is judged once."""
        if text not in self._judgements:
            self._judgements[text] = self._judged(text)
        return self._judgements[text]

    def _judged(self, text: str) -> Judgement:
        if not text.strip():
            return Judgement("", Withheld.EMPTY, "The model had nothing to say here.", rejected=NotAccepted())
        view = ModelView.of(self.request.syntax, self.request.offset)
        whole = Candidate(self.request.offset, view.indentation.to_file(text), len(view.rest))
        if says_next_line(self.request.syntax, whole):
            reason = "It says the next line again."
            return Judgement("", Withheld.REPEATS_FOLLOWING, reason, rejected=NotAccepted(whole=True))
        judged: list[Judgement] = []
        for form in self._forms(view.indentation.to_file(text), view.rest):
            judged.append(self._of_form(form))
            if judged[-1].rejected is None and not judged[-1].is_open:
                return judged[-1]
        if accepted := [one for one in judged if one.rejected is None]:
            return accepted[0]
        if not judged:
            reason = "It repeats what follows the cursor."
            return Judgement("", Withheld.REPEATS_FOLLOWING, reason, rejected=NotAccepted())
        first, rejected = judged[0], judged[0].rejected
        if rejected is None or rejected.end is None:
            return first
        end = view.indentation.length_in_model(text, rejected.end)
        return replace(first, rejected=replace(rejected, end=end))

    def _forms(self, text: str, rest: str) -> Iterator[Candidate]:
        """The text without an end that repeats the text after the cursor, then the whole; none if all of it repeats.

        Args:
            rest: The rest of the word at the cursor. A text that ends with it replaces nothing.
        """
        whole = Candidate(self.request.offset, text, len(rest), importable=self._importable)
        again = repeated_length(self.request.syntax, whole)
        for form in (text[:-again].rstrip(), text) if again else (text,):
            if form in ("", rest):
                return
            fits = rest and form.endswith(rest) and not form.startswith(rest)
            yield replace(whole, text=form.removesuffix(rest), replaces=0) if fits else replace(whole, text=form)

    def _of_form(self, candidate: Candidate) -> Judgement:
        request = self.request
        applied = Applied(request.syntax, candidate)
        if self.baseline is None:
            found = (
                _does_not_parse(candidate)
                if applied.syntax.errors > request.syntax.errors
                else Judgement(candidate.text)
            )
        else:
            started = time.monotonic()
            verification = self.baseline.verify(candidate, self._left(started))
            self.waited += time.monotonic() - started
            found = self._of_verification(candidate, verification)
        return replace(found, replaces=candidate.replaces)

    def _left(self, now: float) -> float | None:
        """Seconds left to wait for checkers; None for no limit."""
        ends = [] if self.seconds is None else [self.seconds - self.waited]
        if self.deadline is not None:
            ends.append(self.deadline - now)
        return max(0.0, min(ends)) if ends else None

    def _of_verification(self, candidate: Candidate, found: Verification) -> Judgement:
        text = candidate.text
        match found:
            case Verified(is_complete=False):
                reason = "The statement that it becomes part of does not parse."
                return Judgement(text, Withheld.SYNTAX_ERROR, reason, rejected=NotAccepted())
            case Verified(level, repaired, unverified, elsewhere, _, _, continues, is_open, closed_parses, is_circular):
                accepted = Judgement(
                    text,
                    level=level,
                    is_open=is_open,
                    is_strict=not (elsewhere or is_open) and closed_parses,
                    is_last_resort=not continues,
                    is_circular=is_circular,
                )
                if not repaired.edits:
                    names = tuple(text[max(0, start) : end] for start, end in unverified)
                    return replace(accepted, unverified=names)
                before = self.request.syntax
                inserted = Applied(before, candidate)
                missing = inserted.undefined(self.symbols.names)
                importable = nearest(missing, self.symbols.importable) if self.request.imports else None
                if importable is None:
                    return _undefined(inserted, missing)
                new = imported(Applied(before, repaired).syntax) - imported(before)
                return replace(accepted, imports=AddedImports(as_written(importable, new), repaired.edits))
            case Rejected(rejections, _):
                first = rejections[0]
                inside = [one.inside[1] for one in rejections if one.inside is not None and one.code != SYNTAX]
                rejected = NotAccepted(min(inside, default=None))
                if first.code == SYNTAX:
                    return Judgement(text, Withheld.SYNTAX_ERROR, first.message, rejected=rejected)
                reason = f"{first.message.splitlines()[0]} ({first.code})"
                return Judgement(text, Withheld.REJECTED, reason, rejected=rejected)
            case Unanswered(why) if self.request.verify is Verify.MARK:
                return self._by_scopes(candidate, why)
            case Unanswered(why):
                return Judgement(text, Withheld.LATE, f"{why}.", rejected=NotAccepted(final=True))
            case Unverified(why, _):
                return self._by_scopes(candidate, why)

    def _by_scopes(self, candidate: Candidate, why: str) -> Judgement:
        """The judgement where no checker answers: our own scopes look names up, if they know all names."""
        applied = Applied(self.request.syntax, candidate)
        missing = applied.undefined(self.symbols.names) if self.symbols.complete else {}
        importable = nearest(missing, self.symbols.importable) if self.request.imports else None
        if missing and importable is None:
            return _undefined(applied, missing)
        imports = add_imports(self.request.syntax, importable or (), self.symbols.module_kind)
        note = f"No checker judged it: {why.removesuffix('.')}."
        return Judgement(
            candidate.text,
            level=Level.SYNTAX,
            note=note,
            imports=imports,
            is_strict=applied.syntax.errors == 0,
        )


def _does_not_parse(candidate: Candidate, reason: str = "The file would have a new syntax error with it.") -> Judgement:
    return Judgement(candidate.text, Withheld.SYNTAX_ERROR, reason, rejected=NotAccepted())


def _undefined(applied: Applied, missing: Mapping[str, Span]) -> Judgement:
    """The text refers to names that nothing defines; the first of them is where it goes wrong."""
    text = applied.candidate.text
    if not missing:
        reason, rejected = "It would need an import.", NotAccepted()
    else:
        name, (_, end) = min(missing.items(), key=lambda one: one[1])
        reason = f"It refers to {name!r}, which is not visible there."
        inside = min(end - applied.inserted[0], len(text))
        rejected = NotAccepted(inside if inside > 0 else None)
    return Judgement(text, Withheld.UNDEFINED_NAME, reason, rejected=rejected)
