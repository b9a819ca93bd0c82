"""Programs: whether lowered grammars accept what the program does, in engines that read them, and what a check costs.

    inscope bench programs --texts 200

Texts are drawn from each example and spoiled by one character. Where a grammar cannot say all (`wider`), it may accept
more, never less. The cost is that of reading a text in pieces of four characters.
"""

from __future__ import annotations

import argparse
import json
import os
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.program_texts import spoiled, walk
from decoder.constraint.protocol import Refusal
from decoder.program import Program, ProgramConstraint

EXAMPLES = Path(__file__).parent.parent / "examples" / "programs"
AT_A_PLACE = frozenset({"here", "message", "steps"})
"""Examples that need a file."""
_PIECE = 4


@dataclass(frozen=True, slots=True)
class Row:
    """One example."""

    name: str
    texts: int
    accepted: int
    wider: int
    disagreeing: dict[str, int]
    """Verdicts of each engine that differ from ours, where the grammar says all; else those that accept less."""
    microseconds: float
    """Of one piece, the median."""


class LLGuidance:
    """Reads the Lark dialect."""

    name = "llguidance"

    def __init__(self) -> None:
        self._package: Any = import_module("llguidance")
        self._tokens = self._package.LLTokenizer("byte")

    def verdicts(self, program: Program, texts: list[str]) -> list[bool]:
        """Whether the grammar accepts each text as a whole."""
        matcher = self._package.LLMatcher(
            self._tokens, self._package.LLMatcher.grammar_from_lark(program.lowered("lark").text)
        )
        if matcher.get_error():
            raise ValueError(matcher.get_error())
        found = []
        for text in texts:
            matcher.reset()
            tokens = self._tokens.tokenize_bytes(text.encode())
            found.append(matcher.try_consume_tokens(tokens) == len(tokens) and bool(matcher.is_accepting()))
        return found


class XGrammar:
    """Reads GBNF."""

    name = "xgrammar"

    def __init__(self) -> None:
        self._package: Any = import_module("xgrammar")
        vocabulary = [*(bytes([value]) for value in range(256)), b"<end>"]
        information = self._package.TokenizerInfo(vocabulary, self._package.VocabType.RAW, stop_token_ids=[256])
        self._compiler = self._package.GrammarCompiler(information, cache_enabled=False)

    def verdicts(self, program: Program, texts: list[str]) -> list[bool]:
        """Whether the grammar accepts each text as a whole."""
        compiled = self._compiler.compile_grammar(program.lowered("gbnf").text)
        found = []
        for text in texts:
            matcher = self._package.GrammarMatcher(compiled)
            found.append(all(matcher.accept_token(value) for value in text.encode()) and matcher.accept_token(256))
        return found


def main() -> None:
    """Measure all examples and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=int, default=200, help="drawn from each example, and as many spoiled")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    console = Console()
    peers: list[LLGuidance | XGrammar] = []
    for peer, package in ((LLGuidance, "llguidance==1.9.1"), (XGrammar, "xgrammar==0.2.8")):
        try:
            peers.append(peer())
        except ImportError:
            console.print(f"{package} is not installed, so it is left out. To compare: pip install {package}")
    paths = [path for path in sorted(EXAMPLES.glob("*.[jp]*")) if path.stem not in AT_A_PLACE]
    rows = [_row(path, arguments.texts, peers) for path in paths]
    if arguments.json:
        print(json.dumps([asdict(row) for row in rows]))
        return
    table = Table(title=f"{sum(row.texts for row in rows):,} texts, load {os.getloadavg()[0]:.1f}")
    for column in ("program", "texts", "accepted", "wider", *(f"not as {peer.name}" for peer in peers), "us a piece"):
        table.add_column(column)
    for row in rows:
        counts = [f"{row.texts:,}", f"{row.accepted:,}", str(row.wider), *map(str, row.disagreeing.values())]
        table.add_row(row.name, *counts, f"{row.microseconds:,.0f}")
    console.print(table)


def _row(path: Path, count: int, peers: list[LLGuidance | XGrammar]) -> Row:
    draw = Random(path.name)  # noqa: S311 - the same each time
    with Program.load(path) as program:
        start = program.constraint()
        drawn = [walk(start, draw, free=draw.randrange(90)) for _ in range(count)]
        texts = [*drawn, *(spoiled(text, draw) for text in drawn)]
        costs: list[float] = []
        ours = [_accepted(start, text, costs) for text in texts]
        wider = len(program.lowered("gbnf").approximated)
        disagreeing = {}
        for peer in peers:
            pairs = zip(ours, peer.verdicts(program, texts), strict=True)
            disagreeing[peer.name] = sum(mine and not theirs if wider else mine != theirs for mine, theirs in pairs)
    return Row(path.name, len(texts), sum(ours), wider, disagreeing, median(costs) * 1e6)


def _accepted(start: ProgramConstraint, text: str, costs: list[float]) -> bool:
    state = start
    for place in range(0, len(text), _PIECE):
        started = perf_counter()
        following = state.advance(text[place : place + _PIECE])
        costs.append(perf_counter() - started)
        if isinstance(following, Refusal):
            return False
        state = following
    return state.may_stop() is None


if __name__ == "__main__":
    main()
