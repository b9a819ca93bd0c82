"""The notations in which other engines take grammars. What programs allow is regular, so no rule refers to itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from decoder.program.pattern import Chars


@dataclass(frozen=True, slots=True)
class Series:
    """One after another."""

    parts: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Alternatives:
    """One of several."""

    options: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Many:
    """So many times."""

    each: Expr
    least: int
    most: int | None


@dataclass(frozen=True, slots=True)
class Reference:
    """What a rule says."""

    name: str


Expr = str | Chars | Series | Alternatives | Many | Reference


class Dialect(ABC):
    """One notation."""

    root: str
    """The rule that stands for the whole."""
    defines: str
    comment: tuple[str, str]
    """Before and after one."""

    def written(self, whole: Expr, rules: Mapping[str, Expr], notes: Sequence[str]) -> str:
        """The grammar; what it only approximates is said at its top."""
        before, after = self.comment
        comments = [f"{before} approximated, {note}{after}" for note in notes]
        lines = [f"{self.named(name)}{self.defines}{self.outer(expr)}" for name, expr in rules.items()]
        return "\n".join([*comments, *self.head(whole, rules), *lines]) + "\n"

    def head(self, whole: Expr, rules: Mapping[str, Expr]) -> list[str]:
        """The first rule."""
        del rules
        return [f"{self.root}{self.defines}{self.outer(whole)}"]

    def named(self, name: str) -> str:
        """A rule's name."""
        return name

    def outer(self, expr: Expr) -> str:
        """An expression as the whole of a rule."""
        return self.spelled(expr) or self.literal("")

    def spelled(self, expr: Expr) -> str:
        """An expression; empty where it writes nothing."""
        match expr:
            case str():
                return self.literal(expr) if expr else ""
            case Chars():
                return self.characters(expr)
            case Reference(name):
                return self.named(name)
            case Series():
                return " ".join(one for part in _merged(expr) if (one := self.grouped(part)))
            case Alternatives(options):
                written = " | ".join(filter(None, map(self.spelled, options)))
                return f"({written})?" if written and not all(map(self.spelled, options)) else written
            case Many():
                return self.times(self.atom(expr.each), expr.least, expr.most)

    def grouped(self, expr: Expr) -> str:
        """An expression as a part of a series."""
        if isinstance(expr, Alternatives) and len(expr.options) > 1:
            return f"({self.spelled(expr)})"
        return self.spelled(expr)

    def atom(self, expr: Expr) -> str:
        """An expression that is repeated."""
        if isinstance(expr, Chars | Reference) or (isinstance(expr, str) and len(expr) == 1):
            return self.spelled(expr)
        return f"({self.spelled(expr)})"

    def times(self, atom: str, least: int, most: int | None) -> str:
        """An atom so many times."""
        short = {(0, 1): "?", (0, None): "*", (1, None): "+", (1, 1): ""}.get((least, most))
        return self.counted(atom, least, most) if short is None else atom + short

    def counted(self, atom: str, least: int, most: int | None) -> str:
        """An atom so many times, where there is no sign for it."""
        return f"{atom}{{{least}}}" if least == most else f"{atom}{{{least},{'' if most is None else most}}}"

    @abstractmethod
    def literal(self, text: str) -> str:
        """A text."""

    @abstractmethod
    def characters(self, chars: Chars) -> str:
        """One character of a class."""


class Gbnf(Dialect):
    """GGML's BNF, of llama.cpp and XGrammar."""

    root = "root"
    defines = " ::= "
    comment = ("#", "")

    def literal(self, text: str) -> str:
        """As in C."""
        return '"' + "".join(_escaped(one, '"') for one in text) + '"'

    def characters(self, chars: Chars) -> str:
        """As in a regular expression."""
        if not chars.ranges:
            return '([^a] | "a")' if chars.negated else '""'
        return f"[{'^' * chars.negated}{''.join(_ranged(one, ']^-') for one in chars.ranges)}]"


class Lark(Dialect):
    """What Lark and llguidance both read: one terminal of terminals, as a lexer would else take the longest piece."""

    root = "TEXT"
    defines = ": "
    comment = ("//", "")

    def counted(self, atom: str, least: int, most: int | None) -> str:
        """With a tilde, which has no way to leave the end open."""
        return f"{atom}~{least}..{most}" if most is not None else f"{atom}~{least} {atom}*"

    def head(self, whole: Expr, rules: Mapping[str, Expr]) -> list[str]:
        """The parser's rule, and the terminal that it is: no terminal may be empty, but it may be left out."""
        if not _may_be_empty(whole, rules):
            return ["start: TEXT", *super().head(whole, rules)]
        rest = _not_empty(whole, rules)
        return ["start:"] if rest is None else ["start: TEXT?", *super().head(rest, rules)]

    def named(self, name: str) -> str:
        """Terminals are in capitals."""
        return name.upper()

    def literal(self, text: str) -> str:
        """As in JSON."""
        return '"' + "".join(_escaped(one, '"') for one in text) + '"'

    def characters(self, chars: Chars) -> str:
        """A regular expression."""
        if not chars.ranges:
            return "/(?s:.)/"
        return f"/[{'^' * chars.negated}{''.join(_ranged(one, ']^-/[&~') for one in chars.ranges)}]/"


class Ebnf(Dialect):
    """EBNF as in W3C's XML recommendation, section 6, and `{m,n}` for so many times, which that lacks."""

    root = "text"
    defines = " ::= "
    comment = ("/*", " */")

    def literal(self, text: str) -> str:
        """In double quotes, in which nothing is escaped; other characters by their number."""
        pieces: list[str] = []
        plain = ""
        for one in text:
            if one == '"' or not one.isprintable():
                pieces += [f'"{plain}"'] if plain else []
                pieces.append("'\"'" if one == '"' else f"#x{ord(one):X}")
                plain = ""
            else:
                plain += one
        pieces += [f'"{plain}"'] if plain or not pieces else []
        return " ".join(pieces)

    def atom(self, expr: Expr) -> str:
        """One piece, or in brackets."""
        spelled = super().atom(expr)
        return f"({spelled})" if isinstance(expr, str) and " " in spelled else spelled

    def characters(self, chars: Chars) -> str:
        """By their numbers where they mean something in brackets."""
        if not chars.ranges:
            return "[#x0-#x10FFFF]" if chars.negated else '""'
        ranges = "".join(
            first if first == last else f"{first}-{last}"
            for first, last in ((_numbered(first), _numbered(last)) for first, last in chars.ranges)
        )
        return f"[{'^' * chars.negated}{ranges}]"


def _may_be_empty(expr: Expr, rules: Mapping[str, Expr]) -> bool:
    match expr:
        case str():
            return not expr
        case Chars():
            return False
        case Reference(name):
            return _may_be_empty(rules[name], rules)
        case Series(parts):
            return all(_may_be_empty(part, rules) for part in parts)
        case Alternatives(options):
            return any(_may_be_empty(option, rules) for option in options)
        case Many(each, least):
            return not least or _may_be_empty(each, rules)


def _not_empty(expr: Expr, rules: Mapping[str, Expr]) -> Expr | None:
    """The same without the empty text; None where nothing is left."""
    if not _may_be_empty(expr, rules):
        return expr
    found: list[Expr]
    match expr:
        case Reference(name):
            return _not_empty(rules[name], rules)
        case Many(each, _, most):
            one = _not_empty(each, rules)
            return None if one is None else Many(one, 1, most)
        case Series(parts):  # by its first part that is not empty
            found = [
                Series((one, *parts[at + 1 :]))
                for at, part in enumerate(parts)
                if (one := _not_empty(part, rules)) is not None
            ]
        case Alternatives(options):
            found = [one for option in options if (one := _not_empty(option, rules)) is not None]
        case _:
            return None
    return Alternatives(tuple(found)) if found else None


def _merged(series: Series) -> list[Expr]:
    """The parts without series in series, texts that touch as one."""
    flat: list[Expr] = []
    for part in series.parts:
        for one in _merged(part) if isinstance(part, Series) else [part]:
            if isinstance(one, str) and flat and isinstance(flat[-1], str):
                flat[-1] += one
            else:
                flat.append(one)
    return flat


_CONTROLS = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}


def _escaped(character: str, quote: str) -> str:
    if character in _CONTROLS:
        return _CONTROLS[character]
    if character == "\\" or character in quote:
        return "\\" + character
    code = ord(character)
    if character.isprintable() or code > 0xFFFF:  # noqa: PLR2004 - no escape that all engines read
        return character
    return f"\\x{code:02X}" if code < 128 else f"\\u{code:04X}"  # noqa: PLR2004 - beyond ASCII


def _ranged(pair: tuple[str, str], special: str) -> str:
    first, last = (_escaped(one, special) for one in pair)
    return first if first == last else f"{first}-{last}"


def _numbered(character: str) -> str:
    return character if character.isascii() and character.isalnum() else f"#x{ord(character):X}"
