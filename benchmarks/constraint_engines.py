"""Constraint engines behind one interface, which `benchmarks/constraint.py` times: set-up, steps, a changed scope.

The peers compute the set of allowed tokens before each step; ours is asked about the tokens that the model prefers.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from importlib import import_module
from time import perf_counter
from typing import TYPE_CHECKING, Any, Protocol

from benchmarks.constraint_snippets import grammar
from benchmarks.constraint_vocabulary import END
from context_index.symbols import Language
from decoder.grammar import Grammar

if TYPE_CHECKING:
    from collections.abc import Callable

    from tokenizers import Tokenizer

WRONG_FIRST = 0.15
"""The share of steps at which the model's favourite token is refused and the next one has to be asked about. Published
measurements of lazily checked grammars say 1.1 to 1.2 checks a step."""


@dataclass
class Figures:
    """What driving an engine took, in seconds."""

    set_up: float = 0.0
    """Until the grammar can be used."""
    steps: list[float] = field(default_factory=list)
    """Each step of each text, in order."""
    scope_change: float | None = None
    """Until a name more in scope is allowed; None where this was not measured."""


class ConstraintEngine(Protocol):
    """One way to constrain."""

    name: str
    cannot: str
    """What the engine cannot express, for the table."""

    def run(self, tokenizer: Tokenizer, texts: list[list[int]]) -> Figures:
        """Drive the engine over token sequences.

        Raises:
            ValueError: the engine refuses a token.
        """


class Ours:
    """The grammar of the whole language, asked lazily."""

    name = "inscope, lazily checked"
    cannot = "scope and types are rules of their own"

    def run(self, tokenizer: Tokenizer, texts: list[list[int]]) -> Figures:
        """A step asks about the right token, and in `WRONG_FIRST` of the steps about a random token before it."""
        figures = Figures(scope_change=0.0)
        started = perf_counter()
        start = Grammar.load(Language.JAVASCRIPT).start()
        figures.set_up = perf_counter() - started
        pieces = [tokenizer.decode([token]) for token in range(tokenizer.get_vocab_size())]
        draw = random.Random(1)  # noqa: S311 - the same each time
        for text in texts:
            state = start
            for token in text:
                wrong = pieces[draw.randrange(len(pieces))] if draw.random() < WRONG_FIRST else ""
                started = perf_counter()
                if wrong:
                    state.advance(wrong)
                following = state.advance(pieces[token])
                figures.steps.append(perf_counter() - started)
                if following is None:
                    raise ValueError(f"{self.name} refused {pieces[token]!r}")
                state = following
        return figures


class LLGuidance:
    """Derivatives of regular expressions under an Earley parser, in Rust."""

    name = "llguidance"
    cannot = "indentation, semicolon insertion, template nesting; a new scope is a new grammar"

    def __init__(self) -> None:
        self._package: Any = import_module("llguidance")
        self._numpy: Any = import_module("llguidance.numpy")

    def run(self, tokenizer: Tokenizer, texts: list[list[int]]) -> Figures:
        """One step: fill the mask, then take the token."""
        figures = Figures()
        package, arrays = self._package, self._numpy
        wrapped = package.LLTokenizer(tokenizer.to_str(), eos_token=tokenizer.token_to_id(END))

        def compile_grammar(gbnf: str) -> Any:  # noqa: ANN401 - the peer has no types
            lark = package.gbnf_to_lark.gbnf_to_lark(gbnf).replace("root:", "start:")
            return package.LLMatcher(wrapped, package.LLMatcher.grammar_from_lark(lark))

        mask = arrays.allocate_token_bitmask(1, wrapped.vocab_size)
        figures.set_up, matcher = _time(lambda: compile_grammar(grammar()))
        arrays.fill_next_token_bitmask(matcher, mask)
        for text in texts:
            matcher = compile_grammar(grammar())
            for token in text:
                started = perf_counter()
                arrays.fill_next_token_bitmask(matcher, mask)
                accepted = matcher.consume_token(token)
                figures.steps.append(perf_counter() - started)
                if not accepted:
                    raise ValueError(f"{self.name} refused {tokenizer.decode([token])!r}: {matcher.get_error()}")
        figures.scope_change, _ = _time(lambda: arrays.fill_next_token_bitmask(compile_grammar(grammar("added")), mask))
        return figures


class XGrammar:
    """A pushdown automaton with masks computed ahead, in C++."""

    name = "xgrammar"
    cannot = LLGuidance.cannot

    def __init__(self) -> None:
        self._package: Any = import_module("xgrammar")

    def run(self, tokenizer: Tokenizer, texts: list[list[int]]) -> Figures:
        """One step: fill the mask, then take the token."""
        figures = Figures()
        package = self._package
        vocabulary = sorted(tokenizer.get_vocab(), key=tokenizer.get_vocab().__getitem__)
        information = package.TokenizerInfo(
            vocabulary, package.VocabType.BYTE_LEVEL, stop_token_ids=[tokenizer.token_to_id(END)]
        )
        compiler = package.GrammarCompiler(information, cache_enabled=False)
        figures.set_up, compiled = _time(lambda: compiler.compile_grammar(grammar()))
        mask = package.allocate_token_bitmask(1, information.vocab_size)
        for text in texts:
            matcher = package.GrammarMatcher(compiled)
            for token in text:
                started = perf_counter()
                matcher.fill_next_token_bitmask(mask)
                accepted = matcher.accept_token(token)
                figures.steps.append(perf_counter() - started)
                if not accepted:
                    raise ValueError(f"{self.name} refused {tokenizer.decode([token])!r}")
        figures.scope_change, _ = _time(lambda: compiler.compile_grammar(grammar("added")))
        return figures


def find_engines() -> tuple[list[ConstraintEngine], list[str]]:
    """The engines that can be run here, and a sentence for each that cannot."""
    engines: list[ConstraintEngine] = [Ours()]
    missing: list[str] = []
    peers: list[Callable[[], ConstraintEngine]] = [LLGuidance, XGrammar]
    for peer, package in zip(peers, ("llguidance==1.9.1", "xgrammar==0.2.8"), strict=True):
        try:
            engines.append(peer())
        except ImportError:
            missing.append(f"{package} is not installed, so it is left out. To compare: pip install {package}")
    return engines, missing


def _time(work: Callable[[], Any]) -> tuple[float, Any]:
    """The seconds that the work took, and what it returned."""
    started = perf_counter()
    result = work()
    return perf_counter() - started, result
