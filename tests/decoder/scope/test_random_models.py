"""Whatever a model proposes, what comes out refers only to what exists: judged by CPython's own symbol tables.

As far as the text decides what they are: of `a, b` at its end both may still be assigned to.
"""

from __future__ import annotations

import builtins
import symtable
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context_index.symbols import Language, SymbolContext
from decoder import CompletionTask, SamplingOptions, complete
from decoder.constraint.protocol import Refusal
from decoder.constraint.scope import ScopeConstraint
from decoder.grammar import Entries
from tests.decoder.scripted import randomly, variables

PREFIXES = ("", "x = ", "for i in ", "x = [", "f(", "if total:\n    ", "def g(a):\n    ")
VISIBLE = ("total", "items", "f")


def unresolved(table: symtable.SymbolTable, known: frozenset[str]) -> Iterator[str]:
    """Names that a text refers to and nobody binds."""
    bound = known | {
        symbol.get_name() for symbol in table.get_symbols() if symbol.is_assigned() or symbol.is_imported()
    }
    for symbol in table.get_symbols():
        is_bound = symbol.is_local() or symbol.is_parameter() or symbol.is_free()
        if symbol.is_referenced() and not is_bound and symbol.get_name() not in bound:
            yield symbol.get_name()
    for child in table.get_children():
        yield from unresolved(child, bound)


@pytest.mark.slow
@settings(max_examples=80)
@given(st.integers(0, 2**20), st.sampled_from(PREFIXES))
def test_python_names_exist(seed: int, prefix: str) -> None:
    symbols = SymbolContext(Language.PYTHON, variables(*VISIBLE, distance=1))
    sampling = SamplingOptions(temperature=1.0, seed=seed)
    task = CompletionTask(prefix, "", symbols, max_tokens=24, sampling=sampling)
    text = prefix + complete(randomly(seed), task).text
    try:
        table = symtable.symtable(text, "<written>", "exec")
    except (SyntaxError, ValueError):
        return  # nothing was written, or what tree-sitter takes and CPython does not: another rule's matter
    entry = Entries(Language.PYTHON).enter(prefix, len(prefix))
    decided = ScopeConstraint.of(entry, task.symbols).advance(text[len(prefix) :] + "\npass\n")
    known = frozenset({*VISIBLE, "a", *dir(builtins)})
    assert isinstance(decided, Refusal) or not list(unresolved(table, known)), text
