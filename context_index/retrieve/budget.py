"""How many snippets fit into a prompt (`Budget`): a limit, and a function that returns what a text costs.

The engine sets the budget of each request. Knows nothing of which snippets are wanted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from context_index.symbols import Snippet

_CHARACTERS_PER_TOKEN = 3
"""Source code has three to four; the lower figure never promises too much room."""
_FEW_LINES = 6
"""Of a snippet that does not fit, a third of the lines is dropped at a time, and one once so many are left."""


def estimated_tokens(text: str) -> int:
    """An estimate of how many tokens a text has, for callers without a tokenizer."""
    return -(-len(text) // _CHARACTERS_PER_TOKEN)


@dataclass(frozen=True, slots=True)
class Budget:
    """The room for snippets."""

    size: int
    """The most that all snippets may cost together, in tokens or in whatever `cost` counts."""
    cost: Callable[[str], int] = estimated_tokens
    """Returns what a text costs."""

    def cost_of(self, snippet: Snippet) -> int:
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
            while lines and self.cost_of(shorter := Snippet(snippet.path, "".join(lines))) > room:
                del lines[len(lines) * 2 // 3 if len(lines) > _FEW_LINES else -1 :]
            if not lines:
                break
            room -= self.cost_of(shorter)
            chosen.append(shorter)
            if len(lines) < line_count:
                break
        return tuple(chosen)
