"""What a rewrite is, and how people put the same wish."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import StrEnum

from context_index.symbols import Language


class Kind(StrEnum):
    """What is to be done. The figures of the model's card are told by kind."""

    RENAME = "rename"
    CONST = "var to const or let"
    ARROW = "function to arrow"
    TEMPLATE = "concatenation to template"
    F_STRING = "formatting to f-string"
    PARAMETER = "add a parameter"
    GUARD = "add a guard"
    CONSTANT = "extract a constant"
    ANNOTATION = "annotate"
    CLEAN = "delete dead code"


WORDINGS: Mapping[Kind, Sequence[str]] = {
    Kind.RENAME: (
        "rename {old} to {new}", "Rename `{old}` to `{new}`.", "rename the variable {old} to {new}",
        "call {old} {new} instead", "change the name {old} to {new}", "{old} should be called {new}",
        "use the name {new} instead of {old}", "replace the identifier {old} by {new}", "{old} -> {new}",
        "I want {old} to be named {new}.", "{new} is a better name for {old}", "Give {old} the name {new}.",
        "rename {old}, it is {new} now", "in this function, {old} becomes {new} everywhere",
    ),
    Kind.CONST: (
        "use const and let instead of var", "replace var by const or let", "var to const",
        "convert var declarations to let/const", "no var", "Modernise the declarations: const or let, not var.",
        "Please replace every var.", "use const where nothing is reassigned, let elsewhere", "drop var for const/let",
    ),
    Kind.ARROW: (
        "make it an arrow function", "convert to an arrow function", "use an arrow function instead of function",
        "turn {name} into an arrow function", "rewrite {name} as a const arrow function",
    ),
    Kind.TEMPLATE: (
        "use template literals", "use a template string instead of concatenation",
        "replace string concatenation by template literals", "convert + to template literals", "use backticks",
        "write the string as a template literal", "Please use template strings here instead of plus.",
    ),
    Kind.F_STRING: (
        "use f-strings", "convert to f-strings", "replace the formatting by an f-string",
        "use an f-string instead of % or format", "Modernise the string formatting.", "format with an f-string",
        "turn % and .format into f-strings", "Please write the strings as f-strings.",
    ),
    Kind.PARAMETER: (
        "add a parameter {new} with default {value}", "add parameter {new} = {value}",
        "give {name} a parameter {new} that defaults to {value}", "{name} should take {new}={value}",
        "Add an optional argument `{new}`, default `{value}`.",
    ),
    Kind.GUARD: (
        "return early if {old} is {value}", "add a guard: nothing to do when {old} is {value}",
        "handle {old} being {value} by returning at once", "guard against {value} in {old}",
    ),
    Kind.CONSTANT: (
        "extract {value} into a constant {new}", "name the value {value}: {new}",
        "replace the magic value {value} by a constant {new}", "put {value} into {new} first",
    ),
    Kind.ANNOTATION: (
        "add the return type", "annotate the return type", "add a return annotation", "annotate what {name} returns",
    ),
    Kind.CLEAN: (
        "remove the debug output", "delete the debugging prints", "remove debug statements", "no debug logging here",
        "Remove leftover debugging.",
    ),
}  # fmt: skip


UNSEEN_WORDINGS: Mapping[Kind, Sequence[str]] = {
    Kind.RENAME: ("Please rename {old}: it should read {new}.", "let {old} be named {new} everywhere"),
    Kind.CONST: ("get rid of var in favour of const and let", "Declare variables with const, or let if reassigned."),
    Kind.ARROW: ("switch this function to arrow syntax", "I would like {name} as an arrow function."),
    Kind.TEMPLATE: ("build the strings with template literals instead of plus", "prefer backticks with ${{}} over +"),
    Kind.F_STRING: ("switch the string formatting here to f-strings", "Please format with f-strings."),
    Kind.PARAMETER: ("{name} needs one more parameter, {new}, which defaults to {value}",),
    Kind.GUARD: ("do nothing and return when {old} is {value}",),
    Kind.CONSTANT: ("introduce {new} for the number {value}",),
    Kind.ANNOTATION: ("declare what it returns",),
    Kind.CLEAN: ("strip the debugging statements",),
}
"""For evaluation only."""


@dataclass(frozen=True, slots=True)
class Function:
    """A function as it stands in its file, from the start of its first line."""

    language: Language
    text: str
    words: tuple[str, ...] = ()
    """That names in its file are made of; new names are made of them too."""


@dataclass(frozen=True, slots=True)
class Rewrite:
    """One task with its solution. What is not meant by the instruction is copied, byte for byte."""

    kind: Kind
    instruction: str
    original: str
    result: str


Transformation = Callable[[Function, random.Random], Rewrite | None]
"""A kind of rewrite: None where it does not apply to a function."""


class UnseenDraw(random.Random):
    """Draws wordings and identifiers that no training example has."""


def worded(kind: Kind, draw: random.Random, **names: str) -> str:
    """The wish in one of its wordings."""
    wordings = UNSEEN_WORDINGS if isinstance(draw, UnseenDraw) else WORDINGS
    return draw.choice(wordings[kind]).format(**names)


def edited(text: str, edits: Iterable[tuple[int, int, str]]) -> str:
    """The text with `[start, stop)` replaced, for each edit."""
    for start, stop, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[stop:]
    return text


_WORDS = re.findall(
    r"\w+",
    """value item entry node result count index total name key path data options config state buffer target source
    current next previous first last size limit offset text line token message error response request user order
    record row column field group parent child left right start end width height label title kind mode flag cache""",
)
_UNSEEN_WORDS = re.findall(
    r"\w+",
    """invoice parcel ticket wallet basket shelf planet engine bridge garden window sensor camera driver patient lesson
    recipe ledger anchor beacon canvas ribbon socket marker pebble falcon harbor lantern meadow orchard""",
)
_HUMP = re.compile(r"(?<=[a-z0-9])[A-Z]|_")
_WORD = re.compile(r"[A-Z]?[a-z]{2,12}")
_COMMON = 0.3
"""How often a new name's words are common ones. A model that has seen sixty words as new names knows them by heart and
never looks at the instruction; of all words that code is made of it cannot."""


def words_of(text: str) -> tuple[str, ...]:
    """The words of a text's names and sentences, in lower case, without those that are kept for evaluation."""
    return tuple(sorted({word.lower() for word in _WORD.findall(text)}.difference(_UNSEEN_WORDS)))


def new_name(like: str, function: Function, taken: AbstractSet[str], draw: random.Random, *, camel: bool) -> str:
    """A name in the style of another that nothing is called yet.

    Args:
        function: Gives words of its file.
        camel: Whether several words are humps where the other name is a single word.
    """
    camel = "_" not in like.strip("_") and (camel or bool(_HUMP.search(like)))
    known = _WORDS if len(function.words) < len(_WORDS) or draw.random() < _COMMON else function.words
    while True:
        words = draw.sample(_UNSEEN_WORDS if isinstance(draw, UnseenDraw) else known, draw.choice((1, 1, 2, 2, 3)))
        if like.isupper() and len(like) > 1:
            name = "_".join(words).upper()
        elif like[:1].isupper():
            name = "".join(word.capitalize() for word in words)
        elif camel:
            name = words[0] + "".join(word.capitalize() for word in words[1:])
        else:
            name = "_".join(words)
        if name not in taken:
            return name
