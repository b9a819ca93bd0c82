"""Concatenated strings in JavaScript, and template literals in their place."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from training.rewrites.javascript_functions import DECLARED, KEYWORDS, checked, parse
from training.rewrites.javascript_tokens import JavaScriptToken
from training.rewrites.task import Function, Rewrite, edited
from training.rewrites.wordings import InstructionKind, worded

_TEMPLATE = re.compile(r"`((?:[^`$\\'\n]|\$\{\w+\})*)`")
"""A template literal on one line whose values are plain names."""
_PLAIN = re.compile(r"""(["'])[^\\$"'`\n]{4,60}\1""")


def use_templates(function: Function, draw: random.Random) -> Rewrite | None:
    """Strings that are concatenated with plain names become template literals."""
    result = _with_templates(function.text)
    if result is None:
        return None
    return checked(InstructionKind.TEMPLATE, worded(InstructionKind.TEMPLATE, draw), function.text, result)


def use_templates_undone(function: Function, draw: random.Random) -> Rewrite | None:
    """As `use_templates`, from a function that has template literals: the original is made from the result."""
    found = list(_TEMPLATE.finditer(function.text))
    if not found or function.text.count("`") != 2 * len(found):
        return None
    edits = []
    for match in found:
        pieces = [piece for piece in re.split(r"(\$\{\w+\})", match[1]) if piece]
        if not pieces or pieces[0].startswith("$") or len(pieces) == 1:
            return None
        spelled = [piece[2:-1] if piece.startswith("$") else f"'{piece}'" for piece in pieces]
        edits.append((match.start(), match.end(), " + ".join(spelled)))
    original = edited(function.text, edits)
    if _with_templates(original) != function.text:  # `\`a${b}\`.trim()` is not `'a' + b.trim()`
        return None
    return Rewrite(InstructionKind.TEMPLATE, worded(InstructionKind.TEMPLATE, draw), original, function.text)


def use_templates_in_made_up(function: Function, draw: random.Random) -> Rewrite | None:
    """As `use_templates`, from a function with a string that is given values of the function first."""
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
    planted = _with_values(token.text, values, draw)
    return use_templates(replace(function, text=edited(function.text, [(token.start, token.stop, planted)])), draw)


def _with_templates(text: str) -> str | None:
    """A function in which no string is concatenated any more; None where it does not apply.

    Nor does it where a string would be left that is joined to something else: instructions mean all of them.
    """
    parsed = parse(text)
    if parsed is None:
        return None
    edits = []
    index = 0
    while index < len(parsed.tokens):
        stop = _concatenation(parsed.tokens, index)
        if stop is not None:
            pieces = parsed.tokens[index:stop]
            edits.append((pieces[0].start, pieces[-1].stop, _as_template(pieces)))
            index = stop
        elif _joins(parsed.tokens[index : index + 2]):
            return None
        index += 1
    if not edits or any("`" in token.text for token in parsed.tokens):
        return None
    return edited(text, edits)


def _joins(pair: Sequence[JavaScriptToken]) -> bool:
    """Whether a string is beside a plus."""
    return any(one.kind == "string" for one in pair) and any(one.text == "+" for one in pair)


def _concatenation(found: Sequence[JavaScriptToken], index: int) -> int | None:
    """The end of `'a' + b + 'c'` that begins at a token, all its parts being strings and plain names."""
    if found[index].kind not in ("string", "name") or found[index].text in KEYWORDS:
        return None
    if index and found[index - 1].text in ("+", "-", "*", "%", ".", "?.", "new", "typeof", "!", "await"):
        return None
    stop = index
    while stop + 2 < len(found) and found[stop + 1].text == "+" and found[stop + 2].kind in ("string", "name"):
        stop += 2
    parts = found[index : stop + 1 : 2]
    if stop == index or found[stop + 1].text in (".", "(", "[", "*", "%", "+", "?.", "-") or parts[0].kind != "string":
        return None
    if any("\\" in part.text or "$" in part.text or part.text in KEYWORDS for part in parts):
        return None
    return stop + 1 if any(part.kind == "name" for part in parts) else None


def _as_template(pieces: Sequence[JavaScriptToken]) -> str:
    parts = (part.text[1:-1] if part.kind == "string" else "${" + part.text + "}" for part in pieces[::2])
    return "`" + "".join(parts) + "`"


def _with_values(literal: str, values: list[str], draw: random.Random) -> str:
    """A literal cut in two or more, with values between."""
    quote = literal[0]
    words = literal[1:-1].split(" ")
    chosen = draw.sample(values, min(len(values), draw.choice((1, 1, 2, 3)), len(words)))
    cuts = sorted(draw.sample(range(1, len(words) + 1), len(chosen)))
    spelled = []
    for start, stop, value in zip([0, *cuts], cuts, chosen, strict=False):
        spelled += [f"{quote}{' ' if start else ''}{' '.join(words[start:stop])} {quote}", value]
    if rest := " ".join(words[cuts[-1] :]):
        spelled.append(f"{quote} {rest}{quote}")
    return " + ".join(spelled)
