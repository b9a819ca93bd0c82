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
        "rename {old} to {new}", "rename `{old}` to `{new}`", "rename the variable {old} to {new}",
        "call {old} {new} instead", "change the name {old} to {new}", "{old} should be called {new}",
        "use the name {new} instead of {old}", "replace the identifier {old} by {new}", "{old} -> {new}",
        "I want {old} to be named {new}", "{new} is a better name for {old}", "give {old} the name {new}",
        "rename {old}, it is {new} now", "in this function, {old} becomes {new} everywhere", "{old} => {new}",
        "s/{old}/{new}/", "the name {old} says too little, make it {new}", "call it {new}, not {old}",
        "{new} would be clearer than {old}", "turn the name {old} into {new}", "what is {old} now shall be {new}",
        "change every {old} to {new}", "substitute {new} for {old}", "rename: {old} to {new}", "rename {old} as {new}",
        "switch from {old} to {new} as the name", "{old} is a bad name. Use {new}", "new name for {old}: {new}",
        "the variable {old}: rename it to {new}", "name {old} {new}", "can {old} be {new}?", "{old} ought to be {new}",
    ),
    Kind.CONST: (
        "use const and let instead of var", "replace var by const or let", "var to const",
        "convert var declarations to let/const", "no var", "modernise the declarations: const or let, not var",
        "replace every var", "use const where nothing is reassigned, let elsewhere", "drop var for const/let",
        "no more var here", "var is outdated, use let and const", "turn var into const and let", "avoid var",
        "make the variables const, or let where they change", "prefer const to var", "change var to const or let",
        "const and let, not var", "ES6 declarations", "block-scoped variables instead of var", "var -> const/let",
        "rewrite the var declarations with const and let", "use modern variable declarations", "remove the vars",
    ),
    Kind.ARROW: (
        "make it an arrow function", "convert to an arrow function", "use an arrow function instead of function",
        "turn {name} into an arrow function", "rewrite {name} as a const arrow function", "arrow function",
        "{name} as an arrow function", "use => here", "write {name} with an arrow",
        "convert {name} to an arrow function",
        "make {name} a const with an arrow function", "no function keyword, use an arrow", "function to arrow",
    ),
    Kind.TEMPLATE: (
        "use template literals", "use a template string instead of concatenation",
        "replace string concatenation by template literals", "convert + to template literals", "use backticks",
        "write the string as a template literal", "use template strings here instead of plus",
        "no string concatenation",
        "interpolate instead of concatenating", "turn the concatenation into a template literal", "template strings",
        "make the strings template literals", "use ${{}} in a template string", "string interpolation, not +",
        "rewrite the concatenated strings with backticks", "concatenation to template literal",
    ),
    Kind.F_STRING: (
        "use f-strings", "convert to f-strings", "replace the formatting by an f-string",
        "use an f-string instead of % or format", "modernise the string formatting", "format with an f-string",
        "turn % and .format into f-strings", "write the strings as f-strings", "f-strings instead of format",
        "no % formatting", "use f-strings instead of old formatting", "make it an f-string", "f-string",
        "rewrite the formatted strings as f-strings", "replace .format and % by f-strings", "% to f-string",
        "convert the string formatting to f-strings", "interpolate with f-strings", "prefer f-strings",
        "the messages should be f-strings", "change the format calls to f-strings",
    ),
    Kind.PARAMETER: (
        "add a parameter {new} with default {value}", "add parameter {new} = {value}",
        "give {name} a parameter {new} that defaults to {value}", "{name} should take {new}={value}",
        "add an optional argument `{new}`, default `{value}`", "add {new} = {value} to the parameters",
        "new parameter {new}, {value} by default", "a last parameter {new} with the default value {value}",
        "let {name} accept {new}, default {value}", "extend the signature with {new}={value}",
        "add an argument named {new}. Its default is {value}", "I need an optional parameter {new} ({value})",
        "add the parameter {new}; if it is not given it is {value}", "{name}: add {new}, by default {value}",
        "one more argument: {new}, {value} unless given",
        "make {name} take another argument {new} defaulting to {value}",
        "append a parameter called {new} whose default is {value}", "parameter {new} with {value} as its default",
    ),
    Kind.GUARD: (
        "return early if {old} is {value}", "add a guard: nothing to do when {old} is {value}",
        "handle {old} being {value} by returning at once", "guard against {value} in {old}",
        "if {old} is {value}, return",
        "bail out if {old} is {value}", "add an early return for {old} being {value}", "return when {old} is {value}",
        "begin with a check: return if {old} is {value}", "{old} may be {value}, then return immediately",
        "stop early when {old} is {value}", "check {old} for {value} first and return",
        "skip everything if {old} is {value}",
    ),
    Kind.CONSTANT: (
        "extract {value} into a constant {new}", "name the value {value}: {new}",
        "replace the magic value {value} by a constant {new}", "put {value} into {new} first",
        "{new} = {value}, and use it",
        "make {value} a constant called {new}", "give {value} a name, {new}", "store {value} in {new} and use that",
        "no magic number {value}, call it {new}", "pull {value} out into {new}",
        "define {new} as {value} and use {new}",
    ),
    Kind.ANNOTATION: (
        "add the return type", "annotate the return type", "add a return annotation", "annotate what {name} returns",
        "type the return value", "add the missing return type", "return type annotation", "say what {name} returns",
        "give {name} a return type", "add a return type hint",
    ),
    Kind.CLEAN: (
        "remove the debug output", "delete the debugging prints", "remove debug statements", "no debug logging here",
        "remove leftover debugging", "clean up the debug code", "delete debug output", "take the debugging out",
        "remove the print that is left over from debugging", "drop the debug lines", "this still has debug output",
        "get the debug code out of it", "no debugging leftovers",
    ),
}  # fmt: skip
_BEFORE = ("please ", "can you ", "could you please ", "now ", "next: ", "I would like you to ", "TODO: ", "refactor: ")
_BEHIND = (" please", ", please", " here", " in this function", ", thanks", "!", " and change nothing else")
_POLITE = 0.3
"""How often a wish has something said around it; half of all begin as sentences do, and half end so."""


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
    if isinstance(draw, UnseenDraw):
        return draw.choice(UNSEEN_WORDINGS[kind]).format(**names)
    wish = draw.choice(WORDINGS[kind])
    if draw.random() < _POLITE:
        wish = draw.choice(_BEFORE) + wish
    if draw.random() < _POLITE:
        wish += draw.choice(_BEHIND)
    if draw.random() < 0.5 and not wish.startswith(("{", "s/")):  # noqa: PLR2004 - half of them
        wish = wish[0].upper() + wish[1:]
    if draw.random() < 0.5 and not wish.endswith(("!", "?", "/", "{value}")):  # noqa: PLR2004 - as above
        wish += "."
    return wish.format(**names)


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
