"""The notations in which other engines read grammars: patterns without memory, as text.

What programs allow is regular, so no rule refers to itself.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence

from decoder.program.pattern import Alt, Cat, Chars, GrammarRule, Pattern, Repeat, shortest


def one_after_another(parts: Iterable[Pattern]) -> Pattern:
    """The parts without those that write nothing; texts that touch are one. Impossible where one of them is."""
    found: list[Pattern] = []
    for part in parts:
        for one in part.parts if isinstance(part, Cat) else (part,):
            if is_impossible(one):
                return one
            if isinstance(one, str) and found and isinstance(found[-1], str):
                found[-1] += one
            elif one != "":
                found.append(one)
    return found[0] if len(found) == 1 else Cat(tuple(found)) if found else ""


def one_of(options: Iterable[Pattern]) -> Pattern:
    """The options without those that are impossible."""
    flat = (one for option in options for one in (option.options if isinstance(option, Alt) else (option,)))
    found = tuple(dict.fromkeys(flat))
    return found[0] if len(found) == 1 else Alt(found)


def is_impossible(pattern: Pattern) -> bool:
    """Whether nothing can be written for it."""
    return isinstance(pattern, Alt) and not pattern.options


class Dialect(ABC):
    """A notation; an instance writes one grammar."""

    root: str
    """The name of the rule for the whole text."""
    defines: str
    """Between a rule's name and what it stands for."""
    comment: tuple[str, str]
    """What opens and closes one."""

    def __init__(self) -> None:
        """A grammar without rules."""
        self._rules: dict[str, Pattern] = {}
        """The rules that have been referred to."""

    def written(self, whole: Pattern, notes: Sequence[str]) -> str:
        """The grammar.

        Args:
            notes: What it only approximates: comments at its top.
        """
        before, after = self.comment
        lines = [*(f"{before} approximated, {note}{after}" for note in notes), *self.head(whole)]
        defined: set[str] = set()
        while rest := [name for name in self._rules if name not in defined]:
            defined.add(rest[0])
            lines.append(f"{self.named(rest[0])}{self.defines}{self.outer(self._rules[rest[0]])}")
        return "\n".join(lines) + "\n"

    def head(self, whole: Pattern) -> list[str]:
        """The first rule."""
        return [f"{self.root}{self.defines}{self.outer(whole)}"]

    def named(self, name: str) -> str:
        """A rule's name."""
        return name

    def outer(self, pattern: Pattern) -> str:
        """A pattern as the whole of a rule."""
        return self.spelled(pattern) or self.literal("")

    def spelled(self, pattern: Pattern) -> str:
        """A pattern; empty where it writes nothing."""
        match pattern:
            case str():
                return self.literal(pattern) if pattern else ""
            case Chars():
                return self.characters(pattern)
            case GrammarRule(name, item):
                self._rules.setdefault(name, item)
                return self.named(name)
            case Cat(parts):
                return " ".join(filter(None, map(self.grouped, parts)))
            case Alt():
                return _either(self._options(pattern))
            case Repeat(item, least, most):
                return self.times(self.atom(item), least, most)
        raise TypeError(pattern)

    def grouped(self, pattern: Pattern) -> str:
        """A pattern as a part of a series."""
        if not isinstance(pattern, Alt):
            return self.spelled(pattern)
        options = self._options(pattern)
        return f"({_either(options)})" if len(options) > 1 else _either(options)

    def _options(self, pattern: Alt) -> list[str]:
        return [*dict.fromkeys(map(self.spelled, pattern.options))]

    def atom(self, pattern: Pattern) -> str:
        """A pattern that is repeated."""
        if isinstance(pattern, Chars | GrammarRule) or (isinstance(pattern, str) and len(pattern) == 1):
            return self.spelled(pattern)
        return f"({self.spelled(pattern)})"

    def times(self, atom: str, least: int, most: int | None) -> str:
        """An atom repeated, by a sign where there is one."""
        short = {(0, 1): "?", (0, None): "*", (1, None): "+", (1, 1): ""}.get((least, most))
        return self.counted(atom, least, most) if short is None else atom + short

    def counted(self, atom: str, least: int, most: int | None) -> str:
        """An atom repeated, by its bounds."""
        return f"{atom}{{{least}}}" if least == most else f"{atom}{{{least},{'' if most is None else most}}}"

    def literal(self, text: str) -> str:
        """A text in double quotes, with the escapes of C."""
        return '"' + "".join(_escaped(one, '"') for one in text) + '"'

    @abstractmethod
    def characters(self, chars: Chars) -> str:
        """One character of a class."""


class Gbnf(Dialect):
    """GGML's BNF, of llama.cpp and XGrammar."""

    root = "root"
    defines = " ::= "
    comment = ("#", "")

    def characters(self, chars: Chars) -> str:
        """As in a regular expression; `^` and `-` by their numbers, as llama.cpp escapes neither in all versions."""
        if not chars.ranges:
            return '([^a] | "a")'
        return f"[{'^' * chars.negated}{''.join(_ranged(one, ']', '^-') for one in chars.ranges)}]"


class Lark(Dialect):
    """What Lark and llguidance both read. All is one terminal: of several, a lexer would take the longest."""

    root = "TEXT"
    defines = ": "
    comment = ("//", "")

    def counted(self, atom: str, least: int, most: int | None) -> str:
        """By a tilde, whose upper bound cannot be left open."""
        return f"{atom}~{least}..{most}" if most is not None else f"{atom}~{least} {atom}*"

    def head(self, whole: Pattern) -> list[str]:
        """The parser's rule, and the terminal that it is: no terminal may be empty, but it may be left out."""
        if shortest(whole):
            return ["start: TEXT", *super().head(whole)]
        rest = _not_empty(whole)
        return ["start:"] if is_impossible(rest) else ["start: TEXT?", *super().head(rest)]

    def named(self, name: str) -> str:
        """Terminals are in capitals."""
        return name.upper()

    def characters(self, chars: Chars) -> str:
        """A regular expression."""
        if not chars.ranges:
            return "/(?s:.)/"
        return f"/[{'^' * chars.negated}{''.join(_ranged(one, ']^-/[&~') for one in chars.ranges)}]/"


class Ebnf(Dialect):
    """EBNF as in W3C's XML recommendation, section 6, with `{m,n}` for bounded repetition, which it lacks."""

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

    def characters(self, chars: Chars) -> str:
        """By their numbers but for letters and digits; numbers come last, where no digit follows them."""
        if not chars.ranges:
            return "[#x0-#x10FFFF]"
        ranges = sorted(map(_numbered, chars.ranges), key=lambda one: one.startswith("#"))
        return f"[{'^' * chars.negated}{''.join(ranges)}]"


DIALECTS: Mapping[str, type[Dialect]] = {"ebnf": Ebnf, "lark": Lark, "gbnf": Gbnf}


def _not_empty(pattern: Pattern) -> Pattern:
    """The same without the empty text."""
    if shortest(pattern):
        return pattern
    match pattern:
        case GrammarRule(_, item):
            return _not_empty(item)
        case Repeat(item, _, most):
            one = _not_empty(item)
            return one if is_impossible(one) else Repeat(one, 1, most)
        case Cat(parts):  # by its first part that is not empty
            return one_of(one_after_another((_not_empty(part), *parts[at + 1 :])) for at, part in enumerate(parts))
        case Alt(options):
            return one_of(map(_not_empty, options))
    return Alt(())


def _either(options: Sequence[str]) -> str:
    written = " | ".join(filter(None, options))
    return f"({written})?" if written and "" in options else written


_CONTROLS = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}


def _escaped(character: str, special: str, numbered: str = "") -> str:
    if character in _CONTROLS:
        return _CONTROLS[character]
    if character == "\\" or character in special:
        return "\\" + character
    code = ord(character)
    if character not in numbered and (character.isprintable() or code > 0xFFFF):  # noqa: PLR2004 - few escape more
        return character
    return f"\\u{code:04X}"  # not `\x`, which takes all digits that follow it in XGrammar


def _ranged(pair: tuple[str, str], special: str, numbered: str = "") -> str:
    return _range(*(_escaped(one, special, numbered) for one in pair))


def _numbered(pair: tuple[str, str]) -> str:
    """A range, with both ends as numbers unless both are letters or digits."""
    is_plain = all(one.isascii() and one.isalnum() for one in pair)
    return _range(*(one if is_plain else f"#x{ord(one):X}" for one in pair))


def _range(first: str, last: str) -> str:
    return first if first == last else f"{first}-{last}"
