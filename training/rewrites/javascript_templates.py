"""Rewrites of JavaScript functions that replace concatenated strings by template literals."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from training.rewrites.javascript_functions import DECLARED, KEYWORDS, make_rewrite, parse
from training.rewrites.javascript_tokens import JavaScriptToken
from training.rewrites.task import Function, Rewrite, apply_edits
from training.rewrites.wordings import InstructionKind, draw_wording

_TEMPLATE = re.compile(r"`((?:[^`$\\'\n]|\$\{\w+\})*)`")
"""A template literal on one line whose values are plain names."""
_PLAIN = re.compile(r"""(["'])[^\\$"'`\n]{4,60}\1""")
"""A string into which values can be put."""
_PLANTED_VALUES = (1, 1, 2, 3)
"""The numbers of values of a string to draw from; a guess at real code, where one value is usual."""


def use_templates(function: Function, draw: random.Random) -> Rewrite | None:
    """Replace all strings that are concatenated with plain names by template literals."""
    result = _replace_concatenations(function.text)
    if result is None:
        return None
    return make_rewrite(InstructionKind.TEMPLATE, draw_wording(InstructionKind.TEMPLATE, draw), function.text, result)


def make_original_for_templates(function: Function, draw: random.Random) -> Rewrite | None:
    """The rewrite of `use_templates` whose result is this function.

    The original is made: each template literal of the function is written as a concatenation in it.
    """
    templates = list(_TEMPLATE.finditer(function.text))
    if not templates or function.text.count("`") != 2 * len(templates):
        return None
    edits = []
    for match in templates:
        pieces = [piece for piece in re.split(r"(\$\{\w+\})", match[1]) if piece]
        if not pieces or pieces[0].startswith("$") or len(pieces) == 1:
            return None
        spelled = [piece[2:-1] if piece.startswith("$") else f"'{piece}'" for piece in pieces]
        edits.append((match.start(), match.end(), " + ".join(spelled)))
    original = apply_edits(function.text, edits)
    if _replace_concatenations(original) != function.text:  # `\`a${b}\`.trim()` is not `'a' + b.trim()`
        return None
    return Rewrite(InstructionKind.TEMPLATE, draw_wording(InstructionKind.TEMPLATE, draw), original, function.text)


def plant_and_use_templates(function: Function, draw: random.Random) -> Rewrite | None:
    """Concatenate a string of the function with its names; the rewrite of the result by `use_templates`."""
    parsed = parse(function.text)
    if parsed is None:
        return None
    values = sorted({*parsed.parameters, *DECLARED.findall(function.text)} - KEYWORDS)
    literals = [
        token
        for token, after in pairwise(parsed.tokens)
        if token.kind == "string" and after.text != ":" and _PLAIN.fullmatch(token.text)
    ]
    if not values or not literals:
        return None
    token = draw.choice(literals)
    concatenation = _write_concatenation(token.text, values, draw)
    text = apply_edits(function.text, [(token.start, token.stop, concatenation)])
    return use_templates(replace(function, text=text), draw)


def _replace_concatenations(text: str) -> str | None:
    """A function with template literals in place of all concatenations; None if it concatenates nothing.

    None, too, if a string would stay joined to something that is no plain name, as the instructions mean all strings.
    None, too, if the function has a template literal already.
    """
    parsed = parse(text)
    if parsed is None:
        return None
    edits = []
    index = 0
    while index < len(parsed.tokens):
        stop = _concatenation_end(parsed.tokens, index)
        if stop is not None:
            pieces = parsed.tokens[index:stop]
            edits.append((pieces[0].start, pieces[-1].stop, _write_template(pieces)))
            index = stop  # the token there joins nothing: `_concatenation_end` has looked at it
        elif _joins(parsed.tokens[index : index + 2]):
            return None
        index += 1
    if not edits or any("`" in token.text for token in parsed.tokens):
        return None
    return apply_edits(text, edits)


def _joins(pair: Sequence[JavaScriptToken]) -> bool:
    """Whether one of two tokens is a string and the other a plus."""
    return any(token.kind == "string" for token in pair) and any(token.text == "+" for token in pair)


def _concatenation_end(tokens: Sequence[JavaScriptToken], index: int) -> int | None:
    """The index after a concatenation such as `'a' + b + 'c'` that begins at `index`.

    None if nothing is concatenated there, if anything but strings and plain names is, or only strings. None, too, if a
    name is first: `a + b + 'c'` may add two numbers. And None if a sign before or after it binds its neighbour at least
    as close as a plus does, as then it would be part of another expression.
    """
    if tokens[index].kind not in ("string", "name") or tokens[index].text in KEYWORDS:
        return None
    if index and tokens[index - 1].text in ("+", "-", "*", "%", ".", "?.", "new", "typeof", "!", "await"):
        return None
    last = index
    while last + 2 < len(tokens) and tokens[last + 1].text == "+" and tokens[last + 2].kind in ("string", "name"):
        last += 2
    operands = tokens[index : last + 1 : 2]
    is_continued = tokens[last + 1].text in (".", "(", "[", "*", "%", "+", "?.", "-")
    if last == index or is_continued or operands[0].kind != "string":
        return None
    if any("\\" in operand.text or "$" in operand.text or operand.text in KEYWORDS for operand in operands):
        return None
    return last + 1 if any(operand.kind == "name" for operand in operands) else None


def _write_template(concatenation: Sequence[JavaScriptToken]) -> str:
    """A concatenation as a template literal; every other token is a plus."""
    operands = concatenation[::2]
    pieces = (token.text[1:-1] if token.kind == "string" else "${" + token.text + "}" for token in operands)
    return "`" + "".join(pieces) + "`"


def _write_concatenation(literal: str, values: list[str], draw: random.Random) -> str:
    """A string cut between its words, concatenated with some of the values."""
    quote = literal[0]
    words = literal[1:-1].split(" ")
    chosen = draw.sample(values, min(len(values), draw.choice(_PLANTED_VALUES), len(words)))
    cuts = sorted(draw.sample(range(1, len(words) + 1), len(chosen)))
    spelled = []
    for start, stop, value in zip([0, *cuts], cuts, chosen, strict=False):
        spelled += [f"{quote}{' ' if start else ''}{' '.join(words[start:stop])} {quote}", value]
    if rest := " ".join(words[cuts[-1] :]):
        spelled.append(f"{quote} {rest}{quote}")
    return " + ".join(spelled)
