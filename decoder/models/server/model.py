"""A completion server as a model of the decode loop: its answers as rows of logits.

A request brings the rows of several tokens, each with the best tokens there. While the loop takes the tokens that the
server chose, the next row is read from the answer that is still coming; where it takes another, the answer is closed
and a new one is asked for from there. So a suggestion costs about as many requests as the constraint intervenes. Rows
are kept: what turns back finds them. One object belongs to one thread.
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
    from decoder.models.server.client import ServerClient, Stream
    from decoder.models.server.dialects import Plain, Prompt, Scored, ServerDialect, StreamStep
    from decoder.models.vocabulary import Vocabulary

FIRST, MOST = 16, 128
"""Tokens of the first request at a place; each that is used up to its end is followed by one for twice as many."""
_KEPT = 1024
"""Rows that are kept."""
_MOST_AMONG = 4096
"""Tokens that may be named in one request."""
_ALLOWED = 100.0
"""Nats for tokens that others must not be chosen before: more than any two logits differ."""
_TEXTS, _TEXT_TOKENS, _WARM = 3, 48, 0.7
"""Texts besides the most probable one, the length of each, and the temperature."""
_PIECE = re.compile(r" ?\w+|\n[ \t]*|[ \t]+|[^\w\s]|\s")

Place = tuple[int, ...]
Row = dict[int, float]
"""By token, the natural logarithm of its probability; others are not known."""


class Rows(Protocol):
    """Where rows come from."""

    sees: Sees

    def after(self, place: Place) -> Row:
        """The row after some tokens."""

    def among(self, place: Place, tokens: Collection[int] | None, without: Collection[int]) -> Row:
        """Further tokens of it; empty where the server cannot say."""

    def close(self) -> None:
        """End what is still coming."""


class ServerModel:
    """See the module's text.

    Args:
        rows: Where rows come from; branches share it.
        context: The server's, in tokens.
        kind: What the server is.
    """

    dtype = ""
    exact = True
    rolls_back = False
    memory = 0

    def __init__(
        self, vocabulary: Vocabulary, rows: Rows, context: int, *, client: ServerClient, kind: str, holds: object = None
    ) -> None:
        self.vocabulary = vocabulary
        self.context = context
        self.device = f"{kind} at {client.base}"
        self.abilities = Abilities(rows.sees, drafts=False, branches=False)
        self._rows = rows
        self._tokens: list[int] = []
        self._client, self._kind, self._holds = client, kind, holds
        """What has to live as long as the model does: a server that is a child of ours."""

    @property
    def tokens(self) -> Sequence[int]:
        """What was read, oldest first."""
        return self._tokens

    def branch(self) -> ServerModel:
        """The same server, with nothing read."""
        return ServerModel(
            self.vocabulary, self._rows, self.context, client=self._client, kind=self._kind, holds=self._holds
        )

    def forward(self, tokens: Sequence[int], rows: int = 1) -> Logits:
        """Append `tokens`; the logits after each of the last `rows` of them.

        Raises:
            ModelServerError: it has no answer; the tokens are then as they were before the call.
            GaveUpError: nobody waits any more.
        """
        if not 1 <= rows <= len(tokens):
            raise ValueError(f"{rows} rows of logits were asked for, of {len(tokens)} tokens")
        everything = (*self._tokens, *tokens)
        ends = range(len(everything) - rows + 1, len(everything) + 1)
        logits = np.stack([self._dense(self._rows.after(everything[:end])) for end in ends])
        self._tokens.extend(tokens)
        return logits

    def truncate(self, length: int) -> None:
        """Forget all but the first `length` tokens."""
        if not 0 <= length <= len(self._tokens):
            raise ValueError(f"cannot truncate a cache of {len(self._tokens)} tokens to {length}")
        del self._tokens[length:]

    def widened(self, tokens: Sequence[int], among: Collection[int] | None, without: Collection[int]) -> Logits | None:
        """See `decoder.models.model.PartialModel`."""
        further = self._rows.among(tuple(tokens), among, without)
        return self._dense(further) if further else None

    def written(self, text: bytes) -> Logits | None:
        """See `decoder.models.model.PartialModel`."""
        if not isinstance(self.vocabulary, LearntVocabulary):
            return None
        token = self.vocabulary.number(text)
        return None if token is None else self._dense({token: 0.0})

    def close(self) -> None:
        """End what is still coming, and all connections; the object must not be used afterwards."""
        self._rows.close()
        self._client.close()

    def _dense(self, row: Row) -> Logits:
        logits = np.full(self.vocabulary.size, -np.inf, np.float32)
        logits[list(row)] = list(row.values())
        return logits


class _Kept:
    """Rows by place, the latest first."""

    def __init__(self) -> None:
        self._rows: OrderedDict[Place, Row] = OrderedDict()

    def get(self, place: Place) -> Row | None:
        row = self._rows.get(place)
        if row is not None:
            self._rows.move_to_end(place)
        return row

    def put(self, place: Place, row: Row) -> None:
        self._rows[place] = row
        if len(self._rows) > _KEPT:
            self._rows.popitem(last=False)


class TokenSpelling(Protocol):
    """How tokens go out, and which ones come back."""

    @property
    def vocabulary(self) -> Vocabulary:
        """The tokens."""

    @property
    def sees(self) -> Sees:
        """How the server knows tokens."""

    def prompt(self, place: Place) -> Prompt:
        """What is sent for some tokens."""

    def token(self, scored: Scored) -> int | None:
        """The token of the vocabulary that a server means; None where it has none."""

    def id_of(self, token: int) -> int | None:
        """The id by which the server knows a token; None where it is not known."""


class IdSpelling:
    """The vocabulary is the server's own: ids go out, and come back."""

    sees = Sees.TOP_TOKENS

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary

    def prompt(self, place: Place) -> Prompt:
        """See `TokenSpelling`."""
        return list(place)

    def token(self, scored: Scored) -> int | None:
        """See `TokenSpelling`."""
        return scored.id if scored.id is not None and scored.id < self.vocabulary.size else None

    def id_of(self, token: int) -> int | None:
        """See `TokenSpelling`."""
        return token


class LearntSpelling:
    """Tokens are learnt from answers; the prompt is text.

    Args:
        cut: The server's ids of a text in which markers are text, for servers that take ids, too.
    """

    def __init__(self, vocabulary: LearntVocabulary, cut: Callable[[str], list[int]] | None = None) -> None:
        self.vocabulary, self._cut = vocabulary, cut
        self.sees = Sees.TOP_TEXTS if cut is None else Sees.TOP_TOKENS

    def prompt(self, place: Place) -> Prompt:
        """See `TokenSpelling`."""
        return self.vocabulary.spelled(place) if self._cut is None else self._mixed(place, self._cut)

    def token(self, scored: Scored) -> int | None:
        """See `TokenSpelling`."""
        return self.vocabulary.number(scored.written, scored.id)

    def id_of(self, token: int) -> int | None:
        """See `TokenSpelling`."""
        return self.vocabulary.id_of(token)

    def _mixed(self, place: Place, cut: Callable[[str], list[int]]) -> list[int | str]:
        """Texts and ids: what the server wrote goes back as the ids that it wrote it in."""
        parts: list[int | str] = []
        for token in place:
            token_id = self.vocabulary.id_of(token)
            if token_id is not None:
                parts.append(token_id)
                continue
            text = self.vocabulary.spelled((token,))
            if parts and isinstance(parts[-1], str):
                parts[-1] += text
            else:
                parts.append(text)
        markers = self.vocabulary.special
        return [
            one
            for part in parts
            for one in (cut(part) if isinstance(part, str) and any(marker in part for marker in markers) else [part])
        ]


class TopRows:
    """Rows of the best tokens, from streamed answers."""

    def __init__(self, client: ServerClient, dialect: ServerDialect, spelling: TokenSpelling) -> None:
        self.sees = spelling.sees
        self.requests = 0
        """How many were made."""
        self._client, self._dialect, self._spelling = client, dialect, spelling
        self._kept = _Kept()
        self._stream: Stream | None = None
        self._steps: list[StreamStep] = []
        """Read from the stream, and not yet used."""
        self._next: Place = ()
        """Where the first of these is."""
        self._count = self._left = 0

    def after(self, place: Place) -> Row:
        """See `Rows`."""
        if (known := self._kept.get(place)) is not None:
            return known
        if place != self._next or self._stream is None:
            self._ask(place, FIRST)
        try:
            step = self._read()
        except ServerLostError:  # once more from here: a balancer has another server
            self._ask(place, FIRST)
            step = self._read()
        if step is None and self._left <= 0:
            self._ask(place, min(2 * self._count, MOST))
            step = self._read()
        row = self._ending() if step is None else self._row(step)
        self._kept.put(place, row)
        if step is not None:
            chosen = self._spelling.token(step.chosen)
            self._next = (*place, -1 if chosen is None else chosen)
            self._left -= 1
        return row

    def among(self, place: Place, tokens: Collection[int] | None, without: Collection[int]) -> Row:
        """See `Rows`."""
        known = self._kept.get(place) or {}
        if tokens is not None and len(tokens) > _MOST_AMONG:
            return {}
        bias = dict.fromkeys(without) if tokens is None else dict.fromkeys(tokens, _ALLOWED)
        ids = {
            token_id: value for token, value in bias.items() if (token_id := self._spelling.id_of(token)) is not None
        }
        body = self._dialect.narrowed(self._spelling.prompt(place), ids) if ids else None
        if body is None:
            return {}
        self.close()
        self.requests += 1
        self._stream = self._client.stream(self._dialect.path, body)
        step = self._read()
        self.close()
        if step is None:
            return {}
        wanted = None if tokens is None else frozenset(tokens)
        found = {
            token: value
            for token, value in self._row(step).items()
            if (token in wanted if wanted is not None else token not in known)
        }
        rest = math.log(max(1 - sum(map(math.exp, known.values())), 1e-9)) if tokens is None else 0.0
        merged = known | {token: value + rest for token, value in found.items()}
        if found:
            self._kept.put(place, merged)
        return merged if found else {}

    def close(self) -> None:
        """See `Rows`."""
        if self._stream is not None:
            self._stream.close()
        self._stream, self._steps, self._next = None, [], ()

    def _ask(self, place: Place, count: int) -> None:
        self.close()
        self.requests += 1
        self._count = self._left = count
        self._next = place
        self._stream = self._client.stream(self._dialect.path, self._dialect.body(self._spelling.prompt(place), count))

    def _read(self) -> StreamStep | None:
        """The next step of the answer; None at its end."""
        while not self._steps and self._stream is not None:
            said = self._stream.next()
            if said is None:
                self._stream = None
                break
            self._steps.extend(self._dialect.steps(said))
        return self._steps.pop(0) if self._steps else None

    def _row(self, step: StreamStep) -> Row:
        row: Row = {}
        for scored in (step.chosen, *step.best):
            token = self._spelling.token(scored)
            if token is not None and scored.log_probability > -math.inf:
                row[token] = max(row.get(token, -math.inf), scored.log_probability)
        return row

    def _ending(self) -> Row:
        """The row where an answer ended of itself, for servers that do not say the token of the end."""
        return {min(self._spelling.vocabulary.end, default=0): 0.0}


class TextRows:
    """Rows of what several whole texts go on with: each text is cut into words and signs."""

    sees = Sees.TEXTS

    def __init__(self, client: ServerClient, plain: Plain, vocabulary: LearntVocabulary) -> None:
        self._client, self._plain, self._vocabulary = client, plain, vocabulary
        self._kept = _Kept()

    def after(self, place: Place) -> Row:
        """See `Rows`."""
        if (known := self._kept.get(place)) is not None:
            return known
        counts: dict[Place, dict[int, int]] = defaultdict(lambda: defaultdict(int))
        for tokens in self._written(self._vocabulary.spelled(place)):
            for end, token in enumerate(tokens):
                counts[(*place, *tokens[:end])][token] += 1
        for where, each in counts.items():
            total = sum(each.values())
            self._kept.put(where, {token: math.log(count / total) for token, count in each.items()})
        return self._kept.get(place) or {min(self._vocabulary.end): 0.0}

    def among(self, place: Place, tokens: Collection[int] | None, without: Collection[int]) -> Row:  # noqa: ARG002 - the protocol's
        """See `Rows`."""
        return {}

    def close(self) -> None:
        """See `Rows`; nothing is still coming."""

    def _written(self, prompt: str) -> Iterator[list[int]]:
        """The most probable text and some others, each as tokens, with the end where the model ended it."""
        from decoder.models.server.dialects import texts  # noqa: PLC0415 - types alone are imported above

        for temperature, number in ((0.0, 1), (_WARM, _TEXTS)):
            body = self._plain.body(prompt, _TEXT_TOKENS, temperature=temperature, number=number)
            for text, is_end in texts(self._client.ask(self._plain.path, body)):
                tokens = [self._token(piece) for piece in _PIECE.findall(text)]
                yield [*tokens, min(self._vocabulary.end)] if is_end else tokens

    def _token(self, piece: str) -> int:
        number = self._vocabulary.number(piece.encode())
        return min(self._vocabulary.end) if number is None else number
