"""Ranks names by how probable the model finds each of them at a cursor (`NamePrompt`), or after a prompt (`rank`).

The names' tokens form a trie. The prompt's own logits score all first tokens at once. Then the most probable name is
read in one forward, which also scores every name that shares its beginning, and so on until all are scored or the
budget is spent. A name's probability is that of its tokens, whether or not the identifier ends after them: to know that
would cost a forward for each name. Knows nothing of scopes and kinds.
"""

from __future__ import annotations

from collections.abc import Sequence
from threading import Event
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from decoder.completion.preparation import prompt_of
from decoder.models.model import Model, is_partial
from decoder.models.waiting import GaveUpError, asked_for, waited_for
from decoder.prefill import prefill, shared_length
from decoder.prompt.healing import heal
from decoder.sampling import log_normaliser

if TYPE_CHECKING:
    from decoder.completion.task import CompletionTask

_UNREAD = -2.7
"""The estimated log-probability of a token that was not read: the mean of the tokens after the first, with the
built-in model, in names of held-out Python."""

Path = tuple[int, ...]
"""The tokens of a name, or of a beginning of it."""

Rows = dict[Path, npt.NDArray[np.float32]]
"""By path of the trie, the log-probabilities of the tokens after it, float32 [vocabulary]."""


class NamePrompt:
    """The prompt after which a model ranks names, in place of the half-typed word at a cursor."""

    def __init__(self, model: Model, task: CompletionTask) -> None:
        """Make the prompt, which ends before the half-typed word; nothing is read yet."""
        healed = heal(task.prefix)
        self._space = " " if healed.word.startswith(" ") else ""
        self._tokens = prompt_of(model, task, healed.prefix)
        self._document = task.document
        self._root: npt.NDArray[np.float32] | None = None
        """The log-probabilities of the names' first tokens, float32 [vocabulary], once the prompt was read ahead."""

    def read_ahead(self, model: Model, cancel: Event) -> None:
        """Have the model read the prompt, so that `rank` need not. A server reads with its first answer.

        Args:
            cancel: As in `rank`.
        """
        if not is_partial(model) and (prefilled := prefill(model, self._tokens, cancel=cancel)) is not None:
            self._root = _log_probabilities(prefilled.logits[-1])

    def rank(
        self,
        model: Model,
        names: Sequence[str],
        *,
        budget_forwards: int | None = None,
        cancel: Event | None = None,
    ) -> dict[str, float]:
        """The model's log-probability (natural) of each name.

        Names that the budget did not reach have an estimate. The result is empty if the request was cancelled before
        the prompt was read.

        Args:
            budget_forwards, cancel: As in the function `rank`.
        """
        # The first token of a name may begin with the blank before the word.
        spelled = {self._space + name: name for name in names}
        if self._root is not None and (budget_forwards == 0 or list(model.tokens) == list(self._tokens)):
            start = len(model.tokens)
            try:
                scores = _scores_best_first(model, self._root, list(spelled), budget=budget_forwards, cancel=cancel)
            finally:
                model.truncate(start)
        else:
            with asked_for(self._document):
                scores = rank(model, self._tokens, list(spelled), budget_forwards=budget_forwards, cancel=cancel)
        return {spelled[text]: score for text, score in scores.items()}


def rank(
    model: Model,
    prompt: Sequence[int],
    names: Sequence[str],
    *,
    budget_forwards: int | None = None,
    cancel: Event | None = None,
) -> dict[str, float]:
    """Natural logarithms of the probabilities of `names` after `prompt`; estimates where the budget did not reach.

    The cache then holds the prompt and nothing else. Of a partial model only those names have a score whose first token
    it named.

    Args:
        budget_forwards: The most forwards after the prompt; None reads every name to its end.
        cancel: Checked before each forward. Once it is set, the scores known so far are returned; none if the prompt is
            not read yet.

    Raises:
        OutOfDeviceMemoryError: the cache then holds the prompt, or a beginning of it.
    """
    try:
        with waited_for(cancel.is_set if cancel else bool):
            prefilled = prefill(model, prompt, cancel=cancel)
    except GaveUpError:
        return {}
    if prefilled is None:
        return {}
    try:
        root = _log_probabilities(prefilled.logits[-1])
        if is_partial(model):
            return _scores_of_named(model, root, names)
        return _scores_best_first(model, root, names, budget=budget_forwards, cancel=cancel)
    finally:
        model.truncate(len(prompt))


def _scores_best_first(
    model: Model,
    root: npt.NDArray[np.float32],
    names: Sequence[str],
    *,
    budget: int | None,
    cancel: Event | None,
) -> dict[str, float]:
    """The scores of all names; the most probable name is read first.

    Args:
        root: The log-probabilities after the prompt, float32 [vocabulary].
    """
    start = len(model.tokens)
    paths = {name: tuple(model.vocabulary.encode(name)) for name in names}
    rows: Rows = {(): root}
    scores = {name: _score(path, rows) for name, path in paths.items()}
    unread = {name for name, path in paths.items() if len(path) > 1}
    while unread and budget != 0 and not (cancel and cancel.is_set()):
        best = paths[max(unread, key=lambda name: scores[name])]
        _read(model, start, best[:-1], rows)
        for name in [name for name in unread if paths[name][0] == best[0]]:
            scores[name] = _score(paths[name], rows)
            if paths[name][:-1] in rows:
                unread.discard(name)
        budget = None if budget is None else budget - 1
    return scores


def _scores_of_named(model: Model, root: npt.NDArray[np.float32], names: Sequence[str]) -> dict[str, float]:
    """The scores of names whose first token a server has named; a request for each name would cost too much."""
    paths = {name: tuple(model.vocabulary.encode(name)) for name in names}
    named = {name: path for name, path in paths.items() if path and path[0] < len(root) and np.isfinite(root[path[0]])}
    return {name: _score(path, {(): root}) for name, path in named.items()}


def _score(path: Path, rows: Rows) -> float:
    """The sum of the log-probabilities of the tokens whose row is known, and of the estimate for those after them."""
    read = 0.0
    for length, token in enumerate(path):
        row = rows.get(path[:length])
        if row is None:
            return read + _UNREAD * (len(path) - length)
        read += float(row[token])
    return read


def _read(model: Model, start: int, path: Path, rows: Rows) -> None:
    """Read `path` after the prompt in one forward, and add every row on the way to `rows`.

    Args:
        start: The number of tokens of the prompt.
    """
    shared = shared_length(model.tokens[start:], path)
    model.truncate(start + shared)
    logits = model.forward(path[shared:], len(path) - shared)
    for length in range(shared, len(path)):
        rows.setdefault(path[: length + 1], _log_probabilities(logits[length - shared]))


def _log_probabilities(logits: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    return logits - np.float32(log_normaliser(logits))
