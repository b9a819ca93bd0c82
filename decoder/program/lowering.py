"""Programs as grammars, for engines that take nothing else; what a grammar cannot say is told, not dropped in silence.

A grammar accepts all that the program does. Where it accepts more, `Lowered.unsaid` has a sentence.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from decoder.program import items
from decoder.program.dialects import Alternatives, Dialect, Expr, Many, Reference, Series
from decoder.program.items import Item
from decoder.program.layout import Layout
from decoder.program.nodes import Type

_REPEATED = (
    "what was written for a blank is repeated where the blank stands again: a grammar lets each say another thing"
)
_DECLARED = "names must have been declared before they are used: a grammar lets any name stand for a {type}"
_NEW = "a declared name must be new and not reserved: a grammar lets any name stand there"
_COUNTED = "how many tokens a part may have (maxTokens): a grammar lets it go on"
_EMPTY: Expr = Series(())


@dataclass(frozen=True, slots=True)
class Lowered:
    """A grammar, and what it cannot say."""

    text: str
    unsaid: tuple[str, ...] = ()


@dataclass(slots=True)
class Lowering:
    """Turns the items of a program's steps, in order, into rules."""

    layout: Layout
    rules: dict[str, Expr] = field(default_factory=dict)
    """The first that is used comes first."""
    unsaid: list[str] = field(default_factory=list)
    _known: list[tuple[Type, str]] = field(default_factory=list)
    _declared: set[Type] = field(default_factory=set)
    _keys: set[int] = field(default_factory=set)

    def lower(self, steps: Iterable[Item], dialect: Dialect) -> Lowered:
        """The whole program in a dialect."""
        steps = tuple(steps)
        for step in steps:
            self._note_declarations(step)
        whole = Series(tuple(self._expr(step) for step in steps))
        return Lowered(dialect.written(whole, self.rules), tuple(dict.fromkeys(self.unsaid)))

    def _note_declarations(self, item: Item) -> None:
        """Variables may be used wherever a loop comes back to; a grammar does not know where that is."""
        match item:
            case items.Declare(type=Type() as kind):
                self._declared.add(kind)
            case items.Cat(parts) | items.Alt(parts):
                for part in parts:
                    self._note_declarations(part)
            case items.Repeat() | items.Named() | items.Limited():
                self._note_declarations(item.item)

    def _expr(self, item: Item) -> Expr:  # noqa: C901, PLR0912 - one case for each kind of item
        match item:
            case str() | items.Chars():
                return item
            case items.Cat(parts):
                return Series(tuple(self._expr(part) for part in parts))
            case items.Alt(options):
                return self._alternatives(options)
            case items.Repeat():
                each = self._expr(item.item)
                if not item.joint:
                    return Many(each, item.least, item.most)
                return Series((each, Many(Series((item.joint, each)), max(item.least - 1, 0), None)))
            case items.Blank():
                self._again(item.key)
                self._rule(str(item.type), item.literal)
                return Alternatives((Reference(str(item.type)), *self._expressions(item.type)))
            case items.Hole():
                self._again(item.key)
                return self._expr(item.content)
            case items.Quoted():
                return self._quoted(item)
            case items.Named():
                if not item.fresh:
                    self._again(item.key)
                return self._expr(item.item)
            case items.NewName():
                self.unsaid.append(_NEW)
                return self._expr(item.item)
            case items.Limited():
                self.unsaid.append(_COUNTED)
                return self._expr(item.item)
            case items.Known():
                self._known += item.expressions
        return _EMPTY

    def _alternatives(self, options: tuple[Item, ...]) -> Expr:
        """One of them is written, so a blank that stands in two of them is not repeated."""
        before, said = set(self._keys), set(self._keys)
        spelled = []
        for option in options:
            self._keys = set(before)
            spelled.append(self._expr(option))
            said |= self._keys
        self._keys = said
        return Alternatives(tuple(spelled))

    def _quoted(self, item: items.Quoted) -> Expr:
        plain = Series(tuple(self._expr(part) for part in item.plain))
        holes = {part.type for part in item.interpolated if isinstance(part, items.Hole)}
        if not holes or not all([*self._expressions(kind)] for kind in holes):
            return plain
        spelled = tuple(
            Alternatives(tuple(self._expressions(part.type))) if isinstance(part, items.Hole) else part
            for part in item.interpolated
        )
        return Alternatives((plain, Series(spelled)))

    def _expressions(self, kind: Type) -> Iterable[Expr]:
        yield from sorted({text for one, text in self._known if one is kind})
        if kind in self._declared:
            self._rule("name", self.layout.name)
            self.unsaid.append(_DECLARED.format(type=kind))
            yield Reference("name")

    def _again(self, key: int) -> None:
        if key and key in self._keys:
            self.unsaid.append(_REPEATED)
        self._keys.add(key)

    def _rule(self, name: str, item: Item) -> None:
        if name not in self.rules:
            self.rules[name] = self._expr(item)
