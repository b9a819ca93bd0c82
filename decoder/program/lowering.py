"""Programs as grammars, for engines that take nothing else.

Every text of the program is one of the grammar's. Where control flow depends on what was written, each text that a
finite choice can write is followed; where a program may look at a text of too many, it is refused. What a grammar
cannot say is reported with its direction: `wider`, it also takes other texts; `narrower`, it takes fewer.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import chain, product

from decoder.errors import ProgramError
from decoder.program import nodes
from decoder.program.dialects import Dialect, is_impossible, one_after_another, one_of
from decoder.program.nodes import Awaited, Generated, Node, Role, Type
from decoder.program.pattern import (
    Alt,
    Cat,
    Chars,
    Expressions,
    GrammarRule,
    Known,
    Limited,
    Named,
    NewName,
    OfType,
    Pattern,
    Repeat,
    Words,
    shortest,
)
from decoder.program.spelling import Speller

_MOST_TEXTS = 64
"""The most texts of a choice that a program may inspect; each is followed."""
_MOST_STEPS = 200
"""Parts that are awaited one after another."""
_MOST_WAYS = 1000
"""Parts that are awaited in all ways together."""

_REPEATED = "wider: what was written for a blank is repeated where the blank stands again; the grammar takes any text"
_DECLARED = "wider: a name must have been declared before it is used; the grammar takes any name for a {type}"
_NEW = "wider: a declared name must be new and not reserved; the grammar takes any name"
_COUNTED = "wider: how many tokens a part may have (maxTokens); the grammar lets it go on"


@dataclass(frozen=True, slots=True)
class Lowered:
    """A grammar, and what it cannot say."""

    text: str
    approximated: tuple[str, ...] = ()
    """Sentences; each begins with `wider` or `narrower`."""


def _made_known(pattern: Pattern) -> Expressions:
    """The expressions that later parts may use."""
    match pattern:
        case Known(expressions):
            return expressions
        case Cat(parts) | Alt(parts):
            return frozenset[tuple[Type | None, str]]().union(*map(_made_known, parts))
        case Repeat() | Named() | Limited():
            return _made_known(pattern.item)
    return frozenset()


def texts_of(pattern: Pattern) -> frozenset[str]:
    """What a pattern without memory can write; where that is more than `_MOST_TEXTS`, so many of it and one more."""
    texts: Iterable[str] = ()
    match pattern:
        case str():
            texts = [pattern]
        case Chars(ranges, negated=False):
            texts = (chr(code) for first, last in ranges for code in range(ord(first), ord(last) + 1))
        case Chars():
            texts = filter(pattern.accepts, map(chr, range(sys.maxunicode)))
        case Cat(parts):
            texts = [""]
            for part in parts:
                texts = _few(map("".join, product(texts, texts_of(part))))
        case Alt(options):
            texts = chain.from_iterable(map(texts_of, options))
        case Repeat(item, least, most):
            counts = range(least, least + _MOST_TEXTS + 1 if most is None else most + 1)
            texts = chain.from_iterable(texts_of(Cat((item,) * count)) for count in counts)
        case GrammarRule(_, item):
            texts = texts_of(item)
    return _few(texts)


def _few(texts: Iterable[str]) -> frozenset[str]:
    found = set[str]()
    for text in texts:
        found.add(text)
        if len(found) > _MOST_TEXTS:
            break
    return frozenset(found)


def _repeatable(pattern: Pattern) -> Pattern:
    """What writes the same if it is repeated at will, and never the empty text: for `a?b*`, `a|b`."""
    if shortest(pattern):
        return pattern
    match pattern:
        case Cat(parts) | Alt(parts):
            return one_of(map(_repeatable, parts))
        case GrammarRule(_, item) | Repeat(item):
            return _repeatable(item)
    return one_of(())


class Lowering:
    """Turns all ways in which a program may go on into one pattern without memory."""

    def __init__(self, after: Callable[[tuple[str, ...]], Awaited | None], speller: Speller) -> None:
        self._after, self._speller = after, speller
        self._count = 0
        self._approximated: dict[str, None] = {}
        """In the order in which they were found."""
        self._rules: dict[str, GrammarRule] = {}
        self._known: Expressions = frozenset()
        """What later parts of the way that is followed may use; an empty text is any declared name of its type."""
        self._keys: frozenset[int] = frozenset()
        """The blanks that have been filled on this way."""

    def lower(self, dialect: Dialect) -> Lowered:
        """The whole program in a dialect.

        Raises:
            ProgramError: what follows depends on too many texts, or there are too many ways, or levels of them.
        """
        try:
            whole = self._following((), None)
            text = dialect.written("" if is_impossible(whole) else whole, [*self._approximated])
        except RecursionError:
            raise ProgramError("a grammar cannot say this: choices follow on choices in too many levels") from None
        return Lowered(text, tuple(self._approximated))

    def _following(self, history: tuple[str, ...], before: Role | None) -> Pattern:
        """What follows these texts, the last of which was written for a part of the role `before`."""
        awaited = self._after(history)
        if awaited is None:
            return ""
        self._count += 1
        node, place = awaited.node, f" at {awaited.place}" if awaited.place else ""
        is_long = len(history) >= _MOST_STEPS
        if is_long or self._count > _MOST_WAYS:
            bound = f"{_MOST_STEPS} parts in a row" if is_long else f"{_MOST_WAYS} parts in all ways"
            raise ProgramError(f"a grammar cannot say this: the program awaits more than {bound}, the last{place}")
        apart, pattern, role = self._speller.step(node, before)
        self._known |= _made_known(pattern)
        whole = self._regular(pattern)
        texts = texts_of(whole) if awaited.used else frozenset({""})
        if len(texts) > _MOST_TEXTS:
            raise ProgramError(
                f"a grammar cannot say this: what follows may depend on what is written{place} for {_named(node)}, "
                f"which can be more than {_MOST_TEXTS} texts"
            )
        known, keys = self._known, self._keys
        ways: dict[str, tuple[Pattern, list[str]]] = {}
        for text in sorted(texts):
            self._known, self._keys = known, keys
            following = self._following((*history, text), role)
            ways.setdefault(repr(following), (following, []))[1].append(text)
        return one_of(
            one_after_another((apart, whole if len(ways) == 1 else one_of(written), following))
            for following, written in ways.values()
        )

    def _regular(self, pattern: Pattern) -> Pattern:  # noqa: C901, PLR0912 - one case for each kind of pattern
        """The pattern without memory."""
        match pattern:
            case str() | Chars():
                return pattern
            case Words(rests):
                return one_of(rests)
            case Cat(parts):
                return one_after_another([self._regular(part) for part in parts])
            case Alt(options):
                return self._choice(options)
            case Repeat(item, least, most, joint):
                each = self._regular(item)
                if most is None and not joint and not shortest(each):  # llama.cpp refuses to repeat the empty text
                    each, least = _repeatable(each), 0
                if most == 0 or is_impossible(each) or each == "":
                    return each if least else ""
                if not joint:
                    return Repeat(each, least, most)
                return Cat((each, Repeat(Cat((joint, each)), max(least - 1, 0), None if most is None else most - 1)))
            case GrammarRule(name, item):
                if name not in self._rules:
                    self._rules[name] = GrammarRule(name, self._regular(item))
                return self._rules[name]
            case OfType(kind):
                return self._of_type(kind)
            case Named(key, item, fresh):
                if not fresh and key in self._keys:
                    self._approximated[_REPEATED] = None
                self._keys |= {key}
                return self._regular(item)
            case NewName(item):
                self._approximated[_NEW] = None
                return self._regular(item)
            case Limited(item):
                self._approximated[_COUNTED] = None
                return self._regular(item)
        return ""

    def _choice(self, options: tuple[Pattern, ...]) -> Pattern:
        """One of the options. Only one of them is written, so a blank that is in two of them is not repeated."""
        before, found = self._keys, self._keys
        regular = []
        for option in options:
            self._keys = before
            regular.append(self._regular(option))
            found |= self._keys
        self._keys = found
        return one_of(regular)

    def _of_type(self, kind: Type) -> Pattern:
        known: list[Pattern] = [*sorted({text for one, text in self._known if one is kind and text})]
        if (kind, "") in self._known:
            self._approximated[_DECLARED.format(type=kind)] = None
            known.append(self._regular(GrammarRule("name", self._speller.layout.name)))
        return one_of(known)


def _named(node: Node) -> str:
    """A part of a program in the words of its author."""
    match node:
        case Generated(regex=str() as regex):
            return f"gen of /{regex}/"
        case nodes.Blank(kind):
            return f"a {kind}"
    return {Generated: "gen", nodes.Identifier: "id", nodes.StringOf: "str", nodes.ManyOf: "manyOf"}.get(
        type(node), "a part of the text"
    )
