"""Rewrites of JavaScript and TypeScript functions, on tokens. What is not certain is left alone."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from context_index.symbols import Language
from decoder.training.rewrites.javascript_tokens import Token, closing, tokens
from decoder.training.rewrites.task import Function, Rewrite, Transformation, edited, new_name
from decoder.training.rewrites.wordings import Kind, worded

_FUNCTION = re.compile(
    r"^[ \t]*(?:(?:export )?(?:default )?(?:async )?function \w+\("
    r"|(?:export )?const \w+ = (?:async )?\([^()]*\) => \{"
    r"|(?:(?:static|async|public|private|protected) )*"
    r"(?!if\b|for\b|while\b|switch\b|catch\b|function\b|with\b)\w+\([^()]*\) \{$)",
    re.MULTILINE,
)
"""Declarations, arrow functions with a name, methods."""
_DECLARED = re.compile(r"\b(?:var|let|const)\s+([A-Za-z_$][\w$]*)\s*=")
_TEMPLATE = re.compile(r"`((?:[^`$\\'\n]|\$\{\w+\})*)`")
"""A template literal on one line whose values are plain names."""
_KEYWORDS = frozenset(
    re.findall(
        r"\w+",
        """var let const function return if else for while do new this super class typeof instanceof in of null true
        false undefined arguments async await yield break continue switch case default throw try catch finally delete
        void import export extends static get set""",
    )
)
_ASSIGNS = frozenset(["=", "+=", "-=", "*=", "%=", "&=", "|=", "^=", "++", "--"])
_DEFAULTS = ("null", "true", "false", "0", "1", "''", "{}", "[]")
_DEBUGGING = ("console.log('here');", "console.log({0});", "console.log('{0}', {0});", "debugger;")


@dataclass(frozen=True, slots=True)
class _Parsed:
    """A function declaration in tokens; indices are of tokens."""

    found: Sequence[Token]
    name: str
    parameters: tuple[str, ...]
    opening: int
    """Of the parameters' parenthesis, `closing` its partner."""
    closing: int
    body: int
    """Of the body's brace."""
    declaration: bool
    """Whether it begins with the word `function`."""

    def words(self) -> set[str]:
        """Every name that occurs."""
        return {token.text for token in self.found if token.kind == "name"} | _KEYWORDS


def functions(text: str) -> Iterator[Function]:
    """The function declarations of a file, from the start of their lines."""
    for match in _FUNCTION.finditer(text):
        piece = text[match.start() : match.start() + 4_000]
        stop = _end(piece)
        if stop is not None and piece[stop:].partition("\n")[0].strip() in ("", ";", ","):
            yield Function(Language.JAVASCRIPT, piece[: piece.find("\n", stop) + 1] or piece[:stop])


def rename(function: Function, draw: random.Random) -> Rewrite | None:
    """A parameter or a variable gets another name, wherever it stands for itself."""
    parsed = _parse(function.text)
    if parsed is None or "`" in function.text:
        return None
    candidates = sorted({*parsed.parameters, *_DECLARED.findall(function.text)} - _KEYWORDS)
    if not candidates:
        return None
    old = draw.choice(candidates)
    new = new_name(old, function, parsed.words(), draw, camel=True)
    edits = []
    for index, token in enumerate(parsed.found):
        if token.kind != "name" or token.text != old:
            continue
        before, after = parsed.found[index - 1].text, parsed.found[index + 1].text
        if before in (".", "?."):
            continue
        if after == ":" or (before in ("{", ",") and after in ("}", ",") and not _in_list(parsed, index)):
            return None  # a key, a label, or a shorthand: not the same everywhere
        edits.append((token.start, token.stop, new))
    if len(edits) < 2:  # noqa: PLR2004 - a name that is used nowhere teaches nothing
        return None
    return _checked(
        Kind.RENAME, worded(Kind.RENAME, draw, old=old, new=new), function.text, edited(function.text, edits)
    )


def const(function: Function, draw: random.Random) -> Rewrite | None:
    """`var` becomes `const` where nothing is assigned later, else `let`; only where every one stands for itself."""
    parsed = _parse(function.text)
    if parsed is None or "`" in function.text:
        return None
    edits, names = [], []
    for index, token in enumerate(parsed.found):
        if token.text != "var":
            continue
        name, then = parsed.found[index + 1], parsed.found[index + 2].text
        if name.kind != "name" or then not in ("=", ";", ",", "of", "in"):
            return None
        assigned = then in (";", ",") or _declares_more(parsed, index) or _is_assigned(parsed, name.text, index + 1)
        edits.append((token.start, token.stop, "let" if assigned else "const"))
        names.append(name.text)
    if not edits or len(set(names)) < len(names) or _leaves_block(parsed):
        return None
    return _checked(Kind.CONST, worded(Kind.CONST, draw), function.text, edited(function.text, edits))


def arrow(function: Function, draw: random.Random) -> Rewrite | None:
    """`function f(a) { ... }` becomes `const f = (a) => { ... };`."""
    parsed = _parse(function.text)
    if parsed is None or not parsed.declaration:
        return None
    words = [token.text for token in parsed.found]
    if {"this", "arguments", "yield", "super", "default", "new"} & set(words) or words.count(parsed.name) > 1:
        return None
    found = parsed.found
    keyword = next(index for index, token in enumerate(found) if token.text == "function")
    start = found[keyword - 1].start if keyword and found[keyword - 1].text == "async" else found[keyword].start
    is_async = "async " if start != found[keyword].start else ""
    stop = found[-1].stop
    edits = [
        (start, found[parsed.opening].start, f"const {parsed.name} = {is_async}"),
        (found[parsed.body].start, found[parsed.body].start, "=> "),
        (stop, stop, ";"),
    ]
    wish = worded(Kind.ARROW, draw, name=parsed.name)
    return _checked(Kind.ARROW, wish, function.text, edited(function.text, edits))


def template(function: Function, draw: random.Random) -> Rewrite | None:
    """Strings that are concatenated with plain names become template literals."""
    parsed = _parse(function.text)
    if parsed is None:
        return None
    edits = []
    index = 0
    while index < len(parsed.found):
        stop = _concatenation(parsed.found, index)
        if stop is not None:
            pieces = parsed.found[index:stop]
            edits.append((pieces[0].start, pieces[-1].stop, _as_template(pieces)))
            index = stop
        index += 1
    if not edits or any("`" in token.text for token in parsed.found):
        return None
    return _checked(Kind.TEMPLATE, worded(Kind.TEMPLATE, draw), function.text, edited(function.text, edits))


def const_undone(function: Function, draw: random.Random) -> Rewrite | None:
    """As `const`, from a function that is modern already: the original is made from the result."""
    parsed = _parse(function.text)
    if parsed is None or parsed.found[parsed.body - 1].text == "=>":
        return None
    edits, names, depth = [], [], 0
    for index, token in enumerate(parsed.found):
        depth += (token.text in ("{", "(")) - (token.text in ("}", ")")) if token.kind == "mark" else 0
        if token.text in ("let", "const", "var"):
            if depth != 1 or token.text == "var" or parsed.found[index + 1].kind != "name":
                return None
            edits.append((token.start, token.stop, "var"))
            names.append(parsed.found[index + 1].text)
    if not edits or len(set(names)) < len(names):
        return None
    return _checked(Kind.CONST, worded(Kind.CONST, draw), edited(function.text, edits), function.text)


def template_undone(function: Function, draw: random.Random) -> Rewrite | None:
    """As `template`, from a function that has template literals: the original is made from the result."""
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
    if _parse(original) is None:
        return None
    return Rewrite(Kind.TEMPLATE, worded(Kind.TEMPLATE, draw), original, function.text)


def parameter(function: Function, draw: random.Random) -> Rewrite | None:
    """One more parameter at the end, with a default."""
    parsed = _parse(function.text)
    if parsed is None or any(token.text == "..." for token in parsed.found[parsed.opening : parsed.closing]):
        return None
    new, value = new_name("camelCase", function, parsed.words(), draw, camel=True), draw.choice(_DEFAULTS)
    place = parsed.found[parsed.closing - 1].stop
    comma = "" if parsed.closing == parsed.opening + 1 else ", "
    result = edited(function.text, [(place, place, f"{comma}{new} = {value}")])
    wish = worded(Kind.PARAMETER, draw, new=new, value=value, name=parsed.name)
    return _checked(Kind.PARAMETER, wish, function.text, result)


def guard(function: Function, draw: random.Random) -> Rewrite | None:
    """The function returns at once where a parameter is null."""
    parsed = _parse(function.text)
    if parsed is None or not parsed.parameters:
        return None
    indent = _indent(function.text)
    brace = parsed.found[parsed.body].stop
    if indent is None or function.text[brace : brace + 1] != "\n":
        return None
    old, value = draw.choice(parsed.parameters), draw.choice(("null", "undefined"))
    result = edited(function.text, [(brace, brace, f"\n{indent}if ({old} === {value}) return;")])
    return _checked(Kind.GUARD, worded(Kind.GUARD, draw, old=old, value=value), function.text, result)


def clean(function: Function, draw: random.Random) -> Rewrite | None:
    """Debugging output that someone left behind goes: here it is put into the original first."""
    parsed = _parse(function.text)
    if parsed is None or "console." in function.text or "debugger" in function.text:
        return None
    indent = _indent(function.text)
    brace = parsed.found[parsed.body].stop
    if indent is None or function.text[brace : brace + 1] != "\n":
        return None
    named = draw.choice(parsed.parameters) if parsed.parameters else "arguments"
    line = draw.choice(_DEBUGGING).format(named)
    original = edited(function.text, [(brace, brace, f"\n{indent}{line}")])
    return _checked(Kind.CLEAN, worded(Kind.CLEAN, draw), original, function.text)


KINDS: tuple[tuple[Transformation, ...], ...] = (
    (const, const_undone, template, template, template_undone, template_undone),
    (rename, rename, rename, rename, parameter, guard, clean, arrow),
)
"""Those that seldom apply, and those that often do; a rename four times, for it is asked for most."""


def _parse(text: str) -> _Parsed | None:
    found = tokens(text)
    if found is None:
        return None
    opening = next((index for index, token in enumerate(found) if token.text == "("), None)
    shut = closing(found, opening) if opening else None
    if not opening or shut is None:
        return None
    body = next((index for index in range(shut + 1, len(found)) if found[index].text == "{"), None)
    end = closing(found, body) if body is not None else None
    if body is None or end is None or [token.text for token in found[end + 1 :]] not in ([], [";"], [","]):
        return None
    words = [token.text for token in found[:opening]]
    name = words[words.index("const") + 1] if "const" in words[:-1] else words[-1]
    inside = found[opening + 1 : shut]
    plain = all(token.kind == "name" or token.text == "," for token in inside)
    parameters = tuple(token.text for token in inside if token.kind == "name") if plain else ()
    return _Parsed(found[: end + 1], name, parameters, opening, shut, body, "function" in words)


def _end(piece: str) -> int | None:
    """Where the function ends that a text begins with; None where it cannot be read."""
    depth, place = 0, 0
    for match in re.finditer(r"[{}]", piece):
        depth += 1 if match.group() == "{" else -1
        if depth <= 0:
            place = match.end()
            return place if _parse(piece[:place]) is not None else None
    return None


def _checked(kind: Kind, wish: str, original: str, result: str) -> Rewrite | None:
    """The rewrite, if both sides are still read as a whole and differ."""
    if original == result or tokens(original) is None or tokens(result) is None:
        return None
    return Rewrite(kind, wish, original, result)


def _in_list(parsed: _Parsed, index: int) -> bool:
    """Whether the token is a parameter: the one list between commas that is no object."""
    return parsed.opening < index < parsed.closing


def _declares_more(parsed: _Parsed, index: int) -> bool:
    """Whether a `var` declares several names: `let` suits them all."""
    depth = 0
    for token in parsed.found[index:]:
        depth += (token.text in "([{") - (token.text in ")]}") if token.kind == "mark" else 0
        if depth < 0 or token.text in (";", "of", "in"):
            return False
        if token.text == "," and not depth:
            return True
    return False


def _is_assigned(parsed: _Parsed, name: str, declared: int) -> bool:
    """Whether something is assigned to the name anywhere but where it is declared."""
    for index, token in enumerate(parsed.found):
        if token.text != name or token.kind != "name" or index == declared:
            continue
        before, after = parsed.found[index - 1].text, parsed.found[index + 1].text
        if after in _ASSIGNS or before in ("++", "--"):
            return True
    return False


def _leaves_block(parsed: _Parsed) -> bool:
    """Whether a name declared by `var` inside a nested block is used outside of it, which only `var` allows."""
    depth, homes = 0, {}
    spans: dict[str, list[int]] = {}
    for index, token in enumerate(parsed.found):
        depth += (token.text in ("{", "(")) - (token.text in ("}", ")")) if token.kind == "mark" else 0
        if token.text == "var":
            homes[parsed.found[index + 1].text] = depth
        if token.kind == "name":
            spans.setdefault(token.text, []).append(depth)
    return any(min(spans[name]) < home or home > 1 for name, home in homes.items())


def _concatenation(found: Sequence[Token], index: int) -> int | None:
    """The end of `'a' + b + 'c'` that begins at a token, all its parts being strings and plain names."""
    if found[index].kind not in ("string", "name") or found[index].text in _KEYWORDS:
        return None
    if index and found[index - 1].text in ("+", "-", "*", "%", ".", "?.", "new", "typeof", "!", "await"):
        return None
    stop = index
    while stop + 2 < len(found) and found[stop + 1].text == "+" and found[stop + 2].kind in ("string", "name"):
        stop += 2
    parts = found[index : stop + 1 : 2]
    if stop == index or found[stop + 1].text in (".", "(", "[", "*", "%", "+", "?.", "-") or parts[0].kind != "string":
        return None
    if any("\\" in part.text or "$" in part.text or part.text in _KEYWORDS for part in parts):
        return None
    return stop + 1 if any(part.kind == "name" for part in parts) else None


def _as_template(pieces: Sequence[Token]) -> str:
    parts = (part.text[1:-1] if part.kind == "string" else "${" + part.text + "}" for part in pieces[::2])
    return "`" + "".join(parts) + "`"


def _indent(text: str) -> str | None:
    """White space before the first statement of the body."""
    lines = [line for line in text.split("\n")[1:] if line.strip()]
    return lines[0][: len(lines[0]) - len(lines[0].lstrip())] if len(lines) > 1 else None
