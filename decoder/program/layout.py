"""How a language spells a program's syntax: one way for each thing, as its most common formatter would.

JavaScript as prettier does by default: double quotes, semicolons behind statements, two spaces, objects with one
property a line and a comma behind each. Python as black does, dictionaries on one line. Lines are not broken by width.
"""

from __future__ import annotations

import keyword
from dataclasses import dataclass

from decoder.program.items import Alt, Cat, Chars, Item, Repeat, one_of
from decoder.program.nodes import ProgramError, Type

MOST_STRING = 120
"""Characters of a string that a model writes: a model that has lost its way is not followed farther."""
_MOST_NAME = 40
_MOST_WHOLE = 12
_MOST_FRACTION = 6
_CONTROLS = (("\x00", "\x1f"), ("\x7f", "\x9f"), ("\u2028", "\u2029"))

_JAVASCRIPT_RESERVED = frozenset(
    """
    arguments async await break case catch class const continue debugger default delete do else enum eval export extends
    false finally for function if implements import in instanceof interface Infinity let NaN new null of package private
    protected public return static super switch this throw true try typeof undefined var void while with yield
    """.split()  # noqa: SIM905 - a list of words reads best as such
)
_PYTHON_RESERVED = frozenset((*keyword.kwlist, *keyword.softkwlist, "__debug__"))

DIGIT = Chars((("0", "9"),))
_NUMBER = Cat((
    Repeat("-", 0, 1),
    Alt(("0", Cat((Chars((("1", "9"),)), Repeat(DIGIT, 0, _MOST_WHOLE - 1))))),
    Repeat(Cat((".", Repeat(DIGIT, 1, _MOST_FRACTION))), 0, 1),
))  # fmt: skip
_ESCAPE = Cat(("\\", one_of("\\nt")))
_CONTENT = Repeat(Alt((Chars((*_CONTROLS, ('"', '"'), ("\\", "\\")), negated=True), _ESCAPE)), 0, MOST_STRING)
_STRING = Cat(('"', _CONTENT, '"'))


@dataclass(frozen=True, slots=True)
class Layout:
    """One language's spelling."""

    python: bool

    @property
    def reserved(self) -> frozenset[str]:
        """What no variable may be called."""
        return _PYTHON_RESERVED if self.python else _JAVASCRIPT_RESERVED

    @property
    def declares(self) -> str:
        """Stands before a variable's name."""
        return "" if self.python else "let "

    @property
    def end(self) -> str:
        """Stands behind a statement."""
        return "" if self.python else ";"

    @property
    def name(self) -> Item:
        """A new name, in ASCII."""
        extra = (("_", "_"),) if self.python else (("$", "$"), ("_", "_"))
        letters = (*extra, ("A", "Z"), ("a", "z"))
        return Cat((Chars(letters), Repeat(Chars((*letters, ("0", "9"))), 0, _MOST_NAME - 1)))

    def literal(self, kind: Type) -> Item:
        """Any literal of a type."""
        if kind is Type.STRING:
            return _STRING
        if kind is Type.NUMBER:
            return _NUMBER
        return Alt(("True", "False") if self.python else ("true", "false"))

    def content(self, kind: Type) -> Item:
        """The text that a value of the type is within a string."""
        return _CONTENT if kind is Type.STRING else self.literal(kind)

    def constant(self, value: str | float | bool | None) -> str:  # noqa: FBT001 - a constant of the program's
        """A constant of the program's."""
        if isinstance(value, str):
            return f'"{self.escaped(value)}"'
        if self.python:
            return repr(value)
        if value is None or isinstance(value, bool):
            return {None: "null", True: "true", False: "false"}[value]
        return _number(value)

    def escaped(self, text: str) -> str:
        """A text as it is spelled within double quotes."""
        spelled = text.replace("\\", "\\\\").replace('"', '\\"')
        return "".join(_SPELLED.get(one) or (f"\\u{ord(one):04x}" if _is_control(one) else one) for one in spelled)

    def interpolating(self, text: str) -> str:
        """A text as it is spelled in a string with expressions."""
        if self.python:
            return self.escaped(text).replace("{", "{{").replace("}", "}}")
        return text.replace("\\", "\\\\").replace("`", "\\`").replace("${", "\\${")

    @property
    def interpolation(self) -> tuple[str, str, str, str]:
        """What opens and closes a string with expressions, and an expression in it."""
        return ('f"', '"', "{", "}") if self.python else ("`", "`", "${", "}")

    def is_name(self, text: str) -> bool:
        """Whether a key may stand without quotes."""
        return text.isascii() and text.replace("$", "_").isidentifier()


_SPELLED = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}


def _is_control(character: str) -> bool:
    return any(first <= character <= last for first, last in _CONTROLS)


def _number(value: float) -> str:
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:  # noqa: PLR2004 - as JavaScript writes it
        return str(int(value))
    if isinstance(value, float) and value - value != 0:
        raise ProgramError("a number that is not finite cannot be written")
    return str(value)
