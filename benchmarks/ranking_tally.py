"""What came of the menus that `benchmarks.ranking` asks for: a row for each, and tables of rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, median
from typing import Any

OURS = ("unranked", "ours")
_FEW = 5


@dataclass(frozen=True, slots=True)
class MenuRow:
    """One menu."""

    family: str
    kind: str
    """Names, or members."""
    typed: int
    """Characters of the name that was there."""
    milliseconds: float
    """What ranking took."""
    listed: Mapping[str, bool]
    """By who was asked, ourselves included: whether the true name is in the list."""
    ranks: Mapping[str, Mapping[str, int]]
    """By peer, where both listed it: from 1, in the peer's order, in ours and in ours without the model."""
    sizes: Mapping[str, int]
    """By peer, how many names were compared."""


def ranks(orders: Mapping[str, Sequence[str]], name: str) -> dict[str, int]:
    """From 1, the ranks of a name in several orders of the same names."""
    return {who: order.index(name) + 1 for who, order in orders.items()}


@dataclass(slots=True)
class Tally:
    """Ranks of the true names in several orders of the same names."""

    ranks: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    sizes: list[int] = field(default_factory=list)

    def add(self, found: Mapping[str, int], size: int) -> None:
        """Count one place."""
        for who, rank in found.items():
            self.ranks[who].append(rank)
        self.sizes.append(size)

    def figures(self) -> dict[str, Any]:
        """Shares in percent, and the mean reciprocal rank."""
        return {
            "places": len(self.sizes),
            "names listed, median": median(self.sizes or [0]),
            **{
                who: {
                    "top1": _percent(rank == 1 for rank in found),
                    f"top{_FEW}": _percent(rank <= _FEW for rank in found),
                    "mrr": round(fmean(1 / rank for rank in found), 3),
                }
                for who, found in self.ranks.items()
            },
        }


@dataclass(slots=True)
class LanguageTally:
    """What came of one language."""

    asked: int = 0
    tallies: dict[tuple[str, str, int], Tally] = field(default_factory=lambda: defaultdict(Tally))
    """By peer, kind of place, and characters typed."""
    absent: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    """How often somebody did not list the true name."""
    milliseconds: list[float] = field(default_factory=list)

    def add(self, row: MenuRow) -> None:
        """Count one menu."""
        self.asked += 1
        self.milliseconds.append(row.milliseconds)
        for who, is_listed in row.listed.items():
            self.absent[who] += not is_listed
        for peer, found in row.ranks.items():
            self.tallies[peer, row.kind, row.typed].add(found, row.sizes[peer])

    def figures(self) -> dict[str, Any]:
        """For programs."""
        return {
            "asked": self.asked,
            "did not list the name": dict(self.absent),
            "ranking, median ms": round(median(self.milliseconds or [0]), 1),
            "tables": {
                f"{peer}, {kind}, {typed} typed": tally.figures() for (peer, kind, typed), tally in self.tallies.items()
            },
        }


def families(rows: Iterable[MenuRow]) -> dict[str, LanguageTally]:
    """What rows come to, by language."""
    found: dict[str, LanguageTally] = defaultdict(LanguageTally)
    for row in rows:
        found[row.family].add(row)
    return found


def _percent(hits: Iterable[bool]) -> float:
    return round(100 * fmean(hits), 1)
