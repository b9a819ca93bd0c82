"""Chooses a token: the most preferred one that the constraint allows.

The model's favourite is nearly always legal, so tokens are checked one by one, best first. Once the best 64 have been
refused, the vocabulary is walked as a trie of bytes, best first: a prefix that the constraint refuses rules out all
tokens that begin with it. The choice is the one that a mask of all legal tokens would give, with two exceptions: a
prefix is required (see `_groups_covering`), or a name was refused and no other token is probable enough (`HOPELESS`).
`decoder.loop` calls `choose` once for each token.

As preferences with noise are samples (see `decoder.sampling`), the choice is an exact sample of the distribution
restricted to legal tokens.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from decoder.constraint.protocol import Refusal, Rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import numpy.typing as npt

    from decoder.constraint.state import ConstraintState
    from decoder.models.vocabulary import Vocabulary

HOPELESS = -5.0
"""Natural logarithm of a probability (1 in 150). Once a name was refused, less probable tokens are not tried: letter by
letter, a name that does not exist would turn into one that does. At 180 fitting places -9 decodes 9 % more tokens and
shows two suggestions fewer."""
CHECKED_BEFORE_WALK = 64
"""Tokens tried one by one; of 6,200 choices at real places 1.7 % needed more."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A token, the constraint after it, and the tokens that were refused before it."""

    token: int
    constraint: ConstraintState
    ends: bool
    """Whether the text ends: with an end token, or because the text after the cursor continues with the token."""
    refused: tuple[tuple[int, Refusal], ...] = ()
    """The tokens that were refused before it, in the order in which they were tried, each with its refusal."""
    walked: bool = False
    """Whether the best candidates were all refused, so that all tokens were searched."""
    forced: bool = False
    """Whether the request's controller left no other choice."""
    part_of: int | None = None
    """The model's favourite, if the chosen token is its beginning and the text after the cursor has its rest."""

    @property
    def meant(self) -> int:
        """The token whose probability counts: the favourite of which only a part was chosen, or the chosen one."""
        return self.token if self.part_of is None else self.part_of


def choose(
    preferences: npt.NDArray[np.floating],
    constraint: ConstraintState,
    vocabulary: Vocabulary,
    *,
    hopeless: Callable[[], float] = lambda: -np.inf,
    banned: frozenset[int] = frozenset(),
    is_late: Callable[[], object] = bool,
) -> Choice | None:
    """The most preferred token that is legal; None if there is none, or none worth a try.

    Args:
        preferences: float [vocabulary.size], from a `Sampler`.
        hopeless: Returns a preference. It is called once a name has been refused, and tokens below it are not tried
            (see `HOPELESS`).
        banned: Tokens that the request's controller refuses.
        is_late: Whether the request is over; checked during the walk, which may take long. Then the result is None.
    """
    search = _Search(preferences, constraint, vocabulary, hopeless, banned, is_late)
    if constraint.required_prefix:
        search.try_groups(_groups_covering(constraint.required_prefix, preferences, vocabulary))
        return search.chosen
    if not search.try_all(_descending(preferences)):
        search.walk()
    return search.chosen


@dataclass(slots=True)
class _Search:
    """The search for one token; its arguments are those of `choose`."""

    preferences: npt.NDArray[np.floating]
    constraint: ConstraintState
    vocabulary: Vocabulary
    hopeless: Callable[[], float]
    banned: frozenset[int]
    is_late: Callable[[], object]
    chosen: Choice | None = None
    refused: list[tuple[int, Refusal]] = field(default_factory=list)
    floor: float = -np.inf
    """The preference below which tokens are not tried: `hopeless()` once a name was refused."""
    walked: bool = False

    def try_all(self, candidates: Iterable[int]) -> bool:
        """Try tokens in descending order of preference. True if one was chosen, or the others are hopeless."""
        return any(self._is_hopeless(token) or self._try(token) for token in candidates)

    def try_groups(self, groups: Iterable[Iterable[int]]) -> None:
        """Try groups of tokens in order, each best first, until a token is chosen."""
        for candidates in groups:
            self.try_all(candidates)
            if self.chosen is not None:
                return

    def walk(self) -> None:
        """Try the remaining tokens, without those that begin with a refused prefix."""
        self.walked = True
        prefixes = _PrefixStates(self.constraint, self.vocabulary)
        untried = self.preferences.copy()
        untried[[*self.banned, *(token for token, _ in self.refused)]] = -np.inf
        while untried[token := int(untried.argmax())] > -np.inf:
            if self._is_hopeless(token) or self.is_late():
                return
            refused = prefixes.refused_with(token)
            if refused is None:
                if self._try(token):
                    return
                untried[token] = -np.inf
            else:
                tokens, refusal = refused
                self._lift_floor(refusal)
                untried[tokens] = -np.inf

    def _is_hopeless(self, token: int) -> bool:
        """Whether this token and all less preferred ones are not worth a try.

        Their preference is below the floor; or it is minus infinity, as of banned tokens and of those that a server
        did not name.
        """
        preference = float(self.preferences[token])
        return preference < self.floor or preference == -np.inf

    def _lift_floor(self, refusal: Refusal) -> None:
        """Set the floor if a name was refused for the first time."""
        if refusal.rule is Rule.SCOPE and self.floor == -np.inf:
            self.floor = self.hopeless()

    def _try(self, token: int) -> bool:
        """Choose the token if it is legal, else record its refusal. Returns whether a token was chosen."""
        if token in self.banned:
            written = self.vocabulary.token_bytes[token].decode("utf-8", "replace")
            self.refused.append((token, Refusal(Rule.CONTROLLER, written or f"special token {token}")))
            return False
        after = check(token, self.constraint, self.vocabulary)
        if not isinstance(after, Refusal):
            self.chosen = Choice(token, after, token in self.vocabulary.end, tuple(self.refused), self.walked)
            return True
        if after.rule is Rule.BALANCE and not self.refused:
            self.chosen = self._legal_part(token) or self._end_before(token, after)
            if self.chosen is not None:
                return True
        self.refused.append((token, after))
        self._lift_floor(after)
        return False

    def _end_before(self, favourite: int, refusal: Refusal) -> Choice | None:
        """End the output before the favourite, as the text after the cursor goes on with it; None where it may not."""
        if self.constraint.may_stop() is not None:
            return None
        return Choice(favourite, self.constraint, ends=True, refused=((favourite, refusal),))

    def _legal_part(self, token: int) -> Choice | None:
        """The longest legal token that is a beginning of `token` and no white space; None where there is none.

        Of `")`, of which the text after the cursor has the `)`, it is the quote.
        """
        written = self.vocabulary.token_bytes[token].rstrip()
        for length in range(len(written) - 1, 0, -1):
            for part in self.vocabulary.writing(written[:length]) if written[:length].strip() else ():
                after = check(part, self.constraint, self.vocabulary)
                if part not in self.banned and not isinstance(after, Refusal):
                    return Choice(part, after, ends=False, part_of=token)
        return None


class _PrefixStates:
    """The states of a constraint after prefixes of tokens, computed when they are needed."""

    def __init__(self, constraint: ConstraintState, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._states: dict[bytes, ConstraintState] = {b"": constraint}

    def refused_with(self, token: int) -> tuple[npt.NDArray[np.intp], Refusal] | None:
        """All tokens that begin with the shortest refused prefix of `token`, and the refusal.

        None if no prefix is refused.
        """
        written = self._vocabulary.token_bytes[token]
        for length in range(1, len(written) + 1):
            prefix = written[:length]
            if prefix not in self._states:
                state = self._states[prefix[:-1]].advance(prefix[-1:])
                if isinstance(state, Refusal):
                    return self._vocabulary.starting_with(prefix), state
                self._states[prefix] = state
        return None


def reaches(logits: npt.NDArray[np.float32], required: bytes, vocabulary: Vocabulary) -> bool:
    """Whether a row has a token of the first group of `_groups_covering`.

    Args:
        logits: float32 [vocabulary.size]; minus infinity for tokens that a partial model did not name.
        required: What the output must begin with.
    """
    covering = vocabulary.starting_with(required)
    if np.isfinite(logits[covering]).any():
        return True
    shorter = [token for token in vocabulary.beginning_of(required[:-1]) if np.isfinite(logits[token])]
    return any(token in vocabulary.first_of(required.decode("utf-8", "ignore")) for token in shorter)


def check(token: int, constraint: ConstraintState, vocabulary: Vocabulary) -> ConstraintState | Refusal:
    """The constraint after a token, or its refusal."""
    if token in vocabulary.end:
        return constraint.may_stop() or constraint
    written = vocabulary.token_bytes[token]
    return constraint.advance(written) if written else Refusal(Rule.ENCODING, f"special token {token}")


def _groups_covering(
    required_prefix: bytes, preferences: npt.NDArray[np.floating], vocabulary: Vocabulary
) -> Iterator[Iterable[int]]:
    """Two groups of tokens that fit the required prefix, each best first.

    The first group has the tokens that cover all of the prefix, and those with which the tokenizer itself begins such a
    text. The second has the other beginnings of the prefix: a model was not trained on what follows them, as no text is
    divided so (after the ` ` of ` response` it has never seen a word). Before both comes the best token of all if it
    does not fit, so that its refusal is recorded.
    """
    shorter = frozenset(vocabulary.beginning_of(required_prefix[:-1]))
    tokens = vocabulary.fitting(required_prefix)
    best = int(preferences.argmax())
    if best not in tokens:
        yield (best,)

    def is_usual(token: int) -> bool:
        try:
            return token not in shorter or token in vocabulary.first_of(required_prefix.decode())
        except UnicodeDecodeError:  # the prefix ends within a character
            return True

    yield filter(is_usual, _best_first(tokens, preferences))
    yield _best_first(np.array([token for token in shorter if not is_usual(token)], np.intp), preferences)


def _best_first(tokens: npt.NDArray[np.intp], preferences: npt.NDArray[np.floating]) -> Iterator[int]:
    """The tokens, best first; equal scores in the order of their ids. Sorts only after the first was refused."""
    if not len(tokens):
        return
    scores = preferences[tokens]
    best = tokens[scores == scores.max()].min()
    yield int(best)
    others = np.sort(tokens[tokens != best])
    yield from others[np.argsort(-preferences[others], kind="stable")].tolist()


def _descending(preferences: npt.NDArray[np.floating]) -> Iterator[int]:
    """The best `CHECKED_BEFORE_WALK` tokens, best first; equal scores in the order of their ids.

    Tokens at minus infinity are left out. Sorts only after the first was refused.
    """
    best = int(preferences.argmax())
    yield best
    # A server names 40 of 262,144 tokens: to divide the others, which are all equal, takes longer than a forward.
    top = np.flatnonzero(preferences > -np.inf)
    if len(top) > CHECKED_BEFORE_WALK:
        scores = preferences[top]
        top = top[scores >= np.partition(scores, -CHECKED_BEFORE_WALK)[-CHECKED_BEFORE_WALK]]
    for token in top[np.argsort(-preferences[top], kind="stable")][:CHECKED_BEFORE_WALK]:
        if token != best:
            yield int(token)
