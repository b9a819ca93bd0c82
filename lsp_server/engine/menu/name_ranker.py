"""Has the model rank the names of a menu (`NameRanker`); it may read the prompt while the checker still lists them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from decoder import NamePrompt
from lsp_server.engine.computed_once import computed_once
from lsp_server.engine.model_host import StopSignal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from concurrent.futures import Future
    from threading import Event

    from decoder import CompletionTask, Model
    from lsp_server.engine.model_host import ModelHost
    from lsp_server.engine.site import Site

RANKING_FORWARDS = 8
"""Forwards spent on names of several tokens, after the one that ranks all first tokens."""


@dataclass(frozen=True, slots=True)
class WordPlace:
    """The place of a half-typed word; equal at each key of the word."""

    uri: str
    before: str
    """The text before the word."""
    after: str
    """The text after the cursor."""

    @classmethod
    def at(cls, site: Site, start: int) -> WordPlace:
        """The place of the word that begins at `start`."""
        text = site.document.text
        return cls(site.document.uri, text[:start], text[site.offset :])


class NameRanker:
    """Has the model rank names at one place. The methods may be called from any thread."""

    def __init__(
        self,
        host: ModelHost,
        make_task: Callable[[], CompletionTask],
        note: Callable[[Mapping[str, float]], None] = lambda _scores: None,
    ) -> None:
        """Ask nothing yet.

        Args:
            make_task: Makes the task of writing at the place; called on the first caller's thread.
            note: Called with each ranking, on the model's thread.
        """
        self._host, self._make_task, self._note = host, make_task, note
        self._prompt: NamePrompt | None = None
        """Set and used on the model's thread."""

    def read_ahead(self, cancel: Event) -> Future[None]:
        """Have the model read the prompt, so that `rank` takes less time; the future ends when it has.

        Args:
            cancel: Once it is set, the model reads no further.
        """
        task = self._task

        def read(model: Model) -> None:
            self._prompt = NamePrompt(model, task)
            self._prompt.read_ahead(model, cancel)

        return self._host.submit(read)

    def rank(
        self, names: Sequence[str], cancel: Event, *, seconds: float | None = None, forwards: int = RANKING_FORWARDS
    ) -> dict[str, float]:
        """The model's log-probability (natural) of each name.

        Args:
            cancel: Once it is set, the model returns what it knows.
            seconds: How long the model may take; None waits for it.
            forwards: See `RANKING_FORWARDS`.

        Returns:
            The values by name; empty where the model is late.

        Raises:
            RequestError: the model cannot be loaded.
        """
        stop, task = StopSignal(cancel), self._task

        def job(model: Model) -> dict[str, float]:
            prompt = self._prompt or NamePrompt(model, task)
            scores = prompt.rank(model, names, budget_forwards=forwards, cancel=stop)
            self._note(scores)
            return scores

        ranking = self._host.submit(job)
        try:
            return ranking.result(seconds)
        except TimeoutError:
            stop.set()
            ranking.cancel()
            return {}

    @computed_once
    def _task(self) -> CompletionTask:
        return self._make_task()
