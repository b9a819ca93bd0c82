"""Finds an ending of a text, a few tokens after which it parses; for `benchmarks/grammar_generation.py`.

This is a beam search over the tokens that the automaton expects. It is led by an estimate from the LR tables of how few
tokens the open rules still need. The estimate ignores lookahead, so it may be wrong; a token is taken only if the
automaton accepts it.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from benchmarks.grammar_yields import Yields, states
from decoder.grammar.tables import bits
from decoder.grammar.words import unfinished_word

if TYPE_CHECKING:
    from decoder.grammar import Grammar, State
    from decoder.grammar.stack import StackNode
    from decoder.grammar.version import Version

    _Scored = tuple[tuple[int, int], State, str, object]
    """A score of which the least is best, a state, the text that was written to get there, and its shape."""

_BEAM: Final = 12
"""States that are followed at a time."""
_ALWAYS: Final = (
    ")",
    "]",
    "}",
    "\n",
    '"#',  # of Rust's raw strings
    '"""',
    "'''",
    '"',
    "'",
    "`",
    "*/",
    "x",
    "0",
    "/",
    "/\n",
    ">",
    "\n" + " " * 80,
    ";",
    " ",
    " x",
    "\\",
    "u0061",
    ":",
    "def ",
    *("!--", "--", "-"),  # the rest of `<!--`
    *("->", "-->"),
    "?x:x;",  # of C's operators the only one that may be a statement outside of functions
)
"""Texts that are tried in every state; the names that the tables have for most of their tokens are not these texts."""
_HEAD: Final = 4
"""The first characters of a token, by which comments, strings and operators differ."""
_CLOSING: Final = "*/\"'`#"
"""What comments and strings end with."""


class EndingFinder:
    """Finds endings of texts in one language."""

    def __init__(self, grammar: Grammar) -> None:
        self._yields = Yields(grammar.tables)
        self._needed: dict[StackNode, int] = {}
        """The estimate by the top of a stack, for one search: most candidates leave the stack as it is."""

    def ending(self, state: State, most: int = 64) -> str | None:
        """A text of at most `most` tokens that completes what has been read; None if the search finds none."""
        self._needed.clear()
        beam = [(state, "")]
        seen = {_shape(state, "")}
        for _ in range(most + 1):
            for reached, written in beam:
                if reached.complete():
                    return written
            by_shape: dict[object, _Scored] = {}
            for reached, written in beam:
                for rank, token in enumerate(_candidates(reached)):
                    following = reached.advance(token)
                    if following is None:
                        continue
                    score = (self._estimate(following), rank)
                    shape = _shape(following, token)
                    if shape in seen:
                        continue
                    if shape not in by_shape or score < by_shape[shape][0]:
                        by_shape[shape] = (score, following, written + token, shape)
            best = _best(list(by_shape.values()))
            beam = [(following, written) for _, following, written, _ in best]
            seen.update(shape for _, _, _, shape in best)
        return None

    def _estimate(self, state: State) -> int:
        """Twice the fewest tokens that any version of the state still needs, and one more within a token."""
        is_within = bool(state.versions[0].lexeme)
        return min(self._missing(version.node) for version in state.versions) * 2 + is_within

    def _missing(self, node: StackNode) -> int:
        """The fewest tokens that the open rules of a stack need, kept for this search."""
        missing = self._needed.get(node)
        if missing is None:
            missing = self._needed[node] = self._yields.needed(node)
        return missing


def _best(scored: list[_Scored]) -> list[_Scored]:
    """The states for the next beam, best first.

    States with equal stacks get at most half of the beam while the external scanner is undecided, and at most half once
    it has declined. Otherwise white space and comments, which change neither stack nor estimate, would fill the beam.
    """
    best: list[_Scored] = []
    taken: Counter[object] = Counter()
    for entry in sorted(scored, key=lambda entry: entry[0]):
        versions = entry[1].versions
        kind = (frozenset(states(v.node) for v in versions), all(v.declined for v in versions))
        if taken[kind] < _BEAM // 2:
            taken[kind] += 1
            best.append(entry)
    return best[:_BEAM]


def _candidates(state: State) -> list[str]:
    """The texts to try in a state, the most promising kinds first: rests of the token that is begun come first."""
    tables = state.automaton.tables
    # while an external scanner has not decided, `expected` lacks what the table lexer will read if it declines
    undecided = {version.node.state for version in state.versions if not version.declined}
    if_declined = {tables.names[token] for top in undecided for token in bits(tables.valid_tokens(top))}
    names = sorted(state.expected() | if_declined, key=lambda name: (len(name), name))
    literal = [name for name in names if name not in _ALWAYS and not any(c.isspace() or c == "_" for c in name)]
    space = "" if state.window.text[-1:].isspace() else " "  # one more would indent a line wrongly
    begun = [
        name[len(written) :]
        for written in {_token_begun(version, state) for version in state.versions}
        for name in names
        if written and name.startswith(written) and name != written
    ]
    return [
        *begun,
        *_ALWAYS,
        *sorted(_lines(state)),
        *(f"{space}{name} " if name.removeprefix("#").isalpha() else name for name in literal),
    ]


def _shape(state: State, token: str) -> object:
    """A key that is equal for states that probably go on alike, of which one needs to be followed.

    It holds the stacks; the blanks of a token of white space, as indentation matters to some scanners; both ends of a
    token on which an external scanner has not decided, as a comment or a string may be closed or not; and all of a word
    that is a keyword or may become one.
    """
    is_undecided = any(not version.declined for version in state.versions)
    text = state.window.text
    heads = frozenset(text[version.position :].lstrip()[:_HEAD] for version in state.versions)
    return (
        (heads, text.endswith("\n"), text[len(text.rstrip(_CLOSING)) :][-3:]) if is_undecided else (),
        token.count(" ") * (not token.strip()),
        frozenset(
            (states(v.node), v.saved, v.lexeme and v.lexeme.state, _keyword_begun(v, state)) for v in state.versions
        ),
    )


def _keyword_begun(version: Version, state: State) -> str:
    """The keyword, or beginning of one, at the end of the text; empty if there is none."""
    if not version.declined:
        return ""
    word, reader = unfinished_word(version, state.window), state.automaton.reader
    return word if word and (word in reader.keywords or word in reader.keyword_beginnings) else ""


def _token_begun(version: Version, state: State) -> str:
    """The text of a version's unfinished token, a word or an operator."""
    start = version.position if version.lexeme is None else version.lexeme.start
    return state.window.text[start:].strip()


def _lines(state: State) -> set[str]:
    """Line ends, each with the indentation of a block that Python's scanner knows to be open.

    That scanner saves one byte for a flag, one for the number of open strings, one for each of them, and two for the
    indentation of each block.
    """
    lines: set[str] = set()
    for saved in {version.saved for version in state.versions}:
        widths = saved[2 + saved[1] :] if len(saved) > 1 else b""
        lines |= {"\n" + " " * int.from_bytes(widths[at : at + 2], "little") for at in range(0, len(widths), 2)}
    return lines
