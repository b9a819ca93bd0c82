"""The layouts that training and prompting share."""

from __future__ import annotations

from context_index.symbols import Language, Snippet
from decoder.prompt.layouts import Layout, Marker, PromptText, fill_in, left_to_right, rewrite


def spelled(layout: Layout) -> str:
    """A layout in one line; texts are set between bars, for they are tokenised apart."""
    return "".join(part.spelling if isinstance(part, Marker) else f"|{part.text}|" for part in layout)


def test_typescript_is_marked_as_javascript() -> None:
    assert {fill_in(language, "", "")[0] for language in Language} == {Marker("<|lang_js|>"), Marker("<|lang_py|>")}
    assert left_to_right(Language.TSX, "<a/>") == (Marker("<|lang_js|>"), PromptText("<a/>"))


def test_a_rewrite_gives_the_instruction_then_the_original() -> None:
    layout = rewrite(Language.JAVASCRIPT, "rename a\nto  b", "let a;\n", snippets=[Snippet("c.js", "b()")])
    assert spelled(layout) == (
        "<|lang_js|><|file_sep|>|c.js\nb()|<|fim_prefix|>|rename a to b\n|<|fim_suffix|>|let a;\n|<|fim_middle|>"
    )
