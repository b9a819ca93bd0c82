"""What came of the menus that `benchmarks/ranking.py` asks for: a row for each menu, and the tables of rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, median
from typing import Any

OURS = ("unranked", "ours")
"""Our list without the model, and our menu."""
_FEW = 5
"""Entries that are seen at a glance."""


@dataclass(frozen=True, slots=True)
class MenuRow:
    """One menu."""

    family: str
    kind: str
    """`names` or `members`."""
    typed: int
    """How many characters of the name were typed."""
    milliseconds: float
    """What ranking took."""
    listed: Mapping[str, bool]
    """By peer, and for `ours`: whether the true name is in the list."""
    ranks: Mapping[str, Mapping[str, int]]
    """By peer that lists the true name, as we do: its ranks from 1 in the peer's order and in those of `OURS`."""
    sizes: Mapping[str, int]
    """By peer, how many names were compared."""


def ranks(orders: Mapping[str, Sequence[str]], name: str) -> dict[str, int]:
    """The ranks, from 1, of a name in several orders of the same names; the keys say whose order it is."""
    return {who: order.index(name) + 1 for who, order in orders.items()}


@dataclass(slots=True)
class Tally:
    """Ranks of the true names in several orders of the same names."""

    ranks: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    """By order: the ranks at all places."""
    sizes: list[int] = field(default_factory=list)
    """How many names were compared at each place."""

    def add(self, found: Mapping[str, int], size: int) -> None:
        """Count one place: the ranks of its name by order, and how many names were compared."""
        for who, rank in found.items():
            self.ranks[who].append(rank)
        self.sizes.append(size)

    def figures(self) -> dict[str, Any]:
        """By order: in how many per cent the name is first, and in the first five; and the mean reciprocal rank."""
        return {
            "places": len(self.sizes),
            "names listed, median": median(self.sizes or [0]),
            **{
                who: {
                    "top1": _percent(rank == 1 for rank in place_ranks),
                    f"top{_FEW}": _percent(rank <= _FEW for rank in place_ranks),
                    "mrr": round(fmean(1 / rank for rank in place_ranks), 3),
                }
                for who, place_ranks in self.ranks.items()
            },
        }


@dataclass(slots=True)
class LanguageTally:
    """What came of the menus in one family of languages."""

    asked: int = 0
    """Menus."""
    tallies: dict[tuple[str, str, int], Tally] = field(default_factory=lambda: defaultdict(Tally))
    """By peer, kind of place, and characters typed."""
    absent: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    """By peer, and for `ours`: how often the true name was not in the list."""
    milliseconds: list[float] = field(default_factory=list)

    def add(self, row: MenuRow) -> None:
        """Count one menu."""
        self.asked += 1
        self.milliseconds.append(row.milliseconds)
        for who, is_listed in row.listed.items():
            self.absent[who] += not is_listed
        for peer, by_order in row.ranks.items():
            self.tallies[peer, row.kind, row.typed].add(by_order, row.sizes[peer])

    def figures(self) -> dict[str, Any]:
        """The figures as data, for `--json`."""
        return {
            "asked": self.asked,
            "did not list the name": dict(self.absent),
            "ranking, median ms": round(median(self.milliseconds or [0]), 1),
            "tables": {
                f"{peer}, {kind}, {typed} typed": tally.figures() for (peer, kind, typed), tally in self.tallies.items()
            },
        }


def families(rows: Iterable[MenuRow]) -> dict[str, LanguageTally]:
    """The tallies of rows, by family of languages."""
    tallies: dict[str, LanguageTally] = defaultdict(LanguageTally)
    for row in rows:
        tallies[row.family].add(row)
    return tallies


def _percent(hits: Iterable[bool]) -> float:
    return round(100 * fmean(hits), 1)
