"""The frozen places: sets that share no package, and nothing in them but places."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.places import COUNTS, KINDS, NAMES

FOLDER = Path(__file__).parents[1] / "benchmarks" / "places"
ROWS = {
    name: [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text("utf-8").splitlines()] for name in NAMES
}
PACKAGES = json.loads((FOLDER / "packages.json").read_text("utf-8"))


@pytest.mark.parametrize("name", NAMES)
def test_a_set_has_its_places_of_each_language_and_kind(name: str) -> None:
    counted = Counter((row["language"], row["kind"]) for row in ROWS[name])
    expected = {
        (language, kind): round(COUNTS[name] * share) for language in PACKAGES[name] for kind, share in KINDS.items()
    }
    assert counted == expected


@pytest.mark.parametrize("name", NAMES)
def test_no_place_is_drawn_twice_and_all_are_of_listed_packages(name: str) -> None:
    assert len({(row["package"], row["file"], row["offset"]) for row in ROWS[name]}) == len(ROWS[name])
    assert {row["package"] for row in ROWS[name]} <= {one for few in PACKAGES[name].values() for one in few}


@pytest.mark.parametrize("name", NAMES)
def test_no_source_text_is_kept(name: str) -> None:
    assert {tuple(sorted(row)) for row in ROWS[name]} == {
        ("file", "kind", "language", "offset", "package", "sha256"),
    }


def test_the_sets_share_no_package() -> None:
    packages = [name for rows in ROWS.values() for name in {row["package"].partition("==")[0] for row in rows}]
    assert len(set(packages)) == len(packages)
