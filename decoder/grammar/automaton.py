"""Advances all ways to parse a text in parallel, and drops a way as soon as nothing could complete it.

Each way is a `Version`: a stack, the text that is not a token yet, and the lexers' progress in this text. A token is
undecided while another character could still change it. Every text that is accepted is the beginning of a text that
parses, with two exceptions that are judged later: a token that the external scanner has not decided, and a token that
will end before the last character read. `state` wraps this as an immutable value.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from decoder.grammar.lr import ACCEPTED, SHIFTED
from decoder.grammar.scanner import LONG_TOKEN
from decoder.grammar.stack import merged
from decoder.grammar.tables import END_OF_EXTRA, END_OF_INPUT, ERROR_STATE, NO_LEXING, bits
from decoder.grammar.version import GrammarToken, StandIn, Version

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from decoder.grammar.lr import Stepper
    from decoder.grammar.reader import Reader
    from decoder.grammar.stack import StackNode
    from decoder.grammar.tables import LexMode, Tables
    from decoder.grammar.version import Window

_MERGE_ABOVE: Final = 4
"""Fewer versions, or so many, are not merged: a merged stack costs a walk down each of its paths."""
_MOST_VERSIONS: Final = 256
"""More versions than this are merged while the text is being read, not only at its end."""


class Automaton:
    """Advances versions by one grammar."""

    def __init__(self, tables: Tables, reader: Reader, stepper: Stepper) -> None:
        self.tables = tables
        self.stepper = stepper
        self.reader = reader
        self.initial = reader.initial
        """The external scanner's state at the start of a file."""
        self._longer: dict[tuple[int, int], tuple[int, ...]] = {}
        """The answers of `_longer_tokens`."""

    def advance(
        self, versions: Iterable[Version], window: Window, *, ended: bool = False
    ) -> tuple[list[Version], bool]:
        """Read all tokens that are decided within the window.

        Args:
            ended: Whether the text ends with the window. Then the last token is decided, too.

        Returns:
            The versions that can still become a complete text, each within an undecided token; and whether the text
            is complete, which only an ended text can be.
        """
        alive: list[Version] = []
        accepted = False
        seen: set[tuple[StackNode, int, bytes]] = set()
        modes = self.tables.modes
        work = list(versions)
        read_token = self.reader.read
        while work:
            version = work.pop()
            if work or seen:  # a single version has no duplicate
                key = (version.node, version.position, version.saved)
                if key in seen:
                    continue
                seen.add(key)
            result = read_token(version, window, modes[version.node.state], ended=ended)
            if isinstance(result, GrammarToken):
                successors, accepts = self._consume(version, result, window)
                accepted |= accepts
                work += successors
                if len(work) > _MOST_VERSIONS:
                    work = self._merge(work)
            elif result is None:
                accepted |= self._read_in_error_mode(version, window, work, alive, ended=ended)
            elif not result.declined or self._can_become(result, window):
                _shorten(result, window, modes[result.node.state], self.reader)
                alive.append(result)
        if len(alive) > _MERGE_ABOVE:
            alive = self._merge(alive)
        return alive, accepted

    def ended(self, versions: Iterable[Version], window: Window) -> Iterator[StackNode]:
        """The stacks with the last token on them, as if the text ended with the window.

        A version that ends within a token, such as a comment without its end, gives none. The stacks are not reduced to
        a whole text: what would complete it (a semicolon, a body) is still to come.
        """
        work = [version.restarted() for version in versions if not _is_within_token(version, window)]
        seen: set[tuple[StackNode, int]] = set()
        while work:
            version = work.pop()
            if (version.node, version.position) in seen:
                continue
            seen.add((version.node, version.position))
            if not window.text[version.position :].strip():
                yield version.node
                continue
            token = self.reader.read(version, window, self.tables.modes[version.node.state], ended=True)
            if isinstance(token, GrammarToken) and token.symbol != END_OF_INPUT:
                work += self._consume(version, token, window)[0]

    def forget(self) -> None:
        """Clear the stepper's caches; see `Stepper.forget`."""
        self.stepper.forget()

    def possible_tokens(self, version: Version, window: Window) -> Iterator[int]:
        """The tokens that can come next, or that the unfinished one can still become.

        They are found as they are asked for, since each takes time.
        """
        node, lexeme = version.node, version.lexeme
        candidates = self.tables.valid_tokens(node.state)
        mode = self.tables.modes[node.state]
        if not version.declined and mode.lex_state != NO_LEXING:
            lexeme = self.reader.read_on_by_lexer(version, window, mode)
        if lexeme is not None and lexeme.start < len(window.text):
            candidates &= self.reader.becomes(lexeme, window.text)
        return (token for token in bits(candidates) if self.stepper.takes(node, token))

    def _read_in_error_mode(
        self, version: Version, window: Window, work: list[Version], alive: list[Version], *, ended: bool
    ) -> bool:
        """Read a token with the error state's lexer, as tree-sitter does where the state's own lexer finds none.

        The versions after the token are added to `work`. A version whose token is undecided is added to `alive`.
        Returns whether the text is complete.
        """
        restarted = version.restarted()
        result = self.reader.read(restarted, window, self.tables.modes[ERROR_STATE], ended=ended)
        if isinstance(result, Version):
            if result.declined and self._can_become(result, window):
                alive.append(restarted)  # without what was read in the error state's mode
            return False
        if result is None:
            return False
        successors, accepted = self._consume(version, result, window)
        work += successors
        return accepted

    def _consume(self, version: Version, token: GrammarToken, window: Window) -> tuple[list[Version], bool]:
        """The versions after `token`, and whether the text is complete with it."""
        text = window.text[token.start : token.end]
        steps = self.stepper.step(version.node, token.symbol, text, is_keyword=token.is_keyword)
        if len(steps) == 1 and steps[0][0] is SHIFTED:  # nearly always
            return [Version(steps[0][1], token.end, token.saved)], False
        successors: list[Version] = []
        accepted = False
        mode = self.tables.modes[version.node.state]
        work = [version.node]
        seen: set[StackNode] = set()
        while work:
            node = work.pop()
            for outcome, after in self.stepper.step(node, token.symbol, text, is_keyword=token.is_keyword):
                if outcome is SHIFTED:
                    successors.append(Version(after, token.end, token.saved))
                elif outcome is ACCEPTED:
                    accepted = True
                elif after not in seen:
                    seen.add(after)
                    if token.symbol != END_OF_EXTRA and self._keeps(version, token, after, mode):
                        work.append(after)
                    else:
                        successors.append(Version(after, version.position, version.saved))
        return successors, accepted

    def _keeps(self, version: Version, token: GrammarToken, node: StackNode, mode: LexMode) -> bool:
        """Whether the stack `node`, made by a reduction, may keep the token that was read before the reduction.

        Otherwise the token is read again in the new state. This is tree-sitter's `can_reuse_first_leaf`.

        Args:
            mode: How the state before the reduction read the token.
        """
        tables = self.tables
        new_mode = tables.modes[node.state]
        if new_mode.lex_state == NO_LEXING:
            return False
        cell = tables.rows[node.state][token.symbol]
        if cell is not None and new_mode == mode and (token.symbol != tables.word or node.state == version.node.state):
            return True
        if token.end <= version.position and token.symbol != END_OF_INPUT:
            return False
        return not new_mode.external_state and cell is not None and cell.reusable

    def _can_become(self, version: Version, window: Window) -> bool:
        """Whether the unfinished token can become one that the stack has a place for."""
        text, lexeme, node = window.text, version.lexeme, version.node
        if lexeme is None or lexeme.start >= len(text):
            return True  # only white space so far
        token = self.reader.token(node, lexeme, text, version.saved) if lexeme.token > END_OF_INPUT else None
        if token is not None and token.end >= len(text):  # try the token as it is: `lr` caches the step for its end
            steps = self.stepper.step(node, token.symbol, text[token.start :], is_keyword=token.is_keyword)
            if steps and steps[0][0] is SHIFTED:
                return True
        if any(self.stepper.takes(node, longer) for longer in self._longer_tokens(node.state, lexeme.state)):
            return True
        keywords = self.tables.valid_tokens(node.state) & self.reader.keywords_from(lexeme, text)
        if any(self.stepper.takes(node, keyword) for keyword in bits(keywords)):
            return True
        return token is not None and bool(self._consume(version, token, window)[0])

    def _longer_tokens(self, state: int, lexer_state: int) -> Sequence[int]:
        """The tokens, other than keywords, that are valid in a state and that further characters can make."""
        longer = self._longer.get((state, lexer_state))
        if longer is None:
            tokens = self.tables.valid_tokens(state) & self.reader.reachable[lexer_state]
            longer = self._longer[state, lexer_state] = tuple(token for token in bits(tokens) if token != END_OF_INPUT)
        return longer

    def _merge(self, versions: Sequence[Version]) -> list[Version]:
        """Merge versions that differ only below the tops of their stacks."""
        groups: dict[tuple[int, int, object, int, bytes, bool], list[Version]] = {}
        for version in versions:
            node = version.node
            root = 0 if node.below is not None else id(node)  # a root has nothing below it that could be merged
            key = (node.state, root, node.value, version.position, version.saved, version.declined)
            groups.setdefault(key, []).append(version)
        return [
            group[0] if len(group) == 1 else replace(group[0], node=merged([version.node for version in group]))
            for group in groups.values()
        ]


def _is_within_token(version: Version, window: Window) -> bool:
    """Whether the window ends within something that is no token without its end, such as the comment `/* a`.

    An unfinished word such as `tot` is a token as it is, so it does not count.
    """
    lexeme = version.lexeme
    if lexeme is None or lexeme.start >= len(window.text) or lexeme.position < len(window.text):
        return False
    return version.declined and lexeme.token_end < len(window.text.rstrip())


def _shorten(version: Version, window: Window, mode: LexMode, reader: Reader) -> None:
    """Prepare a version for reading on, if its token is one that the external scanner has not decided.

    A long token gets a stand-in on which the scanner does the same: only the cost changes. A short token is read by the
    lexer as well, so that it is known which word it may be. Both are worth their time only for versions that will be
    read on with.
    """
    if version.declined or version.position >= len(window.text) or not mode.external_state:
        return
    if len(window.text) - version.position <= LONG_TOKEN:
        reader.read_on_by_lexer(version, window, mode)
        return
    stand_in = version.stand_in
    head = stand_in.text if stand_in else ""
    rest = window.text[stand_in.upto if stand_in else version.position :]
    if len(rest) > LONG_TOKEN:
        place = window.place(version.position)
        short = reader.scanner.shorten(mode.external_state, version.saved, head + rest, place)
        version.stand_in = StandIn(short, len(window.text))
