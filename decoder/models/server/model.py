"""A completion server as a model of the decode loop (`ServerModel`): its answers as rows of logits.

An answer has a row for each of several tokens, with the best tokens there. While the loop takes the tokens that the
server chose, the next row is read from the answer that is still coming. If the loop takes another token, the answer is
closed and a new one is asked for from there. So a suggestion costs about as many requests as the constraint intervenes.
Rows are cached for branches of the search, which go back. One object belongs to one thread.
"""

from __future__ import annotations

import math
import re
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from decoder.errors import ServerLostError
from decoder.models.model import Abilities, Logits, Sees
from decoder.models.server.vocabulary import LearntVocabulary

if TYPE_CHECKING:
    from decoder.models.card import ModelCard
    from decoder.models.server.answer_stream import AnswerStream
    from decoder.models.server.client import ServerClient
    from decoder.models.server.dialects import Prompt, ScoredToken, ServerDialect, StreamStep, TextRequests
    from decoder.models.vocabulary import Vocabulary

FIRST, MOST = 16, 128
"""The tokens of the first request at a place, and of the longest. After an answer that was read to its end, twice as
many tokens are asked for."""
_CACHED_ROWS = 1024
"""The most rows that are cached."""
_MOST_NAMED = 4096
"""The most tokens that a request may name."""
_TEXTS, _TEXT_TOKENS, _TEMPERATURE = 3, 48, 0.7
"""The further texts, after the most probable one: their number, their length in tokens, and their temperature."""
_PIECE = re.compile(r" ?\w+|\n[ \t]*|[ \t]+|[^\w\s]|\s")
"""What a whole text is cut into: words, white space and signs."""

Place = tuple[int, ...]
"""All tokens before a row: the prompt and the output."""
Row = dict[int, float]
"""By token, the natural logarithm of its probability. That of other tokens is not known."""


class Rows(Protocol):
    """Where a `ServerModel` gets its rows from: `TopRows` or `TextRows`."""

    sees: Sees

    def after(self, place: Place) -> Row:
        """The row after some tokens.

        Raises:
            ModelServerError: the server has no answer.
            GaveUpError: the request is over.
        """

    def among(self, place: Place, tokens: Collection[int] | None, without: Collection[int]) -> Row:
        """The row after some tokens, with tokens in it that `after` did not name; empty where the server names no more.

        Args:
            tokens: The tokens that are wanted; None for the best ones.
            without: Tokens that are not wanted, as they are known.
        """

    def close(self) -> None:
        """Close the answer that is still coming."""


class ServerModel:
    """A model on a completion server, with the interface of the decode loop. See the module's docstring.

    Args:
        rows: Where rows come from; branches share it.
        context: The most tokens that the server reads and writes together.
        kind: The kind of the server, as people are shown it.
        holds: An object that has to live as long as the model does, such as the child process with the server.
    """

    dtype = ""
    memory = 0

    def __init__(
        self, card: ModelCard, rows: Rows, context: int, *, client: ServerClient, kind: str, holds: object = None
    ) -> None:
        self.card, self.vocabulary = card, card.vocabulary
        self.context = context
        self.device = f"{kind} at {client.base}"
        self.abilities = Abilities(rows.sees, drafts=False)
        self._rows = rows
        self._tokens: list[int] = []
        self._client, self._kind, self._holds = client, kind, holds

    @property
    def tokens(self) -> Sequence[int]:
        """The tokens that were read, oldest first."""
        return self._tokens

    def branch(self) -> ServerModel:
        """The same server, with no tokens read."""
        return ServerModel(self.card, self._rows, self.context, client=self._client, kind=self._kind, holds=self._holds)

    def forward(self, tokens: Sequence[int], rows: int = 1) -> Logits:
        """Append `tokens`; the logits after each of the last `rows` of them.

        Raises:
            ModelServerError: the server has no answer; the tokens are then as they were before the call.
            GaveUpError: the request is over; the tokens are then as they were before the call.
        """
        if not 1 <= rows <= len(tokens):
            raise ValueError(f"{rows} rows of logits were asked for, of {len(tokens)} tokens")
        sequence = (*self._tokens, *tokens)
        ends = range(len(sequence) - rows + 1, len(sequence) + 1)
        logits = np.stack([self._dense(self._rows.after(sequence[:end])) for end in ends])
        self._tokens.extend(tokens)
        return logits

    def truncate(self, length: int) -> None:
        """Forget all but the first `length` tokens."""
        if not 0 <= length <= len(self._tokens):
            raise ValueError(f"cannot truncate a cache of {len(self._tokens)} tokens to {length}")
        del self._tokens[length:]

    def widened(self, tokens: Sequence[int], among: Collection[int] | None, without: Collection[int]) -> Logits | None:
        """See `decoder.models.model.PartialModel`."""
        row = self._rows.among(tuple(tokens), among, without)
        return self._dense(row) if row else None

    def written(self, text: bytes) -> Logits | None:
        """See `decoder.models.model.PartialModel`."""
        if not isinstance(self.vocabulary, LearntVocabulary):
            return None
        token = self.vocabulary.number(text)
        return None if token is None else self._dense({token: 0.0})

    def close(self) -> None:
        """Close the answer that is still coming, and all connections; the object must not be used afterwards."""
        self._rows.close()
        self._client.close()

    def _dense(self, row: Row) -> Logits:
        """A row as float32 [vocabulary], with minus infinity for tokens that are not in it."""
        logits = np.full(self.vocabulary.size, -np.inf, np.float32)
        logits[list(row)] = list(row.values())
        return logits


class _RowCache:
    """The `_CACHED_ROWS` rows that were used last, by place."""

    def __init__(self) -> None:
        self._rows: OrderedDict[Place, Row] = OrderedDict()

    def get(self, place: Place) -> Row | None:
        row = self._rows.get(place)
        if row is not None:
            self._rows.move_to_end(place)
        return row

    def put(self, place: Place, row: Row) -> None:
        self._rows[place] = row
        if len(self._rows) > _CACHED_ROWS:
            self._rows.popitem(last=False)


class TokenSpelling(Protocol):
    """How tokens are written in requests, and read from answers."""

    @property
    def vocabulary(self) -> Vocabulary:
        """The tokens."""

    @property
    def sees(self) -> Sees:
        """How the server names tokens: `TOP_TOKENS` by id, `TOP_TEXTS` by text."""

    def prompt(self, place: Place) -> Prompt:
        """The prompt that is sent for some tokens."""

    def token(self, scored: ScoredToken) -> int | None:
        """The token of the vocabulary that an answer names; None where the vocabulary lacks it."""

    def id_of(self, token: int) -> int | None:
        """The server's id of a token; None where it is not known."""


class IdSpelling:
    """The vocabulary is the server's own, so its tokens are the server's ids."""

    sees = Sees.TOP_TOKENS

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary

    def prompt(self, place: Place) -> Prompt:
        """See `TokenSpelling`."""
        return list(place)

    def token(self, scored: ScoredToken) -> int | None:
        """See `TokenSpelling`."""
        return scored.id if scored.id is not None and scored.id < self.vocabulary.size else None

    def id_of(self, token: int) -> int | None:
        """See `TokenSpelling`."""
        return token


class LearntSpelling:
    """Tokens are learnt from answers; the prompt is text.

    Args:
        cut: Returns the server's ids of a text in which markers are plain text; None for servers that take no ids.
    """

    def __init__(self, vocabulary: LearntVocabulary, cut: Callable[[str], list[int]] | None = None) -> None:
        self.vocabulary, self._cut = vocabulary, cut
        self.sees = Sees.TOP_TEXTS if cut is None else Sees.TOP_TOKENS

    def prompt(self, place: Place) -> Prompt:
        """See `TokenSpelling`."""
        return self.vocabulary.spell(place) if self._cut is None else self._mix(place, self._cut)

    def token(self, scored: ScoredToken) -> int | None:
        """See `TokenSpelling`."""
        return self.vocabulary.number(scored.written, scored.id)

    def id_of(self, token: int) -> int | None:
        """See `TokenSpelling`."""
        return self.vocabulary.id_of(token)

    def _mix(self, place: Place, cut: Callable[[str], list[int]]) -> list[int | str]:
        """The tokens as ids where the server has named one, and as texts elsewhere.

        A text in which a marker is spelled is cut into ids, as the server would read a marker there.
        """
        parts: list[int | str] = []
        for token in place:
            token_id = self.vocabulary.id_of(token)
            if token_id is not None:
                parts.append(token_id)
                continue
            text = self.vocabulary.spell((token,))
            if parts and isinstance(parts[-1], str):
                parts[-1] += text
            else:
                parts.append(text)
        mixed: list[int | str] = []
        for part in parts:
            has_marker = isinstance(part, str) and any(marker in part for marker in self.vocabulary.special)
            mixed += cut(str(part)) if has_marker else [part]
        return mixed


class TopRows:
    """Rows of the best tokens, from streamed answers."""

    def __init__(self, client: ServerClient, dialect: ServerDialect, spelling: TokenSpelling) -> None:
        self.sees = spelling.sees
        self.requests = 0
        """The number of requests that were made."""
        self._client, self._dialect, self._spelling = client, dialect, spelling
        self._cache = _RowCache()
        self._stream: AnswerStream | None = None
        """The answer that is still coming."""
        self._steps: list[StreamStep] = []
        """Steps that were read from the answer, and not yet used."""
        self._next: Place = ()
        """The place of the next step of the answer."""
        self._count = self._left = 0
        """The tokens that the answer was asked for, and how many of their steps are not yet used."""

    def after(self, place: Place) -> Row:
        """See `Rows`."""
        if (cached := self._cache.get(place)) is not None:
            return cached
        if place != self._next or self._stream is None:
            self._ask(place, FIRST)
        try:
            step = self._next_step()
        except ServerLostError:  # asked once more from here: a balancer may choose another server
            self._ask(place, FIRST)
            step = self._next_step()
        if step is None and self._left <= 0:
            self._ask(place, min(2 * self._count, MOST))
            step = self._next_step()
        row = self._end_row() if step is None else self._row(step)
        self._cache.put(place, row)
        if step is not None:
            chosen = self._spelling.token(step.chosen)
            self._next = (*place, -1 if chosen is None else chosen)  # -1 is no token, so no place equals this one
            self._left -= 1
        return row

    def among(self, place: Place, tokens: Collection[int] | None, without: Collection[int]) -> Row:
        """See `Rows`. The row of `after`, with the further tokens; cached in its place."""
        known = self._cache.get(place) or {}
        step = self._step_among(place, tokens, without)
        if step is None:
            return {}
        row = self._row(step)
        wanted = row.keys() - known.keys() if tokens is None else row.keys() & set(tokens)
        added = {token: value for token, value in row.items() if token in wanted}
        # the best tokens without the known ones share the probability that these leave
        rest = math.log(max(1 - sum(map(math.exp, known.values())), 1e-9)) if tokens is None else 0.0
        merged = known | {token: value + rest for token, value in added.items()}
        if added:
            self._cache.put(place, merged)
        return merged if added else {}

    def close(self) -> None:
        """See `Rows`."""
        if self._stream is not None:
            self._stream.close()
        self._stream, self._steps, self._next = None, [], ()

    def _step_among(self, place: Place, tokens: Collection[int] | None, without: Collection[int]) -> StreamStep | None:
        """The step at `place` among `tokens`, or with None among all but `without`; None where the server has none."""
        if tokens is not None and len(tokens) > _MOST_NAMED:
            return None
        named = (self._spelling.id_of(token) for token in (without if tokens is None else tokens))
        ids = list(dict.fromkeys(token_id for token_id in named if token_id is not None))
        ask = self._dialect.body_without if tokens is None else self._dialect.body_among
        body = ask(self._spelling.prompt(place), ids) if ids else None
        if body is None:
            return None
        self.close()
        self.requests += 1
        self._stream = self._client.stream(self._dialect.path, body)
        step = self._next_step()
        self.close()
        return step

    def _ask(self, place: Place, count: int) -> None:
        """Close the answer, and ask for the `count` tokens after `place`."""
        self.close()
        self.requests += 1
        self._count = self._left = count
        self._next = place
        self._stream = self._client.stream(self._dialect.path, self._dialect.body(self._spelling.prompt(place), count))

    def _next_step(self) -> StreamStep | None:
        """The next step of the answer; None at its end."""
        while not self._steps and self._stream is not None:
            part = self._stream.next()
            if part is None:
                self._stream = None
                break
            self._steps.extend(self._dialect.steps(part))
        return self._steps.pop(0) if self._steps else None

    def _row(self, step: StreamStep) -> Row:
        """The row of a step, without tokens that the vocabulary lacks."""
        row: Row = {}
        for scored in (step.chosen, *step.best):
            token = self._spelling.token(scored)
            if token is not None and scored.log_probability > -math.inf:
                row[token] = max(row.get(token, -math.inf), scored.log_probability)
        return row

    def _end_row(self) -> Row:
        """The row where an answer ended early: only the end is possible. Some servers do not name the end token."""
        return {min(self._spelling.vocabulary.end, default=0): 0.0}


class TextRows:
    """Rows from several whole texts: the words and signs with which the texts go on at a place, by how many do.

    For servers that say no probabilities.
    """

    sees = Sees.TEXTS

    def __init__(self, client: ServerClient, requests: TextRequests, vocabulary: LearntVocabulary) -> None:
        self._client, self._requests, self._vocabulary = client, requests, vocabulary
        self._cache = _RowCache()

    def after(self, place: Place) -> Row:
        """See `Rows`."""
        if (cached := self._cache.get(place)) is not None:
            return cached
        counts: dict[Place, dict[int, int]] = defaultdict(lambda: defaultdict(int))
        for tokens in self._continuations(self._vocabulary.spell(place)):
            for end, token in enumerate(tokens):
                counts[(*place, *tokens[:end])][token] += 1
        for later_place, token_counts in counts.items():
            total = sum(token_counts.values())
            self._cache.put(later_place, {token: math.log(count / total) for token, count in token_counts.items()})
        return self._cache.get(place) or {min(self._vocabulary.end): 0.0}

    def among(self, place: Place, tokens: Collection[int] | None, without: Collection[int]) -> Row:  # noqa: ARG002 - the protocol's
        """See `Rows`."""
        return {}

    def close(self) -> None:
        """See `Rows`; these answers are not streamed, so none is still coming."""

    def _continuations(self, prompt: str) -> Iterator[list[int]]:
        """The most probable text and some others, each as tokens, with the end token where the model ended it."""
        from decoder.models.server.dialects import texts  # noqa: PLC0415 - types alone are imported above

        for temperature, number in ((0.0, 1), (_TEMPERATURE, _TEXTS)):
            body = self._requests.body(prompt, _TEXT_TOKENS, temperature=temperature, number=number)
            for text, is_end in texts(self._client.ask(self._requests.path, body)):
                tokens = [self._token(piece) for piece in _PIECE.findall(text)]
                yield [*tokens, min(self._vocabulary.end)] if is_end else tokens

    def _token(self, piece: str) -> int:
        """The token that writes a piece; the end token where the vocabulary is full."""
        number = self._vocabulary.number(piece.encode())
        return min(self._vocabulary.end) if number is None else number
