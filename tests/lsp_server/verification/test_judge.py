"""Texts of a model that the checkers judge: what is shown in their place, with what said of it. Real checkers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from context_index import Document, Language, Workspace, parse, word_end, word_start
from decoder import SamplingOptions
from lsp_server.engine.model_host import ModelHost, ModelSettings
from lsp_server.engine.service import Service
from lsp_server.engine.site import Site
from lsp_server.engine.suggestion import CompletionRequest, Eagerness, Level, Suggestion, Verify, Withheld
from lsp_server.engine.verification import Candidate, Unverified
from lsp_server.engine.verification.judge import Judge
from lsp_server.engine.verification.repeats import doubled_length, only_repeats, repeated_length
from tests.decoder.scripted import thinks
from tests.files import document, lay_out

INHERITED = (
    "class B:\n    def has(self, w: str) -> bool:\n        return True\n\n\n"
    "class A(B):\n    def has(self, w: str) -> bool:\n        ^\n"
)
OVERLOADED = (
    "from typing import overload\n\n\n@overload\ndef f(a: int) -> None: ...\n@overload\ndef f(a: str) -> None: ...\n^\n"
)
CASES = """
f(^)                            <- total)                 => total
f(^)                            <- total                  => total
x = ^total                      <- item.total             => item.
x = ^total                      <- subtotal               => subtotal
f(^a, b)                        <- a, b                   =>
x = g(^) {                      <- a) {                   => a
x = "^ cd"                      <- ab cd"                 => ab
x = 1 # ^ b                     <- a b                    => a
if a:|    ^|    y = 2|z = 3     <- x = 1|    y = 2        => x = 1
if a:|    ^|    y = 2|z = 3     <- y = 2                  =>
if a:|    ^|    a.b = 2         <- a                      => a
if a:|    ^|    y = 2|z = 3     <- x|y|y = 2|z = 3        => x|y
return ^|a = 3                  <- a                      => a
f(^|)                           <- a,|)                   => a,
f(^                             <- f(a)                   => f(a)
"""


@pytest.mark.parametrize("case", [line for line in CASES.splitlines() if line])
def test_an_end_that_the_file_says_again_is_cut_off_by_tokens(case: str) -> None:
    marked, text, expected = (part.strip(" ").replace("|", "\n") for part in re.split("<-|=>", case))
    before, after = marked.split("^")
    syntax = parse(Document("file:///a.py", Language.PYTHON, before + after))
    count = repeated_length(syntax, Candidate(len(before), text))
    assert text[: len(text) - count].rstrip() == expected


DOUBLED = """
py  print(helpe^r(5))              <- r()                    => r
py  print(help^(5))                <- er(a, b)               => er
py  x: Lis^t[int] = []             <- t[str]                 => t
py  y = rows.^[0]                  <- first[1]               => first
py  z = f^(5)                      <- oo(a)(b)               => oo(a)
py  z = f^(5)                      <- oo(a).b                => oo(a).b
py  z = f^ (5)                     <- oo(a)                  => oo(a)
py  z = ^(5)                       <- (a)                    => (a)
js  console.log(helpe^r(5));       <- r(6)                   => r
js  cart.ad^d(item);               <- d(entry)               => d
js  x = item^s[0];                 <- s[i]                   => s
js  y = ht^ml`a`;                  <- ml`b`                  => ml
js  y = new Ca^rt(5);              <- rt()                   => rt
js  y = f^(5);                     <- oo(a)[0]               => oo(a)[0]
ts  let a: Arra^y<number>;         <- y<string>              => y
ts  f^<string>(1);                 <- oo<number>             => oo
"""


@pytest.mark.parametrize("case", [line for line in DOUBLED.splitlines() if line])
def test_a_group_that_the_file_opens_again_is_cut_off(case: str) -> None:
    suffix, _, rest = case.partition("  ")
    marked, text, expected = (part.strip(" ") for part in re.split("<-|=>", rest))
    before, after = marked.split("^")
    language = {"py": Language.PYTHON, "js": Language.JAVASCRIPT, "ts": Language.TYPESCRIPT}[suffix]
    syntax = parse(Document(f"file:///a.{suffix}", language, f"{before}{after}\n"))
    candidate = Candidate(len(before), text, word_end(after, 0))
    assert text[: len(text) - doubled_length(syntax, candidate)] == expected


WHOLE = """
f(a^, b)       <- , b        => yes
f(a^, b)       <- , b, b     => no
f(a^, b)       <- , c        => no
f(g(a^)        <- )          => no
f(a^ * 2)      <-  * 2       => yes
f("a^")        <- "          => no
{"a": b^, "c"} <- , "c"      => yes
f(^)           <- )          => no
"""


@pytest.mark.parametrize("case", [line for line in WHOLE.splitlines() if line])
def test_a_text_only_repeats_what_follows_unless_it_may_close_something(case: str) -> None:
    marked, text, expected = re.split("<- | *=> ", case)
    before, after = marked.rstrip().split("^")
    syntax = parse(Document("file:///a.py", Language.PYTHON, before + after))
    repeated = repeated_length(syntax, Candidate(len(before), text.rstrip()))
    assert only_repeats(text.rstrip(), repeated) == (expected == "yes")


class NoChecker:
    """A document that no checker judges."""

    def verify(self, _candidate: Candidate, _seconds: float | None) -> Unverified:
        return Unverified("there is none")


@pytest.mark.parametrize(
    ("marked", "text", "wrong"),
    [
        ("const items = [];\n^\n", "items.push(i);", "items.push(i"),
        ("const items = [];\nit^\n", "ems.push(i, a);", "ems.push(i"),
        ("const a = 1;\nb^\n", "c.push(a);", "c"),
        ("const a = 1;\nconst b = (^);\n", "x = a", "x"),
        ("const a = 1;\n^\n", "a.b(a);", None),
    ],
)
def test_a_text_goes_wrong_at_the_first_name_that_nothing_defines(marked: str, text: str, wrong: str | None) -> None:
    before, after = marked.split("^")
    syntax = parse(Document("file:///a.js", Language.JAVASCRIPT, before + after))
    request = CompletionRequest(syntax, len(before), SamplingOptions())
    judge = Judge(request, Site(Workspace([]), syntax, len(before)), NoChecker())  # type: ignore[arg-type]
    rejected = judge.verify(text)
    assert (rejected and text[: rejected.end]) == wrong


Complete = Callable[..., Suggestion]
WANTS_TEXT = "n = 1\ndef g(s: str) -> None: ...\ng(^)\n"


@pytest.fixture
def complete(tmp_path: Path) -> Iterator[Complete]:
    """Completes at the `^` of a file in which a model thinks of several texts."""
    files = {
        "stations.py": "def read_stations() -> list[str]:\n    return []\n\n\nclass Station: ...\n",
        "depot.py": "def read_stations(number: int) -> int:\n    return number\n",
        "tsconfig.json": '{"compilerOptions": {"strict": true}}',
        "prices.ts": "export function readPrices(): number[] {\n  return [];\n}\nexport class Price {}\n",
    }
    lay_out(tmp_path, files)
    workspace = Workspace([tmp_path])
    workspace.index()
    hosts: list[ModelHost] = []

    def complete(name: str, marked: str, texts: dict[str, float], **given: object) -> Suggestion:
        model = thinks(texts)
        host = ModelHost(ModelSettings(), load=lambda *_given, **_options: model)
        hosts.append(host)
        before, after = marked.split("^")
        lay_out(tmp_path, {name: before + after})
        syntax = parse(document(tmp_path, name, before + after))
        request = CompletionRequest(syntax, len(before), SamplingOptions(), **given)  # type: ignore[arg-type]
        return Service(workspace, host).complete(request)

    yield complete
    for host in hosts:
        host.close()
    workspace.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "marked", "texts", "shown", "level"),
    [
        ("a.py", WANTS_TEXT, {"n": 0.6, "'a'": 0.4}, "'a'", Level.TYPES),
        ("a.ts", "const n = 1;\nfunction g(s: string) {}\ng(^);\n", {"n": 0.6, "'a'": 0.4}, "'a'", Level.TYPES),
        ("a.py", "def f(name: str) -> int:\n    return name.^\n", {"size": 0.6, "find('a')": 0.4}, "find('a')",
         Level.TYPES),
        ("a.py", "def f(name):\n    return name.^\n", {"zork": 1.0}, "zork", Level.NAMES),
        ("a.py", WANTS_TEXT, {"'a'": 0.6, "'b'": 0.4}, "'a'", Level.TYPES),
        ("a.ts", "import {^} from './prices';", {"readStations": 0.6, "readPrices": 0.4}, "readPrices", Level.TYPES),
        ("a.ts", "import {^}", {"readStations": 0.6, "readPrices": 0.4}, "readPrices", Level.TYPES),
        ("a.ts", "import type {^}", {"readPrices, Stations": 0.6, "readPrices": 0.4}, "readPrices", Level.TYPES),
    ],
)  # fmt: skip
def test_the_first_text_that_the_checker_accepts_is_shown(  # noqa: PLR0917 - columns of a table
    complete: Complete, name: str, marked: str, texts: dict[str, float], shown: str, level: Level
) -> None:
    suggestion = complete(name, marked, texts)
    assert (suggestion.text, suggestion.verified) == (shown, level)
    assert suggestion.unverified == (("zork",) if shown == "zork" else ())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "marked", "text", "is_unmeant"),
    [
        ("a.py", "class A:\n    def has(self, w: str) -> bool:\n        ^\n", "return self.has(w)", True),
        ("a.py", "class A:\n    def has(self, w: str) -> bool:\n        ^\n", "return self.has(w[1:])", False),
        ("a.py", "class A:\n    @property\n    def size(self) -> int:\n        ^\n", "return self.size", True),
        ("a.py", INHERITED, "return super().has(w)", False),
        ("a.py", "def fact(n: int) -> int:\n    ^\n", "return fact(n)", True),
        ("a.py", "def fact(n: int) -> int:\n    ^\n", "return n * fact(n - 1)", False),
        ("a.ts", "class A {\n  has(w: string): boolean {\n    ^\n  }\n}\n", "return this.has(w);", True),
        ("a.ts", "class A {\n  has(w: string): boolean {\n    ^\n  }\n}\n", "return !this.has(`${w} `);", False),
        ("a.ts", "class A {\n  get size(): number {\n    ^\n  }\n}\n", "return this.size;", True),
        ("a.ts", "class A {\n  #b = [1];\n  get length(): number {\n    ^\n  }\n}\n", "return this.#b.length;", False),
        ("a.ts", "function f(a: number, b: number): number {\n  ^\n}\n", "return f(a, b);", True),
        ("a.ts", "function f(a: number, b: number): number {\n  ^\n}\n", "return f(b, a);", False),
        ("a.ts", "class Bad extends Error {}\n^\n", "interface Bad {}", True),
        ("a.ts", "export interface Cart { a: 1 }\n^\n", "export interface Cart { b: 2 }", True),
        ("a.ts", "interface Cart { a: 1 }\nfunction f() {\n  ^\n}\n", "interface Cart { b: 2 }", False),
        ("a.ts", "class A {\n  get size() { return 1; }\n  ^\n}\n", "set size(n) { void n; }", False),
        ("a.ts", "function f(a: string): void;\n^\n", "function f(a: string | number) { void a; }", False),
        ("a.ts", "import { readPrices } from './prices';\n^\n", "export class Prices {}", False),
        ("a.ts", "import { readPrices } from './prices';\n^\n", "export class Price {}", True),
        ("a.ts", "import { Price as Base } from './prices';\n^\n", "export class Price {}", False),
        ("a.ts", "^\n", "export class Price {}", False),
        ("a.py", "def f() -> int:\n    return 1\n\n^\n", "def f() -> int:\n    return 2", True),
        ("a.py", "class A:\n    x = 1\n\n    def f(self) -> None: ...\n\n    ^\n", "def f(self) -> None: ...", True),
        ("a.py", "class A:\n    def f(self) -> None: ...\n\n\n^\n", "def f() -> None: ...", False),
        ("a.py", OVERLOADED, "def f(a: object) -> None: ...", False),
        ("a.py", "from stations import read_stations\n\n^\n", "class Station: ...", True),
        ("a.py", "import stations\n\n^\n", "class Depot: ...", False),
    ],
)  # fmt: skip
def test_what_nobody_means_is_shown_to_those_who_ask(
    complete: Complete, name: str, marked: str, text: str, *, is_unmeant: bool
) -> None:
    assert complete(name, marked, {text: 1.0}).text == text
    unasked = complete(name, marked, {text: 1.0}, eagerness=Eagerness.EAGER)
    assert unasked.text == ("" if is_unmeant else text)


@pytest.mark.slow
def test_what_nobody_means_is_shown_only_if_nothing_else_is(complete: Complete) -> None:
    suggestion = complete("a.ts", "class Bad {}\n^\n", {"interface Bad {}": 0.9, "const a = 1;": 0.1})
    assert suggestion.text == "const a = 1;"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "marked", "texts", "shown"),
    [
        ("a.py", "class A:\n    def f(self) -> None:\n        self.lim^\n        self.limiter = 1\n",
         {"limiter = 1": 0.6, "limits = 2": 0.4}, "its = 2"),
        ("a.py", "class A:\n    def f(self) -> None:\n        self.lim^\n\n        self.limiter  =  1\n",
         {"limiter = 1": 1.0}, ""),
        ("a.ts", "const feeds = new Set(['a']);\nfeeds.delete(^\nfeeds.delete('a');\n", {"'a');": 1.0}, ""),
        ("a.ts", "const feeds = new Set(['a']);\nfeeds.delete(^\nfeeds.delete('a');\n", {"'b');": 1.0}, "'b');"),
    ],
)  # fmt: skip
def test_the_next_line_is_not_said_again(
    complete: Complete, name: str, marked: str, texts: dict[str, float], shown: str
) -> None:
    suggestion = complete(name, marked, texts)
    assert (suggestion.text, suggestion.withheld) == (shown, None if shown else Withheld.REPEATS_FOLLOWING)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("marked", "texts", "shown", "replaces"),
    [
        ("print(tota^l)", {"totals": 1.0}, "ls", 1),
        ("print(to^al)", {"total": 1.0}, "t", 0),
        ("print(tota^l)", {"total": 1.0}, "", 0),
        ("print(tota^l + 1)", {"total + total + 1)": 1.0}, "l + total", 1),
        ("print(ma^x(totals))", {"max": 0.6, "min": 0.4}, "", 0),
        ("print(m^ax(totals))", {"max": 0.6, "min": 0.4}, "in", 2),
        ("print(^total)", {"totals[0] + total)": 1.0}, "totals[0] +", 0),
    ],
)
def test_inside_a_word_its_rest_is_replaced_or_fits(
    complete: Complete, marked: str, texts: dict[str, float], shown: str, replaces: int
) -> None:
    suggestion = complete("a.py", f"total = 1\ntotals = [2]\n{marked}\n", texts)
    assert (suggestion.text, suggestion.replaces) == (shown, replaces)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("texts", "eagerness", "shown"),
    [
        ({", totals, totals)": 1.0}, None, ""),
        ({", totals, totals)": 0.6, " + 1": 0.4}, None, " + 1"),
        ({", totals[0], totals)": 1.0}, None, ", totals[0]"),
        ({", totals[0], totals)": 0.6, ", totals": 0.4}, Eagerness.EAGER, ""),
    ],
)
def test_what_follows_is_not_said_again_amid_a_finished_line(
    complete: Complete, texts: dict[str, float], eagerness: Eagerness | None, shown: str
) -> None:
    suggestion = complete("a.py", "total = 1\ntotals = [2]\nprint(totals[0]^, totals)\n", texts, eagerness=eagerness)
    assert suggestion.text == shown


@pytest.mark.slow
@pytest.mark.parametrize(
    ("marked", "text", "shown", "imported"),
    [
        ("def total() -> int: ...\nprint(tota^)\n", "total", "l", []),
        ("def total(a: int) -> int: ...\nprint(tota^)\n", "total(1)", "l(1)", []),
        ("def total() -> int: ...\nprint(^)\n", "total", "total", []),
        ("titles, total = 1, 2\nprint(t^)\n", "total", "otal", []),
        ("x = 'a'\nprint(x.^)\n", "upper()", "upper()", []),
        ("read_st^\n", "read_stations()", "ations()", ["read_stations"]),
        ("total = 1\nprint(tota^l)\n", "totals", "", []),
        ("total = 1\nprint(tot^ 2 3)\n", "total", "", []),
    ],
)
def test_where_nothing_is_accepted_the_model_writes_on_after_a_text_of_the_menu(
    complete: Complete, marked: str, text: str, shown: str, imported: list[str]
) -> None:
    before = marked.partition("^")[0]
    texts = {before[word_start(before, len(before)) :] + "zork": 0.9995, text: 0.0005}  # no search finds the second
    suggestion = complete("a.py", marked, texts)
    assert (suggestion.text, [one.text for one in suggestion.imports]) == (shown, imported)
    assert not complete("a.py", marked, texts, eagerness=Eagerness.EAGER).text


@pytest.mark.slow
def test_an_import_is_reported_with_the_module_that_the_checker_accepts(complete: Complete) -> None:
    suggestion = complete("a.py", "read_st^\n", {"read_stations().append('a')": 1.0})
    assert suggestion.text == "ations().append('a')"
    assert [one.module for one in suggestion.imports] == ["stations"]
    assert [edit.text.strip() for edit in suggestion.additional_edits] == ["from stations import read_stations"]


@pytest.mark.slow
def test_the_menu_is_left_alone_where_no_checker_may_be_asked(complete: Complete) -> None:
    assert complete("a.py", "total = 1\nprint(^)\n", {"": 1.0}).text
    assert not complete("a.py", "total = 1\nprint(^)\n", {"": 1.0}, verify=Verify.OFF).text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "marked", "texts", "shown"),
    [
        # none is shown in a statement with a slip, and one before a slip only if nothing else may be
        ("a.py", "n = 1\nx = [^, 2 3]\n", {"n": 1.0}, ""),
        ("a.py", "n = 1\nx = [^, 2, 3]\ny = (\n", {"n": 1.0}, "n"),
        ("a.py", "n = 1\nx = (^\ny = 2\n", {"n": 0.6, "n)": 0.4}, "n)"),
        ("a.ts", "const n = 1;\nconst f = (^\nconst m = 2;\n", {"n": 0.6, "n);": 0.4}, "n);"),
        ("a.py", "from os import ^\n    getcwd,\n)\n", {"path": 0.6, "(": 0.4}, "("),
        # a line opens what is closed below, or nothing is shown
        ("a.ts", "const n = 1;\nif (^\n  n;\n}\n", {"n) n;": 0.6, "n) {": 0.4}, "n) {"),
        ("a.ts", "const n = 1;\nif (^\n  n;\n}\n", {"n) n;": 1.0}, ""),
        ("a.ts", "const n = 1;\nif (^\n  n;\nfunction torn( {\n", {"n) n;": 0.6, "n) {": 0.4}, "n) n;"),
        ("a.js", "const n = 1;\nconst m =^\n  n,\n];\n", {" n;": 0.6, " [": 0.4}, " ["),
        ("a.py", "n = 1\nm =^\n    n,\n)\n", {" n": 0.6, " (": 0.4}, " ("),
        # none that leaves its line's bracket open, wherever the compiler finds that
        ("a.ts", "const n = 1;\nString(^", {"n": 0.6, "n);": 0.4}, "n);"),
        ("a.py", "n = 1\nprint(^\n", {"n": 0.6, "n)": 0.4}, "n)"),
        ("a.py", "n = 1\nprint(^\n", {"n": 1.0}, "n)"),
        ("a.ts", "const n = 1;\nMath.max(^\n  2,\n);\nfunction torn( {\n", {"n,": 1.0}, "n,"),
        ("a.py", "n = 1\nm = [\n    ^\n", {"n": 0.6, "n]": 0.4}, "n"),
    ],
)
def test_where_a_slip_is_in_the_file_another_text_may_come_first(
    complete: Complete, name: str, marked: str, texts: dict[str, float], shown: str
) -> None:
    assert complete(name, marked, texts).text == shown


@pytest.mark.slow
def test_where_nothing_is_accepted_the_checker_says_why(complete: Complete) -> None:
    marked = "n = 1\nclass Own:\n    def __init__(self, n: int): ...\ndef g(s: Own, /) -> None: ...\ng(^)\n"
    suggestion = complete("a.py", marked, {"n": 1.0})
    assert (suggestion.text, suggestion.withheld) == ("", Withheld.REJECTED)
    assert "Own" in suggestion.reason
    assert suggestion.withheld_text == "n"
    assert complete("a.py", WANTS_TEXT, {"n": 1.0}, verify=Verify.OFF).text == "n"


@pytest.mark.slow
def test_a_late_checker_withholds_or_marks(complete: Complete) -> None:
    given = {"checker_deadline_ms": 0.0}
    late = complete("a.py", WANTS_TEXT, {"n": 1.0}, **given)
    assert (late.text, late.withheld) == ("", Withheld.LATE)
    marked = complete("b.py", WANTS_TEXT, {"n": 1.0}, **given, verify=Verify.MARK)
    assert (marked.text, marked.verified) == ("n", Level.SYNTAX)
    assert marked.notes


@pytest.mark.slow
@pytest.mark.usefixtures("nothing_installed")
def test_a_checker_that_is_not_installed_is_named_in_a_note(complete: Complete) -> None:
    suggestion = complete("a.ts", "const n =^;\n", {" 1": 1.0})
    assert (suggestion.text, suggestion.verified) == (" 1", Level.SYNTAX)
    note = "No checker judged it: TypeScript is not installed. Run 'inscope setup' to install it."
    assert note in suggestion.notes
