"""Whether a text of the model may be shown at its place, in which form, and with which imports.

The text gets the file's own white space. If the cursor is inside a word, the text replaces the rest of the word. Two
kinds of end are cut off if the text without it is accepted: one that repeats the text after the cursor, and a group in
brackets that the text after the cursor opens again. Then the checker judges. If no checker answers, our own parser and
scopes judge. `Service.complete` makes one `Judge` for each request; `decoder.search` and `fallback` ask it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from decoder import NotAccepted
from lsp_server.engine.clock import Clock
from lsp_server.engine.suggestion import Level, Verify, Withheld
from lsp_server.engine.verification.applied import Applied
from lsp_server.engine.verification.candidate import Candidate
from lsp_server.engine.verification.languages import record_of
from lsp_server.engine.verification.own_imports import NO_IMPORTS, AddedImports, add_imports, as_written, nearest
from lsp_server.engine.verification.repairs import imported
from lsp_server.engine.verification.repeats import doubled_length, only_repeats, repeated_length, says_next_line
from lsp_server.engine.verification.results import SYNTAX, UNDEFINED_NAME, Rejected, Unanswered, Unverified, Verified

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from context_index import Importable
    from lsp_server.engine.site import Site
    from lsp_server.engine.suggestion import CompletionRequest
    from lsp_server.engine.verification.baseline import Baseline
    from lsp_server.engine.verification.results import Rejection, Verification
    from lsp_server.engine.verification.spans import Span


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether a text may be shown, and what an answer reports about it."""

    text: str
    """The text as it may be shown, with the file's white space."""
    withheld: Withheld | None = None
    """Why the text may not be shown; None if it may."""
    reason: str = ""
    """A sentence for people that explains `withheld`."""
    quotes_checker: bool = False
    """Whether the reason is in a checker's own words."""
    level: Level = Level.NONE
    unverified: tuple[str, ...] = ()
    """Members without a definition."""
    note: str = ""
    """A sentence for people about what could not be checked."""
    is_open: bool = False
    """Whether the text opens brackets that nothing closes yet."""
    is_strict: bool = True
    """Whether the text leaves nothing open and causes no error elsewhere, and the file with it has no syntax error."""
    is_last_resort: bool = False
    """Whether something must follow the text before the code below is valid; it is shown only if nothing else is."""
    unmeant: str = ""
    """See `Verified.unmeant`; such a text is shown only to somebody who asked, if nothing else is."""
    imports: AddedImports = NO_IMPORTS
    rejected: NotAccepted | None = None
    """What the search is told of a text that is not accepted; None if it is."""
    replaces: int = 0
    """Code points after the cursor that the text replaces."""


@dataclass(slots=True)
class Judge:
    """Judges the texts of one request."""

    request: CompletionRequest
    site: Site
    baseline: Baseline | None = None
    """The checker's report on the document without a text; None if no checker is to be asked."""
    clock: Clock = field(default_factory=Clock)
    brought: AddedImports = NO_IMPORTS
    """The import of the module whose member is being written; it comes with every text."""
    waited: float = 0.0
    """Seconds spent waiting for checkers."""
    _judgements: dict[str, Judgement] = field(default_factory=dict)
    """By the model's text, in the order in which the texts were judged."""

    @property
    def rejections(self) -> tuple[tuple[str, str], ...]:
        """The texts that were not accepted, in the order of judging, each with its reason."""
        return tuple(
            (judgement.text, judgement.reason)
            for judgement in self._judgements.values()
            if judgement.rejected is not None and judgement.text
        )

    def verify(self, text: str) -> NotAccepted | None:
        """What the search is told of a text; None accepts it, anything else makes the search go on."""
        judgement = self.of(text)
        if judgement.rejected is None and judgement.unmeant and self.request.eagerness is not None:
            return NotAccepted(whole=True)
        is_last_resort = judgement.is_last_resort or bool(judgement.unmeant)
        return judgement.rejected or (NotAccepted(last_resort=True) if is_last_resort else None)

    def verify_strictly(self, text: str) -> NotAccepted | None:
        """`verify` for a text that `fallback` made: it must be strict as well, see `Judgement.is_strict`."""
        judgement = self.of(text)
        return judgement.rejected or (None if judgement.is_strict else NotAccepted())

    def of(self, text: str) -> Judgement:
        """The judgement of a text; each text is judged once."""
        if text not in self._judgements:
            self._judgements[text] = self._judge(text)
        return self._judgements[text]

    def _judge(self, text: str) -> Judgement:
        """The judgement of the first form that is accepted and leaves no bracket open; else of the first accepted one.

        If no form is accepted, the judgement is the first form's.
        """
        if not text.strip():
            return Judgement("", Withheld.EMPTY, "The model suggests nothing here.", rejected=NotAccepted())
        site, written = self.site, self.site.indentation.to_file(text)
        if says_next_line(site.syntax, Candidate(site.offset, written, len(site.rest))):
            reason = "It repeats the next line."
            return Judgement("", Withheld.REPEATS_FOLLOWING, reason, rejected=NotAccepted(whole=True))
        judged: list[Judgement] = []
        for form in self._forms(written, site.rest):
            judgement = self._of_form(form)
            if judgement.rejected is None and not judgement.is_open:
                return judgement
            judged.append(judgement)
        if accepted := [judgement for judgement in judged if judgement.rejected is None]:
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
        """The forms of a text that are tried, in order: without an end that is cut off, then the whole text.

        There are none once a form is empty or only repeats the rest of the word, or what is after the cursor.

        Args:
            text: With the file's white space.
            rest: The rest of the word at the cursor. A form that ends with it is shown without it and replaces nothing.
        """
        edits = self.brought.edits
        importable = frozenset(name.text for name in self._importable)
        whole = Candidate(self.site.offset, text, len(rest), edits, importable=importable)
        repeated = repeated_length(self.site.syntax, whole)
        cut = repeated or doubled_length(self.site.syntax, whole)
        for form in (text[:-cut].rstrip(), text) if cut else (text,):
            if form in ("", rest):
                return
            # what is left may repeat as well: `, b, b` before `, b)`
            again = repeated if form == text else repeated_length(self.site.syntax, replace(whole, text=form))
            if only_repeats(form, again):
                return
            ends_with_rest = rest and form.endswith(rest) and not form.startswith(rest)
            shown, replaces = (form.removesuffix(rest), 0) if ends_with_rest else (form, whole.replaces)
            yield replace(whole, text=shown, replaces=replaces)

    def _of_form(self, candidate: Candidate) -> Judgement:
        """The judgement of one form; without a baseline only syntax counts."""
        syntax = self.site.syntax
        applied = Applied(syntax, candidate)
        if self.baseline is not None:
            judgement = self._of_verification(candidate, self._ask_checker(candidate, self.baseline))
        elif applied.syntax.errors > syntax.errors:
            judgement = _does_not_parse(candidate)
        else:
            judgement = Judgement(candidate.text)
        return replace(judgement, replaces=candidate.replaces)

    def _ask_checker(self, candidate: Candidate, baseline: Baseline) -> Verification:
        """The checker's answer, in the time that is left for checkers; counts the seconds in `waited`."""
        started = time.monotonic()
        verification = baseline.verify(candidate, self.clock.for_checkers(self.waited))
        self.waited += time.monotonic() - started
        return verification

    @property
    def _importable(self) -> Sequence[Importable]:
        """The names that the text may import, the nearest module first."""
        return self.site.names_of_bare.importable if self.request.imports else ()

    def _of_verification(self, candidate: Candidate, verification: Verification) -> Judgement:
        """What a verification means for the person who waits: a text to show, or why there is none."""
        text = candidate.text
        match verification:
            case Verified(is_complete=False):
                reason = "The statement that it becomes part of does not parse."
                return Judgement(text, Withheld.SYNTAX_ERROR, reason, rejected=NotAccepted())
            case Verified(unexported=(_, end) as name):
                return _unexported(text, candidate.spelled(self.site.document, name), end)
            case Verified():
                return self._of_verified(candidate, verification)
            case Rejected(rejections, _):
                first = rejections[0]
                rejected = NotAccepted(self._wrong_length(candidate, rejections))
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

    def _of_verified(self, candidate: Candidate, verified: Verified) -> Judgement:
        """The judgement of a text that the checker accepts and that nothing else speaks against."""
        accepted = Judgement(
            candidate.text,
            level=verified.level,
            is_open=verified.is_open,
            is_strict=not (verified.errors_elsewhere or verified.is_open) and verified.closed_parses,
            is_last_resort=not verified.continues,
            unmeant=verified.unmeant,
        )
        if verified.candidate.edits == self.brought.edits:
            members = tuple(candidate.spelled(self.site.document, span) for span in verified.unverified)
            return replace(accepted, unverified=members, imports=self.brought)
        return self._with_imports(accepted, candidate, verified.candidate)

    def _wrong_length(self, candidate: Candidate, rejections: Sequence[Rejection]) -> int | None:
        """The length of the shortest beginning of a text that is wrong however it goes on; None if none is known.

        An error ends where the checker reports it, but the rest of the text may be its cause: a call that lacks an
        argument has its error at the name of what is called. So the beginning up to the error is verified as well.
        """
        ends = [
            (rejection.inside[1], rejection.code)
            for rejection in rejections
            if rejection.inside is not None and rejection.code != SYNTAX
        ]
        end, code = min(ends, default=(None, ""))
        if end is None or end == len(candidate.text) or self.baseline is None or self._is_undefined_name(code):
            return end
        beginning = self._ask_checker(replace(candidate, text=candidate.text[:end]), self.baseline)
        is_wrong = isinstance(beginning, Rejected) and code in {error.code for error in beginning.rejections}
        return end if is_wrong else None

    def _is_undefined_name(self, code: str) -> bool:
        """Whether a code is of a name that nothing defines; no later text defines it."""
        return code == UNDEFINED_NAME or code in record_of(self.site.syntax.language).unresolved

    def _with_imports(self, accepted: Judgement, candidate: Candidate, repaired: Candidate) -> Judgement:
        """The judgement of a text that is accepted with imports; a rejection if the request may not have them.

        Args:
            candidate: The text without these imports.
            repaired: The text with the imports with which the checker accepts it.
        """
        before = self.site.syntax
        applied = Applied(before, candidate)
        missing = applied.undefined(self.site.names_of_bare.names)
        importable = nearest(missing, self._importable) if self.request.imports else None
        if importable is None:
            return _undefined(applied, missing)
        new = imported(Applied(before, repaired).syntax) - imported(before)
        names = (*self.brought.names, *as_written(importable, new))
        return replace(accepted, imports=AddedImports(names, repaired.edits))

    def _by_scopes(self, candidate: Candidate, why: str) -> Judgement:
        """The judgement where no checker answers: our own scopes look names up, if they know all names.

        Args:
            why: Why no checker answers, as a sentence for people.
        """
        syntax, known = self.site.syntax, self.site.names_of_bare
        applied = Applied(syntax, candidate)
        missing = applied.undefined(known.names) if known.complete else {}
        importable = nearest(missing, self._importable) if self.request.imports else None
        if missing and importable is None:
            return _undefined(applied, missing)
        names = (*self.brought.names, *(importable or ()))
        return Judgement(
            candidate.text,
            level=Level.SYNTAX,
            note=f"No checker judged it: {why.removesuffix('.')}.",
            imports=add_imports(syntax, names, known.module_kind),
            is_strict=applied.syntax.errors == 0,
        )


def _does_not_parse(candidate: Candidate) -> Judgement:
    reason = "The file would have a new syntax error with it."
    return Judgement(candidate.text, Withheld.SYNTAX_ERROR, reason, rejected=NotAccepted())


def _unexported(text: str, name: str, end: int) -> Judgement:
    """The judgement of a text that imports a name that no module exports; the name ends at `end` in the text."""
    reason = f"No module that is known exports {name!r}."
    return Judgement(text, Withheld.UNDEFINED_NAME, reason, rejected=NotAccepted(end))


def _undefined(applied: Applied, missing: Mapping[str, Span]) -> Judgement:
    """The judgement of a text with names that nothing defines; the text goes wrong at the first of them.

    Args:
        missing: These names, each with its place in the document; empty if the checker's import is not allowed.
    """
    text = applied.candidate.text
    if not missing:
        reason, rejected = "It would need an import.", NotAccepted()
    else:
        name, (_, end) = min(missing.items(), key=lambda item: item[1])
        reason = f"It refers to {name!r}, which is not visible there."
        end_in_text = min(end - applied.inserted[0], len(text))
        rejected = NotAccepted(end_in_text if end_in_text > 0 else None)
    return Judgement(text, Withheld.UNDEFINED_NAME, reason, rejected=rejected)
