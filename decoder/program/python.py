"""Programs in Python: an `async def` of this process, which is a worker's own where the program came from a file.

It is replayed from its beginning for each step, as nothing can be taken back in Python; it must so do the same each
time.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from decoder.program.combinators import KEYS, Main, Part, awaited
from decoder.program.nodes import Node, ProgramError

_EMPTY: Mapping[str, Any] = MappingProxyType({})


class PythonFunction:
    """An `async def` of this process."""

    def __init__(self, main: Main, params: Mapping[str, Any] = _EMPTY) -> None:
        self._main = main
        self._params = params
        self._keys = KEYS.given

    def after(self, history: tuple[str, ...]) -> Node | None:
        """The part that is awaited once these texts have been written; None where the program is over."""
        KEYS.back_to(self._keys)
        running: Any = awaited(self._main, self._params)
        try:
            asked = running.send(None)
            for text in history:
                asked = running.send(text)
        except StopIteration:
            return None
        finally:
            running.close()
        if isinstance(asked, Part):
            return asked.node
        if not hasattr(asked, "__dataclass_fields__"):
            raise ProgramError("the program waits for what never comes: only parts of the text can be awaited")
        node: Node = asked
        return node

    def close(self) -> None:
        """Nothing is left behind."""
