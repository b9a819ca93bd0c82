"""The benchmark that types: an editor's own keys, who presses them, and what a real server shows meanwhile.

`^` is the cursor.
"""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from benchmarks import typing_anew
from benchmarks.typing_editor import Editor
from benchmarks.typing_person import Person
from benchmarks.typing_places import drawn, unit_of
from context_index import Language

PYTHON = '''"""Prices."""


def total(items, rate=0.2):
    """The sum of all prices with the tax on them."""
    found = [item["price"] for item in items if item["price"]]
    if not found:

        return {"sum": 0, "tax": f"{rate:.0%}"}
    for price in found:
        print("it's", price)
    return {"sum": sum(found) * (1 + rate), "tax": rate}
'''
SCRIPT = """export function total(items, rate = 0.2) {
  const found = items.filter((item) => {
    return item.price > 0; // it's dear
  });
  if (!found.length) {
    return { sum: 0, tax: `${rate * 100}%` };
  }
  const sums = found.map((item) => item.price).reduce(
    (a, b) => a + b,
    0,
  );
  return { sum: sums * (1 + rate), tax: rate };
}
"""
ELEMENTS = """import { useState } from 'react';

export function Box({ items }: { items: string[] }) {
\tconst [open, setOpen] = useState<Record<string, boolean>>({});
\treturn (
\t\t<ul className="box">
\t\t\t{items.map((item) => (
\t\t\t\t<li key={item} onClick={() => setOpen({ ...open, [item]: true })}>{open[item] ? item : "…"}</li>
\t\t\t))}
\t\t</ul>
\t);
}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in (("prices.py", PYTHON), ("prices.js", SCRIPT), ("box.tsx", ELEMENTS)):
        more = text.replace("total", "again").replace("Box", "Case").replace("import { useState } from 'react';", "")
        (tmp_path / name).write_text(text + more, "utf-8")  # a file of less than 500 characters is passed over
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "other.js").write_text(SCRIPT)
    return tmp_path


@pytest.mark.parametrize(
    ("before", "keys", "after"),
    [
        ("^", "f(", "f(^)"),
        ("^", "f(a)", "f(a)^"),
        ("f^ a", "(", "f(^) a"),
        ("f^a", "(", "f(^a"),
        ("^", "a['b']", "a['b']^"),
        ("a^", "'", "a'^"),
        ("^", "if (a) {\n", "if (a) {\n  ^\n}"),
        ("  ^", "f(() => {\n", "  f(() => {\n    ^\n  })"),
        ("a = 1;^", "\n", "a = 1;\n^"),
        ("  a = 1;^", "\n\n", "  a = 1;\n\n  ^"),
        ("f(^)", "<", "f<^)"),
        ("^", "(<", "<^"),
        ("^", "()<", "(<^"),
    ],
)
def test_an_editor_closes_and_indents(before: str, keys: str, after: str) -> None:
    """`<` is the key that takes back."""
    editor = Editor(before.replace("^", ""), before.index("^"), python=False, unit="  ")
    for key in keys:
        editor.backspace() if key == "<" else editor.type(key)
    marked = f"{editor.text[: editor.cursor]}^{editor.text[editor.cursor :]}"
    assert marked == after.replace("<", "")


@pytest.mark.parametrize("keys", ["f'{a}", 'print(f"a'])
def test_python_closes_quotes_after_a_prefix(keys: str) -> None:
    editor = Editor("", 0, python=True, unit="    ")
    for key in keys:
        editor.type(key)
    assert len(editor.text) > len(keys)


@pytest.mark.parametrize("seed", range(12))
def test_who_types_comes_to_what_is_wanted(folder: Path, seed: int) -> None:
    tasks = drawn(folder, seed, 3)
    assert {task.language for task in tasks} == {Language.PYTHON, Language.JAVASCRIPT, Language.TSX}
    for task in tasks:
        text = task.wanted[: task.start] + task.wanted[task.end :]
        editor = Editor(text, task.start, task.language.is_python, unit_of(task.wanted))
        person = Person(editor, task.wanted, len(task.wanted) - task.end, random.Random(seed))
        for stroke in person.strokes():
            for edit in stroke.edits:
                text = text[: edit.start] + edit.text + text[edit.end :]
            assert text == editor.text, "edits say what the editor did"
            assert person.keys < 4 * len(task.stretch) + 40
        assert editor.text == task.wanted


@pytest.mark.slow
def test_a_tiny_folder_is_typed(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(typing_anew, "_READING_SECONDS", 0.0)
    rows = folder / "rows.jsonl"
    arguments = [str(folder), "--count", "3", "--seed", "5", "--deadline-ms", "60000", "--rows", str(rows), "--json"]
    assert typing_anew.main(arguments) == 0
    figures = json.loads(capsys.readouterr().out)["figures"]
    pauses = [json.loads(line) for line in rows.read_text("utf-8").splitlines()]
    assert sum(one["pauses"] for one in figures.values()) == len(pauses)
    assert len(pauses) > 5
    assert any(pause["shown"] for pause in pauses)
    assert all(pause["shown"] or pause["reason"] for pause in pauses)
    assert all(pause["right"] == len(pause["shown"]) for pause in pauses if pause["accepted"])
    assert all(one["flickers"] == 0 for one in figures.values())
