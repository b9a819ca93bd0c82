"""Lines of a batch: which are read, and what is reported of the others."""

from __future__ import annotations

import json
from contextlib import nullcontext
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_index import Document, Language
from decoder import Stop
from lsp_server.engine.suggestion import Suggestion
from lsp_server.engine.wire.file_place import FilePlace
from lsp_server.engine.wire.requests import PlaceRequest, fields_of, line_of
from lsp_server.engine.wire.suggestions import answered, failure
from lsp_server.errors import ErrorCode, RequestError

if TYPE_CHECKING:
    from lsp_server.engine.wire import Json

GOOD = {
    '{"id": 1, "file": "a.py", "line": 1, "column": 2}': PlaceRequest(FilePlace("a.py", 1, 2), None),
    '{"file": "a.py", "line": 1, "column": 2, "text": ""}': PlaceRequest(FilePlace("a.py", 1, 2), ""),
    '\ufeff{"file": "a.py", "line": 1, "column": 2, "text": null}': PlaceRequest(FilePlace("a.py", 1, 2), None),
    # whether there is such a place is for the file to say
    '{"file": "a.py", "line": -1, "column": 0, "more": []}': PlaceRequest(FilePlace("a.py", -1, 0), None),
}


@pytest.mark.parametrize("raw", GOOD)
def test_good(raw: str) -> None:
    assert line_of(fields_of(raw.encode(), 1)) == GOOD[raw]


BAD = [
    (b"nonsense", "line 7 is not JSON (Expecting value at character 1)"),
    (b'{"file": "a.py"', "not JSON"),
    (b"\xff\xfe", "line 7 is not UTF-8"),
    (b"[]", "line 7 is not an object"),
    (b"3", "not an object"),
    (b'{"id": NaN}', "holds NaN, an infinity"),
    (b'{"id": ' + b"9" * 5000 + b"}", "holds NaN, an infinity"),
    (b"[" * 100_000, "holds NaN, an infinity"),
    (b"{}", "'file' must be a path"),
    (b'{"file": "", "line": 1, "column": 1}', "'file' must be a path"),
    (b'{"file": "a\\u0000.py", "line": 1, "column": 1}', "'file' must be a path"),
    (b'{"file": ["a.py"], "line": 1, "column": 1}', "'file' must be a path"),
    (b'{"file": "\\ud83d.py", "line": 1, "column": 1, "text": ""}', "'file' must be a path"),
    (b'{"file": "a.py", "column": 1}', "'line' must be a whole number"),
    (b'{"file": "a.py", "line": true, "column": 1}', "'line' must be a whole number"),
    (b'{"file": "a.py", "line": 1.0, "column": 1}', "'line' must be a whole number"),
    (b'{"file": "a.py", "line": 1, "column": "1"}', "'column' must be a whole number"),
    (b'{"file": "a.py", "line": 1, "column": 1, "text": 1}', "'text' must be a string"),
]


@pytest.mark.parametrize(("raw", "said"), BAD, ids=[f"{said} {len(raw)}" for raw, said in BAD])
def test_bad(raw: bytes, said: str) -> None:
    with pytest.raises(RequestError) as caught:
        line_of(fields_of(raw, 7))
    assert caught.value.code is ErrorCode.MALFORMED_REQUEST
    assert said in caught.value.message


@given(st.binary(max_size=60))
def test_random_bytes_are_a_request_error(raw: bytes) -> None:
    with pytest.raises(RequestError):
        line_of(fields_of(raw, 1))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda values: st.lists(values, max_size=2) | st.dictionaries(st.text(max_size=3), values, max_size=2),
    max_leaves=3,
)


@given(st.fixed_dictionaries({"file": st.text(min_size=1), "line": st.integers(), "column": JSON, "text": JSON}))
def test_objects_are_a_request_or_a_request_error(fields: dict[str, Json]) -> None:
    column, text = fields["column"], fields["text"]
    right = isinstance(column, int) and not isinstance(column, bool) and (text is None or isinstance(text, str))
    expected = nullcontext() if right and "\0" not in str(fields["file"]) else pytest.raises(RequestError)
    with expected:
        line_of(fields)


def test_failure_has_the_fields_of_an_answer() -> None:
    suggestion = Suggestion(text="", stop=Stop.STATEMENT, tokens=1, latency_ms=1.0, first_token_ms=1.0)
    answer = answered("x", suggestion, Document("file:///a.py", Language.PYTHON, ""), explain=False)
    failed = failure(RequestError(ErrorCode.BINARY, "no"), "x")
    assert list(failed) == list(answer)
    assert json.loads(json.dumps(failed)) == failed
    assert failed["error"] == {"code": "binary", "message": "no"}
