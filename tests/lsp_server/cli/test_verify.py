"""`inscope verify` as another program asks it: each line is answered, whatever is wrong with the one before."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from lsp_server.cli import main

pytestmark = pytest.mark.slow

FILES = {
    "a.py": b"x = [1]\nx.\n",
    "crlf.py": "s = '😀é'\r\nn: int = \r\n".encode(),
    "cr.py": b"x = 1\rn: int = \r",
    "bom.py": b"\xef\xbb\xbfn: int = 1\n",
    "latin.py": b"s = '\xe9'\n",
    "utf16.py": "x = 1\n".encode("utf-16"),
    "binary.py": b"x = 1\0\n",
    "a.rs": b"fn main() {}\n",
}
FAULTS = """
"text"  => malformed_request line {number} is not an object
{"id": 1  => malformed_request line {number} is not JSON
{"file": "a.py", "line": NaN, "column": 1, "insert": "a"}  => malformed_request line {number} holds NaN
{"line": 2, "column": 3, "insert": "a"}  => malformed_request 'file' must be a path
{"file": "a.py", "line": "2", "column": 3, "insert": "a"}  => malformed_request 'line' must be a whole
{"file": "a.py", "line": 2, "column": 3}  => malformed_request 'insert' must be a string
{"file": "a.py", "line": 2, "column": 3, "insert": "a", "replaces": -1}  => malformed_request 'replaces' must be a
{"file": "a.py", "line": 2, "column": 3, "insert": "a", "replaces": true}  => malformed_request 'replaces' must be a
{"file": "a.py", "line": 2, "column": 3, "insert": "a", "replaces": 9}  => position_outside 'replaces' is 9, and 1
{"file": "a.py", "line": 0, "column": 1, "insert": "a"}  => position_outside 'a.py' has no line 0
{"file": "a.py", "line": 9, "column": 1, "insert": "a"}  => position_outside 'a.py' has no line 9
{"file": "a.py", "line": 1, "column": 99, "insert": "a"}  => position_outside 'a.py' has no column 99
{"file": "a.py", "line": 2, "column": 3, "insert": "\\ud800"}  => not_utf8 the text for 'a.py' holds half of
{"file": "latin.py", "line": 1, "column": 1, "insert": "a"}  => not_utf8 'latin.py' is not UTF-8 (line 1)
{"file": "utf16.py", "line": 1, "column": 1, "insert": "a"}  => not_utf8 'utf16.py' is not UTF-8
{"file": "binary.py", "line": 1, "column": 1, "insert": "a"}  => binary 'binary.py' is a binary file
{"file": "a.rs", "line": 1, "column": 1, "insert": "a"}  => unknown_language the language of 'a.rs'
{"file": ".", "line": 1, "column": 1, "insert": "a"}  => is_directory '.' is a directory
{"file": "zork.py", "line": 1, "column": 1, "insert": "a"}  => file_not_found there is no file 'zork.py'
"""
ANSWERS = """
{"file": "crlf.py", "line": 2, "column": 10, "insert": "'a'"}  => 2:10-2:13
{"file": "crlf.py", "line": 2, "column": 10, "insert": "1\\r\\nm: int = 'a'"}  => 3:10-3:13
{"file": "crlf.py", "line": 1, "column": 9, "insert": "; n: int = 'a'"}  => 1:20-1:23
{"file": "crlf.py", "line": 1, "column": 6, "insert": "😀😀'; n: int = '"}  => 1:20-1:24
{"file": "cr.py", "line": 2, "column": 10, "insert": "'a'"}  => 2:10-2:13
{"file": "bom.py", "line": 1, "column": 10, "insert": "'a'", "replaces": 1}  => 1:10-1:13
{"file": "new.py", "text": "n: int = ", "line": 1, "column": 10, "insert": "'a'"}  => 1:10-1:13
{"file": "a.py", "line": 2, "column": 3, "insert": "append('😀', 1)"}  => 2:10-2:13
"""


def pairs(cases: str) -> list[tuple[str, str]]:
    return [
        (line.strip(), expected.strip())
        for line, _, expected in (one.partition("=>") for one in cases.split("\n"))
        if line
    ]


Batch = Callable[..., tuple[int, list[dict[str, object]]]]


@pytest.fixture
def batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Batch:
    """Has lines answered; gives the exit code and the answers."""
    for name, data in FILES.items():
        (tmp_path / name).write_bytes(data)
    monkeypatch.chdir(tmp_path)

    def asked(*lines: str) -> tuple[int, list[dict[str, object]]]:
        (tmp_path / "in.jsonl").write_text("\n".join(lines), "utf-8")
        code = main(["verify", "--batch", "in.jsonl"])
        return code, [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    return asked


def test_a_fault_is_one_sentence_and_the_lines_after_it_are_answered(batch: Batch) -> None:
    good = json.dumps({"id": "good", "file": "a.py", "line": 2, "column": 3, "insert": "append(2)"})
    cases = pairs(FAULTS)
    code, answers = batch(*(each for line, _ in cases for each in (line, good)))
    assert (code, len(answers)) == (1, 2 * len(cases))
    for number, (line, expected), failed, answer in zip(count(1, 2), cases, answers[::2], answers[1::2]):
        error = failed["error"]
        assert isinstance(error, dict), line
        assert f"{error['code']} {error['message']}".startswith(expected.format(number=number))
        assert "\n" not in error["message"]
        assert (failed["verified"], answer["verified"], answer["error"]) == ("none", "types", None), line


def test_columns_are_code_points_of_the_document_with_the_text_in_it(batch: Batch) -> None:
    cases = pairs(ANSWERS)
    code, answers = batch(*(line for line, _ in cases))
    places = []
    for answer in answers:
        found = answer["rejections"][0]  # type: ignore[index] # a list
        places.append(f"{found['line']}:{found['column']}-{found['end_line']}:{found['end_column']}")
    assert (code, places) == (0, [expected for _, expected in cases])


@pytest.mark.parametrize("settings", ["tsconfig.json", "package.json"])
def test_a_path_with_dots_names_the_same_file(batch: Batch, settings: str) -> None:
    Path(settings).write_text("{}", "utf-8")
    asked = {"file": "sub/../new.ts", "text": "\n", "line": 1, "column": 1, "insert": "function f() {}"}
    _, (answer,) = batch(json.dumps(asked))
    assert (answer["verified"], answer["reason"]) == ("types", None)


def test_the_text_of_a_line_is_not_known_to_the_next(batch: Batch) -> None:
    given = {"file": "a.py", "text": "class Zork: ...\n", "line": 2, "column": 1, "insert": "Zork()"}
    asked = {"file": "new.py", "text": "import a\n", "line": 2, "column": 1, "insert": "a.Zork()"}
    _, answers = batch(*map(json.dumps, (given, asked)))
    assert [one["verified"] for one in answers] == ["types", "none"]


def test_a_text_that_is_too_large_is_refused(batch: Batch) -> None:
    code, (answer,) = batch(json.dumps({"file": "a.py", "line": 2, "column": 3, "insert": "a" * 6_000_000}))
    assert (code, answer["error"]["code"]) == (1, "too_large")  # type: ignore[index] # an object


def test_a_text_at_which_the_checker_ends_costs_the_other_files_nothing(batch: Batch) -> None:
    deep = {"file": "new.py", "text": f"x = {'[' * 5000}{']' * 5000}\n", "line": 1, "column": 1, "insert": "y = 1\n"}
    good = {"file": "a.py", "line": 2, "column": 3, "insert": "append(2)"}
    code, (failed, answer) = batch(json.dumps(deep), json.dumps(good))
    assert (code, failed["verified"], answer["verified"]) == (0, "syntax", "types")
    assert "the process ended" in str(failed["reason"])


@pytest.mark.parametrize(("text", "status"), [("append(2)", 0), ("zork", 1), ("append(", 0)])
def test_one_text_that_is_rejected_ends_with_1(
    text: str, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.py").write_bytes(FILES["a.py"])
    monkeypatch.chdir(tmp_path)
    assert main(["verify", "a.py:2:3", "--text", text]) == status


WHOLE_NAMES = {
    "rest of a word": ("def f(x):\n    x.mp^\n", "s", 0, ["mps"]),
    "a whole word": ("def f(x):\n    x.^\n", "mps", 0, ["mps"]),
    "within a word": ("def f(x):\n    x.m^s\n", "p", 0, ["mps"]),
    "in place of a word's rest": ("def f(x):\n    x.m^zork\n", "ps", 4, ["mps"]),
    "then another": ("def f(x):\n    x.mp^\n", "s.ro", 0, ["mps", "ro"]),
    "a call": ("def f(x):\n    x.mp^\n", "s(x.ab)", 0, ["mps", "ab"]),
    "beside a known one": ("def f(x):\n    x.mp^\n", 's("".strip())', 0, ["mps"]),
}


@pytest.mark.parametrize(("text", "insert", "replaces", "expected"), WHOLE_NAMES.values(), ids=WHOLE_NAMES)
def test_a_member_without_a_definition_is_named_whole(
    batch: Batch, text: str, insert: str, replaces: int, expected: list[str]
) -> None:
    before, _, after = text.partition("^")
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    place = {"file": "new.py", "text": before + after, "line": line, "column": column}
    _, (answer,) = batch(json.dumps({**place, "insert": insert, "replaces": replaces}))
    assert (answer["verified"], answer["unverified"]) == ("names", expected)


VERDICTS = {"accepted": ("append(2)", 0), "rejected": ("zork()", 1), "broken": ("append(", 0), "no code": (") + (", 1)}


@pytest.mark.parametrize(("insert", "code"), VERDICTS.values(), ids=VERDICTS)
def test_a_rejection_ends_with_1_and_a_batch_of_them_does_not(
    batch: Batch, capsys: pytest.CaptureFixture[str], insert: str, code: int
) -> None:
    assert main(["verify", "a.py:2:3", "--text", insert]) == code
    line = json.dumps({"file": "a.py", "line": 2, "column": 3, "insert": insert})
    assert main(["verify", "a.py:2:3", "--text", insert, "--json"]) == code
    capsys.readouterr()
    ended, answers = batch(line, line)
    assert (ended, [one["error"] for one in answers[-2:]]) == (0, [None, None])
    ended, answers = batch(line, '{"file": "zork.py", "line": 1, "column": 1, "insert": "a"}')
    assert (ended, [one["error"] is None for one in answers[-2:]]) == (1, [True, False])
