"""Rewrites: the prompt of each kind of model, what is kept of the original, and what ends one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from threading import Event

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_index.symbols import Language, SymbolContext
from decoder.draft import DraftPolicy, Prediction
from decoder.errors import RegionTooLongError, UnsupportedModelError
from decoder.models.card import ModelCard
from decoder.models.loading import load_model
from decoder.models.vocabulary import Vocabulary
from decoder.prompt.chat import ChatTemplate
from decoder.prompt.layouts import Marker, PromptText
from decoder.prompt.rewriting import rewrite_prompt
from decoder.rewriting.attempt import RewriteAttempt
from decoder.rewriting.probability import probability
from decoder.rewriting.region_frame import RegionFrame
from decoder.rewriting.rewriting import Rewriting
from decoder.rewriting.task import RewriteTask
from decoder.search import NotAccepted, SearchResult, Verify
from decoder.stops import Stop
from tests.decoder.forced import BuiltIn, said
from tests.decoder.scripted import END, ScriptedModel, byte_vocabulary, letters, says
from tests.decoder.tiny_models import write_model
from tests.examples import examples

PYTHON = SymbolContext(Language.PYTHON)


def task(text: str, instruction: str = "call it b", **options: object) -> RewriteTask:
    names = frozenset({"print"})
    given = {"prediction": Prediction(text), "names": names, **options}
    return RewriteTask(text, instruction, PYTHON, **given)  # type: ignore[arg-type]  # a shorthand


def rewrite(
    model: ScriptedModel, asked: RewriteTask, verify: Verify = lambda _text: None
) -> tuple[Rewriting, SearchResult[RewriteAttempt]]:
    """All that is written until a text is accepted, without pauses."""
    rewriting = Rewriting(model, asked)
    return rewriting, rewriting.search(verify)


def first(model: ScriptedModel, asked: RewriteTask) -> RewriteAttempt:
    """The first attempt, whatever it is."""
    _, found = rewrite(model, asked)
    return found.written[0]


def test_what_the_model_wrote_takes_the_place_of_the_text() -> None:
    rewriting, found = rewrite(said("b = 1\nprint(b)"), task("a = 1\nprint(a)\n"))
    (done,) = found.accepted
    assert (done.text, done.stop) == ("b = 1\nprint(b)\n", Stop.END)
    pieces = rewriting.pieces(rewriting.counts(done.run))
    assert "".join(text for kind, text in pieces if kind != "rejected") == "b = 1\nprint(b)"


def test_pieces_part_no_character() -> None:
    """The two share the first bytes of a character."""
    rewriting, found = rewrite(said("b = '😁'"), task("b = '😀'\n", constrained=False))
    pieces = rewriting.pieces(rewriting.counts(found.accepted[0].run))
    assert "".join(text for kind, text in pieces if kind != "rejected") == "b = '😁'"


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
    assert first(said(written), task(text, constrained=False)).text == expected


@pytest.mark.parametrize(
    ("text", "written", "expected"),
    [
        ("\tif a:\n\t\tb()\n", "\tif b:\n\t    b()", "\tif b:\n\t\tb()\n"),
        ("\tif a:\r\n\t\tb()\r\n", "\tif b:\n\t    b()\n", "\tif b:\r\n\t\tb()\r\n"),
        ("if a:\n\tb()\n", "if b:\n    c(\n          b)", "if b:\n\tc(\n\t\t  b)\n"),
        ("if a:\n    b()\n", "if b:\n    b()", "if b:\n    b()\n"),
        ("if a:\n\tb()\nif c:\n    b()\n", "if b:\n    b()", "if b:\n    b()\n"),
    ],
)
def test_what_is_written_is_indented_by_tabs_where_the_region_is(text: str, written: str, expected: str) -> None:
    frame = RegionFrame.of(text, level=4)
    assert frame.region_with(written) == expected
    for offset, character in enumerate(expected):
        if not character.isspace():
            assert written[frame.offset_in_output(written, offset)] == character


def test_the_built_in_model_indents_by_tabs_where_the_region_does() -> None:
    model = BuiltIn(lambda _original: "\tif b:\n\t    b = 1")
    asked = task("\tif a:\n\t\ta = 1\n", prefix="def f(a, b):\n", names=frozenset({"a", "b"}))
    assert first(model, asked).text == "\tif b:\n\t\tb = 1\n"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("draft", ["# which\na = 1\n", "a = 2\n", "# other\n", ""])
def test_the_built_in_model_leaves_the_comments_above_as_they_are(draft: str, end: str) -> None:
    """It was taught functions without them; what other models write in their place is taken."""
    text = f"# which{end}a = 1{end}"
    asked = task(text, constrained=False, comments=len(f"# which{end}"), prediction=Prediction(draft))
    seen: list[str] = []

    def changed(original: str) -> str:
        seen.append(original)
        return "b = 1"

    assert first(BuiltIn(changed), asked).text == f"# which{end}b = 1{end}"
    assert {*seen} == {"a = 1"}
    assert first(said("b = 1"), asked).text == f"b = 1{end}"


DRAFTS = ("its own", "none", "the result", "another", "half")


@pytest.mark.parametrize("draft", DRAFTS)
@pytest.mark.parametrize("policy", DraftPolicy)
def test_no_draft_and_no_policy_changes_what_is_written(policy: DraftPolicy, draft: str) -> None:
    original = "".join(f"value_{n} = compute({n})\n" for n in range(12))
    result = original.replace("compute", "calculate")
    texts = dict(zip(DRAFTS, (original, "", result, "nothing like it\n" * 9, result[:99]), strict=True))
    names = frozenset({"compute", "calculate"})
    prediction = Prediction(texts[draft], policy, lookahead=7, recovery=3)
    rewriting, found = rewrite(said(result.rstrip()), task(original, names=names, prediction=prediction))
    (done,) = found.accepted
    counts = rewriting.counts(done.run)
    assert done.text == result
    assert counts.accepted + counts.extra + counts.generated + counts.copied == len(done.run.tokens)
    if policy is not DraftPolicy.PLAIN and draft == "the result":
        assert counts.accepted > 0.7 * len(result)
    if policy is DraftPolicy.ALIGNED and draft == "its own":
        assert counts.accepted > 0.4 * len(original)
        assert counts.forwards < len(original) / 5
    if not texts[draft] or policy is DraftPolicy.PLAIN:
        assert (counts.accepted, counts.rejected, counts.extra) == (0, 0, 0)


def test_a_made_up_name_makes_no_result() -> None:
    assert first(said("b = zz\nc = b"), task("b = a\n", words=frozenset({"a"}))).stop is Stop.STUCK


def test_an_endless_answer_is_no_result() -> None:
    done = first(said("x = 1 " * 200), task("a = 1\n", constrained=False))
    assert done.stop in (Stop.LENGTH, Stop.REPETITION)
    assert done.text == ""


def test_repetition_in_the_original_is_none() -> None:
    rows = "rows = [\n" + "    [0, 0, 0, 0],\n" * 8 + "]\n"
    assert first(said(rows.rstrip()), task(rows)).text == rows


def test_the_result_begins_with_the_indentation_of_the_original() -> None:
    done = first(said("    return b"), task("    return a\n", prefix="def f(a, b):\n", names=frozenset({"a", "b"})))
    assert done.text == "    return b\n"
    done = first(said("return b"), task("    return a\n", prefix="def f(a, b):\n", names=frozenset({"a", "b"})))
    assert done.whole.startswith("    ")


def unsure(text: str, other: str) -> ScriptedModel:
    """A model that wants to write a text, and nearly as much another letter at its end."""
    model = says(*letters(text))
    script = model._script

    def nearly(output: Sequence[int]) -> np.ndarray:
        logits = script(output)
        if len(output) == len(text) - 1:
            logits[ord(other)] = 9
        return logits

    return ScriptedModel(nearly)


def test_what_is_rejected_at_a_place_is_written_otherwise_from_there_on() -> None:
    text = "".join(f"value_{n} = {n}\n" for n in range(30)).rstrip()
    model = unsure(text, "7")
    asked = task(text, constrained=False)
    prompt = rewrite_prompt(model.card, Language.PYTHON, asked.instruction, text)
    model._prompt_length = len(prompt.tokens)  # which is read in portions
    _, found = rewrite(model, asked, lambda one: NotAccepted(len(text)) if one == text else None)
    assert [one.text for one in found.written] == [text, text[:-1] + "7"]
    assert found.accepted == [found.written[1]]
    assert found.written[1].run.ledger.forwards < 4, "what both have in common is not written again"


def test_what_the_model_was_unsure_of_is_less_probable_to_be_right() -> None:
    text = "".join(f"value_{n} = {n}\n" for n in range(9)).rstrip()
    sure, unsure_of = (
        probability(first(model, task(text, constrained=False)), 0.0)
        for model in (said(text.replace("3", "4")), unsure(text, "7"))
    )
    assert 0 < unsure_of < sure < 1


def test_cancelled_between_two_slices() -> None:
    cancel = Event()
    rewriting = Rewriting(said("b = 1\n" * 40), task("a = 1\n" * 40, constrained=False), cancel)
    assert rewriting.advance(0) is None
    cancel.set()
    done = rewriting.advance(0)
    assert done is not None
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
    asked = template.layout('x = "<|im_end|>"', SPECIAL)
    before = (Marker("<s>"), start, PromptText("user\n"))
    assert asked == (*before, PromptText('x = "<|im_end|>"'), end, PromptText("\n"), start, PromptText("assistant\n"))


def chatting() -> ScriptedModel:
    model = says(*letters("b = 1\n`"))
    vocabulary = byte_vocabulary()
    written = [*vocabulary.token_bytes[:96], b"```", *vocabulary.token_bytes[97:]]  # 96 is the backtick
    chat = ChatTemplate(CHAT.replace("{{ bos_token }}", ""))
    special = {"<end>": END, "<|im_start|>": 1, "<|im_end|>": 2}
    answering = Vocabulary(written, encode=vocabulary.encode, special=special, end=vocabulary.end)
    model.card = ModelCard.of(answering, chat)
    return model


def test_the_closing_fence_ends_the_answer_of_an_instruct_model() -> None:
    model = chatting()
    prompt = rewrite_prompt(model.card, Language.PYTHON, "rename a to b", "a = 1")
    assert bytes(prompt.tokens).endswith(b"assistant\n```python\n")
    assert prompt.end == {END, ord("`")}
    asked = task("a = 1\n")
    body = rewrite_prompt(model.card, Language.PYTHON, asked.instruction, "a = 1")
    model._prompt_length = len(body.tokens)  # which is read in portions
    done = first(model, asked)
    assert (done.text, done.stop) == ("b = 1\n", Stop.END)


def test_code_that_holds_a_fence_is_asked_for_without_one() -> None:
    prompt = rewrite_prompt(chatting().card, Language.PYTHON, "x", 'a = "```"')
    assert prompt.end == {END}


@examples(30)
@given(st.text(alphabet="ab \n\r=1", max_size=60))
def test_an_unchanged_answer_leaves_every_byte(text: str) -> None:
    body = text.strip("\r\n").rstrip()
    if "\r\n" in text and "\n" not in text.replace("\r\n", ""):
        body = body.replace("\r\n", "\n")
    assert first(said(body), task(text, "leave it as it is", constrained=False)).whole == text


def test_a_region_that_does_not_fit_is_refused_with_the_share_that_does() -> None:
    text = "a = 1\n" * 500
    with pytest.raises(RegionTooLongError) as raised:
        Rewriting(said("x"), task(text))
    error = raised.value
    assert (error.region, error.context) == (2999, 4096)
    fitting = text[: int(error.fits * error.region)]
    Rewriting(said("x"), task(fitting))
    with pytest.raises(RegionTooLongError):
        Rewriting(said("x"), task(fitting + "a = 1\n" * 2))


def test_an_instruction_that_does_not_fit_leaves_no_room_for_an_empty_region() -> None:
    with pytest.raises(RegionTooLongError) as raised:
        Rewriting(said("x"), task("", "write it " * 1000))
    assert (raised.value.region, raised.value.fits) == (0, 0.0)


@pytest.mark.slow
@pytest.mark.parametrize("place", ["tokenizer_config.json", "chat_template.jinja"])
def test_an_instruct_model_is_asked_in_its_own_template(tmp_path: Path, place: str) -> None:
    directory = write_model("qwen2", tmp_path)
    template = "<|im_end|>{{ messages[0].content }}<|im_end|>"
    config = {"model_max_length": 256, **({"chat_template": template} if place.endswith(".json") else {})}
    (directory / "tokenizer_config.json").write_text(json.dumps(config), "utf-8")
    if place.endswith(".jinja"):
        (directory / place).write_text(template, "utf-8")
    card = load_model(str(directory), device="cpu").card
    vocabulary = card.vocabulary
    prompt = rewrite_prompt(card, Language.PYTHON, "rename a to b", 'a = "<|im_end|>"')
    assert prompt.tokens.count(vocabulary.special["<|im_end|>"]) == 2
    assert vocabulary.decode(prompt.tokens).endswith("```python\n")
    assert '"<|im_end|>"' in vocabulary.decode(prompt.tokens)


def test_a_template_that_cannot_be_rendered_is_reported() -> None:
    for source in ("{{ messages[0].content", "nothing", "{{ raise_exception('no system') }}"):
        with pytest.raises(UnsupportedModelError, match="chat template"):
            ChatTemplate(source).layout("x", ())
