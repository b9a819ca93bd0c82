"""Line plots as SVG, written by hand: no library for a few lines."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape
from pathlib import Path

_WIDTH, _HEIGHT, _LEFT, _TOP, _RIGHT, _BOTTOM = 720, 360, 56, 40, 190, 48
_COLOURS = ("#3366cc", "#dc5a2a", "#2a9d5c", "#9356b8")
_TICKS = 5
_STEPS = (0.2, 0.25, 0.4, 0.5, 1.0, 2.0)


@dataclass(frozen=True, slots=True)
class Series:
    """One line."""

    name: str
    x: list[float]
    y: list[float]


def plot(path: Path, title: str, x_label: str, y_label: str, series: list[Series]) -> None:
    """Write the plot; both axes begin at 0."""
    most_x = _end(max(max(one.x) for one in series))
    most_y = _end(max(max(one.y) for one in series))
    inner_width, inner_height = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM

    def at(x: float, y: float) -> tuple[float, float]:
        return _LEFT + x / most_x * inner_width, _TOP + inner_height - y / most_y * inner_height

    parts = [_text(_LEFT, 22, title, "start", 15)]
    for tick in range(_TICKS + 1):
        x, _ = at(most_x * tick / _TICKS, 0)
        _, y = at(0, most_y * tick / _TICKS)
        parts.append(f'<path d="M{_LEFT} {y:.1f}H{_LEFT + inner_width}" stroke="#8884" fill="none"/>')
        parts.append(_text(x, _TOP + inner_height + 18, f"{most_x * tick / _TICKS:g}", "middle"))
        parts.append(_text(_LEFT - 8, y + 4, f"{most_y * tick / _TICKS:g}", "end"))
    parts.append(_text(_LEFT + inner_width / 2, _HEIGHT - 8, x_label, "middle"))
    parts.append(_text(_LEFT, _TOP - 6, y_label, "start"))
    for number, one in enumerate(series):
        colour = _COLOURS[number % len(_COLOURS)]
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in (at(*pair) for pair in zip(one.x, one.y, strict=True)))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(_text(_LEFT + inner_width + 12, _TOP + 14 + 18 * number, one.name, "start", 12, colour))
    path.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif">\n'
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#fff"/>\n' + "\n".join(parts) + "\n</svg>\n",
        encoding="utf-8",
    )


def _end(most: float) -> float:
    """Where an axis ends that holds `most`, so that its ticks have round numbers."""
    power = 10.0 ** math.floor(math.log10(most or 1.0))
    return next(power * step * _TICKS for step in _STEPS if power * step * _TICKS >= most or step == _STEPS[-1])


def _text(x: float, y: float, text: str, anchor: str, size: int = 12, colour: str = "#333") -> str:  # noqa: PLR0917 - an SVG element's attributes
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{colour}">{escape(text)}</text>'
    )
