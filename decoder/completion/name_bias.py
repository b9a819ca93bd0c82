"""The bias towards probable names: a prior over whole names, felt from the first token of a name on.

Where a name is due, the names form a trie. A token that writes a part of one leads to all names that begin so; its
logit grows by share * log(prior mass of the names still possible behind it / before it). The tokens of names keep the
probability that the model gave them together: whether a name comes at all, and whether it is a keyword or a new name,
stays the model's to say.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from context_index.symbols import Position
from decoder.constraint.keywords import STRING_PREFIXES, TEMPLATE_PREFIXES, keywords
from decoder.constraint.mask import Paths, paths_of_names, tokens_of_others
from decoder.constraint.protocol import Refusal
from decoder.constraint.scope import ScopeConstraint
from decoder.grammar import Role

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from context_index.symbols import Language
    from decoder.bias import NamePrior, Weighed
    from decoder.constraint.guard import Guard
    from decoder.models.vocabulary import Vocabulary

_MEMBERS: Final = frozenset({Position.MEMBER, Position.IMPORTED_NAME})
_ASIDE: Final = STRING_PREFIXES - TEMPLATE_PREFIXES
"""What begins a string, and is no beginning of a name. Template strings are rare yet, and many names begin with `t`."""
_LEAST: Final = 1 / 32
"""Of the most probable name's mass: what the prior has hardly met it may doubt so much and no more, for it knows habits
and not what the text means. Without a bound it made `new response(response)` where the model was at `new Map`."""


@dataclass(slots=True)
class NameBias:
    """The bias of one output.

    Args:
        prior: Who knows how probable names are.
        vocabulary: Of the model.
        language: Tells which words are keywords, of which the prior says nothing.
        weight: By which the prior's share is multiplied: less than 1 beside others who count the same texts.
    """

    prior: NamePrior
    vocabulary: Vocabulary
    language: Language
    weight: float = 1.0
    _known: dict[tuple[str, bool], Weighed | None] = field(default_factory=dict)
    """By what was written before the name and whether it is a member: the tokens of one name ask in turn."""

    def applied(
        self, logits: npt.NDArray[np.float32], written: str, guard: Guard, _tokens: Sequence[int]
    ) -> npt.NDArray[np.float32]:
        """See `decoder.bias.Bias`."""
        if guard.partial:
            return logits
        for lead, word, weighed in self._due(written, guard):
            if weighed is not None and weighed.share:
                logits = self._leaned(logits, lead, word, weighed)
        return logits

    def _due(self, written: str, guard: Guard) -> Iterator[tuple[bytes, str, Weighed | None]]:
        """Where a name may go on here, or begin behind a space: the space, what there is of the name, who it may be."""
        owed = guard.owed.decode("utf-8", "ignore")
        if not owed.startswith(" "):
            found = self._name_at(written, guard)
            if found is not None:
                yield b"", found[0] + owed, found[1]
        if not written[-1:].isspace() and (not owed or owed.startswith(" ")):
            spaced = replace(guard, owed=b"").feed(b" ")
            found = None if isinstance(spaced, Refusal) else self._name_at(f"{written} ", spaced)
            if found is not None and not found[0]:
                yield b" ", owed[1:], found[1]

    def _name_at(self, written: str, guard: Guard) -> tuple[str, Weighed | None] | None:
        """What has been written of the name that is due at the end, and the names that it may be."""
        listing = None if guard.types is None else guard.types.listing()
        if listing is not None:
            word, position, members = listing
            if position not in _MEMBERS:
                return None
            key = (written[: len(written) - len(word)], True)
            if key not in self._known:
                self._known[key] = self.prior.members(key[0], members)
            return word, self._known[key]
        for rule in guard.rules:
            if isinstance(rule, ScopeConstraint):
                expected = rule.expects()
                if Role.REFERENCE not in expected.roles:
                    return None
                key = (written[: len(written) - len(expected.word)], False)
                if key not in self._known:
                    self._known[key] = self.prior.names(key[0])
                return expected.word, self._known[key]
        return None

    def _leaned(
        self, logits: npt.NDArray[np.float32], lead: bytes, word: str, weighed: Weighed
    ) -> npt.NDArray[np.float32]:
        """The logits with the tokens of names weighed among themselves."""
        found = _trie(self.vocabulary, self.language, lead, word, tuple(weighed.names))
        if found is None:
            return logits
        trie, whole = found
        probabilities = weighed.probabilities
        mass = trie.masses(probabilities)
        tokens = trie.tokens
        if word:  # the name may also end here: whatever writes no letter says so
            ending = _others(self.vocabulary)
            ended = float(probabilities[whole]) if whole is not None else 0.0
            if ended:
                tokens = np.concatenate([tokens, ending])
                mass = np.concatenate([mass, np.full(len(ending), ended)])
        before = logits[tokens]
        highest = before.max()
        if not np.isfinite(highest):
            return logits
        grown = before + self.weight * weighed.share * np.log(np.maximum(mass / mass.max(), _LEAST))
        kept = np.log(np.exp(before - highest, dtype=np.float64).sum())
        now = np.log(np.exp(grown - highest, dtype=np.float64).sum())
        leaned = logits.copy()
        leaned[tokens] = grown + (kept - now)
        return leaned


@lru_cache(maxsize=64)  # names stay the same for many steps
def _trie(
    vocabulary: Vocabulary, language: Language, lead: bytes, word: str, names: tuple[str, ...]
) -> tuple[Paths, int | None] | None:
    """The tokens that go on with a name, which names each leads to, and which name ends here; None where none does."""
    aside = frozenset[str]() if word else (keywords(language) | _ASIDE) - {*names}
    paths = paths_of_names(vocabulary, lead, word, names, aside)
    if not len(paths.tokens):
        return None
    return paths, names.index(word) if word in names else None


@lru_cache(maxsize=4)
def _others(vocabulary: Vocabulary) -> npt.NDArray[np.intp]:
    """The tokens that end a name: those that begin with nothing that one may hold, and the end of the text."""
    return np.union1d(tokens_of_others(vocabulary), np.array(sorted(vocabulary.end), dtype=np.intp))
