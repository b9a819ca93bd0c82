"""The notations in which other engines read grammars; `lowering` writes patterns without memory in them.

What programs allow is regular, so no rule refers to itself.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from decoder.program.pattern import Alt, Cat, Chars, GrammarRule, Pattern, Repeat, shortest


def one_after_another(parts: Iterable[Pattern]) -> Pattern:
    """The parts as one pattern, without empty ones; adjacent texts are joined. Impossible where one part is."""
    joined: list[Pattern] = []
    for part in parts:
        for piece in part.parts if isinstance(part, Cat) else (part,):
            if is_impossible(piece):
                return piece
            if isinstance(piece, str) and joined and isinstance(joined[-1], str):
                joined[-1] += piece
            elif piece != "":
                joined.append(piece)
    return joined[0] if len(joined) == 1 else Cat(tuple(joined)) if joined else ""


def one_of(options: Iterable[Pattern]) -> Pattern:
    """The options as one pattern, without nested choices, duplicates and impossible options."""
    nested = (option.options if isinstance(option, Alt) else (option,) for option in options)
    flat = tuple(dict.fromkeys(chain.from_iterable(nested)))
    return flat[0] if len(flat) == 1 else Alt(flat)


def is_impossible(pattern: Pattern) -> bool:
    """Whether no text matches the pattern: a choice without options."""
    return isinstance(pattern, Alt) and not pattern.options


class Dialect(ABC):
    """A notation; an instance writes one grammar. `written` is called once, and calls the other methods."""

    root: str
    """The name of the rule for the whole text."""
    defines: str
    """What comes between a rule's name and its right side."""
    comment: tuple[str, str]
    """What opens a comment, and what closes it."""

    def __init__(self) -> None:
        """A grammar without rules."""
        self._rules: dict[str, Pattern] = {}
        """By name, the rules that have been referred to."""

    def written(self, whole: Pattern, notes: Sequence[str]) -> str:
        """The text of the grammar.

        Args:
            whole: What the whole text matches.
            notes: What the grammar only approximates; comments at its top.
        """
        before, after = self.comment
        lines = [*(f"{before} approximated, {note}{after}" for note in notes), *self.head(whole)]
        defined: set[str] = set()
        while undefined := [name for name in self._rules if name not in defined]:
            name = undefined[0]
            defined.add(name)
            lines.append(f"{self.named(name)}{self.defines}{self.outer(self._rules[name])}")
        return "\n".join(lines) + "\n"

    def head(self, whole: Pattern) -> list[str]:
        """The lines of the first rule, which is for the whole text."""
        return [f"{self.root}{self.defines}{self.outer(whole)}"]

    def named(self, name: str) -> str:
        """A rule's name as the notation writes it."""
        return name

    def outer(self, pattern: Pattern) -> str:
        """A pattern as the right side of a rule."""
        return self.spelled(pattern) or self.literal("")

    def spelled(self, pattern: Pattern) -> str:
        """A pattern as the notation writes it; empty where the pattern writes nothing."""
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
        """The options as the notation writes them, each once."""
        return [*dict.fromkeys(map(self.spelled, pattern.options))]

    def atom(self, pattern: Pattern) -> str:
        """A pattern before a sign of repetition: in parentheses where these are needed."""
        if isinstance(pattern, Chars | GrammarRule) or (isinstance(pattern, str) and len(pattern) == 1):
            return self.spelled(pattern)
        return f"({self.spelled(pattern)})"

    def times(self, atom: str, least: int, most: int | None) -> str:
        """An atom repeated, with a sign such as `*` where there is one; `most` is None for any number."""
        short = {(0, 1): "?", (0, None): "*", (1, None): "+", (1, 1): ""}.get((least, most))
        return self.counted(atom, least, most) if short is None else atom + short

    def counted(self, atom: str, least: int, most: int | None) -> str:
        """An atom repeated, with its bounds."""
        return f"{atom}{{{least}}}" if least == most else f"{atom}{{{least},{'' if most is None else most}}}"

    def literal(self, text: str) -> str:
        """A text in double quotes, with the escapes of C."""
        return '"' + "".join(_escaped(character, '"') for character in text) + '"'

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
        return f"[{'^' * chars.negated}{''.join(_range_of(pair, ']', '^-') for pair in chars.ranges)}]"


class Lark(Dialect):
    """What Lark and llguidance both read. The whole text is one terminal: of several, a lexer takes the longest."""

    root = "TEXT"
    defines = ": "
    comment = ("//", "")

    def counted(self, atom: str, least: int, most: int | None) -> str:
        """With a tilde, whose upper bound cannot be left open."""
        return f"{atom}~{least}..{most}" if most is not None else f"{atom}~{least} {atom}*"

    def head(self, whole: Pattern) -> list[str]:
        """The parser's rule, and its only terminal. This may not match the empty text, but may be left out."""
        if shortest(whole):
            return ["start: TEXT", *super().head(whole)]
        terminal = _not_empty(whole)
        return ["start:"] if is_impossible(terminal) else ["start: TEXT?", *super().head(terminal)]

    def named(self, name: str) -> str:
        """Terminals are in capitals."""
        return name.upper()

    def characters(self, chars: Chars) -> str:
        """A regular expression."""
        if not chars.ranges:
            return "/(?s:.)/"
        return f"/[{'^' * chars.negated}{''.join(_range_of(pair, ']^-/[&~') for pair in chars.ranges)}]/"


class Ebnf(Dialect):
    """EBNF as in W3C's XML recommendation, section 6, with `{m,n}` for bounded repetition, which it lacks."""

    root = "text"
    defines = " ::= "
    comment = ("/*", " */")

    def literal(self, text: str) -> str:
        """In double quotes, in which nothing is escaped. A double quote is in single ones, a control is a number."""
        pieces: list[str] = []
        plain = ""
        for character in text:
            if character == '"' or not character.isprintable():
                pieces += [f'"{plain}"'] if plain else []
                pieces.append("'\"'" if character == '"' else f"#x{ord(character):X}")
                plain = ""
            else:
                plain += character
        pieces += [f'"{plain}"'] if plain or not pieces else []
        return " ".join(pieces)

    def characters(self, chars: Chars) -> str:
        """Letters and digits as they are, others as numbers; numbers come last, where no digit follows them."""
        if not chars.ranges:
            return "[#x0-#x10FFFF]"
        ranges = sorted(map(_numbered_range, chars.ranges), key=lambda text: text.startswith("#"))
        return f"[{'^' * chars.negated}{''.join(ranges)}]"


DIALECTS: Mapping[str, type[Dialect]] = {"ebnf": Ebnf, "lark": Lark, "gbnf": Gbnf}
"""By name on the command line."""


def _not_empty(pattern: Pattern) -> Pattern:
    """A pattern that matches the same texts but the empty one."""
    if shortest(pattern):
        return pattern
    match pattern:
        case GrammarRule(_, item):
            return _not_empty(item)
        case Repeat(item, _, most):
            once = _not_empty(item)
            return once if is_impossible(once) else Repeat(once, 1, most)
        case Cat(parts):  # one option for each part that may be the first that is not empty
            return one_of(
                one_after_another((_not_empty(part), *parts[index + 1 :])) for index, part in enumerate(parts)
            )
        case Alt(options):
            return one_of(map(_not_empty, options))
    return Alt(())


def _either(options: Sequence[str]) -> str:
    """One of some written options; an empty one makes the others optional."""
    choice = " | ".join(filter(None, options))
    return f"({choice})?" if choice and "" in options else choice


_CONTROLS = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}


def _escaped(character: str, special: str, numbered: str = "") -> str:
    """A character as it is written within quotes or brackets.

    Args:
        special: The characters that take a backslash.
        numbered: The characters that are written as their numbers.
    """
    if character in _CONTROLS:
        return _CONTROLS[character]
    if character == "\\" or character in special:
        return "\\" + character
    code = ord(character)
    if character not in numbered and (character.isprintable() or code > 0xFFFF):  # noqa: PLR2004 - few escape more
        return character
    return f"\\u{code:04X}"  # not `\x`, which takes all digits that follow it in XGrammar


def _range_of(pair: tuple[str, str], special: str, numbered: str = "") -> str:
    """A range of characters with its ends escaped."""
    return _range(*(_escaped(end, special, numbered) for end in pair))


def _numbered_range(pair: tuple[str, str]) -> str:
    """A range of characters with both ends as numbers, unless both are letters or digits."""
    is_plain = all(end.isascii() and end.isalnum() for end in pair)
    return _range(*(end if is_plain else f"#x{ord(end):X}" for end in pair))


def _range(first: str, last: str) -> str:
    return first if first == last else f"{first}-{last}"
