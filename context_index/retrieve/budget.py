"""A budget for snippets: a limit, and a function that says what a text costs. The engine sets it for each request."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from context_index.symbols import Snippet

_CHARACTERS_PER_TOKEN = 3
"""Source code has three to four; the lower figure never promises too much room."""


def estimated_tokens(text: str) -> int:
    """An estimate of how many tokens a text has, for callers without a tokenizer."""
    return -(-len(text) // _CHARACTERS_PER_TOKEN)


@dataclass(frozen=True, slots=True)
class Budget:
    """Tokens, or whatever `cost` counts."""

    size: int
    cost: Callable[[str], int] = estimated_tokens

    def of(self, snippet: Snippet) -> int:
        """What a snippet costs, with the line that names its file."""
        return self.cost(f"{snippet.path}\n{snippet.text}")

    def fitting(self, snippets: Iterable[Snippet]) -> tuple[Snippet, ...]:
        """The snippets in their order, as far as they fit; the first that does not fit as a whole is cut after a line.

        Nothing comes after that one.
        """
        room, chosen = self.size, []
        for snippet in snippets:
            lines = snippet.text.splitlines(keepends=True)
            line_count = len(lines)
            while lines and self.of(shorter := Snippet(snippet.path, "".join(lines))) > room:
                del lines[len(lines) * 2 // 3 if len(lines) > _FEW else -1 :]
            if not lines:
                break
            room -= self.of(shorter)
            chosen.append(shorter)
            if len(lines) < line_count:
                break
        return tuple(chosen)


_FEW = 6
"""From so many lines, one is dropped at a time; from more, a third."""
