"""Engines that take grammars, each as the question whether it accepts a text. For tests and benchmarks alone."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

_STOPS = 0.2
_MOST_TOKENS = 400


class Engine(Protocol):
    """Reads texts by the grammar that it was made with; its constructor raises where it cannot read that."""

    def accepts(self, text: str) -> bool:
        """Whether the grammar accepts the text as a whole."""


class Lark:
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


class LLGuidance:
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
        """Texts that the grammar generates, drawn byte by byte; those that come to no end are left out."""
        for _ in range(count):
            self._matcher.reset()
            written = bytearray()
            while len(written) < _MOST_TOKENS:
                if self._matcher.is_accepting() and (draw.random() < _STOPS or self._matcher.is_stopped()):
                    yield written.decode("utf-8")
                    break
                bits = self._matcher.compute_bitmask()
                allowed = [token for token in range(256) if bits[token // 8] >> token % 8 & 1]
                if not allowed:
                    break
                token = draw.choice(allowed)
                self._matcher.consume_token(token)
                written.append(token)


class Gbnf:
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
