"""A run that was ended in the middle of a row goes on after the last whole one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from benchmarks import json_lines

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("before", "count"),
    [(b"", 0), (b'{"a": 1}\n', 1), (b'{"a": 1}\n{"a": ', 1), (b'{"a": ', 0), (b'{"a": 1}', 0), (b'{}\n{"a": "\xc3', 1)],
)
def test_a_torn_row_is_dropped(before: bytes, count: int, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(before)
    assert len([*json_lines.rows(path)]) == count
    json_lines.append(path, {"a": "ß"})
    json_lines.append(path, {"b": 2})
    assert [*json_lines.rows(path)][count:] == [{"a": "ß"}, {"b": 2}]


def test_no_file_has_no_rows(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    assert [*json_lines.rows(path)] == []
    json_lines.append(path, {"a": 1})
    assert [*json_lines.rows(path)] == [{"a": 1}]
