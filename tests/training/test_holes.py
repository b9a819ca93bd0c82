"""Holes are pieces of their text, in files that are finished and in such that are still being written."""

import random
from collections import Counter
from functools import partial

import pytest

from training.holes import Hole, hole, windows

TEXT = """\
export class Store {
  rows = new Map();
  add(row) {
    this.rows.set(row.id, {
      name: row.name,
      size: size(row.parts[0], 2),
    });
    return this.rows;
  }

  all() {
    return [...this.rows.values()].map((row) => {
      return row.name;
    });
  }
}
"""


@pytest.mark.parametrize("seed", range(300))
def test_what_is_missing_is_in_the_text_before_what_is_below(seed: int) -> None:
    made = hole(TEXT, random.Random(seed))
    assert TEXT.startswith(made.prefix + made.middle)
    after = TEXT[len(made.prefix + made.middle) :]
    parts = [(made.suffix[:at], made.suffix[at:]) for at in range(len(made.suffix) + 1)]
    assert any(set(closers) <= set(")]} \n") and after.endswith(rest) for closers, rest in parts)


def _below(text: str, made: Hole) -> str:
    if not made.suffix.strip(")]} \n"):
        return "nothing"
    return "all" if text == made.prefix + made.middle + made.suffix else "a part"


def test_files_are_finished_and_unfinished() -> None:
    text = TEXT * 3
    made = [hole(text, random.Random(seed)) for seed in range(900)]
    below = Counter(map(partial(_below, text), made))
    assert all(below[state] >= 150 for state in ("nothing", "all", "a part")), below
    assert sum("\n" in one.middle for one in made) >= 150


def test_a_closer_is_where_an_editor_leaves_it() -> None:
    suffixes = {
        made.suffix
        for made in (hole(TEXT, random.Random(seed)) for seed in range(2_000))
        if made.prefix.endswith("      name:")
    }
    assert any(suffix.startswith("\n    })") for suffix in suffixes), suffixes


def test_windows_are_the_whole_text() -> None:
    long = TEXT * 40
    found = [*windows(long, random.Random(1))]
    assert long.startswith("".join(found))
    assert all(one.endswith("\n") for one in found)
