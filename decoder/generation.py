"""One output as it grows: all state that a request changes."""

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
    """The tokens so far, the states after each, and why it may have to end.

    Args:
        constraint: The constraint before the first token.
        ends: Reads the output and decides where it ends; None goes on until the model or a limit ends it.
        deadline: A time on `time.monotonic`'s clock.
        cancel: Checked before every forward.
        repeats: The number of tokens at the end that repeat earlier ones too often; 0 for none.
        vocabulary: The vocabulary, if other tokens than the model's own end this output.
        control: The request's controller, if it has one that is asked at each token.
        bias: Changes the model's distribution before a token is chosen.
        banned_prefixes: Texts that the output must not begin with.
        observers: Record each choice; any of them may end the output.
        hopeless: Natural logarithm of a probability under which a legal token is no answer to a refused name.
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
        """`states[n]` is the constraint after n tokens: going back is dropping the others."""
        self.lengths = [0]
        """Bytes of output after n tokens."""
        self.output = bytearray()
        self.kept: int | None = None
        """The number of characters of the output to keep, if `ends` has found an end."""
        self.observers = observers
        self.supplied = b""
        """The token at which the output ended because the text after the cursor supplies it."""
        self.known: Distribution | None = None
        """The model's distribution of the next token, if it is known before anything is read."""
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
        """Report a choice to the observers; the reason to end before it, if one of them has one."""
        stops = [observer.chosen(choice, row) for observer in self.observers]
        return next((stop for stop in stops if stop is not None), None)

    def advance(self, choice: Choice, vocabulary: Vocabulary) -> Stop | None:
        """Take the chosen token; why the output ends with it, if it does."""
        text = self.append(choice.token, vocabulary.token_bytes[choice.token], choice.constraint)
        if self.ends and (ending := self.ends.advance(text)):
            self.kept = ending.length
            return ending.stop
        if surplus := self.repeats(self.tokens):
            self.drop(surplus)
            return Stop.REPETITION
        return Stop.LENGTH if self.room <= 0 else None

    def append(self, token: int, written: bytes, constraint: ConstraintState) -> str:
        """Take a token; the whole characters that it completes."""
        self.tokens.append(token)
        self.states.append(constraint.after_token())
        self.output += written
        self.lengths.append(len(self.output))
        return self._decoder.decode(written)

    def begin_as(self, other: Generation, count: int, known: Distribution | None = None) -> None:
        """Take over the first `count` tokens of another output of the same prompt, which did not end with them.

        Args:
            known: The model's distribution after them, where it has been kept.
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
        """Take the last `count` tokens back."""
        if count:
            del self.tokens[-count:], self.states[-count:], self.lengths[-count:]
            del self.output[self.lengths[-1] :]
            self.ledger.drop(count)

    def banned_tokens(self, vocabulary: Vocabulary) -> set[int]:
        """The tokens that would complete a banned prefix."""
        if not self.banned_prefixes:
            return set()
        written = bytes(self.output)
        rests = {prefix[len(written) :] for prefix in self.banned_prefixes if prefix.startswith(written)}
        banned = {token for rest in rests if rest for token in vocabulary.writing(rest)}
        return banned | set(vocabulary.end) if END in rests else banned

    def cut_back(self) -> None:
        """Keep what is whole of an output that ended before it was done."""
        if self.ends is not None and self.kept is None:
            self.kept = self.ends.whole

    def stoppable(self) -> tuple[str, ConstraintState]:
        """The longest beginning of the output that may stop and does not end in white space; the constraint there."""
        wanted = len(self.output)
        if self.kept is not None:
            wanted = len(self.output.decode("utf-8", "ignore")[: self.kept].encode())
        for length in [wanted, *(length for length in reversed(self.lengths) if 0 < length < wanted)]:
            text = stripped(self.output[:length].decode("utf-8", "ignore"))
            ended = self._after(len(text.encode()))
            if not isinstance(ended, Refusal) and ended.may_stop() is None:
                return text, ended
        return "", self.states[0]

    def _after(self, length: int) -> ConstraintState | Refusal:
        """The constraint after the first bytes of the output."""
        count = bisect_right(self.lengths, length) - 1
        constraint, rest = self.states[count], bytes(self.output[self.lengths[count] : length])
        return constraint.advance(rest) if rest else constraint


def stripped(text: str) -> str:
    """A text without white space at its end, but for a blank that a backslash makes part of a string.

    Of what is white space to Python (U+0085) some is none to other languages, so no more than ASCII's is taken away.
    """
    bare = text.rstrip(string.whitespace)
    is_escaped = (len(bare) - len(bare.rstrip("\\"))) % 2 == 1
    return text[: len(bare) + 1] if is_escaped and text[len(bare) :][:1] in (" ", "\t") else bare
