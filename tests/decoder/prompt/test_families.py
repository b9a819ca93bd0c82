"""Prompts as each family's authors wrote them down, which family a tokenizer tells, and what is said of it."""

# ruff: noqa: RUF001 - DeepSeek spells its markers with fullwidth bars

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from context_index.symbols import Language, Snippet
from decoder.errors import UnsupportedModelError
from decoder.models.card import ModelCard
from decoder.models.vocabulary import Vocabulary
from decoder.prompt import Family, PromptSource, family_of
from decoder.prompt.chat import ChatTemplate
from decoder.prompt.families import FAMILIES, Order, Slot, fit_family, row_of
from decoder.prompt.layouts import Layout, Marker, fill_in
from tests.decoder.tiny_tokenizers import QWEN_CHAT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def spelled(layout: Layout) -> str:
    """A layout in one line; texts are set between bars, for they are tokenised apart."""
    return "".join(part.spelling if isinstance(part, Marker) else f"|{part.text}|" for part in layout)


def special(markers: Iterable[str]) -> dict[str, int]:
    return {marker: place for place, marker in enumerate(markers)}


PYTHON = PromptSource(Language.PYTHON, "def f(", "):\n    pass\n", path="a/b.py")
TYPESCRIPT = PromptSource(
    Language.TYPESCRIPT, "let x = ", ";\n", "src/x.ts", (Snippet("src/y.ts", "let y;\n"),), "shop"
)
BY_NAME = {family.name: family for family in FAMILIES}
FIM = ("<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>")
STAR = ("<fim_prefix>", "<fim_suffix>", "<fim_middle>")

ALONE = {
    "embedded": "<|lang_py|><|fim_suffix|>|):\n    pass\n|<|fim_prefix|>|def f(|<|fim_middle|>",
    "codegemma": "<bos><|fim_prefix|>|def f(|<|fim_suffix|>|):\n    pass\n|<|fim_middle|>",
    "qwen2.5-coder": "<|fim_prefix|>|def f(|<|fim_suffix|>|):\n    pass\n|<|fim_middle|>",
    "mellum": "<fim_suffix>|):\n    pass\n|<fim_prefix>|def f(|<fim_middle>",
    "starcoder2": "<fim_prefix><fim_suffix>|):\n    pass\n|<fim_middle>|def f(|",
    "starcoder": "<fim_prefix>|def f(|<fim_suffix>|):\n    pass\n|<fim_middle>",
    "codellama": "<s>▁<PRE>▁<SUF>|):\n    pass\n|▁<MID>| def f(|",
    "deepseek-coder": "<｜begin▁of▁sentence｜><｜fim▁begin｜>|def f(|<｜fim▁hole｜>|):\n    pass\n|<｜fim▁end｜>",
    "codestral": "<s>[SUFFIX]|):\n    pass\n|[PREFIX]| def f(|",
    "seed-coder": "<[fim-suffix]>|):\n    pass\n|<[fim-prefix]>|def f(|<[fim-middle]>",
    "glm-4": "[gMASK]<sop><|user|>|\n###PATH:a/b.py\n###LANGUAGE:Python\n###MODE:BLOCK\n|"
    "<|code_suffix|>|):\n    pass\n|<|code_prefix|>|def f(|<|code_middle|><|assistant|>|\n|",
    "aixcoder": "<s>▁<AIX-SPAN-PRE>▁<AIX-SPAN-POST>|):\n    pass\n|"
    "▁<AIX-SPAN-MIDDLE>|# the file path is: a/b.py\ndef f(|",
    "gemma": "<bos>|def f(|",
    "llama": "<s>| def f(|",
    "left to right": "|def f(|",
}

AFTER_ANOTHER_FILE = {
    "embedded": "<|lang_js|><|file_sep|>|src/y.ts\nlet y;\n|<|file_sep|>|src/x.ts\n|"
    "<|fim_suffix|>|;\n|<|fim_prefix|>|let x = |<|fim_middle|>",
    "codegemma": "<bos>|src/y.ts\nlet y;\n\n|<|file_separator|>|src/x.ts\n|"
    "<|fim_prefix|>|let x = |<|fim_suffix|>|;\n|<|fim_middle|>",
    "qwen2.5-coder": "<|repo_name|>|shop\n|<|file_sep|>|src/y.ts\nlet y;\n\n|<|file_sep|>|src/x.ts\n|"
    "<|fim_prefix|>|let x = |<|fim_suffix|>|;\n|<|fim_middle|>",
    "mellum": "<filename>|src/y.ts\nlet y;\n\n|<filename>|src/x.ts\n|"
    "<fim_suffix>|;\n|<fim_prefix>|let x = |<fim_middle>",
    "starcoder2": "<repo_name>|shop|<file_sep>|src/y.ts\nlet y;\n|<file_sep>|src/x.ts\n|"
    "<fim_prefix><fim_suffix>|;\n|<fim_middle>|let x = |",
    "starcoder": "<reponame>|shop\n|<filename>|src/y.ts\nlet y;\n\n|<filename>|src/x.ts\n|"
    "<fim_prefix>|let x = |<fim_suffix>|;\n|<fim_middle>",
    "codellama": "<s>▁<PRE>▁<SUF>|;\n|▁<MID>| // src/y.ts\nlet y;\n\n// src/x.ts\nlet x = |",
    "deepseek-coder": "<｜begin▁of▁sentence｜><｜fim▁begin｜>|// src/y.ts\nlet y;\n\n// src/x.ts\nlet x = |"
    "<｜fim▁hole｜>|;\n|<｜fim▁end｜>",
    "codestral": "<s>[SUFFIX]|;\n|[PREFIX]| // src/y.ts\nlet y;\n\n// src/x.ts\nlet x = |",
    "seed-coder": "<[fim-suffix]>|;\n|<[fim-prefix]>|// src/y.ts\nlet y;\n\n// src/x.ts\nlet x = |<[fim-middle]>",
    "glm-4": "[gMASK]<sop><|user|>|\n###PATH:src/x.ts\n###LANGUAGE:TypeScript\n###MODE:BLOCK\n|"
    "<|code_suffix|>|;\n|<|code_prefix|>|// src/y.ts\nlet y;\n\n// src/x.ts\nlet x = |<|code_middle|><|assistant|>|\n|",
    "aixcoder": "<s>▁<AIX-SPAN-PRE>▁<AIX-SPAN-POST>|;\n|"
    "▁<AIX-SPAN-MIDDLE>|// src/y.ts\nlet y;\n\n// the file path is: src/x.ts\nlet x = |",
    "gemma": "<bos>|// src/y.ts\nlet y;\n\n// src/x.ts\nlet x = |",
    "llama": "<s>| // src/y.ts\nlet y;\n\n// src/x.ts\nlet x = |",
    "left to right": "|// src/y.ts\nlet y;\n\n// src/x.ts\nlet x = |",
}

ORDERS = {
    "embedded": Order.SUFFIX_FIRST,
    "codegemma": Order.PREFIX_FIRST,
    "qwen2.5-coder": Order.PREFIX_FIRST,
    "mellum": Order.SUFFIX_FIRST,
    "starcoder2": Order.SUFFIX_FIRST,
    "starcoder": Order.PREFIX_FIRST,
    "codellama": Order.SUFFIX_FIRST,
    "deepseek-coder": Order.PREFIX_FIRST,
    "codestral": Order.SUFFIX_FIRST,
    "seed-coder": Order.SUFFIX_FIRST,
    "glm-4": Order.SUFFIX_FIRST,
    "aixcoder": Order.SUFFIX_FIRST,
    "gemma": Order.LEFT_TO_RIGHT,
    "llama": Order.LEFT_TO_RIGHT,
    "left to right": Order.LEFT_TO_RIGHT,
}


def optional(family: Family) -> list[str]:
    return [marker for marker in (family.separator, family.repository) if marker]


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_a_family_is_asked_as_it_was_trained(family: Family) -> None:
    assert spelled(family.layout(PYTHON)) == ALONE[family.name]
    assert spelled(family.layout(TYPESCRIPT)) == AFTER_ANOTHER_FILE[family.name]


@pytest.mark.parametrize("language", Language)
def test_every_language_can_be_asked_about(language: Language) -> None:
    for family in FAMILIES:
        assert "f(" in spelled(family.layout(PromptSource(language, "f(", ")")))


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_a_family_says_truly_what_comes_first(family: Family) -> None:
    prompt = spelled(family.layout(PYTHON))
    assert family.order is ORDERS[family.name]
    assert family.reads_suffix == ("pass" in prompt) == (family.order is not Order.LEFT_TO_RIGHT)
    if family.reads_suffix:
        assert (prompt.index("pass") < prompt.index("def f(")) == (family.order is Order.SUFFIX_FIRST)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_a_tokenizer_with_a_rows_markers_tells_the_row(family: Family) -> None:
    assert family_of(special((*family.markers, *optional(family)))).name == family.name


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_a_prompt_uses_only_markers_that_the_tokenizer_has(family: Family) -> None:
    bare = family_of(special(family.markers))
    used = {part.spelling for part in bare.layout(TYPESCRIPT) if isinstance(part, Marker)}
    assert used <= {*family.markers}
    assert "let y;" in spelled(bare.layout(TYPESCRIPT)), "without a separator other files are comments"


def test_the_built_in_models_row_is_its_trainings_layout() -> None:
    for source in (PYTHON, TYPESCRIPT):
        by_training = fill_in(source.language, source.prefix, source.suffix, path=source.path, snippets=source.snippets)
        assert BY_NAME["embedded"].layout(source) == by_training


TELLING = {
    "a chat model of Qwen has more markers": ((*FIM, "<tool_call>"), "qwen2.5-coder"),
    "Qwen3-Coder and Qwen3.5": ((*FIM, "<|file_sep|>", "<|repo_name|>", "<think>"), "qwen2.5-coder"),
    "Granite 4 has another separator": ((*FIM, "<|filename|>", "<|end_of_text|>"), "qwen2.5-coder"),
    "CodeGemma spells as Qwen and separates otherwise": ((*FIM, "<bos>", "<|file_separator|>"), "codegemma"),
    "DeepSeek V2": (BY_NAME["deepseek-coder"].markers, "deepseek-coder"),
    "StarCoder 1": ((*STAR, "<filename>", "<reponame>", "<gh_stars>"), "starcoder"),
    "StarCoder 2": ((*STAR, "<file_sep>", "<repo_name>"), "starcoder2"),
    "StableCode": (STAR, "starcoder"),
    "Mellum": ((*STAR, "<filename>", "<gh_stars>", "<system>", "<assistant>"), "mellum"),
    "one marker is missing": (FIM[:2], "left to right"),
    "none": ((), "left to right"),
    "Llama": (("<unk>", "<s>", "</s>"), "llama"),
    "Gemma": (("<bos>", "<eos>", "<start_of_turn>"), "gemma"),
}


@pytest.mark.parametrize(("markers", "name"), TELLING.values(), ids=TELLING.keys())
def test_the_family_is_reported_by_the_tokenizers_markers(markers: tuple[str, ...], name: str) -> None:
    assert family_of(special(markers)).name == name


LEFT_TO_RIGHT = (
    "left to right: asked left to right, without the text after the cursor, as the model's tokenizer has no markers "
    "for filling in that Inscope knows"
)
SAID = {
    "known": (
        (*FIM, "<|file_sep|>"),
        "qwen2.5-coder: fill in the middle, prefix first, other files after <|file_sep|>",
    ),
    "no separator": (FIM, "qwen2.5-coder: fill in the middle, prefix first, other files as comments"),
    "suffix first": (
        BY_NAME["seed-coder"].markers,
        "seed-coder: fill in the middle, suffix first, other files as comments",
    ),
    "none": (
        (),
        LEFT_TO_RIGHT,
    ),
    "others": (
        ("<FIM_A>", "<FIM_B>", "</s>"),
        f"{LEFT_TO_RIGHT} (it has <FIM_A>, <FIM_B>)",
    ),
    "half a row": (
        FIM[1:],
        f"{LEFT_TO_RIGHT} (it has <|fim_middle|>, <|fim_suffix|>)",
    ),
}


@pytest.mark.parametrize(("markers", "sentence"), SAID.values(), ids=SAID.keys())
def test_what_was_found_is_said(markers: tuple[str, ...], sentence: str) -> None:
    assert family_of(special(markers)).description == sentence


def test_a_chat_model_is_asked_by_its_template_with_the_answer_begun() -> None:
    markers = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
    family = family_of(special(markers), ChatTemplate(QWEN_CHAT))
    assert family.name == "chat"
    assert family.reads_suffix
    assert spelled(family.layout(PYTHON)) == (
        "<|im_start|>|system\nYou are Qwen, created by Alibaba Cloud. You are a helpful assistant.|<|im_end|>|\n|"
        "<|im_start|>|user\n||Write a/b.py in python.\n\nThe end of the text, which you need not repeat:\n\n```\n):\n"
        "    pass\n\n```\n\nAnswer with the text in one fenced block, without comments on it.|<|im_end|>|\n|"
        "<|im_start|>|assistant\n||```python\n||def f(|"
    )
    with_files = spelled(family.layout(TYPESCRIPT))
    assert with_files.index("The file src/y.ts:\n\n```\nlet y;\n") < with_files.index("Write src/x.ts in typescript.")
    assert with_files.endswith("|```typescript\n||let x = |")


def test_markers_come_before_a_chat_template() -> None:
    assert family_of(special((*FIM, "<|im_start|>")), ChatTemplate(QWEN_CHAT)).name == "qwen2.5-coder"


def test_a_chat_models_answer_ends_with_its_fence() -> None:
    texts = [bytes([value]) for value in range(256)] + [b"```", b"```\n", b""]
    made = Vocabulary(
        texts,
        encode=lambda text: list(text.encode()),
        special={"<|im_end|>": 258},
        end=frozenset({258}),
    )
    assert ModelCard.of(made, ChatTemplate(QWEN_CHAT)).filling.end == {256, 257, 258}


ROWS: Mapping[str, tuple[list[str], str | None, str, str]] = {
    "prefix first": (
        ["<A>", "{prefix}", "<B>", "{suffix}", "<C>"], None,
        "<A>|def f(|<B>|):\n    pass\n|<C>", "<A>|// src/y.ts\nlet y;\n\n// src/x.ts\nlet x = |<B>|;\n|<C>",
    ),
    "suffix first": (
        ["<B>", "{suffix}", "<A>", "{prefix}", "<C>"], None,
        "<B>|):\n    pass\n|<A>|def f(|<C>", "<B>|;\n|<A>|// src/y.ts\nlet y;\n\n// src/x.ts\nlet x = |<C>",
    ),
    "files after a separator": (
        ["{files}", "<A>", "{prefix}", "<B>", "{suffix}", "<C>"], "<F>",
        "<A>|def f(|<B>|):\n    pass\n|<C>",
        "<F>|src/y.ts\nlet y;\n|<F>|src/x.ts\n|<A>|let x = |<B>|;\n|<C>",
    ),
    "no marker at the cursor": (["<B>", "{suffix}", "<A>", "{prefix}"], None,
        "<B>|):\n    pass\n|<A>|def f(|", "<B>|;\n|<A>|// src/y.ts\nlet y;\n\n// src/x.ts\nlet x = |",
    ),
    "left to right": (["<A>", "{prefix}"], None, "<A>|def f(|", "<A>|// src/y.ts\nlet y;\n\n// src/x.ts\nlet x = |"),
}  # fmt: skip


@pytest.mark.parametrize(("prompt", "separator", "alone", "with_file"), ROWS.values(), ids=ROWS.keys())
def test_a_person_defines_a_row(prompt: list[str], separator: str | None, alone: str, with_file: str) -> None:
    row = fit_family(row_of(prompt, separator=separator), special(("<A>", "<B>", "<C>", "<F>")))
    assert spelled(row.layout(PYTHON)) == alone
    assert spelled(row.layout(TYPESCRIPT)) == with_file


WRONG_ROWS = {
    "no prefix": (["<A>", "{suffix}"], "must have {prefix} exactly once"),
    "the prefix twice": (["{prefix}", "{prefix}"], "must have {prefix} exactly once"),
    "the suffix twice": (["{suffix}", "{prefix}", "{suffix}"], "must have {suffix} at most once"),
    "files twice": (["{files}", "{prefix}", "{files}"], "must have {files} at most once"),
    "a marker that the tokenizer lacks": (["<Z>", "{prefix}"], "no marker '<Z>', which the prompt of 'configured'"),
}


@pytest.mark.parametrize(("prompt", "sentence"), WRONG_ROWS.values(), ids=WRONG_ROWS.keys())
def test_a_row_that_cannot_be_is_refused_with_a_sentence(prompt: list[str], sentence: str) -> None:
    with pytest.raises(UnsupportedModelError) as caught:
        fit_family(row_of(prompt), special(("<A>", "<B>", "<C>")))
    assert sentence in str(caught.value)
    assert str(caught.value).endswith("remove it.")


def test_slots_are_no_markers() -> None:
    assert not {*Slot} & {marker for family in FAMILIES for marker in family.markers}
