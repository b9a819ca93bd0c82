"""Whether a text of the model may be shown at its place, in which form, and with which imports.

The text may end with what the file says after the cursor: that end is cut off, if what is left is accepted. Then the
compilers judge; where none answers, syntax and our own scopes do.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from context_index import continues_identifier
from decoder import Rejected as NotAccepted
from lsp_server.suggestion import Level, Verify, Withheld
from lsp_server.verification.candidate import Applied, Candidate
from lsp_server.verification.own_imports import NOTHING, Brought, brought, nearest
from lsp_server.verification.verification import Late, Rejected, Unverified, Verified

if TYPE_CHECKING:
    from collections.abc import Iterator

    from context_index import SymbolContext
    from lsp_server.suggestion import CompletionRequest
    from lsp_server.verification.verification import Baseline, Verification

_AFTER = 4_000
"""Characters after the cursor that a text may repeat; no suggestion is that long."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What is said of a text."""

    text: str
    """In the form in which it may be shown."""
    withheld: Withheld | None = None
    """Why it may not be shown."""
    reason: str = ""
    level: Level = Level.NONE
    unverified: tuple[str, ...] = ()
    """Members without a definition."""
    note: str = ""
    """What could not be checked."""
    brought: Brought = NOTHING
    rejected: NotAccepted | None = None


@dataclass(slots=True)
class Judge:
    """Judges the texts of one request.

    Args:
        baseline: Of the document; None where nobody is to be asked.
        seconds: How long checkers may take for all texts together; None waits for every answer.
    """

    request: CompletionRequest
    symbols: SymbolContext
    baseline: Baseline | None
    seconds: float | None = None
    deadline: float | None = None
    """On `time.monotonic`'s clock: of the request."""
    waited: float = 0.0
    """Seconds spent waiting for checkers."""
    _known: dict[str, Judgement] = field(default_factory=dict)

    def verify(self, text: str) -> NotAccepted | None:
        """Whether the search has to go on; None accepts."""
        return self.of(text).rejected

    def of(self, text: str) -> Judgement:
        """The judgement of a text; each is asked about once."""
        if text not in self._known:
            self._known[text] = self._judged(text)
        return self._known[text]

    def _judged(self, text: str) -> Judgement:
        if not text.strip():
            return Judgement("", Withheld.EMPTY, "The model had nothing to say here.", rejected=NotAccepted())
        first: Judgement | None = None
        for form in self._forms(text):
            judgement = self._of_form(form)
            if judgement.rejected is None:
                return judgement
            first = first or judgement
        return first or Judgement(
            "", Withheld.REPEATS_FOLLOWING, "It repeats what follows the cursor.", rejected=NotAccepted()
        )

    def _forms(self, text: str) -> Iterator[str]:
        """The text without an end that the file goes on with; then the text itself, unless all of it is repeated."""
        document, offset = self.request.syntax.document, self.request.offset
        following = document.text[offset : offset + _AFTER]
        cut = without_repetition(text, following)
        if not cut.strip():
            return
        yield cut
        if cut != text:
            yield text

    def _of_form(self, text: str) -> Judgement:
        request = self.request
        candidate = Candidate(request.offset, text)
        if self.baseline is None:
            applied = Applied(request.syntax, candidate)
            if applied.syntax.errors > request.syntax.errors:
                return _broken(text)
            return Judgement(text)
        started = time.monotonic()
        found = self.baseline.verify(candidate, self._left(started))
        self.waited += time.monotonic() - started
        return self._of_verification(text, candidate, found)

    def _left(self, now: float) -> float | None:
        """Seconds that may still be waited; None for as long as it takes."""
        ends = [] if self.seconds is None else [self.seconds - self.waited]
        if self.deadline is not None:
            ends.append(self.deadline - now)
        return max(0.0, min(ends)) if ends else None

    def _of_verification(self, text: str, candidate: Candidate, found: Verification) -> Judgement:
        match found:
            case Verified(level, repaired, unverified, _):
                if not repaired.edits:
                    names = tuple(text[max(0, start) : end] for start, end in unverified)
                    return Judgement(text, level=level, unverified=names)
                missing = self._missing(candidate)
                importable = nearest(missing, self.symbols.importable) if self.request.imports else None
                if importable is None:
                    return _undefined(text, missing)
                return Judgement(text, level=level, brought=Brought(importable, repaired.edits))
            case Rejected(rejections, _):
                first = rejections[0]
                inside = [one.inside[1] for one in rejections if one.inside is not None and one.code != "syntax"]
                rejected = NotAccepted(min(inside, default=None))
                if first.code == "syntax":
                    return Judgement(text, Withheld.SYNTAX_ERROR, first.message, rejected=rejected)
                reason = f"{first.message.splitlines()[0]} ({first.code})"
                return Judgement(text, Withheld.REJECTED, reason, rejected=rejected)
            case Late(why) if self.request.verify is Verify.MARK:
                return self._by_scopes(text, candidate, why)
            case Late(why):
                return Judgement(text, Withheld.LATE, f"{why}.", rejected=NotAccepted(final=True))
            case Unverified(why, _):
                return self._by_scopes(text, candidate, why)

    def _by_scopes(self, text: str, candidate: Candidate, why: str) -> Judgement:
        """No checker answers: names are looked up by our own scopes, where these know all names."""
        missing = self._missing(candidate) if self.symbols.complete else frozenset()
        importable = nearest(missing, self.symbols.importable) if self.request.imports else None
        if missing and importable is None:
            return _undefined(text, missing)
        imports = brought(self.request.syntax, importable or (), self.symbols.module_kind)
        return Judgement(text, level=Level.SYNTAX, note=f"No checker answered: {why}.", brought=imports)

    def _missing(self, candidate: Candidate) -> frozenset[str]:
        """Names that nothing defines once the text is in the document."""
        return Applied(self.request.syntax, candidate).undefined(self.symbols.names)


def without_repetition(text: str, following: str) -> str:
    """`text` without an end that the file says after the cursor: the rest of the line, or whole lines below.

    What is cut off begins where a token begins.
    """
    rest, _, below = following.partition("\n")
    rest = rest.strip()
    lines = [line.strip() for line in text.split("\n")]
    if below and not rest:
        next_lines = [line.strip() for line in below.split("\n") if line.strip()]
        for first in range(len(lines)):
            said = [line for line in lines[first:] if line]
            if said and said == next_lines[: len(said)]:
                return "\n".join(text.split("\n")[:first]).rstrip()
    if "\n" in text or not rest:
        return text
    for length in range(min(len(text), len(rest)), 0, -1):
        if text.endswith(rest[:length]) and not _is_within_word(text, len(text) - length):
            return text[: len(text) - length].rstrip()
    return text


def _is_within_word(text: str, place: int) -> bool:
    return 0 < place < len(text) and continues_identifier(text[place - 1]) and continues_identifier(text[place])


def _broken(text: str) -> Judgement:
    return Judgement(
        text, Withheld.SYNTAX_ERROR, "The file would have a new syntax error with it.", rejected=NotAccepted()
    )


def _undefined(text: str, missing: frozenset[str]) -> Judgement:
    name = min(missing, default="")
    at = text.find(name)
    end = at + len(name) if name and at >= 0 else None
    reason = f"It refers to {name!r}, which is not visible there." if name else "It would need an import."
    return Judgement(text, Withheld.UNDEFINED_NAME, reason, rejected=NotAccepted(end))
