"""Every engine keeps what it declares: one suite over numpy, transformers, a real llama-server and servers on loopback.

The real llama-server needs xllamacpp (`pip install 'inscope[gguf]'`); the others answer as vLLM, Ollama and a plain
server literally do.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from threading import Event, Timer
from typing import Any

import numpy as np
import pytest

from context_index import Document, Language, Workspace, parse
from decoder import CompletionTask, Model, ModelOptions, NamePrompt, Stop, complete, embedded, load_model
from decoder.draft.counts import Ledger
from decoder.draft.policies import Drafter, Undrafted
from decoder.draft.prediction import Prediction
from decoder.errors import ModelServerError
from decoder.models.loading import load_through_transformers
from decoder.models.model import Sees, is_partial
from decoder.models.server.address import Address
from decoder.models.server.child import Child
from decoder.models.server.model import ServerModel, TopRows
from decoder.models.server.probe import connect
from decoder.models.server.vocabulary import LearntVocabulary
from decoder.models.waiting import GaveUpError, waited_for
from decoder.prefill import prefill
from tests.decoder.models.server import gguf_file
from tests.decoder.models.server.loopback import BuiltIn, Handler, Loopback, ollama, plain, serving, vllm

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[4]
OPTIONS = ModelOptions(timeout_seconds=60)
ENGINES = ("numpy", "transformers", "gguf", "llama-server", "vllm", "ollama", "ollama, old", "plain")
SEES = {
    "numpy": Sees.LOGITS,
    "transformers": Sees.LOGITS,
    "gguf": Sees.TOP_TOKENS,
    "llama-server": Sees.TOP_TOKENS,
    "vllm": Sees.TOP_TOKENS,
    "ollama": Sees.TOP_TEXTS,
    "ollama, old": Sees.TEXTS,
    "plain": Sees.TEXTS,
}
ROW = ModelOptions(
    prompt=("<|lang_py|>", "<|fim_suffix|>", "{suffix}", "<|fim_prefix|>", "{prefix}", "<|fim_middle|>"),
    ends=("<|endoftext|>",),
    timeout_seconds=60,
)
"""A plain server says no markers, so a person does."""


@dataclass
class Engine:
    name: str
    model: Model
    server: Loopback | None = None


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Engine]]:
    made: dict[str, Engine] = {}
    with ExitStack() as stack:

        def open_(name: str) -> Engine:
            if name not in made:
                made[name] = _engine(name, stack, tmp_path_factory)
            return made[name]

        yield open_


def _engine(name: str, stack: ExitStack, folders: pytest.TempPathFactory) -> Engine:
    match name:
        case "numpy":
            return Engine(name, load_model())
        case "transformers":
            return Engine(name, load_through_transformers())
        case "gguf":
            if find_spec("xllamacpp") is None:
                pytest.skip("xllamacpp is not installed")
            file = gguf_file.write(folders.mktemp("gguf") / "built-in.gguf")
            return Engine(name, load_model(str(file), options=OPTIONS))
        case "llama-server":  # one whose file is on another machine: its tokens are learnt
            if find_spec("xllamacpp") is None:
                pytest.skip("xllamacpp is not installed")
            file = gguf_file.write(folders.mktemp("gguf") / "elsewhere.gguf")
            child = Child(file, 512, on_cpu=True)
            stack.callback(child.close)
            file.unlink()
            return Engine(name, connect(Address(child.url), OPTIONS, key=child.key, holds=child))
        case "vllm":
            server = stack.enter_context(serving(vllm(BuiltIn(), "built-in", str(embedded.path()))))
            return Engine(name, load_model(f"vllm:{server.url}#built-in", options=OPTIONS), server)
        case "ollama" | "ollama, old":
            server = stack.enter_context(serving(ollama(BuiltIn(), "built-in", has_logprobs=name == "ollama")))
            return Engine(name, load_model(f"ollama:built-in@{server.url}", options=OPTIONS), server)
        case _:
            server = stack.enter_context(serving(plain(BuiltIn(), "built-in")))
            return Engine(name, load_model(server.url, options=ROW), server)


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest, opened: Callable[[str], Engine]) -> Engine:
    return opened(request.param)


@pytest.fixture(scope="module")
def reference() -> Model:
    return load_model()


def task(marked: str, **options: Any) -> CompletionTask:  # noqa: ANN401 - handed on
    prefix, _, suffix = marked.partition("^")
    syntax = parse(Document("file:///a.py", Language.PYTHON, prefix + suffix))
    with_names = Workspace(()).context(syntax, len(prefix))
    return CompletionTask(prefix, suffix, with_names, max_tokens=24, **options)


LOAD = "import json\n\n\ndef load(path):\n    with open(path) as file:\n        return ^\n"


def test_an_engine_declares_what_it_sees(engine: Engine) -> None:
    assert engine.model.abilities.sees is SEES[engine.name]
    assert hasattr(engine.model, "widened") is is_partial(engine.model)


def test_an_engine_is_asked_in_the_models_own_way(engine: Engine) -> None:
    family = engine.model.card.family
    assert family.name == ("configured" if engine.name == "plain" else "embedded")
    assert family.reads_suffix
    learns = isinstance(engine.model.vocabulary, LearntVocabulary)
    assert learns == (engine.name in ("llama-server", "ollama", "ollama, old", "plain"))


def test_a_description_says_what_an_engine_is(engine: Engine) -> None:
    model = engine.model
    assert model.abilities.description.endswith("drafts" if model.abilities.drafts else "no draft")
    assert model.context == {"plain": 4096, "vllm": 2048, "ollama": 2048, "ollama, old": 2048}.get(engine.name, 512)
    sample = model.card.family.sample
    assert sample.index("<|fim_suffix|>") < sample.index("def area(r)") < sample.index("<|fim_middle|>")


MARKER_IN_TEXT = 'END = "<|endoftext|>"\n\n\ndef load(path):\n    return ^\n'


def test_a_marker_in_a_persons_text_is_text(engine: Engine, reference: Model) -> None:
    if is_partial(engine.model) and engine.model.abilities.sees is not Sees.TOP_TOKENS:
        pytest.skip("a prompt of text says markers as text")
    assert complete(engine.model, task(MARKER_IN_TEXT)).text == complete(reference, task(MARKER_IN_TEXT)).text


def test_rows_are_as_declared(engine: Engine) -> None:
    model = engine.model.branch()
    row = model.forward(model.vocabulary.lines.encode("import os\nimport "))[-1]
    assert row.shape == (model.vocabulary.size,)
    finite = np.isfinite(row)
    if not is_partial(model):
        assert finite.all()
    else:
        assert 1 <= finite.sum() <= 41
        assert np.exp(row[finite]).sum() <= 1.001


def test_only_an_engine_with_drafts_is_drafted_for(engine: Engine) -> None:
    drafter: Drafter = Prediction(text="x = 1\n").drafter([1], engine.model, Ledger())
    assert isinstance(drafter, Undrafted) is not engine.model.abilities.drafts


def test_a_branch_has_read_nothing(engine: Engine) -> None:
    tokens = engine.model.vocabulary.encode("import os\n")
    model = engine.model.branch()
    model.forward(tokens)
    assert list(model.tokens) == tokens
    assert list(model.branch().tokens) == []
    model.truncate(1)
    assert list(model.tokens) == tokens[:1]
    with pytest.raises(ValueError, match="cannot truncate"):
        model.truncate(2)


def test_going_back_gives_the_same_rows(engine: Engine) -> None:
    tokens = engine.model.vocabulary.encode("def add(a, b):\n    return a")
    model = engine.model.branch()
    first = prefill(model, tokens)
    model.truncate(len(tokens) - 1)
    again = prefill(model, tokens)
    assert first is not None
    assert again is not None
    assert again.reused == len(tokens) - 1
    assert np.allclose(np.exp(first.logits), np.exp(again.logits), rtol=1e-3)


def test_a_text_is_completed_and_keeps_to_names(engine: Engine) -> None:
    completion = complete(engine.model, task(LOAD))
    assert completion.text == "json.load(file)"


HALF_TYPED = {
    "a word": ("def total(items):\n    return sum(ite^)\n", "ms"),
    "a blank": ("import json\n\n\ndef load(path):\n    with open(path) as file:\n        return^\n", " "),
    "a rare word": ("zqxjk = 1\nprint(zq^)\n", "xjk"),
}


@pytest.mark.parametrize("name", HALF_TYPED)
def test_a_half_typed_word_is_gone_on_with(engine: Engine, name: str) -> None:
    marked, begins = HALF_TYPED[name]
    assert complete(engine.model, task(marked)).text.startswith(begins)


def test_a_request_costs_about_what_the_constraint_costs(engine: Engine) -> None:
    if engine.model.abilities.sees not in (Sees.TOP_TOKENS, Sees.TOP_TEXTS):
        pytest.skip("no rows of best tokens")
    assert isinstance(engine.model, ServerModel)
    rows = engine.model._rows
    assert isinstance(rows, TopRows)
    before = rows.requests
    again = task(LOAD.replace("json", "csv").replace("return ^", "return csv.^"))
    complete(engine.model, again)
    assert rows.requests - before <= 4
    complete(engine.model, again)
    assert rows.requests - before <= 4, "what was asked is kept"


def test_names_are_ranked_or_none_is(engine: Engine) -> None:
    prompt = NamePrompt(engine.model, task(LOAD.replace("return ^", "return json.^")))
    ranked = prompt.rank(engine.model, ["load", "loads", "zebra"])
    assert all(np.isfinite(score) for score in ranked.values())
    if not is_partial(engine.model):
        assert set(ranked) == {"load", "loads", "zebra"}
    if ranked:
        assert max(ranked, key=ranked.__getitem__).startswith("load")


def test_a_request_that_is_cancelled_ends_within_one_forward(engine: Engine) -> None:
    cancel = Event()
    cancel.set()
    assert complete(engine.model, task(LOAD), cancel).stop is Stop.CANCELLED


def test_a_deadline_that_has_passed_gives_nothing(engine: Engine) -> None:
    assert complete(engine.model, task(LOAD, deadline=time.monotonic() - 1)).text == ""


@pytest.mark.parametrize("name", ["vllm", "ollama", "ollama, old", "plain"])
def test_who_no_longer_waits_leaves_a_server_that_does_not_answer(
    name: str, opened: Callable[[str], Engine], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = opened(name)
    assert engine.server is not None
    release = Event()

    def waits(_handler: Handler, _body: object) -> None:
        release.wait(60)

    paths = ("/v1/completions", "/api/generate")
    pages = {path: waits if path in paths else page for path, page in engine.server.pages.items()}
    monkeypatch.setattr(engine.server, "pages", pages)
    cancel = Event()
    Timer(0.2, cancel.set).start()
    try:
        with waited_for(cancel.is_set), pytest.raises(GaveUpError):
            engine.model.branch().forward(engine.model.vocabulary.encode(f"cancelled = '{name}'"))
        assert cancel.is_set()
    finally:
        release.set()


@pytest.mark.parametrize("name", ["vllm", "ollama", "plain"])
def test_a_server_that_fails_is_said_with_its_address(
    name: str, opened: Callable[[str], Engine], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = opened(name)
    assert engine.server is not None

    def fails(handler: Handler, _body: object) -> None:
        handler.give({"error": {"message": "no slot"}}, status=503)

    paths = ("/v1/completions", "/api/generate")
    pages = {path: fails if path in paths else page for path, page in engine.server.pages.items()}
    monkeypatch.setattr(engine.server, "pages", pages)
    model, asked = engine.model.branch(), len(engine.server.asked)
    with pytest.raises(ModelServerError, match=r"127\.0\.0\.1:\d+/.* answered 503, saying 'no slot'"):
        model.forward(model.vocabulary.encode(f"failing = '{name}'"))
    assert list(model.tokens) == []
    assert len(engine.server.asked) - asked == 2, "once more, and then it is said"


def test_the_real_server_gives_the_numpy_text_at_nearly_all_places(
    opened: Callable[[str], Engine], reference: Model
) -> None:
    """Two of forty may differ: where two tokens are as probable as each other, rounding decides."""
    engine = opened("gguf")
    differing = [
        place
        for place in places(40)
        if complete(engine.model, task_at(*place)).text != complete(reference, task_at(*place)).text
    ]
    assert len(differing) <= 2, differing


_LEAST = 600
"""Bytes of a file in which places are drawn."""


def places(count: int) -> list[tuple[Path, int]]:
    """Ends of words and signs in the examples, which seldom change, spread evenly."""
    files = sorted(file for file in (ROOT / "examples").rglob("*.py") if file.stat().st_size > _LEAST)
    drawn = np.random.default_rng(64)
    found = []
    for number in range(count):
        file = files[number % len(files)]
        text = file.read_text("utf-8")
        ends = [place for place in range(200, len(text)) if text[place - 1] in " .(=,:\n" or text[place] in " .(,)"]
        found.append((file, ends[int(drawn.integers(len(ends)))]))
    return found


def task_at(file: Path, offset: int) -> CompletionTask:
    text = file.read_text("utf-8")
    syntax = parse(Document(file.as_uri(), Language.PYTHON, text))
    context = Workspace(()).context(syntax, offset)
    return CompletionTask(text[:offset], text[offset:], context, max_tokens=24)
