"""Finds functions in JavaScript and TypeScript files, and parses them as tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from context_index.symbols import Language
from training.rewrites.javascript_tokens import JavaScriptToken, closing, tokens
from training.rewrites.task import Function, Rewrite
from training.rewrites.wordings import InstructionKind

_FUNCTION = re.compile(
    r"^[ \t]*(?:(?:export )?(?:default )?(?:async )?function \w+\("
    r"|(?:export )?const \w+ = (?:async )?\([^()]*\) => \{"
    r"|(?:(?:static|async|public|private|protected) )*"
    r"(?!if\b|for\b|while\b|switch\b|catch\b|function\b|with\b)\w+\([^()]*\) \{$)",
    re.MULTILINE,
)
"""The beginning of a function declaration, a named arrow function or a method."""
DECLARED = re.compile(r"\b(?:var|let|const)\s+([A-Za-z_$][\w$]*)\s*=")
"""A declaration with a value; the group is the name."""
KEYWORDS = frozenset(
    re.findall(
        r"\w+",
        """var let const function return if else for while do new this super class typeof instanceof in of null true
        false undefined arguments async await yield break continue switch case default throw try catch finally delete
        void import export extends static get set with enum debugger implements interface package private protected
        public eval""",
    )
)


@dataclass(frozen=True, slots=True)
class JavaScriptFunction:
    """A function as tokens; `opening`, `closing` and `body` are indices of tokens."""

    tokens: Sequence[JavaScriptToken]
    name: str
    parameters: tuple[str, ...]
    """The names of the parameters; empty unless all are plain names."""
    opening: int
    """The parenthesis before the parameters; `closing` is its partner."""
    closing: int
    body: int
    """The brace that opens the body."""
    is_declaration: bool
    """Whether it begins with the word `function`."""

    def words(self) -> set[str]:
        """All names in the function, and the keywords; a new name must not be among them."""
        return {token.text for token in self.tokens if token.kind == "name"} | KEYWORDS


def functions(text: str) -> Iterator[Function]:
    """The functions of a file, each from the start of its line."""
    for match in _FUNCTION.finditer(text):
        piece = text[match.start() : match.start() + 4_000]
        stop = _end(piece)
        if stop is not None and piece[stop:].partition("\n")[0].strip() in ("", ";", ","):
            yield Function(Language.JAVASCRIPT, piece[: piece.find("\n", stop) + 1] or piece[:stop])


def parse(text: str) -> JavaScriptFunction | None:
    """Parse a function; None if the text is not exactly one function, or might be misread."""
    all_tokens = tokens(text)
    if all_tokens is None:
        return None
    opening = next((index for index, token in enumerate(all_tokens) if token.text == "("), None)
    shut = closing(all_tokens, opening) if opening else None
    if not opening or shut is None:
        return None
    body = next((index for index in range(shut + 1, len(all_tokens)) if all_tokens[index].text == "{"), None)
    end = closing(all_tokens, body) if body is not None else None
    if body is None or end is None or [token.text for token in all_tokens[end + 1 :]] not in ([], [";"], [","]):
        return None
    words = [token.text for token in all_tokens[:opening]]
    name = words[words.index("const") + 1] if "const" in words[:-1] else words[-1]
    inside = all_tokens[opening + 1 : shut]
    is_plain = all(token.kind == "name" or token.text == "," for token in inside)
    parameters = tuple(token.text for token in inside if token.kind == "name") if is_plain else ()
    return JavaScriptFunction(all_tokens[: end + 1], name, parameters, opening, shut, body, "function" in words)


def _end(piece: str) -> int | None:
    """The end of the function at the beginning of a text; None if it cannot be parsed."""
    depth, place = 0, 0
    for match in re.finditer(r"[{}]", piece):
        depth += 1 if match.group() == "{" else -1
        if depth <= 0:
            place = match.end()
            return place if parse(piece[:place]) is not None else None
    return None


def make_rewrite(kind: InstructionKind, instruction: str, original: str, result: str) -> Rewrite | None:
    """The rewrite; None if the two functions are equal, or one of them cannot be tokenised."""
    if original == result or tokens(original) is None or tokens(result) is None:
        return None
    return Rewrite(kind, instruction, original, result)
