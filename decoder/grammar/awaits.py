"""The `await`s of a JavaScript program, and whether the program uses the value of each.

`decoder.program.program_file` asks for them, to report where a program awaits a part. A program whose `await` does not
use its value goes on in the same way whatever text is written, so `decoder.program.lowering` tries one text there, and
elsewhere each text that is possible.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import tree_sitter

from context_index.symbols import Language
from decoder.grammar.pinned import capsule

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True)
class Await:
    """One `await` and its operand."""

    start: int
    """Where the operand begins, in characters."""
    end: int
    """Where the operand ends."""
    line: int
    """The line of the `await`, counted from 1."""
    column: int
    """Its column in characters, counted from 1."""
    is_used: bool
    """Whether its value is used. It is not used if the `await` is a statement of its own."""


def find_awaits(source: str) -> tuple[Await, ...]:
    """All `await`s of a JavaScript program, in the order of the text."""
    encoded = source.encode()
    parser = tree_sitter.Parser(tree_sitter.Language(capsule(Language.JAVASCRIPT)))
    return tuple(_find_awaits(parser.parse(encoded).root_node, encoded))


def _find_awaits(root: tree_sitter.Node, encoded: bytes) -> Iterator[Await]:
    pending = [root]
    while pending:
        node = pending.pop()
        pending.extend(reversed(node.children))
        if node.type == "await_expression" and node.children:
            operand, (row, column) = node.children[-1], node.start_point  # the column is in bytes
            line_start = node.start_byte - column
            yield Await(
                start=len(encoded[: operand.start_byte].decode()),
                end=len(encoded[: operand.end_byte].decode()),
                line=row + 1,
                column=len(encoded[line_start : node.start_byte].decode()) + 1,
                is_used=node.parent is None or node.parent.type != "expression_statement",
            )
