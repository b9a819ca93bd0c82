"""Programs as grammars, for engines that take nothing else.

Every text of the program is one of the grammar's. Where control flow depends on what was written, each text that a
finite choice can write is followed; where a program may look at a text of too many, it is refused. What a grammar
cannot say is reported with its direction: `wider`, it also takes other texts; `narrower`, it takes fewer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice, product

from decoder.program import nodes
from decoder.program.grammars import Alternatives, Dialect, Expr, Many, Reference, Series
from decoder.program.nodes import Awaited, Context, Generated, Node, ProgramError, Role, Type, role_of
from decoder.program.pattern import (
    Alt,
    Blank,
    Cat,
    Chars,
    Declare,
    Expressions,
    Form,
    Known,
    Limited,
    Named,
    NewName,
    Pattern,
    Repeat,
    When,
    Words,
)
from decoder.program.spelling import Speller

MOST_TEXTS = 64
"""The most texts of a choice that a program may inspect; each is followed."""
MOST_STEPS = 200
"""Parts that are awaited one after another."""
MOST_WAYS = 1000
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


@dataclass(frozen=True, slots=True)
class Tree:
    """A part that is awaited, and what comes after it."""

    node: Node
    before: Role | None
    """What the last part was that wrote something."""
    following: tuple[tuple[frozenset[str] | None, Tree | None], ...]
    """By what was written; None is whatever the part may write, and the end of the program."""


class Ways:
    """All ways in which a program may go on, as a tree."""

    def __init__(self, after: Callable[[tuple[str, ...]], Awaited | None], speller: Speller) -> None:
        self._after, self._speller = after, speller
        self._count = 0

    def tree(
        self, history: tuple[str, ...] = (), before: Role | None = None, known: Expressions = frozenset()
    ) -> Tree | None:
        """The parts that come after these texts.

        Raises:
            ProgramError: what follows depends on too many texts, or there are too many ways.
        """
        awaited = self._after(history)
        if awaited is None:
            return None
        self._count += 1
        node, place = awaited.node, f" at {awaited.place}" if awaited.place else ""
        if len(history) >= MOST_STEPS or self._count > MOST_WAYS:
            bound = f"{MOST_STEPS} parts in a row" if len(history) >= MOST_STEPS else f"{MOST_WAYS} parts in all ways"
            raise ProgramError(f"a grammar cannot say this: the program awaits more than {bound}, the last{place}")
        role = before if isinstance(node, Context) else role_of(node)
        pattern = self._speller.step(node, before)[1]
        known |= _made_known(pattern)
        texts = texts_of(pattern, known) if awaited.used else frozenset({""})
        if texts is None:
            raise ProgramError(
                f"a grammar cannot say this: what follows may depend on what is written{place} for {_named(node)}, "
                f"which can be more than {MOST_TEXTS} texts"
            )
        ways: dict[Tree | None, list[str]] = {}
        for text in sorted(texts):
            ways.setdefault(self.tree((*history, text), role, known), []).append(text)
        if len(ways) == 1:
            return Tree(node, before, ((None, next(iter(ways))),))
        return Tree(node, before, tuple((frozenset(some), tree) for tree, some in ways.items()))


def _made_known(pattern: Pattern) -> Expressions:
    """The expressions that later parts may use."""
    match pattern:
        case Declare(kind):
            return frozenset({(kind, "")})
        case Known(expressions):
            return frozenset(expressions)
        case Cat(parts) | Alt(parts):
            return frozenset[tuple[Type | None, str]]().union(*map(_made_known, parts))
        case Repeat() | Named() | Limited():
            return _made_known(pattern.item)
    return frozenset()


def texts_of(pattern: Pattern, known: Expressions) -> frozenset[str] | None:
    """All that a pattern can write; None where that is more than `MOST_TEXTS`."""
    match pattern:
        case str():
            return frozenset({pattern})
        case Words(rests):
            return _few(rests)
        case Chars(ranges, negated=False):
            codes = (code for first, last in ranges for code in range(ord(first), ord(last) + 1))
            return _few(map(chr, islice(codes, MOST_TEXTS + 1)))
        case Cat(parts):
            return _one_after_another(texts_of(part, known) for part in parts)
        case Alt(options):
            return _union(texts_of(option, known) for option in options)
        case Repeat(item, least, most, "") if most is not None and most <= MOST_TEXTS:
            each = texts_of(item, known)
            return _union(_one_after_another([each] * count) for count in range(least, most + 1))
        case Limited() | Named():
            return texts_of(pattern.item, known)
        case Blank(type=kind, literal=literal, form=form):
            names = [] if form is Form.TEXT else [text for one, text in known if one is kind]
            literals = frozenset[str]() if form is Form.EXPRESSION else texts_of(literal, known)
            return None if literals is None or "" in names else _few((*literals, *names))
        case When() | Known() | Declare():
            return frozenset({""})
    return None


def _one_after_another(parts: Iterable[frozenset[str] | None]) -> frozenset[str] | None:
    found: frozenset[str] | None = frozenset({""})
    for part in parts:
        found = None if part is None or found is None else _few(map("".join, product(found, part)))
    return found


def _union(options: Iterable[frozenset[str] | None]) -> frozenset[str] | None:
    found: frozenset[str] | None = frozenset()
    for option in options:
        found = None if option is None or found is None else _few(found | option)
    return found


def _few(texts: Iterable[str]) -> frozenset[str] | None:
    found = frozenset(texts)
    return found if len(found) <= MOST_TEXTS else None


@dataclass(slots=True)
class Lowering:
    """Turns a program's tree into rules."""

    speller: Speller
    rules: dict[str, Expr] = field(default_factory=dict)
    """The first that is used comes first."""
    approximated: dict[str, None] = field(default_factory=dict)
    """In the order in which they were found."""
    _known: Expressions = frozenset()
    _declared: Expressions = frozenset()
    """Variables may be used wherever a loop comes back to; a grammar does not know where that is."""
    _keys: frozenset[int] = frozenset()

    def lower(self, tree: Tree | None, dialect: Dialect) -> Lowered:
        """The whole program in a dialect."""
        self._declared = frozenset[tuple[Type | None, str]]().union(*map(_made_known, self._patterns(tree)))
        whole = self._tree(tree) or ""
        return Lowered(dialect.written(whole, self.rules, [*self.approximated]), tuple(self.approximated))

    def _patterns(self, tree: Tree | None) -> Iterator[Pattern]:
        if tree is not None:
            yield self.speller.step(tree.node, tree.before)[1]
            for _, following in tree.following:
                yield from self._patterns(following)

    def _tree(self, tree: Tree | None) -> Expr | None:
        if tree is None:
            return ""
        apart, pattern = self.speller.step(tree.node, tree.before)
        whole = self._expr(pattern)
        known, keys = self._known, self._keys
        ways: list[Expr | None] = []
        for texts, following in tree.following:
            self._known, self._keys = known, keys
            written = whole if texts is None else _alternatives(sorted(texts))
            ways.append(_series([apart, written, self._tree(following)]))
        return _alternatives(ways)

    def _expr(self, pattern: Pattern) -> Expr | None:  # noqa: C901, PLR0912 - one case for each kind of pattern
        """The pattern's rule; None where nothing can be written."""
        match pattern:
            case str() | Chars():
                return pattern
            case Words(rests):
                return _alternatives(rests)
            case Cat(parts):
                return _series([self._expr(part) for part in parts])
            case Alt(options):
                return self._choice(options)
            case Repeat():
                each = self._expr(pattern.item)
                if each is None:
                    return None if pattern.least else ""
                if not pattern.joint:
                    return Many(each, pattern.least, pattern.most)
                return Series((each, Many(Series((pattern.joint, each)), max(pattern.least - 1, 0), None)))
            case Blank():
                return self._blank(pattern)
            case Named():
                if not pattern.fresh:
                    self._repeats(pattern.key)
                return self._expr(pattern.item)
            case NewName():
                self.approximated[_NEW] = None
                return self._expr(pattern.item)
            case Limited():
                self.approximated[_COUNTED] = None
                return self._expr(pattern.item)
            case Known():
                self._known |= _made_known(pattern)
        return ""

    def _choice(self, options: tuple[Pattern, ...]) -> Expr | None:
        """One of them is written, so a blank that stands in two of them is not repeated."""
        before, found = self._keys, self._keys
        spelled = []
        for option in options:
            self._keys = before
            spelled.append(self._expr(option))
            found |= self._keys
        self._keys = found
        return _alternatives(spelled)

    def _blank(self, blank: Blank) -> Expr | None:
        self._repeats(blank.key)
        known: list[Expr] = [*sorted({text for one, text in self._known if one is blank.type})]
        if (blank.type, "") in self._declared and blank.form is not Form.TEXT:
            self._rule("name", self.speller.layout.name)
            self.approximated[_DECLARED.format(type=blank.type)] = None
            known.append(Reference("name"))
        if blank.form is Form.TEXT:
            return self._expr(blank.literal)
        if blank.form is Form.EXPRESSION:
            return _alternatives(known)
        self._rule(str(blank.type), blank.literal)
        return _alternatives([Reference(str(blank.type)), *known])

    def _repeats(self, key: int) -> None:
        if key and key in self._keys:
            self.approximated[_REPEATED] = None
        self._keys |= {key}

    def _rule(self, name: str, pattern: Pattern) -> None:
        if name not in self.rules:
            self.rules[name] = self._expr(pattern) or ""


def _series(parts: Iterable[Expr | None]) -> Expr | None:
    found = [part for part in parts if part != ""]
    if None in found:
        return None
    return found[0] if len(found) == 1 else Series(tuple(part for part in found if part is not None))


def _alternatives(options: Iterable[Expr | None]) -> Expr | None:
    found = tuple(dict.fromkeys(option for option in options if option is not None))
    return Alternatives(found) if len(found) > 1 else found[0] if found else None


def _named(node: Node) -> str:
    """What people call a part of a program."""
    match node:
        case Generated(regex=str() as regex):
            return f"gen of /{regex}/"
        case nodes.Blank(kind):
            return f"a {kind}"
    return {Generated: "gen", nodes.Identifier: "id", nodes.StringOf: "str", nodes.ManyOf: "manyOf"}.get(
        type(node), "a part of the text"
    )
