"""Words of sentences for people."""

from __future__ import annotations


def counted(number: int, noun: str, several: str = "") -> str:
    """A number and the noun that it counts: `1 file`, `2,000 files`.

    Args:
        several: The noun's plural; empty where it is the noun with an `s`. A verb may come with each of them.
    """
    return f"{number:,} {noun if number == 1 else several or f'{noun}s'}"
