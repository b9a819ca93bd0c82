"""Line plots as SVG, for the benchmarks that draw one; a few lines need no library."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape
from pathlib import Path

_WIDTH, _HEIGHT, _LEFT, _TOP, _RIGHT, _BOTTOM = 720, 360, 56, 40, 190, 48
_COLOURS = ("#3366cc", "#dc5a2a", "#2a9d5c", "#9356b8")
_TICKS = 5
"""Intervals on each axis."""
_STEPS = (0.2, 0.25, 0.4, 0.5, 1.0, 2.0)
"""Round intervals between ticks, times a power of ten."""


@dataclass(frozen=True, slots=True)
class Series:
    """One line of a plot."""

    name: str
    x: list[float]
    y: list[float]


def plot(path: Path, title: str, x_label: str, y_label: str, series: list[Series]) -> None:
    """Write a plot of at least one line to a file; both axes begin at 0."""
    end_x = _axis_end(max(max(line.x) for line in series))
    end_y = _axis_end(max(max(line.y) for line in series))
    inner_width, inner_height = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM

    def to_pixels(x: float, y: float) -> tuple[float, float]:
        return _LEFT + x / end_x * inner_width, _TOP + inner_height - y / end_y * inner_height

    elements = [_text(_LEFT, 22, title, "start", 15)]
    for tick in range(_TICKS + 1):
        x, _ = to_pixels(end_x * tick / _TICKS, 0)
        _, y = to_pixels(0, end_y * tick / _TICKS)
        elements.append(f'<path d="M{_LEFT} {y:.1f}H{_LEFT + inner_width}" stroke="#8884" fill="none"/>')
        elements.append(_text(x, _TOP + inner_height + 18, f"{end_x * tick / _TICKS:g}", "middle"))
        elements.append(_text(_LEFT - 8, y + 4, f"{end_y * tick / _TICKS:g}", "end"))
    elements.append(_text(_LEFT + inner_width / 2, _HEIGHT - 8, x_label, "middle"))
    elements.append(_text(_LEFT, _TOP - 6, y_label, "start"))
    for number, line in enumerate(series):
        colour = _COLOURS[number % len(_COLOURS)]
        pixels = (to_pixels(*pair) for pair in zip(line.x, line.y, strict=True))
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in pixels)
        elements.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        elements.append(_text(_LEFT + inner_width + 12, _TOP + 14 + 18 * number, line.name, "start", 12, colour))
    path.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif">\n'
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#fff"/>\n' + "\n".join(elements) + "\n</svg>\n",
        encoding="utf-8",
    )


def _axis_end(most: float) -> float:
    """Where an axis ends that has to reach `most`, so that the numbers at its ticks are round."""
    power = 10.0 ** math.floor(math.log10(most or 1.0))
    return next(power * step * _TICKS for step in _STEPS if power * step * _TICKS >= most or step == _STEPS[-1])


def _text(x: float, y: float, text: str, anchor: str, size: int = 12, colour: str = "#333") -> str:  # noqa: PLR0917 - an SVG element's attributes
    """An SVG element of text; `x` and `y` are pixels, and `anchor` is the end of the text that is there."""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{colour}">{escape(text)}</text>'
    )
