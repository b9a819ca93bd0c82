r"""Whether a token may be cut short: whether what follows it can be the beginning of others and not its own.

`0x` may be `0` and `x`, as `0xg` shows. Behind `if`, `\` is nothing but the beginning of an escape, and whatever
completes that completes a longer word, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoder.grammar.dfa import ASCII, NO_TOKEN, Dfa

if TYPE_CHECKING:
    from decoder.grammar.dfa import Walkable

_CHARACTERS: Final = (*map(chr, range(1, ASCII)), "\xe9")


class Cuts:
    """Answers for one automaton of characters, each found once."""

    def __init__(self, lexer: Walkable) -> None:
        self._lexer = lexer
        self._is_learned = isinstance(lexer, Dfa)
        self._known: dict[tuple[int, int], bool] = {}

    def may_part(self, longer: int, later: int) -> bool:
        """Whether some text leads on from `later`, and leaves the token of `longer` as short as it is.

        Args:
            longer: The state of the lexer within the token that would have to be cut short.
            later: Its state at the same place when the token has been cut, and the characters since read anew.
        """
        if not self._is_learned:
            return True  # such states tell too little
        found = self._known.get((longer, later))
        if found is None:
            found = self._known[longer, later] = self._find(longer, later)
        return found

    def _find(self, longer: int, later: int) -> bool:
        moves, accepts = self._lexer.moves, self._lexer.accepts
        if accepts[later] != NO_TOKEN:
            return True  # the text may end here
        pending, seen = [(longer, later)], {(longer, later)}
        while pending:
            one, other = pending.pop()
            for character in _CHARACTERS:
                own, new = moves[one][character], moves[other][character]
                if new is None or (own is not None and own.token != NO_TOKEN):
                    continue
                if own is None or new.token != NO_TOKEN:
                    return True
                pair = (own.target, new.target)
                if pair not in seen:
                    seen.add(pair)
                    pending.append(pair)
        return False
