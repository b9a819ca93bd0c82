"""Grammar engines, each reduced to one question: does the grammar accept this text? For tests and benchmarks only."""

from __future__ import annotations

import re
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

_STOP_PROBABILITY = 0.2
"""How probable it is that a drawn text ends at a place where it may end."""
_MOST_BYTES = 400
"""A drawn text that is not complete after so many bytes is dropped."""


class GrammarEngine(Protocol):
    """Reads texts by the grammar that it was made with; its constructor raises an error if it cannot read that."""

    def accepts(self, text: str) -> bool:
        """Whether the grammar accepts the text as a whole."""


class LarkEngine:
    """The library `lark`."""

    def __init__(self, grammar: str) -> None:
        package: Any = import_module("lark")
        self._error = package.exceptions.UnexpectedInput
        self._parser = package.Lark(grammar)

    def accepts(self, text: str) -> bool:
        """Whether the grammar accepts the text as a whole."""
        try:
            self._parser.parse(text)
        except self._error:
            return False
        return True


class LLGuidanceEngine:
    """Guidance's engine, which reads a dialect of Lark token by token; its tokens here are bytes."""

    def __init__(self, grammar: str) -> None:
        package: Any = import_module("llguidance")
        self._tokens = package.LLTokenizer("byte")
        self._matcher = package.LLMatcher(self._tokens, package.LLMatcher.grammar_from_lark(grammar))
        if self._matcher.get_error():
            raise ValueError(self._matcher.get_error())

    def accepts(self, text: str) -> bool:
        """Whether the grammar accepts the text as a whole."""
        self._matcher.reset()
        tokens = self._tokens.tokenize_bytes(text.encode())
        return bool(self._matcher.try_consume_tokens(tokens) == len(tokens) and self._matcher.is_accepting())

    def texts(self, draw: Random, count: int) -> Iterator[str]:
        """Up to `count` texts of the grammar, drawn byte by byte; a text that does not end in time is left out."""
        for _ in range(count):
            self._matcher.reset()
            written = bytearray()
            while len(written) < _MOST_BYTES:
                if self._matcher.is_accepting() and (draw.random() < _STOP_PROBABILITY or self._matcher.is_stopped()):
                    yield written.decode("utf-8")
                    break
                bits = self._matcher.compute_bitmask()
                allowed = [token for token in range(256) if bits[token // 8] >> token % 8 & 1]
                if not allowed:
                    break
                token = draw.choice(allowed)
                self._matcher.consume_token(token)
                written.append(token)


class GbnfEngine:
    """The library `gbnf`, which reads grammars as llama.cpp does."""

    def __init__(self, grammar: str) -> None:
        package: Any = import_module("gbnf")
        self._error = package.InputParseError
        self._package, self._start = package, package.GBNF(grammar)

    def accepts(self, text: str) -> bool:
        """Whether the grammar accepts the text as a whole."""
        try:
            state = self._start + text
        except self._error:
            return False
        return any(isinstance(rule, self._package.RuleEnd) for rule in state)


_NOTATION = r"""
rule: NAME "::=" choice
choice: series ("|" series)*
series: repeated*
repeated: atom (MARK | COUNT)?
?atom: LITERAL | CODE | CLASS | NAME | "(" choice ")"
NAME: /[a-z]+/
LITERAL: /"[^"]*"|'[^']*'/
CODE: /#x[0-9A-F]+/
CLASS: /\[\^?(#x[0-9A-F]+|[^\]#])+\]/
MARK: /[?*+]/
COUNT: /\{\d+(,\d*)?\}/
%ignore " "
"""
"""Lark's grammar of one rule in the notation of W3C's XML recommendation, section 6, extended by counts in braces."""


class EbnfEngine:
    """Translates a grammar in the notation of W3C's XML recommendation to a regular expression of Python."""

    def __init__(self, grammar: str) -> None:
        reader = import_module("lark").Lark(_NOTATION, start="rule", parser="lalr")
        lines = [line for line in grammar.splitlines() if not line.startswith("/*")]
        self._rules = {str(tree.children[0]): tree.children[1] for tree in map(reader.parse, lines)}
        self._pattern = re.compile(self._regex(next(iter(self._rules.values()))))

    def accepts(self, text: str) -> bool:
        """Whether the grammar accepts the text as a whole."""
        return self._pattern.fullmatch(text) is not None

    def _regex(self, part: Any) -> str:  # noqa: ANN401 - a tree or a token of lark's
        """The regular expression of a part of a rule; a name stands for its rule, so rules must not be recursive."""
        match getattr(part, "data", None) or part.type:
            case "choice":
                return f"(?:{'|'.join(map(self._regex, part.children))})"
            case "series":
                return "".join(map(self._regex, part.children))
            case "repeated":
                atom, *count = part.children
                return f"(?:{self._regex(atom)}){''.join(count)}"
            case "LITERAL":
                return re.escape(str(part)[1:-1])
            case "CODE":
                return re.escape(chr(int(str(part).replace("#", "0"), 16)))
            case "CLASS":
                return re.sub(r"#x([0-9A-F]+)", lambda code: rf"\U{code[1]:0>8}", str(part))
        return self._regex(self._rules[str(part)])
