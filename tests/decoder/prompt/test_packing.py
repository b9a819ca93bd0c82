"""Prompts keep to their budget, cut at lines, and stay where they are while one types."""

from __future__ import annotations

import argparse
import inspect
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_index.symbols import Language, Snippet
from decoder.models.card import ModelCard
from decoder.models.line_tokens import LineTokens
from decoder.models.vocabulary import Vocabulary
from decoder.prefill import shared_length
from decoder.prompt import PromptSource, pack
from tests.decoder.tiny_tokenizers import embedded_vocabulary, tiny_tokenizers
from tests.examples import examples

FILE = inspect.getsource(argparse)
BLANKS = st.sampled_from(["", " ", "    ", "\t", "  \t"])
LINES = st.lists(
    st.one_of(
        st.builds("".join, st.tuples(BLANKS, st.sampled_from(["x", "});", "return a.b", "# é 你", "1", ""]), BLANKS)),
        st.text(st.characters(exclude_characters="▁", exclude_categories=["Cs"]), max_size=12),
    ),
    max_size=12,
)
LINE_END = st.sampled_from(["\n", "\r\n"])
TOKENIZERS = tiny_tokenizers()


@pytest.fixture(scope="module", params=["embedded", *TOKENIZERS])
def vocabulary(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Vocabulary:
    if request.param == "embedded":
        return embedded_vocabulary()
    return TOKENIZERS[request.param].vocabulary(tmp_path_factory.mktemp(request.param))


@pytest.fixture(scope="module")
def shipped() -> Vocabulary:
    return embedded_vocabulary()


@pytest.fixture(scope="module")
def by_line(vocabulary: Vocabulary) -> LineTokens:
    return LineTokens(vocabulary.encode)


@examples(60)
@given(lines=LINES, end=LINE_END)
def test_tokens_by_line_are_the_tokens_of_the_whole(
    vocabulary: Vocabulary, by_line: LineTokens, lines: list[str], end: str
) -> None:
    text = end.join(lines)
    assert by_line.encode(text) == vocabulary.encode(text)
    assert by_line.count(text) == len(vocabulary.encode(text))


def test_a_tokenizer_whose_pieces_span_lines_is_used_whole() -> None:
    def encode(text: str) -> list[int]:
        return [len(text)]

    assert LineTokens(encode).encode("a\nb\nc") == [5]


@examples(25)
@given(
    prefix_end=st.integers(0, 40_000),
    hole=st.integers(0, 200),
    budget=st.integers(64, 2_000),
    snippets=st.lists(
        st.builds(Snippet, st.just("a/b.py"), st.sampled_from([FILE[:300], FILE[500:4000], ""])), max_size=3
    ),
)
def test_a_prompt_keeps_to_its_budget_and_holds_what_stands_next_to_the_cursor(
    vocabulary: Vocabulary, prefix_end: int, hole: int, budget: int, snippets: list[Snippet]
) -> None:
    prefix, suffix = FILE[:prefix_end], FILE[prefix_end + hole : prefix_end + 40_000]
    prompt = pack(
        ModelCard.of(vocabulary), PromptSource(Language.PYTHON, prefix, suffix, "c.py", tuple(snippets)), budget
    )
    assert len(prompt.tokens) <= budget
    assert prefix.endswith(prompt.prefix)
    assert suffix.startswith(prompt.suffix)
    written = b"".join(vocabulary.token_bytes[token] for token in prompt.tokens).decode()
    assert prompt.prefix in written
    assert prompt.suffix in written


@pytest.mark.parametrize("budget", [200, 448, 1900])
def test_the_budget_is_used(shipped: Vocabulary, budget: int) -> None:
    for cut in range(20_000, 40_000, 777):
        prompt = pack(ModelCard.of(shipped), PromptSource(Language.PYTHON, FILE[:cut], FILE[cut:]), budget)
        assert len(prompt.tokens) > budget * 0.6
        assert len(prompt.suffix) > budget / 2
        assert len(prompt.prefix) > budget


@pytest.mark.parametrize(
    "line",
    [
        "// 计算购物车里所有商品的总价包括折扣和运费并返回一个带有货币符号的字符串\n",
        "// Считает общую стоимость всех товаров в корзине, включая скидки и доставку\n",
        "// 🍏🍐🍊🍋🍌\n",
    ],
)
def test_the_budget_is_used_where_tokens_have_few_characters(shipped: Vocabulary, line: str) -> None:
    card = ModelCard.of(shipped)
    for cut in range(2_000, 2_400, 7):
        prompt = pack(card, PromptSource(Language.JAVASCRIPT, (line * 200)[:cut] + "\nreturn a.", line * 200), 448)
        assert len(prompt.tokens) > 448 * 0.4
        assert len(shipped.encode(prompt.prefix)) > 448 * 0.2
        assert prompt.suffix


def test_both_sides_are_cut_at_line_ends(shipped: Vocabulary) -> None:
    for cut in range(10_000, 30_000, 997):
        prompt = pack(ModelCard.of(shipped), PromptSource(Language.PYTHON, FILE[:cut], FILE[cut:]), 448)
        assert FILE[cut - len(prompt.prefix) - 1] == "\n"
        assert prompt.suffix.endswith("\n")


def test_what_one_side_does_not_need_the_other_gets(shipped: Vocabulary) -> None:
    card = ModelCard.of(shipped)
    at_the_end = pack(card, PromptSource(Language.PYTHON, FILE[:20_000], "\n"), 448)
    at_the_start = pack(card, PromptSource(Language.PYTHON, "import", FILE[20_000:]), 448)
    between = pack(card, PromptSource(Language.PYTHON, FILE[:20_000], FILE[20_000:]), 448)
    assert len(at_the_end.prefix) > len(between.prefix)
    assert len(at_the_start.suffix) > 2 * len(between.suffix)


@pytest.mark.parametrize("words", [1, 9, 24, 60, 80])
def test_a_prefix_of_half_the_budget_is_kept_however_long_its_last_line_is(shipped: Vocabulary, words: int) -> None:
    prefix = "import os\n\nrows = [" + '"north", ' * words
    prompt = pack(ModelCard.of(shipped), PromptSource(Language.PYTHON, prefix, FILE[:20_000]), 448)
    assert prompt.prefix == prefix


@pytest.mark.parametrize("start", [3_000, *(pytest.param(start, marks=pytest.mark.slow) for start in (0, 30_000))])
def test_while_one_types_the_beginning_of_the_prompt_stays(shipped: Vocabulary, start: int) -> None:
    card = ModelCard.of(shipped)
    keys = 600
    suffix = FILE[start + keys : start + 9_000]
    prompts = [
        pack(card, PromptSource(Language.PYTHON, FILE[:place], suffix), 448).tokens
        for place in range(start, start + keys)
    ]
    read = [len(new) - shared_length(old, new) for old, new in pairwise(prompts)]
    assert sum(tokens > 60 for tokens in read) <= keys / 150, "the cut moves once in a while"
    assert sum(read) / len(read) < 4
    assert sorted(read)[len(read) // 2] <= 2


@pytest.mark.slow
@pytest.mark.parametrize("text", ["x" * 50_000, "a = 1; " * 9_000, "\n" * 50_000, " " * 50_000])
def test_one_endless_line_is_cut_within(vocabulary: Vocabulary, text: str) -> None:
    prompt = pack(ModelCard.of(vocabulary), PromptSource(Language.JAVASCRIPT, text, text), 200)
    assert 20 <= len(prompt.tokens) <= 200
    assert prompt.prefix


def test_snippets_come_in_their_order_as_long_as_there_is_room(shipped: Vocabulary) -> None:
    snippets = tuple(
        Snippet(f"{name}.py", FILE[place : place + 900]) for name, place in (("a", 0), ("b", 5000), ("c", 9000))
    )
    prompt = pack(ModelCard.of(shipped), PromptSource(Language.PYTHON, FILE[:20_000], "", "d.py", snippets), 1_000)
    assert [snippet.path for snippet in prompt.snippets] == ["a.py", "b.py"][: len(prompt.snippets)]
    assert prompt.snippets
    for snippet, kept in zip(snippets, prompt.snippets, strict=False):
        assert snippet.text.startswith(kept.text)


def test_an_empty_file_has_a_prompt_to_read(vocabulary: Vocabulary) -> None:
    assert 1 <= len(pack(ModelCard.of(vocabulary), PromptSource(Language.PYTHON, "", ""), 64).tokens) <= 8


def test_five_thousand_lines_are_not_tokenised(shipped: Vocabulary) -> None:
    asked = 0

    def encode(text: str) -> list[int]:
        nonlocal asked
        asked += len(text)
        return shipped.encode(text)

    counting = Vocabulary(shipped.token_bytes, encode=encode, special=shipped.special, end=shipped.end)
    long = FILE * 2
    card = ModelCard.of(counting)
    pack(card, PromptSource(Language.PYTHON, long[:100_000], long[100_000:]), 448)
    assert asked < 20_000
    asked = 0
    pack(card, PromptSource(Language.PYTHON, long[:100_001], long[100_001:]), 448)
    assert asked < 2_000
