"""What pauses come to, by language."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from benchmarks.timing import spread
from benchmarks.typing_replay import Typed

Figures = Mapping[str, Mapping[str, float]]
_SHARES = {
    "shown": "something is shown, of pauses",
    "right": "all of it right, of shown",
    "begins_right": "a third of it and more right",
    "useless": "not one character right",
    "flickers": "changed though typed, of shown",
    "repeats": "says the next line again",
    "unbalanced": "unbalances brackets",
}


def tallied(typed: Sequence[Typed]) -> dict[str, dict[str, float]]:
    """Counts, shares and times for each language."""
    languages = sorted({pause.language for one in typed for pause in one.pauses})
    return {
        language: _of([one for one in typed if one.pauses and one.pauses[0].language == language])
        for language in languages
    }


def _of(typed: Sequence[Typed]) -> dict[str, float]:
    pauses = [pause for one in typed for pause in one.pauses]
    shown = [pause for pause in pauses if pause.shown]
    expected = [pause for pause in pauses if pause.expected]
    count = max(len(shown), 1)
    keys, saved = sum(one.keys for one in typed), sum(one.saved for one in typed)
    taken = spread([pause.milliseconds for pause in pauses])
    return {
        "stretches": len(typed),
        "pauses": len(pauses),
        "keys": keys,
        "saved": saved / max(keys + saved, 1),
        "accepted": sum(pause.accepted for pause in pauses),
        "shown": len(shown) / max(len(pauses), 1),
        "right": sum(pause.is_right for pause in shown) / count,
        "begins_right": sum(pause.right * 3 >= len(pause.shown) for pause in shown) / count,
        "useless": sum(not pause.right for pause in shown) / count,
        "flickers": sum(pause.flickers for pause in expected) / max(len(expected), 1),
        "repeats": sum(pause.repeats for pause in shown) / count,
        "unbalanced": sum(pause.unbalanced for pause in shown) / count,
        "busy_ms": sum(one.busy for one in typed) * 1000 / max(len(pauses), 1),
        **taken,
    }


def rows(figures: Figures) -> Iterator[tuple[str, list[str]]]:
    """Titles, and a cell for each language."""
    each = list(figures.values())
    yield "stretches, pauses", [f"{one['stretches']}, {one['pauses']}" for one in each]
    yield "keys pressed, accepted", [f"{one['keys']}, {one['accepted']}" for one in each]
    yield "keys saved", [f"{one['saved']:.1%}" for one in each]
    for name, title in _SHARES.items():
        yield title, [f"{one[name]:.1%}" for one in each]
    taken = ["/".join(f"{one[name]:.0f}" for name in ("p50", "p90", "p99")) for one in each]
    yield "until an answer, ms, p50/p90/p99", taken
    yield "processor time for a pause, ms", [f"{one['busy_ms']:.0f}" for one in each]
