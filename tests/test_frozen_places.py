"""The frozen places: sets that share no package, and nothing in them but places."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from benchmarks import menu_places
from benchmarks.places import COUNTS, KINDS, NAMES
from context_index import Document, Language, parse
from training.corpus import HELD_OUT

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


INSTRUCTIONS = [json.loads(line) for line in (FOLDER / "instructions.jsonl").read_text("utf-8").splitlines()]


def test_instructions_fitted_to_and_others_share_no_function() -> None:
    functions = {
        name: {(row["package"], row["file"], row["lines"]) for row in INSTRUCTIONS if row["set"] == name}
        for name in ("fitting", "heldout", "known")
    }
    assert not functions["fitting"] & functions["heldout"]
    assert not functions["known"] & (functions["fitting"] | functions["heldout"])
    counted = Counter(row["set"] for row in INSTRUCTIONS)
    assert counted["fitting"] >= 75
    assert counted["heldout"] >= 150
    assert counted["known"] >= 30
    assert {row["language"] for row in INSTRUCTIONS} == {"javascript", "typescript", "python"}


def test_half_of_the_unseen_instructions_are_in_packages_that_nothing_was_fitted_to() -> None:
    fitted = {row["package"] for row in INSTRUCTIONS if row["set"] == "fitting"}
    others = [row for row in INSTRUCTIONS if row["set"] == "heldout" and row["package"] not in fitted]
    counted = Counter(row["language"] for row in others)
    assert min(counted[language] for language in ("javascript", "typescript", "python")) >= 25
    assert len({(row["package"], row["file"], row["lines"]) for row in others}) >= 20


def test_instructions_are_in_packages_that_no_model_was_trained_on() -> None:
    assert {row["package"].rpartition("==")[0].replace("_", "-") for row in INSTRUCTIONS} <= HELD_OUT


def test_each_instruction_is_there_once_with_edits_that_do_not_overlap() -> None:
    assert len({(row["file"], row["lines"], row["instruction"]) for row in INSTRUCTIONS}) == len(INSTRUCTIONS)
    for row in INSTRUCTIONS:
        edits = row["edits"]
        assert edits
        assert all(one[1] <= other[0] for one, other in pairwise(edits))


@pytest.mark.parametrize("name", menu_places.NAMES)
def test_menus_are_frozen_by_kind_and_hold_no_source_text(name: str) -> None:
    rows = menu_places.load(name)
    assert Counter(one.kind for one in rows) == dict.fromkeys(menu_places.KINDS, menu_places.COUNT)
    assert len({(one.package, one.file, one.start) for one in rows}) == len(rows)
    assert {one.package.rpartition("==")[0].replace("_", "-") for one in rows} <= HELD_OUT


def test_no_file_is_in_two_sets_of_menus() -> None:
    files = [{(one.package, one.file) for one in menu_places.load(name)} for name in menu_places.NAMES]
    assert len(files) > 1
    assert len(set().union(*files)) == sum(map(len, files))


IMPORTS = """
import "./a";                                    =>
import b from "./b";                             => ./b
import * as all from "./c";                      => ./c
import { d } from "./d";                         => d ./d
import e, { f as g } from "./e";                 => f ./e
import type { H } from "./h";                    => H ./h
import i = require("./i");                       =>
export { j } from "./j";                         =>
const k = await import("./k");                   =>
"""


@pytest.mark.parametrize("case", IMPORTS.strip().splitlines())
def test_an_import_is_a_place_of_a_menu_where_it_has_names(case: str) -> None:
    text, _, expected = case.partition("=>")
    drawn = {one.name for one in menu_places.stretches(parse(Document("file:///a.ts", Language.TYPESCRIPT, text)))}
    assert drawn == set(expected.split())
