"""The pipeline on real trees and a real workspace, with a scripted model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Event

import numpy as np
import pytest

from context_index import Document, Language, Syntax, Workspace, cursor_at, parse
from context_index.prior import Prior
from decoder import SamplingOptions, Stop
from decoder.constraint.scope import ScopeConstraint
from decoder.ngrams import Mixture
from decoder.ngrams.mixture import ORDERS
from lsp_server.engine.model_host import ModelHost, ModelSettings
from lsp_server.engine.service import Policy, Service
from lsp_server.engine.site import Site
from lsp_server.engine.suggestion import CompletionRequest, Eagerness, Extent, Suggestion, Verify, Withheld
from lsp_server.engine.verification.baseline import Baseline
from lsp_server.engine.workspace_corpus import WorkspaceCorpus
from tests.decoder.scripted import END, TOKENS, ScriptedModel, letters, says, thinks

SHOP = "export function total(items) {\n  let sum = 0;\n  ^\n  return sum;\n}\n"


class Shop:
    """A workspace with one open file, and a model behind a real host."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / "prices.js").write_text("export function priceOf(item) { return item.price; }\n")
        self.workspace = Workspace([root])
        self.workspace.index()
        self.hosts: list[ModelHost] = []

    def service(self, model: ScriptedModel, policy: Policy | None = None) -> Service:
        host = ModelHost(ModelSettings(), load=lambda *_args, **_options: model)
        self.hosts.append(host)
        return Service(self.workspace, host, policy or Policy())

    def place(self, text: str, name: str = "shop.js") -> tuple[Syntax, int]:
        language = Language.PYTHON if name.endswith(".py") else Language.JAVASCRIPT
        offset = text.index("^")
        return parse(Document((self.root / name).as_uri(), language, text.replace("^", "", 1))), offset

    def complete(
        self, text: str, said: str, *, name: str = "shop.js", policy: Policy | None = None, cancel: Event | None = None
    ) -> Suggestion:
        syntax, offset = self.place(text, name)
        request = CompletionRequest(syntax, offset, SamplingOptions(), Extent.AUTO, cancel=cancel or Event())
        return self.service(says(*letters(said)), policy).complete(request)


@pytest.fixture(scope="module")
def shared_shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    """One for all tests that add no file: its checker is started once."""
    made = Shop(tmp_path_factory.mktemp("shop"))
    yield made
    made.workspace.close()


@pytest.fixture
def shop(shared_shop: Shop) -> Iterator[Shop]:
    yield shared_shop
    while shared_shop.hosts:
        shared_shop.hosts.pop().close()


@pytest.fixture
def own_shop(tmp_path: Path) -> Iterator[Shop]:
    """For a test that adds files."""
    made = Shop(tmp_path)
    yield made
    for host in made.hosts:
        host.close()
    made.workspace.close()


def test_a_name_in_scope_is_suggested(shop: Shop) -> None:
    suggestion = shop.complete(SHOP, "sum += items[0];")
    assert (suggestion.text, suggestion.stop, suggestion.withheld) == ("sum += items[0];", Stop.STATEMENT, None)
    assert suggestion.tokens == len(suggestion.text)
    assert suggestion.first_token_ms is not None


@pytest.mark.parametrize(
    ("name", "marked", "lines"),
    [
        ("a.js", "function f() {\n  ^\n}\n", ["const a = 1;", "  return a;"]),
        ("a.js", "function f() {\n  // adds nothing\n  ^\n}\n", ["const a = 1;", "  return a;"]),
        ("a.js", "function f() {\n  f();\n  ^\n}\n", ["const a = 1;"]),
        ("a.js", "function f() {\n  f('a')\n  ^\n}\n", ["const a = 1;"]),
        ("a.py", 'def f():\n    """Nothing."""\n    ^\n', ["a = 1", "    return a"]),
        ("a.py", 'def f():\n    g = "a"\n    ^\n', ["a = 1"]),
    ],
)
def test_a_block_is_written_where_one_begins_or_a_comment_says_what_comes(
    shop: Shop, name: str, marked: str, lines: list[str]
) -> None:
    whole = ["const a = 1;", "  return a;"] if name.endswith(".js") else ["a = 1", "    return a"]
    assert shop.complete(marked, "\n".join(whole), name=name).text == "\n".join(lines)


def test_a_name_out_of_scope_is_not(shop: Shop) -> None:
    assert "zebra" not in shop.complete(SHOP, "sum += zebra;").text


def test_an_export_that_the_module_has_is_not_made_again(shop: Shop) -> None:
    text = "export const price = 1;\nconst total = 2;\n^\n"
    assert shop.complete(text, "export { price };").text != "export { price };"
    assert shop.complete(text, "export { total };").text == "export { total };"


def test_what_would_break_the_file_is_withheld_with_the_reason(shop: Shop) -> None:
    syntax, offset = shop.place(SHOP)
    service = shop.service(says(*letters(")")))
    request = CompletionRequest(syntax, offset, SamplingOptions(), constrained=False)
    suggestion = service.complete(request)
    assert (suggestion.text, suggestion.withheld) == ("", Withheld.SYNTAX_ERROR)
    assert suggestion.withheld_text == ")"
    assert suggestion.reason


def test_the_line_opens_what_a_line_below_closes(shop: Shop) -> None:
    block = "if (sum ^\n    sum += 1;\n  }"
    model = thinks({" > 1)": 0.7, " > 1) sum = 2;": 0.2, " > 1) {": 0.1})
    syntax, offset = shop.place(SHOP.replace("^", block))
    assert shop.service(model).complete(CompletionRequest(syntax, offset, SamplingOptions())).text == "> 1) {"


def test_silence_for_want_of_time_says_so(shop: Shop) -> None:
    syntax, offset = shop.place(SHOP)
    request = CompletionRequest(syntax, offset, SamplingOptions(), deadline_ms=1e-6)
    suggestion = shop.service(says(*letters("sum"))).complete(request)
    assert (suggestion.text, suggestion.stop, suggestion.withheld) == ("", Stop.DEADLINE, Withheld.EMPTY)
    assert suggestion.reason == "Time ran out before the model wrote anything."


def test_silence_for_want_of_tokens_says_so(shop: Shop) -> None:
    syntax, offset = shop.place(SHOP.replace("^", "sum += 1 + ^;"))
    request = CompletionRequest(syntax, offset, SamplingOptions(), max_tokens=2, verify=Verify.OFF)  # names are longer
    suggestion = shop.service(says(*letters("total(items)"))).complete(request)
    assert (suggestion.text, suggestion.stop, suggestion.withheld) == ("", Stop.LENGTH, Withheld.EMPTY)
    assert suggestion.reason == "The token limit was reached before the text could end."


def test_as_much_is_shown_as_is_probable(shop: Shop) -> None:
    alike = {f"if (sum) {{\n    sum += {number};\n  }}": 0.002 for number in range(100, 600)}
    syntax, offset = shop.place(SHOP)
    request = CompletionRequest(syntax, offset, SamplingOptions(), Extent.BLOCK, eagerness=Eagerness.BALANCED)
    suggestion = shop.service(thinks(alike)).complete(request)
    assert suggestion.text == "if (sum)", suggestion.reason
    assert suggestion.continued == ()


def test_what_follows_is_offered_where_it_is_as_probable(shop: Shop) -> None:
    texts = {f"sum += items[0] + {number};": 0.004 for number in range(10, 100)} | {"sum = items[0];": 0.6}
    syntax, offset = shop.place(SHOP)
    request = CompletionRequest(syntax, offset, SamplingOptions(), eagerness=Eagerness.BALANCED)
    suggestion = shop.service(thinks({**texts, "sum = items[1];": 0.4})).complete(request)
    assert (suggestion.text, *suggestion.continued) == ("sum = items", "sum = items[0];")


def test_silence_of_the_model_has_a_reason(shop: Shop) -> None:
    suggestion = shop.complete("// sum ^\n", "")
    assert (suggestion.withheld, suggestion.stop) == (Withheld.EMPTY, Stop.END)


@pytest.mark.parametrize(
    ("text", "policy", "withheld"),
    [
        ("// sum ^\n", Policy(in_comments=False), Withheld.PLACE),
        ('x = "sum ^"\n', Policy(in_strings=False), Withheld.PLACE),
        ("x = <p>sum ^</p>\n", Policy(in_strings=False), Withheld.PLACE),
    ],
)
def test_what_people_switch_off_is_not_shown(shop: Shop, text: str, policy: Policy, withheld: Withheld) -> None:
    suggestion = shop.complete(text, "sum;", policy=policy)
    assert (suggestion.text, suggestion.withheld) == ("", withheld)
    assert suggestion.reason


@pytest.mark.parametrize("eagerness", [None, Eagerness.QUIET, Eagerness.BALANCED])
def test_what_is_hardly_right_is_shown_to_those_who_ask(shop: Shop, eagerness: Eagerness | None) -> None:
    alike = {f"sum += {number};": 0.002 for number in range(100, 600)}
    syntax, offset = shop.place(SHOP)
    request = CompletionRequest(syntax, offset, SamplingOptions(), Extent.AUTO, eagerness=eagerness)
    suggestion = shop.service(thinks(alike)).complete(request)
    expected = ("sum += 100;", None) if eagerness is None else ("", Withheld.LOW_CONFIDENCE)
    assert (suggestion.text, suggestion.withheld) == expected
    assert suggestion.probability < 0.25
    assert bool(suggestion.reason) == (eagerness is not None)
    assert "%" not in suggestion.reason, "a sentence for people"


def test_what_is_surely_right_is_shown_even_if_quiet(shop: Shop) -> None:
    syntax, offset = shop.place(SHOP)
    request = CompletionRequest(syntax, offset, SamplingOptions(), Extent.AUTO, eagerness=Eagerness.QUIET)
    suggestion = shop.service(thinks({"sum += 100;": 0.98, "sum = 1;": 0.02})).complete(request)
    assert suggestion.text == "sum += 100;"
    assert suggestion.probability > 0.5


def test_alternatives_are_the_next_texts_of_the_same_search(shop: Shop) -> None:
    syntax, offset = shop.place(SHOP)
    texts = {"sum += 100;": 0.5, "sum = items;": 0.3, "zz = 1;": 0.1, "sum = 1;": 0.06, "sum = 2;": 0.04}
    request = CompletionRequest(syntax, offset, SamplingOptions(), Extent.AUTO, alternatives=2)
    suggestion = shop.service(thinks(texts)).complete(request)
    assert suggestion.text == "sum += 100;"
    assert [one.text for one in suggestion.alternatives] == ["sum = items;", "sum = 1;"]


@pytest.mark.parametrize(
    ("text", "is_off"),
    [
        ("x = [" + "1," * 6_000 + "^]\n", True),
        ("x = [^" + "1," * 6_000 + "]", True),
        ("x = [" + "1," * 6_000 + "]\ny = ^\n", False),
        ("x = [" + "1," * 4_000 + "^]\n", False),
    ],
)
def test_nothing_is_suggested_in_minified_lines(shop: Shop, text: str, is_off: bool) -> None:
    suggestion = shop.complete(text, "2")
    assert (suggestion.withheld is Withheld.PLACE) is is_off
    assert ("10,000 characters" in suggestion.reason) is is_off


def test_secrets_are_not_completed(shop: Shop) -> None:
    suggestion = shop.complete("x = ^\n", "total", name=".env.py")
    assert (suggestion.withheld, suggestion.stop, suggestion.tokens) == (Withheld.EXCLUDED, Stop.NONE, 0)


def test_a_broken_rule_shows_nothing(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_state: ScopeConstraint, _text: str) -> ScopeConstraint:
        raise KeyError("a fault of ours")

    monkeypatch.setattr(ScopeConstraint, "advance", broken)
    suggestion = shop.complete(SHOP, "sum;")
    assert (suggestion.text, suggestion.withheld) == ("", Withheld.CONSTRAINT_FAULT)
    assert "a fault of ours" in suggestion.reason


def test_a_cancelled_request_says_so(shop: Shop) -> None:
    cancel = Event()
    cancel.set()
    assert shop.complete(SHOP, "sum;", cancel=cancel).stop is Stop.CANCELLED


def test_an_opened_document_is_read_ahead_by_its_checker_too(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Syntax] = []
    syntax, _ = shop.place(SHOP)
    service = shop.service(says())
    real = service.verifier.baseline

    def baseline(syntax: Syntax) -> Baseline:
        asked.append(syntax)
        return real(syntax)

    monkeypatch.setattr(service.verifier, "baseline", baseline)
    reading = service.prepare(syntax.document)
    reading.by_model.result()
    assert [one.document for one in asked] == [syntax.document]
    assert reading.by_checker is real(asked[0]).own_report


def indifferent() -> ScriptedModel:
    """To which all letters, blanks and the end are alike, and which believes what it has read."""

    def script(_output: Sequence[int]) -> np.ndarray:
        logits = np.full(len(TOKENS), -20, dtype=np.float32)
        logits[[*b"abcdefghijklmnopqrstuvwxyz ", END]] = 0
        return logits

    model = ScriptedModel(script)
    mixture = Mixture(here=(100.0,) * len(ORDERS), elsewhere=(0.1,) * len(ORDERS))
    model.card = replace(model.card, mixture=mixture)
    return model


@pytest.mark.parametrize("policy", [Policy(), Policy(prior=False)])
def test_what_another_file_says_is_said_again(own_shop: Shop, policy: Policy) -> None:
    (own_shop.root / "words.js").write_text('export const words = "the quick brown fox";\n')
    own_shop.workspace.index()
    service = own_shop.service(indifferent(), policy)
    service.read_name_counts(30)
    syntax, offset = own_shop.place('const again = "the quick ^";\n')
    said = service.complete(CompletionRequest(syntax, offset, SamplingOptions(), Extent.AUTO)).text
    assert (said == "brown fox") is policy.prior


def test_names_and_texts_that_are_forgotten_are_not_used_until_they_are_read_again(
    own_shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    forgotten: list[str] = []
    monkeypatch.setattr(Prior, "forget", lambda _self: forgotten.append("names"))
    (own_shop.root / "words.js").write_text('export const words = "the quick brown fox";\n')
    own_shop.workspace.index()
    service = own_shop.service(indifferent())
    syntax, offset = own_shop.place('const again = "the quick ^";\n')

    def says_it() -> bool:
        return service.complete(CompletionRequest(syntax, offset, SamplingOptions())).text == "brown fox"

    service.read_name_counts(30)
    assert says_it()
    service.forget_name_counts()
    assert (forgotten, says_it()) == (["names"], False)
    service.read_name_counts(30)
    assert says_it()


def test_with_an_opened_document_the_other_texts_are_read(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Path | None] = []
    monkeypatch.setattr(WorkspaceCorpus, "workspace_tokens", lambda _self, _vocabulary, path: asked.append(path))
    document = shop.place(SHOP)[0].document
    for policy in (Policy(), Policy(prior=False)):
        shop.service(indifferent(), policy).prepare(document).by_model.result()
    shop.service(says()).prepare(document).by_model.result()  # of a model that nobody fitted to counts
    assert asked == [shop.root / "shop.js"]


def test_what_could_not_be_held_to_is_noted(shop: Shop) -> None:
    assert not shop.complete(SHOP, "sum++;").notes
    assert any("does not parse" in note for note in shop.complete(") = (;\n" + SHOP, "sum++;").notes)
    starred = shop.complete("from nowhere import *\nx = ^\n", "y", name="a.py")
    assert any("may be missing" in note for note in starred.notes)


def test_candidates_are_nearest_first_and_bring_what_must_be_imported(shop: Shop) -> None:
    site = Site(shop.workspace, *shop.place(SHOP.replace("^", "pri^")))
    service = shop.service(says())
    found = {one.text: one.importable for one in service.candidates(site).items}
    details = {one.text: one.detail for one in service.candidates(site).items}
    assert details["priceOf"] == "from ./prices"
    wanted = found["priceOf"]
    assert wanted is not None
    assert wanted.module == "./prices"
    everything = [one.text for one in service.candidates(Site(shop.workspace, *shop.place(SHOP))).items]
    assert everything.index("sum") < everything.index("total") < everything.index("Array")


def test_ranking_prefers_what_the_model_wants(shop: Shop) -> None:
    service = shop.service(says(*letters("items")))
    site = Site(shop.workspace, *shop.place(SHOP))
    scores = service.ranker(site, site.offset, max_tokens=64).rank(["sum", "items", "total"], Event())
    assert max(scores, key=lambda name: scores[name]) == "items"


@pytest.mark.parametrize("max_tokens", [16, 64, 96])
def test_a_menu_and_a_suggestion_have_one_prompt_at_a_place(shop: Shop, max_tokens: int) -> None:
    """Else each of them has the model read anew what the other one has just made it forget."""
    model = says()
    service = shop.service(model)
    syntax, offset = shop.place("let filler = 1;\n" * 4 * model.context + SHOP)
    site = Site(shop.workspace, syntax, offset)
    service.ranker(site, offset, max_tokens=max_tokens).rank(["sum"], Event())
    prompt = len(model.tokens)
    request = CompletionRequest(syntax, offset, SamplingOptions(), max_tokens=max_tokens)
    assert service.complete(request).reused_tokens == prompt - 1  # the last one is read again for its logits


@pytest.mark.parametrize(
    ("marked", "said"),
    [
        (SHOP, "sum += items[0];"),
        (SHOP.replace("^", "sum = to^tal(items);"), "tal;"),
        (SHOP, ") = (;"),  # nothing is accepted, so the menu is asked
        ("const a = ;\n" + SHOP, "sum++;"),
    ],
    ids=["a statement", "in a word", "from the menu", "below a fault"],
)
def test_a_request_makes_one_site_and_asks_once_what_is_there(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, marked: str, said: str
) -> None:
    asked: Counter[str] = Counter()

    def counted(name: str, made: Callable[..., object]) -> Callable[..., object]:
        def call(*given: object, **named: object) -> object:
            asked[name] += 1
            return made(*given, **named)

        return call

    monkeypatch.setattr(Site, "__init__", counted("site", Site.__init__))
    monkeypatch.setattr("lsp_server.engine.site.cursor_at", counted("cursor", cursor_at))
    monkeypatch.setattr(Workspace, "context", counted("context", Workspace.context))
    shop.complete(marked, said)
    assert asked == {"site": 1, "cursor": 1, "context": 1}
