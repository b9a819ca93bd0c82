"""What is said instead where nothing could be shown: texts in the order in which a model would say them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from context_index.symbols import Closed, Language, Name, NameKind, Origin, Position, SymbolContext
from decoder import CompletionTask, SamplingOptions, complete
from decoder.constraint.guard import Guard
from decoder.constraint.members import TypedNames
from decoder.constraint.protocol import Refusal, Report, Rule
from decoder.models.model import Logits
from decoder.second import MOST, MOST_IN_PASSING
from decoder.stops import Stop, Until
from tests.decoder.fake_types import FakeTypes, Knows, closed, listed, told
from tests.decoder.scope.test_scope import rule_at
from tests.decoder.scripted import END, PIECES, ScriptedModel

KNOWS = told(
    {
        ("plain.", Position.MEMBER): listed("known"),
        ("user.", Position.MEMBER): closed("name", "isOwn"),
        ("total = require('", Position.MODULE): closed("there", "./there"),
        ("import zz from '", Position.MODULE): closed("there"),
        ("items.", Position.MEMBER): Closed({"Inner": NameKind.MODULE, "outer": NameKind.PROPERTY}),
    }
)


class Looking(FakeTypes):
    """A checker that also looks at whole texts, and refuses some names there."""

    def __init__(self, knows: Knows, *refused: str) -> None:
        super().__init__(knows)
        self._refused = refused
        self.seen: list[str] = []

    def unknown(self, text: str, start: int, stop: int) -> Looking:
        self.seen.append(text[start:stop])
        return self

    def names(self, timeout: float) -> frozenset[str]:
        assert timeout >= 0
        return frozenset(name for name in self._refused if name in self.seen[-1])


class Objecting:
    """Objects to everything, and remembers it."""

    def __init__(self) -> None:
        self.objected: list[str] = []

    def __call__(self, text: str) -> bool:
        self.objected.append(text)
        return True


def would_say(*texts: str) -> ScriptedModel:
    """A model that prefers the first of some texts, and the next where it has been kept from the others."""

    def script(output: Sequence[int]) -> np.ndarray:
        written = bytes(output).decode()
        logits = np.full(257 + len(PIECES), -30.0, dtype=np.float32)
        for place, text in reversed([*enumerate(texts)]):
            if text.startswith(written):
                following = text[len(written) :]
                logits[ord(following[0]) if following else END] = 10 - place
        return logits

    return ScriptedModel(script)


class NoZ:
    """Refuses a letter as no name at all, so that nothing can be made of it."""

    def feed(self, text: str) -> NoZ | Refusal:
        return Refusal(Rule.SCOPE, "z") if "z" in text else self

    def may_stop(self) -> None:
        return None

    def report(self) -> Report:
        return Report()


def task(line: str = "x(^);\n", **given: object) -> CompletionTask:
    prefix, suffix = line.split("^")
    names = {
        text: Name(text, NameKind.VARIABLE, Origin.LOCAL, 0)
        for text in ("x", "total", "items", "free", "user", "plain", "late")
    }
    names["late"] = Name("late", NameKind.VARIABLE, Origin.LOCAL, 0, before_declaration=True, line=0)
    symbols = SymbolContext(Language.JAVASCRIPT, names)
    return CompletionTask(prefix, suffix, symbols, max_tokens=given.pop("max_tokens", 40), **given)  # type: ignore[arg-type]


# what the model would say, in turn -> what is said; names that the checker refuses in a whole text behind !
CASES = """
/* and so on, and on, and on, and on, and on, and on | total    | -> total
[x,x,x,x,x,x,x,x,x,x,x,x,x,x | items                 | -> items
free.zz                      | free.yy               | -> free.zz
free.zz                      | free.yy               | !zz -> free.yy
free.zz                      | total                 | !zz -> free
free.zz                      | !zz -> free
plain.zz                     | plain.known           | !zz -> plain.known
free.zz                      | free.yy | free.ab     | !zz !yy -> free.ab
user.isO.x                   | user.name             | -> user.name
user.isO.x                   | total                 | -> user
user.isO.x                   | -> user
"""


@pytest.mark.parametrize("line", CASES.strip().splitlines())
def test_what_is_said_instead(line: str) -> None:
    said, expected = line.split("->")
    *texts, refused = (part.strip() for part in said.split("|"))
    checker = Looking(KNOWS, *refused.replace("!", "").split())
    completion = complete(would_say(*texts), task(types=checker))
    assert completion.text == expected.strip()
    assert not completion.unknown


# of a model that may not write `z` and sees no other way on: what is said, or a second text where that is nothing
STUMPS = """
x =^;            | x(z)               |        ->
x =^;            | x(z)               |  items -> items
^                | const a = total(z  |        ->
^                | total = x↵items(z  |        -> total = x
^                | total = x↵  .b(z   |        ->
^                | x(↵total,↵z)       |        ->
x(^);            | total, x(z)        |        -> total
x(↵  ^↵);        | total, x(z)        |        -> total,
x(^);            | x(total, z)        | user   -> user
^                | // total↵items(z   |        -> // total
"""


@pytest.mark.parametrize("line", STUMPS.strip("\n").splitlines())
def test_a_stump_is_not_said(line: str) -> None:
    case, expected = line.split("->")
    place, *texts = (part.replace("↵", "\n") for part in case.split("|"))
    given = task(f"{place.strip(' ')}\n", until=Until.BLOCK)

    def guard(above: str, owed: str) -> Guard:
        names = {**given.symbols.names}
        return Guard((NoZ(), rule_at(Language.JAVASCRIPT, above, given.suffix, names)), owed=owed.encode())

    said = [text.strip(" ").replace("_", " ") for text in texts if text.strip()]
    completion = complete(would_say(*said), given, guard=guard)
    assert completion.text.lstrip() == expected.strip().replace("↵", "\n")


def test_a_finished_text_that_ends_with_a_name_that_nobody_knows_is_no_stump_either() -> None:
    """`return zz` is not said as `return`."""
    completion = complete(would_say("return zz\n", "return total\n"), task("() => {\n^\n}"))
    assert (completion.text, completion.stop) == ("return total", Stop.STATEMENT)


# in Python, names of arguments; `draw` is known to take a width, of `free` nothing is known
ARGUMENTS = """
free(total=1)      | free(total)   | -> free(total=1)
free(total=1)      | free(total)   | !total -> free(total)
free(yy=1)         | free(items)   | !yy -> free(items)
free(yy = 1)       | free(2)       | !yy -> free(2)
free(zz == 1)      | free(2)       | !zz -> free(zz == 1)
draw(total=1)      | draw(total)   | -> draw(total)
draw(width=1)      |               | -> draw(width=1)
"""


@pytest.mark.parametrize("line", ARGUMENTS.strip().splitlines())
def test_an_argument_that_the_callee_does_not_know_is_not_said(line: str) -> None:
    said, expected = line.split("->")
    *texts, refused = (part.strip() for part in said.split("|"))
    knows = told({("draw(", Position.KEYWORD_ARGUMENT): closed("width")})
    checker = Looking(knows, *refused.replace("!", "").split())
    names = {
        text: Name(text, NameKind.VARIABLE, Origin.LOCAL, 0) for text in ("x", "total", "items", "free", "draw", "zz")
    }
    place = CompletionTask("x[", "]\n", SymbolContext(Language.PYTHON, names), max_tokens=40, types=checker)
    completion = complete(would_say(*texts), place)
    assert completion.text == expected.strip()
    assert not completion.unknown


def test_a_text_that_somebody_objects_to_is_not_said() -> None:
    objected: list[str] = []

    def objects(text: str) -> bool:
        objected.append(text)
        return "total" in text

    assert complete(would_say("total", "items"), task(objects=objects)).text == "items"
    assert objected == ["total", "items"]


def test_how_often_it_began_is_told() -> None:
    assert complete(would_say("total"), task()).tried == 1
    assert complete(would_say("total", "items"), task(objects=lambda text: text == "total")).tried == len(
        ["total", "items"]
    )


def test_where_nothing_better_is_found_the_first_text_comes_with_what_is_wrong_with_it() -> None:
    checker = Looking(KNOWS, "late")
    completion = complete(would_say("() => late"), task(types=checker))
    assert (completion.text, completion.unknown) == ("() => late", ("late",))


class AskedOfTheEnd(Looking):
    """A checker that says that what a text ends with has no member `then`, which stands below it."""

    def names(self, timeout: float) -> frozenset[str]:
        assert timeout >= 0
        return frozenset({"then"} if self.seen[-1].endswith("total") else ())


@pytest.mark.parametrize(
    ("line", "text", "is_shown_to_the_checker"),
    [
        ("x = {^\n  for total in items}\n", "free for free in total", True),
        ("x = {^ async for total in items}\n", "free for free in total", True),
        ("x = {^\n  for total in items}\n", "total", False),
        ("x = {^}\nfor total in items: x\n", "free for free in items", False),
        ("^\n", "def zz(a: 'Yy'): pass", True),
        ("^\n", "def zz(a, b) -> 'Yy': pass", True),
        ("def zz(^): pass\n", "a: 'Yy'", True),
        ("def zz(\n  ^\n): pass\n", "a: 'Yy'", True),
        ("^\n", "zz: 'Yy' = total", True),
        ("^\n", "def zz(a: total = 'yy'): pass", False),
        ("^\n", "x = {'a': 'b'}", False),
        ("^\n", "outer = outer", True),
        ("^\n", "outer, zz = total, outer", True),
        ("^\n", "outer += total", True),
        ("^\n", "total += outer", False),
        ("^\n", "outer = total", False),
        ("^\n", "total = total", False),
        ("^\n", "x(outer == outer)", False),
        ("del total, free\n^\n", "x(total)", True),
        ("del total, free\n^\n", "x(items)", False),
        ("if user is None:\n    ^\n", "user.name", True),
        ("if user is None or x:\n    ^\n", "user.name", True),
        ("if user is None:\n    ^\n", "plain.known", False),
        ("if user is not None:\n    ^\n", "user.name", False),
        ("if user is None:\n    x\ny\nz\n^\n", "user.name", False),
    ],
)
def test_the_checker_sees_what_only_it_knows_of_names_in_python(
    line: str, text: str, *, is_shown_to_the_checker: bool
) -> None:
    checker, given = Looking(KNOWS), task(line)
    names = {**given.symbols.names, "outer": Name("outer", NameKind.VARIABLE, Origin.LOCAL, 1)}
    symbols = replace(given.symbols, language=Language.PYTHON, names=names)
    assert complete(would_say(text), replace(given, symbols=symbols, types=checker)).text == text
    assert checker.seen == [text] * is_shown_to_the_checker


@pytest.mark.parametrize(
    ("line", "texts", "said"),
    [
        ("x(^\n  .then(x)", ["total", "free"], "free"),
        ("x(^?.then(x)", ["x, total", "total", "free"], "free"),
        ("x(^, x.then)", ["total", "free"], "total"),
    ],
)
def test_a_text_whose_end_lacks_a_member_that_stands_below_is_not_said(line: str, texts: list[str], said: str) -> None:
    completion = complete(would_say(*texts), task(line, types=AskedOfTheEnd(KNOWS)))
    assert (completion.text, completion.unknown) == (said, ())


# what the model would say, in turn -> what it says until nobody objects
TURNS = """
x(^);    | free + total | items        | free + items -> free + total, items
x(^);    | free + total | free + items | items        -> free + total, free + items
x(^);    | total        | items        | free         -> total, items
x(it^);  | items.ab     | items.cd                    -> ems.ab, ems.cd
"""


@pytest.mark.parametrize("line", TURNS.strip().splitlines())
def test_it_turns_off_where_it_hesitated_and_behind_a_half_typed_word(line: str) -> None:
    given, expected = line.split("->")
    place, *texts = (part.strip() for part in given.split("|"))
    *refused, last = (part.strip() for part in expected.split(","))
    said: list[str] = []

    def objects(text: str) -> bool:
        said.append(text)
        return text in refused

    assert complete(would_say(*texts), task(f"{place}\n", objects=objects)).text == last
    assert said == [*refused, last]


def test_where_it_was_forced_it_turns_off_before() -> None:
    """What opens a bracket that cannot be closed is at fault, not what was written for want of an end."""
    completion = complete(would_say("[items, free(", "[items, free]"), task())
    assert (completion.text, completion.tried) == ("[items, free]", 2)


@pytest.mark.parametrize(("floor", "most"), [(-math.inf, MOST), (-1e6, MOST_IN_PASSING)])
def test_it_does_not_think_for_ever(floor: float, most: int) -> None:
    texts, counter = list("abcdefghijklm"), Objecting()
    complete(would_say(*texts), task(objects=counter, constrained=False, floor=floor))
    assert len(counter.objected) == most


def test_a_model_with_nothing_to_say_is_left_alone() -> None:
    assert complete(would_say("", "total"), task()).text == ""


def test_a_sample_is_taken_as_it_is() -> None:
    sampling = SamplingOptions(temperature=1.0, seed=1)
    counter = Objecting()
    complete(would_say("total"), task(sampling=sampling, objects=counter))
    assert counter.objected == ["total"]


@pytest.mark.parametrize(
    ("text", "is_shown_to_the_checker"),
    [
        ("total", False),
        ("user.name", False),
        ("free.yy", True),
        ("plain.zz", True),
        ("{ zz: total }", False),
        ("{ yy: free.yy }", True),
        ("() => { const {a} = user }", True),
        ("() => late", True),
    ],
)
def test_the_checker_sees_texts_of_which_not_all_is_proven(text: str, *, is_shown_to_the_checker: bool) -> None:
    checker = Looking(KNOWS)
    assert complete(would_say(text), task(types=checker)).text == text
    assert checker.seen == [text] * is_shown_to_the_checker


@pytest.mark.parametrize(
    ("language", "detail", "is_shown_to_the_checker"),
    [
        (Language.TYPESCRIPT, "dom", True),
        (Language.TYPESCRIPT, "node", True),
        (Language.TYPESCRIPT, "ecmascript", False),
        (Language.JAVASCRIPT, "dom", False),
    ],
)
def test_a_typescript_project_says_whether_it_knows_a_browser(
    language: Language, detail: str, *, is_shown_to_the_checker: bool
) -> None:
    known = Name("Given", NameKind.CLASS, Origin.GLOBAL, 1000, detail=detail)
    symbols = SymbolContext(language, {"Given": known, "x": Name("x", NameKind.VARIABLE, Origin.LOCAL, 0)})
    checker = Looking(KNOWS)
    complete(would_say("new Given()"), CompletionTask("x(", ");\n", symbols, max_tokens=40, types=checker))
    assert bool(checker.seen) is is_shown_to_the_checker


@pytest.mark.parametrize(
    ("language", "path", "is_shown_to_the_checker"),
    [
        (Language.TYPESCRIPT, "there", True),
        (Language.TYPESCRIPT, "./there", False),
        (Language.JAVASCRIPT, "there", False),
    ],
)
def test_a_typescript_project_says_whether_it_may_take_a_package(
    language: Language, path: str, *, is_shown_to_the_checker: bool
) -> None:
    checker, text = Looking(KNOWS), f"total = require('{path}');"
    symbols = SymbolContext(
        language, {one: Name(one, NameKind.VARIABLE, Origin.LOCAL, 0) for one in ("total", "require")}
    )
    given = CompletionTask("\n", "\n", symbols, max_tokens=40, types=checker)
    assert complete(would_say(text), given).text == text
    assert bool(checker.seen) is is_shown_to_the_checker


@pytest.mark.parametrize(
    ("line", "text", "is_shown_to_the_checker"),
    [
        ("const { a,\n  ^\n} = user;\n", "zz,", True),
        ("const { a } = user;\nx(^);\n", "total", False),
        ("x = ) + 1;\nx(^);\n", "total", True),
        ("export {^} from './a';\n", "zz", True),
        ("export { yy,^} from './a';\n", "zz as total", True),
        ("^\n", "export {zz} from './a';", True),
        ("export {};\nx(^);\n", "total", False),
        ("(^);\n", "{ zz } = user", True),
        ("x(^);\n", "() => { user.name }", False),
        ("if (^\n}\n", "user.name) {", True),
        ("if (^\n}\n", "total) {", False),
        ("x(^);\n", "items.Inner", True),
        ("x(^);\n", "items.outer", False),
        ("^\n", "import './late';", True),
        ("^\n", "import late from './late';", True),
        ("x(^);\n", "[import('./late'), () => late]", True),
        ("x(^);\n", "[import('./late'), total]", True),
        ("^\n", "import zz from 'there';", True),
        ("import{^} from 'there';\n", "default as zz", True),
        ("import total,{^} from 'there';\n", "default as zz", True),
        ("x = require('./^');\n", "late", False),
        ("x(^);\n", "'late'", True),
    ],
)
def test_the_checker_sees_what_is_exported_of_another_module(
    line: str, text: str, *, is_shown_to_the_checker: bool
) -> None:
    checker = Looking(KNOWS)
    assert complete(would_say(text), task(line, types=checker)).text == text
    assert checker.seen == [text] * is_shown_to_the_checker


def test_a_name_that_is_refused_though_it_is_listed_is_not_said_there_either() -> None:
    checker = Looking(KNOWS, "name")
    completion = complete(would_say("user.name) {", "user.isOwn) {"), task("if (^\n}\n", types=checker))
    assert completion.text == "user.isOwn) {"
    assert checker.seen == ["user.name) {", "user.name) {", "user.isOwn) {"]


def test_the_checker_sees_a_pattern_that_begins_with_the_text() -> None:
    checker = Looking(KNOWS)
    assert complete(would_say(" { zz } = user;"), task("const ^\n", types=checker)).text == "{ zz } = user;"
    assert checker.seen == ["{ zz } = user;"]


@pytest.mark.parametrize(
    ("language", "line", "text", "is_shown_to_the_checker"),
    [
        (Language.TYPESCRIPT, "x(^);\n", "total<user.name", True),
        (Language.TYPESCRIPT, "total<^;\n", "user.name", True),
        (Language.TYPESCRIPT, "x(^);\n", "total < items", False),
        (Language.TYPESCRIPT, "x(^);\n", "({ zz }: number) => zz", True),
        (Language.TYPESCRIPT, "import {\n  type ^\n} from 'a';\n", " zz", True),
        (Language.TYPESCRIPT, "import {\n  ^\n} from 'a';\n", "type zz,", True),
        (Language.TYPESCRIPT, "^\n", "type zz = number;", False),
        (Language.JAVASCRIPT, "x(^);\n", "total<user.name", False),
    ],
)
def test_the_checker_sees_what_was_listed_as_a_type_and_may_be_a_value(
    language: Language, line: str, text: str, *, is_shown_to_the_checker: bool
) -> None:
    checker = Looking(KNOWS)
    given = task(line, types=checker)
    complete(would_say(text), replace(given, symbols=replace(given.symbols, language=language)))
    assert bool(checker.seen) is is_shown_to_the_checker


def test_assigning_to_a_member_that_a_list_lacks_is_not_proven() -> None:
    state = TypedNames.at(Language.JAVASCRIPT, FakeTypes(KNOWS), "", "")
    for text, made in (("user.zz = 1;", True), ("user.name = 1;", False), ("plain.zz = 1;", True), ("a.b = 1;", False)):
        after = state.feed(text)
        assert isinstance(after, TypedNames)
        assert after.made is made


def test_no_attempt_reads_what_another_has_read(monkeypatch: pytest.MonkeyPatch) -> None:
    model, read = would_say("free.ab", "free.xy", "total", "items"), []
    forward = model.forward

    def noted(tokens: Sequence[int], rows: int = 1) -> Logits:
        logits = forward(tokens, rows)
        read.append(tuple(model.tokens))
        return logits

    monkeypatch.setattr(model, "forward", noted)
    objecting = Objecting()
    assert complete(model, task(objects=objecting)).tried > 1
    assert {"free.ab", "free.xy"} <= {*objecting.objected}  # these begin alike
    assert len(read) == len({*read})
