"""Other suggestions for a place, where a person asks for some to choose from (trigger kind `Invoked`).

The first is what greedy decoding says, and is there already. Of the others the first tokens are drawn, and the rest is
what greedy decoding says behind them: a small model that draws every token soon talks nonsense. Each is held to the
same rules and judged like any other. Seeds are fixed: asked again, it says the same again.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from decoder import SamplingOptions
from lsp_server.handlers.question import request_for

if TYPE_CHECKING:
    from collections.abc import Sequence
    from threading import Event

    from lsp_server.handlers.question import Question
    from lsp_server.service import Service
    from lsp_server.suggestion import CompletionRequest, Suggestion

MOST = 3
"""Suggestions at one place, the first included."""
_DRAWN = 2
"""Tokens that are drawn: the first may be no more than the word that is half typed."""
_TEMPERATURES = (0.8, 0.8, 1.0, 1.0, 1.0, 1.2, 1.2, 1.2, 1.5, 1.5, 1.5, 2.0)
"""Of the draws, one after the other: the first are sensible, the last differ even where the model is sure."""


def others(service: Service, question: Question, first: str, give_up: Event) -> Sequence[Suggestion]:
    """Suggestions that differ from the first and from each other; blocks, for one suggestion's deadline in all.

    Raises:
        RequestError: the model cannot be had.
    """
    asked = request_for(question, give_up)
    end = None if asked.deadline_ms is None else time.monotonic() + asked.deadline_ms / 1000
    found: dict[str, Suggestion | None] = {first.strip(): None}
    for seed, temperature in enumerate(_TEMPERATURES):
        left = None if end is None else (end - time.monotonic()) * 1000
        if len(found) == MOST or give_up.is_set() or (left is not None and left <= 0):
            break
        drawn = SamplingOptions(temperature, question.snapshot.settings.top_p, seed)
        beginning = _beginning(service, replace(asked, sampling=drawn, deadline_ms=left))
        if beginning[:1].isspace() or any(text.startswith(beginning.strip()) for text in found):
            continue  # nothing new was drawn, or white space alone is
        suggestion = service.complete(replace(asked, beginning=beginning, deadline_ms=left))
        if suggestion.text:
            found.setdefault(suggestion.text.strip(), suggestion)
    return tuple(one for one in found.values() if one is not None)


def _beginning(service: Service, asked: CompletionRequest) -> str:
    """The first tokens of a draw; a beginning may well be nothing to show by itself."""
    drawn = service.complete(replace(asked, max_tokens=_DRAWN + len(asked.beginning)))
    return drawn.text or drawn.withheld_text
