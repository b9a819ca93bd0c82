"""All state that changes while one text is written (`Generation`); `output` has what it is once it has ended.

`decoder.loop` fills it token by token. Completions, rewrites and programs make one for each text.
"""

from __future__ import annotations

import codecs
import math
import string
import time
from bisect import bisect_right
from collections.abc import Callable
from typing import TYPE_CHECKING

from decoder.constraint.protocol import Refusal
from decoder.draft.counts import Ledger
from decoder.search import END
from decoder.stops import Stop, repeats_itself

if TYPE_CHECKING:
    from collections.abc import Sequence
    from threading import Event

    from decoder.choice import Choice
    from decoder.constraint.state import ConstraintState
    from decoder.controller.control import Control
    from decoder.models.vocabulary import Vocabulary
    from decoder.ngrams.bias import NgramBias
    from decoder.observer import LogitsRow, Observer
    from decoder.sampling import Distribution
    from decoder.stops import Ends


class Generation:
    """The tokens so far, the constraint's states between them, and the limits of the output.

    Args:
        constraint: The constraint before the first token.
        ends: Reads the output and decides where it ends; None goes on until the model or a limit ends it.
        max_tokens: The most tokens of the output.
        deadline: When the output must end, on `time.monotonic`'s clock; None for no deadline.
        cancel: Ends the output once it is set; checked before every forward.
        repeats: Returns the number of tokens at the end that repeat earlier ones too often; 0 for none.
        vocabulary: The vocabulary, if other tokens than the model's own end this output.
        control: The request's controller, if it has one that is asked at each token.
        bias: Changes the model's distribution before a token is chosen.
        banned_prefixes: Texts that the output must not begin with. One that ends with `END` bans an output that ends.
        observers: Record each choice; any of them may end the output.
        hopeless: See `decoder.choice.HOPELESS`.
    """

    def __init__(
        self,
        constraint: ConstraintState,
        ends: Ends | None,
        *,
        max_tokens: int,
        deadline: float | None,
        cancel: Event,
        repeats: Callable[[list[int]], int] = repeats_itself,
        vocabulary: Vocabulary | None = None,
        control: Control | None = None,
        bias: NgramBias | None = None,
        banned_prefixes: frozenset[bytes] = frozenset(),
        observers: Sequence[Observer] = (),
        hopeless: float = -math.inf,
    ) -> None:
        self.ends = ends
        self.max_tokens = max_tokens
        self.deadline = deadline
        self.cancel = cancel
        self.repeats = repeats
        self.vocabulary = vocabulary
        self.control = control
        self.bias = bias
        self.tokens: list[int] = []
        self.states = [constraint]
        """`states[n]` is the constraint after n tokens. To go back, the later ones are dropped."""
        self.lengths = [0]
        """`lengths[n]` is the length of the output after n tokens, in bytes."""
        self.output = bytearray()
        self.kept: int | None = None
        """The number of characters of the output to keep, if `ends` has ended it."""
        self.observers = observers
        self.supplied = b""
        """The bytes of the token before which the output ended, as the text after the cursor continues with it."""
        self.known: Distribution | None = None
        """The model's distribution of the next token, if it was kept from another output (`begin_as`)."""
        self.ledger = Ledger()
        self.banned_prefixes = banned_prefixes
        self.hopeless = hopeless
        self.reused = 0
        """Tokens of the prompt that the cache held already."""
        self.forward_seconds = 0.0
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    @property
    def room(self) -> int:
        """Tokens that may still be written."""
        return self.max_tokens - len(self.tokens)

    def out_of_time(self) -> Stop | None:
        """Why the output must end now: it was cancelled, or its deadline has passed."""
        if self.cancel.is_set():
            return Stop.CANCELLED
        if self.deadline is not None and time.monotonic() >= self.deadline:
            return Stop.DEADLINE
        return None

    def observe(self, choice: Choice, row: LogitsRow) -> Stop | None:
        """Report a choice to all observers. The first reason that one of them has to end before it, or None."""
        stops = [observer.chosen(choice, row) for observer in self.observers]
        return next((stop for stop in stops if stop is not None), None)

    def advance(self, choice: Choice, vocabulary: Vocabulary) -> Stop | None:
        """Append the chosen token. Why the output ends with it, or None where it goes on."""
        text = self.append(choice.token, vocabulary.token_bytes[choice.token], choice.constraint)
        if self.ends and (ending := self.ends.advance(text)):
            self.kept = ending.length
            return ending.stop
        if surplus := self.repeats(self.tokens):
            self.drop(surplus)
            return Stop.REPETITION
        return Stop.LENGTH if self.room <= 0 else None

    def append(self, token: int, written: bytes, constraint: ConstraintState) -> str:
        """Append a token that writes `written`. Returns the characters that are complete with it."""
        self.tokens.append(token)
        self.states.append(constraint.after_token())
        self.output += written
        self.lengths.append(len(self.output))
        return self._decoder.decode(written)

    def begin_as(self, other: Generation, count: int, known: Distribution | None = None) -> None:
        """Take over the first `count` tokens of another output of the same prompt, which went on after them.

        Args:
            known: The model's distribution after these tokens, where it was kept.
        """
        self.known = known
        self.tokens, self.states = other.tokens[:count], other.states[: count + 1]
        self.lengths = other.lengths[: count + 1]
        self.output = other.output[: self.lengths[-1]]
        self.ledger = other.ledger.beginning(count)
        text = self._decoder.decode(bytes(self.output))
        if self.ends:
            self.ends.advance(text)

    def biased(self, model: Distribution) -> Distribution:
        """The distribution of the next token, changed by the bias."""
        return model if self.bias is None else self.bias.apply(model, self.tokens)

    def drop(self, count: int) -> None:
        """Remove the last `count` tokens."""
        if count:
            del self.tokens[-count:], self.states[-count:], self.lengths[-count:]
            del self.output[self.lengths[-1] :]
            self.ledger.drop(count)

    def banned_tokens(self, vocabulary: Vocabulary) -> set[int]:
        """The tokens that would complete a banned prefix."""
        if not self.banned_prefixes:
            return set()
        output = bytes(self.output)
        missing = {prefix[len(output) :] for prefix in self.banned_prefixes if prefix.startswith(output)}
        banned = {token for rest in missing if rest for token in vocabulary.writing(rest)}
        return banned | set(vocabulary.end) if END in missing else banned

    def cut_back(self) -> None:
        """Of an output that ended before it was done, keep the whole statements or lines (`Ends.whole`)."""
        if self.ends is not None and self.kept is None:
            self.kept = self.ends.whole

    def stoppable(self) -> tuple[str, ConstraintState]:
        """The longest beginning of the kept output at which the constraint lets it stop; and the constraint there.

        White space at its end is removed. Empty, with the constraint at the start, where it may stop nowhere.
        """
        longest = len(self.output)
        if self.kept is not None:
            longest = len(self.output.decode("utf-8", "ignore")[: self.kept].encode())
        for length in [longest, *(length for length in reversed(self.lengths) if 0 < length < longest)]:
            text = stripped(self.output[:length].decode("utf-8", "ignore"))
            ended = self._after(len(text.encode()))
            if not isinstance(ended, Refusal) and ended.may_stop() is None:
                return text, ended
        return "", self.states[0]

    def _after(self, length: int) -> ConstraintState | Refusal:
        """The constraint after the first `length` bytes of the output, which may end within a token."""
        count = bisect_right(self.lengths, length) - 1
        constraint, rest = self.states[count], bytes(self.output[self.lengths[count] : length])
        return constraint.advance(rest) if rest else constraint


def stripped(text: str) -> str:
    """A text without white space at its end; a blank or tab after a backslash stays, as it is part of a string.

    Only ASCII's white space is removed: some that is white space to Python (U+0085) is none to other languages.
    """
    bare = text.rstrip(string.whitespace)
    is_escaped = (len(bare) - len(bare.rstrip("\\"))) % 2 == 1
    return text[: len(bare) + 1] if is_escaped and text[len(bare) :][:1] in (" ", "\t") else bare
