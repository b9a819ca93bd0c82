"""Rewrites of JavaScript and TypeScript functions, on their tokens.

Each public function is a `Transformation`: it returns None if it does not apply, or if it might misread the function.
`KINDS` has all of them.
"""

from __future__ import annotations

import random

from training.rewrites.javascript_functions import (
    DECLARED,
    KEYWORDS,
    JavaScriptFunction,
    functions,
    make_rewrite,
    parse,
)
from training.rewrites.javascript_templates import make_original_for_templates, plant_and_use_templates, use_templates
from training.rewrites.javascript_tokens import JavaScriptToken
from training.rewrites.task import Function, Rewrite, Transformation, apply_edits, new_name
from training.rewrites.wordings import InstructionKind, draw_wording

__all__ = ["KINDS", "PLANTED", "functions", "rename", "use_arrow", "use_const"]

_ASSIGNS = frozenset(["=", "+=", "-=", "*=", "%=", "&=", "|=", "^=", "++", "--"])
_DEFAULTS = ("null", "true", "false", "0", "1", "''", "{}", "[]")
_DEBUGGING = ("console.log('here');", "console.log({0});", "console.log('{0}', {0});", "debugger;")


def rename(function: Function, draw: random.Random) -> Rewrite | None:
    """Give a parameter or a variable another name; None if the name is also a key, a label or a shorthand."""
    parsed = parse(function.text)
    if parsed is None or "`" in function.text:
        return None
    candidates = sorted({*parsed.parameters, *DECLARED.findall(function.text)} - KEYWORDS)
    if not candidates:
        return None
    old = draw.choice(candidates)
    new = new_name(old, function, parsed.words(), draw, camel=True)
    edits = []
    for index, token in enumerate(parsed.tokens):
        if token.kind != "name" or token.text != old:
            continue
        before, after = parsed.tokens[index - 1].text, parsed.tokens[index + 1].text
        if before in (".", "?."):
            continue
        if after == ":" or (before in ("{", ",") and after in ("}", ",") and not _in_list(parsed, index)):
            return None  # a key, a label, or a shorthand: not the same everywhere
        edits.append((token.start, token.stop, new))
    if len(edits) < 2:  # noqa: PLR2004 - a name that is used nowhere teaches nothing
        return None
    return make_rewrite(
        InstructionKind.RENAME,
        draw_wording(InstructionKind.RENAME, draw, old=old, new=new),
        function.text,
        apply_edits(function.text, edits),
    )


def use_const(function: Function, draw: random.Random) -> Rewrite | None:
    """Replace each `var` by `const` where nothing is assigned later, else by `let`."""
    result = None if "`" in function.text else _without_var(function.text)
    if result is None:
        return None
    return make_rewrite(InstructionKind.CONST, draw_wording(InstructionKind.CONST, draw), function.text, result)


def use_arrow(function: Function, draw: random.Random) -> Rewrite | None:
    """Rewrite `function f(a) { ... }` as `const f = (a) => { ... };`."""
    parsed = parse(function.text)
    if parsed is None or not parsed.is_declaration:
        return None
    words = [token.text for token in parsed.tokens]
    if {"this", "arguments", "yield", "super", "default", "new"} & set(words) or words.count(parsed.name) > 1:
        return None
    tokens = parsed.tokens
    keyword = next(index for index, token in enumerate(tokens) if token.text == "function")
    is_async = bool(keyword) and tokens[keyword - 1].text == "async"
    start = tokens[keyword - is_async].start
    body, stop = tokens[parsed.body].start, tokens[-1].stop
    edits = [
        (start, tokens[parsed.opening].start, f"const {parsed.name} = {'async ' if is_async else ''}"),
        (body, body, "=> "),
        (stop, stop, ";"),
    ]
    instruction = draw_wording(InstructionKind.ARROW, draw, name=parsed.name)
    return make_rewrite(InstructionKind.ARROW, instruction, function.text, apply_edits(function.text, edits))


def make_original_for_const(function: Function, draw: random.Random) -> Rewrite | None:
    """The rewrite of `use_const` whose result is this function; its original is made by putting `var` into it."""
    parsed = parse(function.text)
    if parsed is None or parsed.tokens[parsed.body - 1].text == "=>":
        return None
    edits, depth = [], 0
    for index, token in enumerate(parsed.tokens):
        depth += _change_of_depth(token, "{(", "})")
        if token.text in ("let", "const", "var"):
            if depth != 1 or token.text == "var" or parsed.tokens[index + 1].kind != "name":
                return None
            edits.append((token.start, token.stop, "var"))
    original = apply_edits(function.text, edits)
    if _without_var(original) != function.text:  # for example, a `let` to which nothing is assigned
        return None
    return make_rewrite(InstructionKind.CONST, draw_wording(InstructionKind.CONST, draw), original, function.text)


def add_parameter(function: Function, draw: random.Random) -> Rewrite | None:
    """Add a parameter with a default value at the end."""
    parsed = parse(function.text)
    if parsed is None or any(token.text == "..." for token in parsed.tokens[parsed.opening : parsed.closing]):
        return None
    new, value = new_name("camelCase", function, parsed.words(), draw, camel=True), draw.choice(_DEFAULTS)
    place = parsed.tokens[parsed.closing - 1].stop
    comma = "" if parsed.closing == parsed.opening + 1 else ", "
    result = apply_edits(function.text, [(place, place, f"{comma}{new} = {value}")])
    instruction = draw_wording(InstructionKind.PARAMETER, draw, new=new, value=value, name=parsed.name)
    return make_rewrite(InstructionKind.PARAMETER, instruction, function.text, result)


def add_guard(function: Function, draw: random.Random) -> Rewrite | None:
    """Let the function return at once if a parameter is null or undefined."""
    parsed = parse(function.text)
    if parsed is None or not parsed.parameters:
        return None
    start = _first_line(parsed, function.text)
    if start is None:
        return None
    place, indent = start
    old, value = draw.choice(parsed.parameters), draw.choice(("null", "undefined"))
    result = apply_edits(function.text, [(place, place, f"\n{indent}if ({old} === {value}) return;")])
    return make_rewrite(
        InstructionKind.GUARD, draw_wording(InstructionKind.GUARD, draw, old=old, value=value), function.text, result
    )


def remove_debugging(function: Function, draw: random.Random) -> Rewrite | None:
    """Remove debugging output; the original is made by putting it into the function."""
    parsed = parse(function.text)
    if parsed is None or "console." in function.text or "debugger" in function.text:
        return None
    start = _first_line(parsed, function.text)
    if start is None:
        return None
    place, indent = start
    value = draw.choice(parsed.parameters) if parsed.parameters else "arguments"
    line = draw.choice(_DEBUGGING).format(value)
    original = apply_edits(function.text, [(place, place, f"\n{indent}{line}")])
    return make_rewrite(InstructionKind.CLEAN, draw_wording(InstructionKind.CLEAN, draw), original, function.text)


KINDS: tuple[tuple[Transformation, ...], ...] = (
    (
        use_const,
        make_original_for_const,
        use_templates,
        use_templates,
        make_original_for_templates,
        make_original_for_templates,
    ),
    (rename, rename, rename, rename, add_parameter, add_guard, remove_debugging, use_arrow),
)
"""Transformations that seldom apply, and those that often do. One that is named twice is tried twice; `rename` is
named four times, as it is asked for most."""
PLANTED = plant_and_use_templates
"""The transformation that plants the code that it changes. For training only: real code has too little of it."""


def _without_var(text: str) -> str | None:
    """A function without `var`; None if it has none, or one that only `var` allows."""
    parsed = parse(text)
    if parsed is None:
        return None
    edits, names = [], []
    for index, token in enumerate(parsed.tokens):
        if token.text != "var":
            continue
        name, after = parsed.tokens[index + 1], parsed.tokens[index + 2].text
        if name.kind != "name" or after not in ("=", ";", ",", "of", "in"):
            return None
        changes = after in (";", ",") or _declares_more(parsed, index) or _is_assigned(parsed, name.text, index + 1)
        edits.append((token.start, token.stop, "let" if changes else "const"))
        names.append(name.text)
    if not edits or len(set(names)) < len(names) or _leaves_block(parsed):
        return None
    return apply_edits(text, edits)


def _in_list(parsed: JavaScriptFunction, index: int) -> bool:
    """Whether a token is in the list of parameters, where names between commas are no shorthands of an object."""
    return parsed.opening < index < parsed.closing


def _declares_more(parsed: JavaScriptFunction, index: int) -> bool:
    """Whether the `var` at a token declares several names, for which `let` is always right."""
    depth = 0
    for token in parsed.tokens[index:]:
        depth += _change_of_depth(token, "([{", ")]}")
        if depth < 0 or token.text in (";", "of", "in"):
            return False
        if token.text == "," and not depth:
            return True
    return False


def _change_of_depth(token: JavaScriptToken, opening: str, closing: str) -> int:
    """1 for one of the opening brackets, -1 for one of the closing ones, and 0 for any other token."""
    return (token.text in opening) - (token.text in closing) if token.kind == "mark" else 0


def _is_assigned(parsed: JavaScriptFunction, name: str, declared: int) -> bool:
    """Whether something is assigned to the name anywhere but where it is declared."""
    for index, token in enumerate(parsed.tokens):
        if token.text != name or token.kind != "name" or index == declared:
            continue
        before, after = parsed.tokens[index - 1].text, parsed.tokens[index + 1].text
        if after in _ASSIGNS or before in ("++", "--"):
            return True
    return False


def _leaves_block(parsed: JavaScriptFunction) -> bool:
    """Whether a name may be used outside the block in which `var` declares it, which only `var` allows.

    Every `var` in a nested block counts, as it may be declared again there.
    """
    depth = 0
    declared_at: dict[str, int] = {}
    depths: dict[str, list[int]] = {}
    for index, token in enumerate(parsed.tokens):
        depth += _change_of_depth(token, "{(", "})")
        if token.text == "var":
            declared_at[parsed.tokens[index + 1].text] = depth
        if token.kind == "name":
            depths.setdefault(token.text, []).append(depth)
    return any(min(depths[name]) < declared or declared > 1 for name, declared in declared_at.items())


def _first_line(parsed: JavaScriptFunction, text: str) -> tuple[int, str] | None:
    """Where a line may be inserted at the start of the body, and its indentation; None if the body is on one line."""
    lines = [line for line in text.split("\n")[1:] if line.strip()]
    brace = parsed.tokens[parsed.body].stop
    if len(lines) <= 1 or text[brace : brace + 1] != "\n":
        return None
    return brace, lines[0][: len(lines[0]) - len(lines[0].lstrip())]
