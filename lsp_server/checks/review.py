"""All that is asked of a finished text before it may be shown: the gate, then names, calls and imports.

Asked twice of a text, by the decoder, which looks for another where this one may not be shown, and for the answer.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lsp_server.checks.aftercare import Judged, examine
from lsp_server.checks.gate import Verdict, judge
from lsp_server.suggestion import Withheld

if TYPE_CHECKING:
    from context_index import SymbolContext
    from decoder import Completion
    from lsp_server.suggestion import CompletionRequest


@dataclass(slots=True)
class Review:
    """The looks at the texts of one request."""

    request: CompletionRequest
    symbols: SymbolContext
    _known: dict[str, tuple[Verdict, Judged]] = field(default_factory=dict)

    def objects(self, text: str) -> bool:
        """Whether nothing of it may be shown."""
        verdict, judged = self.of(text)
        return (verdict.withheld or judged.withheld) is not None

    def of(self, text: str) -> tuple[Verdict, Judged]:
        """What may be shown of it or why nothing may, and what it brings along."""
        if text not in self._known:
            verdict = judge(self.request.syntax, self.request.offset, text)
            judged = Judged() if verdict.withheld else examine(self.request, self.symbols, verdict.text)
            self._known[text] = verdict, judged
        return self._known[text]

    def result(self, completion: Completion) -> tuple[str, Withheld | None, str, Judged]:
        """The text to be shown; or why nothing is, and a sentence about it; and what it brings along."""
        verdict, judged = self.of(completion.text)
        withheld, reason = verdict.withheld or judged.withheld, verdict.reason or judged.reason
        if withheld is None and completion.unknown:
            listed = ", ".join(map(repr, completion.unknown))
            withheld, reason = Withheld.UNDEFINED_NAME, f"A type checker says that there is no {listed} there."
        return "" if withheld else verdict.text, withheld, reason, judged
