"""Programs as grammars, for engines that take nothing else: `Program.lowered`, `inscope lower`.

Where the program may look at the text that was written for a part, each text that the part can write is followed on its
own. If there are too many, the program is refused. What a grammar cannot say is reported with its direction: `wider`
if the grammar also allows other texts, `narrower` if it allows fewer.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import chain, product

from decoder.errors import ProgramError
from decoder.program import nodes
from decoder.program.dialects import Dialect, is_impossible, one_after_another, one_of
from decoder.program.nodes import Generated, ProgramNode, ValueType
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
from decoder.program.roles import Role
from decoder.program.runner import Awaited
from decoder.program.spelling import Speller

_MOST_TEXTS = 64
"""The most texts of a part that the program may look at; each is followed."""
_MOST_STEPS = 200
"""The most parts that are awaited one after another."""
_MOST_WAYS = 1000
"""The most parts that are awaited on all ways through the program together."""

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
    """The expressions that a pattern makes known to later parts."""
    match pattern:
        case Known(expressions):
            return expressions
        case Cat(parts) | Alt(parts):
            return frozenset[tuple[ValueType | None, str]]().union(*map(_made_known, parts))
        case Repeat() | Named() | Limited():
            return _made_known(pattern.item)
    return frozenset()


def texts_of(pattern: Pattern) -> frozenset[str]:
    """The texts that a pattern without memory (see `Lowering`) can write.

    If they are more than `_MOST_TEXTS`, the first of them, one more than that number.
    """
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
    """The first distinct texts, up to one more than `_MOST_TEXTS`."""
    distinct = set[str]()
    for text in texts:
        distinct.add(text)
        if len(distinct) > _MOST_TEXTS:
            break
    return frozenset(distinct)


def _repeatable(pattern: Pattern) -> Pattern:
    """A pattern that, repeated at will, writes the same texts, and never writes the empty one: `a|b` for `a?b*`."""
    if shortest(pattern):
        return pattern
    match pattern:
        case Cat(parts) | Alt(parts):
            return one_of(map(_repeatable, parts))
        case GrammarRule(_, item) | Repeat(item):
            return _repeatable(item)
    return one_of(())


class Lowering:
    """Turns all ways in which a program may go on into one pattern without memory: nothing in it depends on its text.

    Ways are followed one after the other. `_known` and `_keys` are those of the way that is being followed; where ways
    part, `_following` sets them back before each.

    Args:
        after: The part that the program awaits after some texts: `Runner.after`.
    """

    def __init__(self, after: Callable[[tuple[str, ...]], Awaited | None], speller: Speller) -> None:
        self._after, self._speller = after, speller
        self._count = 0
        """How many parts have been awaited, on all ways."""
        self._approximated: dict[str, None] = {}
        """What the grammar cannot say, in the order in which it was found."""
        self._rules: dict[str, GrammarRule] = {}
        """By name, the rules without memory."""
        self._known: Expressions = frozenset()
        """What later parts may use on the way being followed; an empty text is any declared name of the type."""
        self._keys: frozenset[int] = frozenset()
        """The keys of the blanks that have been filled on this way."""

    def lower(self, dialect: Dialect) -> Lowered:
        """The whole program in a dialect.

        Raises:
            ProgramError: what follows depends on too many texts, or the program has too many ways or levels of choices.
        """
        try:
            whole = self._following((), None)
            text = dialect.written("" if is_impossible(whole) else whole, [*self._approximated])
        except RecursionError:
            raise ProgramError("a grammar cannot say this: choices follow on choices in too many levels") from None
        return Lowered(text, tuple(self._approximated))

    def _following(self, history: tuple[str, ...], before: Role | None) -> Pattern:
        """The pattern of all that the program may write after some texts.

        Args:
            history: The texts written so far, one for each part.
            before: The role of the last part; None at the beginning.

        Raises:
            ProgramError: see `lower`.
        """
        awaited = self._after(history)
        if awaited is None:
            return ""
        self._count += 1
        node, place = awaited.node, f" at {awaited.place}" if awaited.place else ""
        is_long = len(history) >= _MOST_STEPS
        if is_long or self._count > _MOST_WAYS:
            bound = f"{_MOST_STEPS} parts in a row" if is_long else f"{_MOST_WAYS} parts in all ways"
            raise ProgramError(f"a grammar cannot say this: the program awaits more than {bound}, the last{place}")
        separator, pattern, role = self._speller.step(node, before)
        self._known |= _made_known(pattern)
        whole = self._regular(pattern)
        texts = texts_of(whole) if awaited.used else frozenset({""})
        if len(texts) > _MOST_TEXTS:
            raise ProgramError(
                f"a grammar cannot say this: what follows may depend on what is written{place} for {_named(node)}, "
                f"which can be more than {_MOST_TEXTS} texts"
            )
        known_here, keys_here = self._known, self._keys
        ways: dict[str, tuple[Pattern, list[str]]] = {}
        """What may follow, by its `repr` as patterns compare by identity, with the texts that it follows."""
        for text in sorted(texts):
            self._known, self._keys = known_here, keys_here
            following = self._following((*history, text), role)
            ways.setdefault(repr(following), (following, []))[1].append(text)
        return one_of(
            one_after_another((separator, whole if len(ways) == 1 else one_of(written), following))
            for following, written in ways.values()
        )

    def _regular(self, pattern: Pattern) -> Pattern:  # noqa: C901 - one case for each kind of pattern
        """The pattern without memory. What is lost by that is noted in `_approximated`."""
        match pattern:
            case str() | Chars():
                return pattern
            case Words(rests):
                return one_of(rests)
            case Cat(parts):
                return one_after_another([self._regular(part) for part in parts])
            case Alt(options):
                return self._choice(options)
            case Repeat():
                return self._repetition(pattern)
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

    def _repetition(self, repeat: Repeat) -> Pattern:
        """A repetition without memory: a joint becomes a part of all items but the first."""
        least, most, joint = repeat.least, repeat.most, repeat.joint
        item = self._regular(repeat.item)
        if most is None and not joint and not shortest(item):  # llama.cpp refuses to repeat the empty text
            item, least = _repeatable(item), 0
        if most == 0 or is_impossible(item) or item == "":
            return item if least else ""
        if not joint:
            return Repeat(item, least, most)
        return Cat((item, Repeat(Cat((joint, item)), max(least - 1, 0), None if most is None else most - 1)))

    def _choice(self, options: tuple[Pattern, ...]) -> Pattern:
        """One of the options. Only one of them is written, so a blank that is in two of them is not repeated."""
        keys_before, keys_after = self._keys, self._keys
        regular = []
        for option in options:
            self._keys = keys_before
            regular.append(self._regular(option))
            keys_after |= self._keys
        self._keys = keys_after
        return one_of(regular)

    def _of_type(self, wanted: ValueType) -> Pattern:
        """One of the known expressions of a type, or any name if one of the type has been declared."""
        options: list[Pattern] = [*sorted({text for kind, text in self._known if kind is wanted and text})]
        if (wanted, "") in self._known:
            self._approximated[_DECLARED.format(type=wanted)] = None
            options.append(self._regular(GrammarRule("name", self._speller.layout.name)))
        return one_of(options)


def _named(node: ProgramNode) -> str:
    """What a program's author calls a part, for an error."""
    match node:
        case Generated(regex=str() as regex):
            return f"gen of /{regex}/"
        case nodes.Blank(kind):
            return f"a {kind}"
    return {Generated: "gen", nodes.Identifier: "id", nodes.StringOf: "str", nodes.ManyOf: "manyOf"}.get(
        type(node), "a part of the text"
    )
