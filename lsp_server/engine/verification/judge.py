"""Whether a text of the model may be shown at its place, in which form, and with which imports.

The text gets the file's own white space. With the cursor inside a word it replaces the rest of the word. An end that
repeats the text after the cursor, or is a group in brackets that opens again there, is cut off, if what is left is
accepted. Then the compilers judge; where none answers, syntax and our own scopes do.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from decoder import NotAccepted
from lsp_server.engine.clock import Clock
from lsp_server.engine.suggestion import Level, Verify, Withheld
from lsp_server.engine.verification.candidate import Applied, Candidate, doubled_length, repeated_length, says_next_line
from lsp_server.engine.verification.closings import closing_record
from lsp_server.engine.verification.own_imports import NO_IMPORTS, AddedImports, add_imports, as_written, nearest
from lsp_server.engine.verification.repairs import imported
from lsp_server.engine.verification.results import SYNTAX, UNDEFINED_NAME, Rejected, Unanswered, Unverified, Verified

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from context_index import Importable
    from lsp_server.engine.site import Site
    from lsp_server.engine.suggestion import CompletionRequest
    from lsp_server.engine.verification.baseline import Baseline
    from lsp_server.engine.verification.candidate import Span
    from lsp_server.engine.verification.results import Rejection, Verification


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether a text may be shown, and what an answer reports about it."""

    text: str
    """In the form in which it may be shown, with the file's white space."""
    withheld: Withheld | None = None
    """Why it may not be shown."""
    reason: str = ""
    quotes_checker: bool = False
    """Whether the reason is in a checker's own words."""
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
    """Whether something must follow it before the document is read on as before: it is shown where nothing else is."""
    is_circular: bool = False
    """See `Verified.is_circular`; such a text is shown only to somebody who asked."""
    imports: AddedImports = NO_IMPORTS
    rejected: NotAccepted | None = None
    replaces: int = 0
    """Code points after the cursor that the text replaces."""


@dataclass(slots=True)
class Judge:
    """Judges the texts of one request."""

    request: CompletionRequest
    site: Site
    baseline: Baseline | None = None
    """Judges texts in the document; None where no checker is to be asked."""
    clock: Clock = field(default_factory=Clock)
    brought: AddedImports = NO_IMPORTS
    """The import of the module whose member is written; it comes with every text."""
    waited: float = 0.0
    """Seconds spent waiting for checkers."""
    _judgements: dict[str, Judgement] = field(default_factory=dict)

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
            return Judgement("", Withheld.EMPTY, "The model suggests nothing here.", rejected=NotAccepted())
        site, written = self.site, self.site.indentation.to_file(text)
        if says_next_line(site.syntax, Candidate(site.offset, written, len(site.rest))):
            reason = "It repeats the next line."
            return Judgement("", Withheld.REPEATS_FOLLOWING, reason, rejected=NotAccepted(whole=True))
        judged: list[Judgement] = []
        for form in self._forms(written, site.rest):
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
        end = site.indentation.length_in_model(text, rejected.end)
        return replace(first, rejected=replace(rejected, end=end))

    def _forms(self, text: str, rest: str) -> Iterator[Candidate]:
        """The text without an end that what follows repeats, or opens again, then the whole; none if nothing is left.

        Args:
            rest: The rest of the word at the cursor. A text that ends with it replaces nothing.
        """
        edits = self.brought.edits
        importable = frozenset(one.text for one in self._importable)
        whole = Candidate(self.site.offset, text, len(rest), edits, importable=importable)
        again = repeated_length(self.site.syntax, whole) or doubled_length(self.site.syntax, whole)
        for form in (text[:-again].rstrip(), text) if again else (text,):
            if form in ("", rest):
                return
            fits = rest and form.endswith(rest) and not form.startswith(rest)
            yield replace(whole, text=form.removesuffix(rest), replaces=0) if fits else replace(whole, text=form)

    def _of_form(self, candidate: Candidate) -> Judgement:
        syntax = self.site.syntax
        applied = Applied(syntax, candidate)
        if self.baseline is None:
            found = _does_not_parse(candidate) if applied.syntax.errors > syntax.errors else Judgement(candidate.text)
        else:
            found = self._of_verification(candidate, self._verified(candidate, self.baseline))
        return replace(found, replaces=candidate.replaces)

    def _verified(self, candidate: Candidate, baseline: Baseline) -> Verification:
        """What checkers say, in the time that is left to them."""
        started = time.monotonic()
        verification = baseline.verify(candidate, self.clock.for_checkers(self.waited))
        self.waited += time.monotonic() - started
        return verification

    @property
    def _importable(self) -> Sequence[Importable]:
        """What the text may import."""
        return self.site.names_of_bare.importable if self.request.imports else ()

    def _of_verification(self, candidate: Candidate, found: Verification) -> Judgement:
        text = candidate.text
        match found:
            case Verified(is_complete=False):
                reason = "The statement that it becomes part of does not parse."
                return Judgement(text, Withheld.SYNTAX_ERROR, reason, rejected=NotAccepted())
            case Verified(unexported=(_, end) as name):
                return _unexported(text, candidate.spelled(self.site.document, name), end)
            case Verified():
                return self._of_verified(candidate, found)
            case Rejected(rejections, _):
                first = rejections[0]
                rejected = NotAccepted(self._end_of_what_is_wrong(candidate, rejections))
                if first.code == SYNTAX:
                    return replace(_does_not_parse(candidate), rejected=rejected)
                reason = f"{first.message.splitlines()[0]} ({first.code})"
                return Judgement(text, Withheld.REJECTED, reason, quotes_checker=True, rejected=rejected)
            case Unanswered(why) if self.request.verify is Verify.MARK:
                return self._by_scopes(candidate, why)
            case Unanswered(why):
                return Judgement(text, Withheld.LATE, f"{why}.", rejected=NotAccepted(final=True))
            case Unverified(why, _):
                return self._by_scopes(candidate, why)

    def _of_verified(self, candidate: Candidate, found: Verified) -> Judgement:
        """The judgement of a text that the checker accepts and that nothing else speaks against."""
        accepted = Judgement(
            candidate.text,
            level=found.level,
            is_open=found.is_open,
            is_strict=not (found.errors_elsewhere or found.is_open) and found.closed_parses,
            is_last_resort=not found.continues,
            is_circular=found.is_circular,
        )
        if found.candidate.edits == self.brought.edits:
            members = tuple(candidate.spelled(self.site.document, one) for one in found.unverified)
            return replace(accepted, unverified=members, imports=self.brought)
        return self._with_imports(accepted, candidate, found.candidate)

    def _end_of_what_is_wrong(self, candidate: Candidate, rejections: Sequence[Rejection]) -> int | None:
        """The length of the shortest beginning of a text that is wrong however it goes on; None where that is open.

        A call that lacks an argument has its error at the name of what is called: that beginning is asked about.
        """
        inside = [(one.inside[1], one.code) for one in rejections if one.inside is not None and one.code != SYNTAX]
        end, code = min(inside, default=(None, ""))
        if end is None or end == len(candidate.text) or self.baseline is None or self._is_of_name(code):
            return end
        begun = self._verified(replace(candidate, text=candidate.text[:end]), self.baseline)
        is_wrong = isinstance(begun, Rejected) and code in {one.code for one in begun.rejections}
        return end if is_wrong else None

    def _is_of_name(self, code: str) -> bool:
        """Whether a rejection is of a name that nothing defines, as nothing that follows will."""
        return code == UNDEFINED_NAME or code in closing_record(self.site.syntax.language).unresolved

    def _with_imports(self, accepted: Judgement, candidate: Candidate, repaired: Candidate) -> Judgement:
        """An accepted text with the imports that repair it."""
        before = self.site.syntax
        inserted = Applied(before, candidate)
        missing = inserted.undefined(self.site.names_of_bare.names)
        importable = nearest(missing, self._importable) if self.request.imports else None
        if importable is None:
            return _undefined(inserted, missing)
        new = imported(Applied(before, repaired).syntax) - imported(before)
        names = (*self.brought.names, *as_written(importable, new))
        return replace(accepted, imports=AddedImports(names, repaired.edits))

    def _by_scopes(self, candidate: Candidate, why: str) -> Judgement:
        """The judgement where no checker answers: our own scopes look names up, if they know all names."""
        syntax, known = self.site.syntax, self.site.names_of_bare
        applied = Applied(syntax, candidate)
        missing = applied.undefined(known.names) if known.complete else {}
        importable = nearest(missing, self._importable) if self.request.imports else None
        if missing and importable is None:
            return _undefined(applied, missing)
        wanted = (*self.brought.names, *(importable or ()))
        imports = add_imports(syntax, wanted, known.module_kind)
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


def _unexported(text: str, name: str, end: int) -> Judgement:
    reason = f"No module that is known exports {name!r}."
    return Judgement(text, Withheld.UNDEFINED_NAME, reason, rejected=NotAccepted(end))


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
