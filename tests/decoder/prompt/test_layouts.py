"""Prompts as each family's authors wrote them down, and the layouts that training and prompting share."""

# ruff: noqa: RUF001 - DeepSeek spells its markers with fullwidth bars

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from context_index.symbols import Language, Snippet
from decoder.prompt import Family, Source, family_of
from decoder.prompt.families import FAMILIES
from decoder.prompt.layouts import Layout, Marker, Text, fill_in, left_to_right, rewrite

if TYPE_CHECKING:
    from collections.abc import Iterable


def spelled(layout: Layout) -> str:
    """A layout in one line; texts are set between bars, for they are tokenised apart."""
    return "".join(part.spelling if isinstance(part, Marker) else f"|{part.text}|" for part in layout)


PYTHON = Source(Language.PYTHON, "def f(", "):\n    pass\n", path="a/b.py")
TYPESCRIPT = Source(Language.TYPESCRIPT, "let x = ", ";\n", "src/x.ts", (Snippet("src/y.ts", "let y;\n"),))

ALONE = {
    "embedded": "<|lang_py|><|fim_suffix|>|):\n    pass\n|<|fim_prefix|>|def f(|<|fim_middle|>",
    "qwen2.5-coder": "<|fim_prefix|>|def f(|<|fim_suffix|>|):\n    pass\n|<|fim_middle|>",
    "starcoder2": "<fim_prefix><fim_suffix>|):\n    pass\n|<fim_middle>|def f(|",
    "codellama": "<s>▁<PRE>▁<SUF>|):\n    pass\n|▁<MID>| def f(|",
    "deepseek-coder": "<｜begin▁of▁sentence｜><｜fim▁begin｜>|def f(|<｜fim▁hole｜>|):\n    pass\n|<｜fim▁end｜>",
    "codestral": "<s>[SUFFIX]|):\n    pass\n|[PREFIX]| def f(|",
    "llama": "<s>| def f(|",
    "left to right": "|def f(|",
}

AFTER_ANOTHER_FILE = {
    "embedded": "<|lang_js|><|file_sep|>|src/y.ts\nlet y;\n|<|file_sep|>|src/x.ts\n|"
    "<|fim_suffix|>|;\n|<|fim_prefix|>|let x = |<|fim_middle|>",
    "qwen2.5-coder": "<|file_sep|>|src/y.ts\nlet y;\n\n|<|file_sep|>|src/x.ts\n|"
    "<|fim_prefix|>|let x = |<|fim_suffix|>|;\n|<|fim_middle|>",
    "starcoder2": "<file_sep>|src/y.ts\nlet y;\n|<file_sep>|src/x.ts\n|"
    "<fim_prefix><fim_suffix>|;\n|<fim_middle>|let x = |",
    "codellama": "<s>▁<PRE>▁<SUF>|;\n|▁<MID>| // src/y.ts\nlet y;\n\nlet x = |",
    "deepseek-coder": "<｜begin▁of▁sentence｜><｜fim▁begin｜>|// src/y.ts\nlet y;\n\nlet x = |"
    "<｜fim▁hole｜>|;\n|<｜fim▁end｜>",
    "codestral": "<s>[SUFFIX]|;\n|[PREFIX]| // src/y.ts\nlet y;\n\nlet x = |",
    "llama": "<s>| // src/y.ts\nlet y;\n\nlet x = |",
    "left to right": "|// src/y.ts\nlet y;\n\nlet x = |",
}


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_a_family_is_asked_as_it_was_trained(family: Family) -> None:
    assert spelled(family.layout(PYTHON)) == ALONE[family.name]
    assert spelled(family.layout(TYPESCRIPT)) == AFTER_ANOTHER_FILE[family.name]


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_a_family_says_truly_whether_the_suffix_is_read(family: Family) -> None:
    assert family.reads_suffix == ("pass" in spelled(family.layout(PYTHON)))


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_a_familys_prompts_use_only_markers_that_tell_it(family: Family) -> None:
    used = {part.spelling for part in family.layout(PYTHON) if isinstance(part, Marker)}
    assert used <= {*family.markers}


def special(markers: Iterable[str]) -> dict[str, int]:
    return {marker: place for place, marker in enumerate(markers)}


TELLING = {
    "a chat model of Qwen has more markers": (["<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>", "<tool_call>"],
                                              "qwen2.5-coder"),
    "one marker is missing": (["<|fim_prefix|>", "<|fim_suffix|>"], "left to right"),
    "none": ([], "left to right"),
    "Llama": (["<unk>", "<s>", "</s>"], "llama"),
}  # fmt: skip


@pytest.mark.parametrize(("markers", "name"), TELLING.values(), ids=TELLING.keys())
def test_the_family_is_reported_by_the_tokenizers_markers(markers: list[str], name: str) -> None:
    assert family_of(special(markers)).name == name


def test_typescript_is_marked_as_javascript() -> None:
    assert {fill_in(language, "", "")[0] for language in Language} == {Marker("<|lang_js|>"), Marker("<|lang_py|>")}
    assert left_to_right(Language.TSX, "<a/>") == (Marker("<|lang_js|>"), Text("<a/>"))


def test_a_rewrite_gives_the_instruction_then_the_original() -> None:
    layout = rewrite(Language.JAVASCRIPT, "rename a\nto  b", "let a;\n", snippets=[Snippet("c.js", "b()")])
    assert spelled(layout) == (
        "<|lang_js|><|file_sep|>|c.js\nb()|<|fim_prefix|>|rename a to b\n|<|fim_suffix|>|let a;\n|<|fim_middle|>"
    )
