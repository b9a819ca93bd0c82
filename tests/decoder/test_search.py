"""The search: candidates come in the order of their probability, and a rejection prunes all that begins like it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from decoder.search import BranchPoint, NotAccepted, SearchBudget, Write, search

Texts = dict[str, float]
"""Whole outputs and their probabilities; a letter is a token, and the end is another."""
END = "."


@dataclass(frozen=True)
class Letters:
    """A candidate of letters."""

    texts: Texts
    letters: str
    banned: frozenset[bytes]
    is_unfinished: bool = False

    @property
    def text(self) -> str:
        return "" if self.is_unfinished else self.letters.removesuffix(END)

    @property
    def score(self) -> float:
        return mass(self.texts, self.letters)

    @property
    def first_score(self) -> float:
        return self.score

    @property
    def output(self) -> bytes:
        return self.letters.encode()

    def branch_points(self) -> Iterator[BranchPoint]:
        for place, letter in enumerate(self.letters):
            stem = self.letters[:place]
            others = [
                mass(self.texts, stem + other)
                for other in followers(self.texts, stem)
                if other != letter and not is_banned(stem + other, self.banned)
            ]
            bound = max(others, default=-math.inf)
            if bound > -math.inf:
                output = self.output[: place + 1]
                yield BranchPoint(stem.encode(), output, bound, max(0.0, mass(self.texts, stem + letter) - bound))

    def beginning(self, length: int) -> bytes:
        return self.output[:length]

    def forwards(self, stem: bytes) -> int:
        return len(self.output) - len(stem)


def mass(texts: Texts, beginning: str) -> float:
    total = sum(share for text, share in texts.items() if (text + END).startswith(beginning))
    return math.log(total) if total else -math.inf


def followers(texts: Texts, stem: str) -> set[str]:
    return {(text + END)[len(stem)] for text in texts if (text + END).startswith(stem) and len(text + END) > len(stem)}


def is_banned(output: str, banned: frozenset[bytes]) -> bool:
    return output.encode() in banned


def writer(texts: Texts, begun: list[str]) -> Write[Letters]:
    def write(parent: Letters | None, stem: bytes, banned: frozenset[bytes], floor: float) -> Letters:
        assert parent is None or parent.output.startswith(stem)
        output = stem.decode()
        while not output.endswith(END):
            legal = [output + one for one in followers(texts, output) if not is_banned(output + one, banned)]
            if not legal:
                break
            output = max(legal, key=lambda one: (mass(texts, one), one))
            if mass(texts, output) < floor:
                return Letters(texts, output, banned, is_unfinished=True)
        begun.append(output)
        return Letters(texts, output if output.endswith(END) else "", banned)

    return write


def found(
    texts: Texts, *, refuse: dict[str, int | None] | None = None, budget: SearchBudget | None = None
) -> list[str]:
    """Texts that are accepted; those of `refuse` are rejected, up to so many letters."""
    refused = refuse or {}

    def verify(text: str) -> NotAccepted | None:
        return NotAccepted(refused[text]) if text in refused else None

    return [one.text for one in search(writer(texts, []), verify, budget or SearchBudget()).accepted]


def test_a_greedy_text_of_little_probability_gives_way_to_a_better_one() -> None:
    spread = {f"a{letter}": 0.6 / 100 for letter in map(chr, range(200, 300))}
    assert found({**spread, "b": 0.4}) == ["b"]
    assert found({**spread, "b": 0.4}, budget=SearchBudget(ahead=0)) != ["b"]


def test_the_next_most_probable_text_takes_the_place_of_a_rejected_one() -> None:
    texts = {"item": 0.5, "items": 0.3, "other": 0.2}
    assert found(texts) == ["item"]
    assert found(texts, refuse={"item": None}) == ["items"]
    assert found(texts, refuse={"item": 4}) == ["other"]
    assert found(texts, refuse={"item": None, "items": None, "other": None}) == []


def test_nothing_is_tried_after_whoever_verifies_was_late() -> None:
    asked: list[str] = []

    def verify(text: str) -> NotAccepted:
        asked.append(text)
        return NotAccepted(final=True)

    assert not search(writer({"a": 0.6, "b": 0.4}, []), verify, SearchBudget()).accepted
    assert asked == ["a"]


def test_a_last_resort_is_shown_after_what_is_accepted() -> None:
    texts = {"a": 0.4, "b": 0.3, "c": 0.2, "d": 0.1}
    for resorts, wanted, shown, tried in (
        ("a", 1, "b", 2),
        ("ac", 2, "bd", 2),
        ("ac", 4, "bdac", 2),
        ("abcd", 1, "a", 4),
        ("abcd", 2, "ab", 4),
    ):
        result = search(
            writer(texts, []),
            lambda text, resorts=resorts: NotAccepted(last_resort=True) if text in resorts else None,  # type: ignore[misc]
            SearchBudget(accepted=wanted),
        )
        assert ("".join(one.text for one in result.shown), result.tried) == (shown, tried)


def test_alternatives_are_the_next_accepted_texts() -> None:
    texts = {"a": 0.4, "b": 0.3, "c": 0.2, "d": 0.1}
    assert found(texts, refuse={"b": None}, budget=SearchBudget(accepted=3)) == ["a", "c", "d"]


def test_the_budget_bounds_what_is_begun() -> None:
    texts = dict.fromkeys(map(chr, range(97, 123)), 1 / 26)
    begun: list[str] = []
    search(writer(texts, begun), lambda _text: NotAccepted(), SearchBudget(forwards=5))
    assert len(begun) == 3  # a letter and the end


def test_what_is_of_no_use_is_neither_verified_nor_gone_on_with() -> None:
    texts = {"a": 0.5, "b": 0.3, "c": 0.15, "d": 0.05}
    begun: list[str] = []
    asked: list[str] = []

    def verify(text: str) -> NotAccepted:
        asked.append(text)
        return NotAccepted()

    search(writer(texts, begun), verify, SearchBudget(least=math.log(0.2)))
    assert (begun, asked) == (["a.", "b."], ["a", "b"])


def test_more_is_begun_only_until_a_text_is_accepted() -> None:
    texts = dict.fromkeys(map(chr, range(97, 123)), 1 / 26)
    for taken, is_last_resort, count in (("", False, 6), ("z", False, 3), ("v", False, 5), ("z", True, 6)):
        begun: list[str] = []
        answers = {taken: NotAccepted(last_resort=True) if is_last_resort else None}
        search(
            writer(texts, begun),
            lambda text, answers=answers: answers.get(text, NotAccepted()),  # type: ignore[misc]
            SearchBudget(forwards=5, until_accepted=6, ahead=0, accepted=3),
        )
        assert len(begun) == count, (taken, is_last_resort)


@given(
    st.dictionaries(st.text("abc", min_size=1, max_size=4), st.integers(1, 50), min_size=1, max_size=12),
    st.data(),
)
def test_with_room_enough_texts_come_in_the_order_of_their_probability(
    counts: dict[str, int], data: st.DataObject
) -> None:
    total = sum(counts.values())
    texts = {text: count / total for text, count in counts.items()}
    refused = data.draw(st.sets(st.sampled_from(sorted(texts))))
    wide = SearchBudget(forwards=10_000, ahead=1_000, accepted=len(texts))
    accepted = found(texts, refuse=dict.fromkeys(refused), budget=wide)
    likely = {text for text in texts if math.log(texts[text]) > -5 - 1e-9}
    assert likely - refused <= set(accepted)
    assert len(set(accepted)) == len(accepted)
    unlikely_first = [texts[one] for one in accepted if math.log(texts[one]) <= -4]
    assert all(one >= other - 1e-12 for one, other in itertools.pairwise(unlikely_first))
