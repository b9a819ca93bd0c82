"""Draws the log of a training run: the loss over the tokens that the run has seen."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

_WIDTH, _HEIGHT, _MARGIN = 720, 320, 44


def draw(log: Path, picture: Path) -> None:
    """Write the curve of a log as an SVG picture; no picture if the log has fewer than two lines."""
    lines = [json.loads(line) for line in log.read_text("utf-8").splitlines()] if log.exists() else []
    if len(lines) > 1:
        picture.write_text(_svg([(line["tokens"] / 1e6, line["loss"]) for line in lines]), "utf-8")


def _svg(points: Sequence[tuple[float, float]]) -> str:
    """The SVG text of a curve through points of million tokens and nats per token."""
    (left, right), (low, high) = ((min(axis), max(axis)) for axis in zip(*points, strict=True))
    x_range, y_range = max(right - left, 1e-9), max(high - low, 1e-9)

    def pixels(x: float, y: float) -> str:
        return (
            f"{_MARGIN + (x - left) / x_range * (_WIDTH - 2 * _MARGIN):.1f},"
            f"{_HEIGHT - _MARGIN - (y - low) / y_range * (_HEIGHT - 2 * _MARGIN):.1f}"
        )

    line = " ".join(pixels(x, y) for x, y in points)
    text = 'font-family="sans-serif" font-size="12" fill="#444"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}">'
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>'
        f'<polyline fill="none" stroke="#2563a8" stroke-width="1.5" points="{line}"/>'
        f'<text x="{_MARGIN}" y="{_HEIGHT - 14}" {text}>{left:.1f}</text>'
        f'<text x="{_WIDTH - _MARGIN}" y="{_HEIGHT - 14}" text-anchor="end" {text}>{right:.1f} million tokens</text>'
        f'<text x="6" y="{_MARGIN}" {text}>{high:.2f}</text>'
        f'<text x="6" y="{_HEIGHT - _MARGIN}" {text}>{low:.2f}</text>'
        f'<text x="6" y="18" {text}>weighted loss, nats per token</text></svg>\n'
    )
