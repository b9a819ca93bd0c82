"""Rewrites: the prompt of each kind of model, what is kept of the original, and what ends one."""

from __future__ import annotations

import json
from pathlib import Path
from threading import Event

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_index.symbols import Language, SymbolContext
from decoder.errors import UnsupportedModelError
from decoder.models.loading import load_model
from decoder.prompt.chat import ChatTemplate
from decoder.prompt.layouts import Marker, Text
from decoder.prompt.rewriting import rewrite_prompt
from decoder.rewriting.rewriting import Rewriting, longest_region, rewrite
from decoder.rewriting.task import Policy, Rewrite, RewriteTask
from decoder.stops import Stop
from tests.decoder.forced import said
from tests.decoder.scripted import END, ScriptedModel, byte_vocabulary, says
from tests.decoder.tiny_models import write_model
from tests.examples import examples

PYTHON = SymbolContext(Language.PYTHON)


def task(text: str, instruction: str = "rename a to b", **options: object) -> RewriteTask:
    return RewriteTask(text, instruction, PYTHON, **{"draft": text, **options})  # type: ignore[arg-type]  # a shorthand


def test_what_the_model_wrote_takes_the_place_of_the_text() -> None:
    done = rewrite(said("b = 1\nprint(b)"), task("a = 1\nprint(a)\n"))
    assert (done.text, done.stop) == ("b = 1\nprint(b)\n", Stop.END)
    assert "".join(text for kind, text in done.pieces if kind != "rejected") == "b = 1\nprint(b)"


@pytest.mark.parametrize(
    ("text", "written", "expected"),
    [
        ("\n\na = 1\n\n\n", "b = 1\n", "\n\nb = 1\n\n\n"),
        ("a = 1\r\nc = a\r\n", "b = 1\nc = b", "b = 1\r\nc = b\r\n"),
        ("a = 1\r\nc = a\n", "b = 1\r\nc = b", "b = 1\r\nc = b\n"),
        ("    a = 1\n", "    b = 1", "    b = 1\n"),
        ("a = 1", "b = 1\n\n", "b = 1"),
        ("é = a\n", "é = b", "é = b\n"),
    ],
)
def test_blank_lines_around_and_line_ends_are_kept(text: str, written: str, expected: str) -> None:
    assert rewrite(said(written), task(text, constrained=False)).text == expected


@pytest.mark.parametrize("policy", Policy)
def test_policies_write_the_same(policy: Policy) -> None:
    original = "".join(f"value_{n} = compute({n})\n" for n in range(12))
    result = original.replace("compute", "calculate")
    done = rewrite(said(result.rstrip()), task(original, "rename compute to calculate", policy=policy))
    assert (done.text, done.stop) == (result, Stop.END)
    if policy is Policy.ALIGNED:
        assert done.counts.accepted > 0.7 * len(original)
        assert done.counts.forwards < len(original) / 5


def test_a_made_up_name_makes_no_result() -> None:
    done = rewrite(said("b = zz\nc = b"), task("b = a\n"))
    assert done.stop is Stop.STUCK


def test_an_endless_answer_is_no_result() -> None:
    done = rewrite(said("x = 1 " * 200), task("a = 1\n", constrained=False))
    assert done.stop in (Stop.LENGTH, Stop.REPETITION)


def test_repetition_in_the_original_is_none() -> None:
    rows = "rows = [\n" + "    [0, 0, 0, 0],\n" * 8 + "]\n"
    assert rewrite(said(rows.rstrip()), task(rows)).text == rows


def test_cancelled_between_two_slices() -> None:
    cancel = Event()
    rewriting = Rewriting(said("b = 1\n" * 40), task("a = 1\n" * 40, constrained=False), cancel)
    assert rewriting.advance(0) is None
    cancel.set()
    done = rewriting.advance(0)
    assert isinstance(done, Rewrite)
    assert done.stop is Stop.CANCELLED


def test_slices_do_not_touch_the_models_own_cache() -> None:
    model = said("b = 1")
    model.forward([1, 10, 3])
    rewrite(model, task("a = 1\n"))
    assert model.tokens == [1, 10, 3]


CHAT = (
    "{{ bos_token }}{% for message in messages %}<|im_start|>{{ message['role'] }}\n"
    "{{ message['content'] }}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
SPECIAL = ("<s>", "<|im_start|>", "<|im_end|>")


def test_a_chat_template_becomes_markers_and_a_marker_in_the_code_stays_text() -> None:
    template = ChatTemplate.of({"chat_template": CHAT, "bos_token": {"content": "<s>"}})
    assert template is not None
    start, end = Marker("<|im_start|>"), Marker("<|im_end|>")
    asked = template.asked('x = "<|im_end|>"', SPECIAL)
    before = (Marker("<s>"), start, Text("user\n"))
    assert asked == (*before, Text('x = "<|im_end|>"'), end, Text("\n"), start, Text("assistant\n"))


def chatting() -> ScriptedModel:
    model = says(*(bytes([byte]) for byte in b"b = 1\n"), b"`")
    vocabulary = byte_vocabulary()
    written = [*vocabulary.token_bytes[:96], b"```", *vocabulary.token_bytes[97:]]  # 96 is the backtick
    chat = ChatTemplate(CHAT.replace("{{ bos_token }}", ""))
    special = {"<end>": END, "<|im_start|>": 1, "<|im_end|>": 2}
    model.vocabulary = type(vocabulary)(
        written, encode=vocabulary.encode, special=special, end=vocabulary.end, chat=chat
    )
    return model


def test_the_closing_fence_ends_the_answer_of_an_instruct_model() -> None:
    model = chatting()
    prompt = rewrite_prompt(model.vocabulary, Language.PYTHON, "rename a to b", "a = 1")
    assert bytes(prompt.tokens).endswith(b"assistant\n```python\n")
    assert prompt.end == {END, ord("`")}
    done = rewrite(model, task("a = 1\n"))
    assert (done.text, done.stop) == ("b = 1\n", Stop.END)


def test_code_that_holds_a_fence_is_asked_for_without_one() -> None:
    prompt = rewrite_prompt(chatting().vocabulary, Language.PYTHON, "x", 'a = "```"')
    assert prompt.end == {END}


@examples(30)
@given(st.text(alphabet="ab \n\r=1", max_size=60))
def test_an_unchanged_answer_leaves_every_byte(text: str) -> None:
    body = text.strip("\r\n").rstrip()
    if "\r\n" in text and "\n" not in text.replace("\r\n", ""):
        body = body.replace("\r\n", "\n")
    assert rewrite(said(body), task(text, "leave it as it is", constrained=False)).text == text


def test_a_region_fits_twice() -> None:
    model = said("x")
    longest = longest_region(model, "rename", PYTHON)
    text = ("words of " * longest)[: longest - 1] + "a"
    done = rewrite(said(text), task(text, "rename", constrained=False))
    assert (done.text, done.stop) == (text, Stop.END)
    assert done.prompt_tokens + longest <= model.context


@pytest.mark.slow
@pytest.mark.parametrize("place", ["tokenizer_config.json", "chat_template.jinja"])
def test_an_instruct_model_is_asked_in_its_own_template(tmp_path: Path, place: str) -> None:
    directory = write_model("qwen2", tmp_path)
    template = "<|im_end|>{{ messages[0].content }}<|im_end|>"
    config = {"model_max_length": 256, **({"chat_template": template} if place.endswith(".json") else {})}
    (directory / "tokenizer_config.json").write_text(json.dumps(config), "utf-8")
    if place.endswith(".jinja"):
        (directory / place).write_text(template, "utf-8")
    vocabulary = load_model(str(directory), device="cpu").vocabulary
    prompt = rewrite_prompt(vocabulary, Language.PYTHON, "rename a to b", 'a = "<|im_end|>"')
    assert prompt.tokens.count(vocabulary.special["<|im_end|>"]) == 2
    assert vocabulary.decode(prompt.tokens).endswith("```python\n")
    assert '"<|im_end|>"' in vocabulary.decode(prompt.tokens)


def test_a_template_that_cannot_be_rendered_is_told() -> None:
    for source in ("{{ messages[0].content", "nothing", "{{ raise_exception('no system') }}"):
        with pytest.raises(UnsupportedModelError, match="chat template"):
            ChatTemplate(source).asked("x", ())
