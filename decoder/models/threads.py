"""The numbers that decide among how many threads a model is computed."""

from __future__ import annotations

SMALL = 50_000_000
"""The most bytes of weights for which one thread decodes faster than several (`inscope bench forward`), and numpy
faster than torch (`inscope bench speed`)."""

MOST_THREADS = 4
"""The most threads among which the tokens of a prompt are divided, and on which llama.cpp computes."""
