"""Whatever a model proposes, drafted or not: what comes out is what all rules together accept, read again in one go."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context_index.symbols import Language, SymbolContext
from decoder.completion import CompletionTask
from decoder.completion.preparation import constraint_at
from decoder.constraint.documents import DocumentStates
from decoder.constraint.protocol import Refusal
from decoder.constraint.state import ConstraintState
from decoder.sampling import SamplingOptions
from tests.decoder.drafting import POLICIES, drafted, few_tokens
from tests.decoder.scripted import END, TOKENS, byte_vocabulary, variables

NAMES = variables("total", "items", "user", "plain")
PLACES = [
    (Language.JAVASCRIPT, "const x = ", ""),
    (Language.JAVASCRIPT, "const x = user.", ";\n"),
    (Language.JAVASCRIPT, "if (plain.", ") {}"),
    (Language.TYPESCRIPT, "let x: number = user.name.", "\n"),
    (Language.TYPESCRIPT, "for (const one of ", ") { one; }"),
    (Language.PYTHON, "x = user.", "\n"),
    (Language.PYTHON, "def g(a):\n    return ", "\n"),
    (Language.PYTHON, "from shop import ", "\n"),
]
AMONG = [*b"tialnxue.()=+ \n1'", *range(END, len(TOKENS))]


def fresh(language: Language, prefix: str, suffix: str) -> ConstraintState:
    """All rules at a place."""
    task = CompletionTask(prefix, suffix, SymbolContext(language, NAMES))
    return constraint_at(task, prefix, DocumentStates())[0]


@pytest.mark.slow
@settings(max_examples=120)
@given(
    st.data(),
    st.sampled_from(PLACES),
    st.sampled_from(sorted(POLICIES)),
    st.integers(0, 2**20),
    st.sampled_from([0.0, 1.0]),
)
def test_the_output_satisfies_all_rules_drafted_or_not(
    data: st.DataObject, place: tuple[Language, str, str], policy: str, seed: int, temperature: float
) -> None:
    language, prefix, suffix = place
    sampling = SamplingOptions(temperature=temperature, seed=seed)
    constraint = fresh(language, prefix, suffix)
    plain, _ = drafted(few_tokens(seed, AMONG), sampling=sampling, constraint=constraint, max_tokens=20)
    draft = data.draw(st.sampled_from([plain, list(b"total.items"), [*plain[:3], 122, 122, *plain[3:]]]))
    tokens, _ = drafted(
        few_tokens(seed, AMONG),
        POLICIES[policy](draft),
        sampling=sampling,
        constraint=fresh(language, prefix, suffix),
        max_tokens=20,
    )
    assert tokens == plain
    vocabulary = byte_vocabulary()
    written = b"".join(vocabulary.token_bytes[token] for token in tokens if token not in vocabulary.end)
    whole = fresh(language, prefix, suffix).advance(written)
    assert not isinstance(whole, Refusal)
    letter_by_letter = fresh(language, prefix, suffix)
    for byte in written:
        after = letter_by_letter.advance(bytes([byte]))
        assert not isinstance(after, Refusal)
        letter_by_letter = after
    assert letter_by_letter.report() == whole.report()
